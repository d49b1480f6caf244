//! Whether lines rhyme, as far as English spelling tells. Coarse on purpose: it only has to tell verse from prose.

/// How many lines rhyme with an earlier one within reach.
pub(super) fn pairs(lines: &[String]) -> usize {
    let ends: Vec<(String, String)> = lines.iter().filter_map(|line| last_word(line)).map(|word| (sound(&word), word)).collect();
    ends.iter()
        .enumerate()
        .filter(|(at, (sound, word))| {
            ends[at.saturating_sub(4)..*at].iter().any(|(other, same)| other == sound && same != word)
        })
        .count()
}

fn last_word(line: &str) -> Option<String> {
    let word = line.split(|c: char| c.is_whitespace() || matches!(c, '-' | '—' | '–' | '/')).rev().find(|word| word.chars().any(char::is_alphanumeric))?;
    let word: String = word.to_lowercase().chars().filter(|c| c.is_alphabetic() || matches!(c, '\'' | '’')).collect();
    let word = word.trim_matches(['\'', '’']).replace(['\'', '’'], "");
    (!word.is_empty()).then_some(word)
}

/// Endings that are written apart and sound alike; the longest first.
const ALIKE: &[(&str, &str)] = &[
    ("aught", "ot"), ("ought", "ot"), ("eight", "at"), ("ought", "ot"), ("ight", "it"), ("yte", "it"), ("ite", "it"), ("uite", "it"),
    ("ead", "ed"), ("aid", "ed"), ("ade", "ad"), ("ayed", "ad"), ("eyed", "ad"), ("ain", "an"), ("ane", "an"), ("eign", "an"), ("ein", "an"),
    ("ore", "or"), ("oor", "or"), ("our", "or"), ("oar", "or"), ("war", "or"), ("ew", "u"), ("ue", "u"), ("oo", "u"), ("you", "u"), ("ou", "u"), ("two", "u"), ("who", "u"), ("do", "u"), ("to", "u"),
    ("ough", "o"), ("ow", "o"), ("oe", "o"), ("eau", "o"), ("ey", "a"), ("ay", "a"), ("eigh", "a"), ("ee", "i"), ("ea", "i"), ("ie", "i"), ("y", "i"), ("igh", "ai"), ("ye", "ai"), ("uy", "ai"),
    ("ere", "er"), ("air", "er"), ("are", "er"), ("ear", "er"), ("eir", "er"), ("ure", "ur"), ("eer", "ir"), ("ier", "ir"),
    ("eat", "et"), ("eet", "et"), ("ate", "at"), ("ait", "at"), ("ale", "al"), ("ail", "al"), ("eel", "el"), ("eal", "el"), ("ile", "il"), ("yle", "il"),
    ("ole", "ol"), ("oal", "ol"), ("oll", "ol"), ("oul", "ol"), ("ool", "ul"), ("ule", "ul"), ("oom", "um"), ("ume", "um"), ("omb", "um"), ("oon", "un"), ("une", "un"), ("one", "on"), ("own", "on"), ("oan", "on"), ("ine", "in"), ("ign", "in"),
    ("ake", "ak"), ("eak", "ek"), ("eek", "ek"), ("ique", "ek"), ("ock", "ok"), ("ack", "ak"), ("ick", "ik"), ("eck", "ek"), ("uck", "uk"),
    ("ease", "is"), ("eeze", "is"), ("ees", "is"), ("eys", "is"), ("ase", "as"), ("ace", "as"), ("aze", "as"), ("ays", "as"), ("ice", "is"), ("ise", "is"), ("ize", "is"), ("ose", "os"), ("ows", "os"), ("oes", "os"),
    ("ase", "as"), ("ame", "am"), ("aim", "am"), ("ime", "im"), ("yme", "im"), ("eem", "em"), ("eam", "em"), ("oke", "ok"), ("oak", "ok"), ("ide", "id"), ("ied", "id"), ("ode", "od"), ("oad", "od"), ("owed", "od"), ("ude", "ud"), ("ood", "ud"), ("ewed", "ud"),
];

/// A rough sign for how a word ends.
fn sound(word: &str) -> String {
    for (spelt, heard) in ALIKE {
        if word.ends_with(spelt) {
            return format!("={heard}");
        }
    }
    let letters: Vec<char> = word.chars().collect();
    // From the last vowel that is heard: a final e after a consonant is not.
    let end = letters.len();
    let scan_from = if end > 2 && letters[end - 1] == 'e' { end - 1 } else { end };
    let mut start = scan_from;
    while start > 0 && !is_vowel(letters[start - 1]) {
        start -= 1;
    }
    while start > 1 && is_vowel(letters[start - 1]) && is_vowel(letters[start - 2]) {
        start -= 1;
    }
    let from = start.saturating_sub(1);
    letters[from..].iter().collect()
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'ä' | 'ö' | 'ü' | 'á' | 'é' | 'í' | 'ó' | 'ú' | 'à' | 'è' | 'ê' | 'â' | 'å')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rhymes_are_heard() {
        let rhyme = |a: &str, b: &str| sound(a) == sound(b);
        for (a, b) in [("write", "night"), ("caught", "taught"), ("store", "more"), ("lou", "cue"), ("dead", "said"), ("stack", "back"), ("song", "long"), ("air", "there")] {
            assert!(rhyme(a, b), "{a} {b}");
        }
        for (a, b) in [("table", "query"), ("rows", "index"), ("data", "fast"), ("keys", "tables")] {
            assert!(!rhyme(a, b), "{a} {b}");
        }
    }
}
