//! Words and characters that every output needs: counts of things, and what text from elsewhere may not carry along.

/// `1 cell`, `2 cells`.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Whether a character of somebody else's text could steer whatever shows it, or hide from whoever reads it: control
/// characters, marks that turn, join, tag or hide text, and what XML 1.0 cannot hold.
#[must_use]
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_hides_or_tags_text_steers_and_letters_do_not() {
        for c in [
            '\u{1b}',
            '\u{61c}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{fffa}',
            '\u{e0041}',
            '\u{ffff}',
        ] {
            assert!(steers(c), "{c:?}");
        }
        assert!(!"aé中𝒳👍¼".chars().any(steers));
    }
}
