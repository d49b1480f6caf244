//! The same answers as those of the `regex` crate, whatever the pattern and the text.

use proptest::prelude::*;

use super::{Regex, RegexBuilder};

/// Pieces of patterns: each stands for itself, may be repeated, and may follow any other.
const PIECES: &[&str] = &[
    r"\w",
    r"\W",
    r"\d",
    r"\D",
    r"\s",
    r"\S",
    ".",
    r"\b",
    r"\B",
    "^",
    "$",
    "k",
    "s",
    "é",
    "ß",
    "Σ",
    "ſ",
    "完",
    "了",
    "—",
    "’",
    "[^.;]",
    "[^—]",
    r"[\w'-]",
    r"[^\w\s]",
    r"[^\d\s—]",
    "[à-ÿ]",
    r"\p{L}",
    r"\p{Greek}",
    r"[^\p{Lu}]",
    "[✅🎉]",
    r"\u{2003}",
    r"(?-u:\b)",
    "(?:done|fertig)",
    "(a)",
    "(?P<n>é+)",
    "(?:)",
    r"\A",
    r"\z",
];

/// Pieces of texts: ASCII, what the patterns name, and characters of each kind and length that none of them names.
const TEXTS: &[&str] = &[
    "k", "s", "K", "\u{212a}", "ſ", "é", "É", "ß", "ẞ", "σ", "ς", "完", "了", "—", "’", ".", ";", " ", "\n",
    "-", "'", "_", "7", "٣", "७", "𝟗", "ñ", "ж", "語", "𐍈", "\u{85}", "\u{a0}", "\u{2003}", "\u{3000}", "×",
    "…", "€", "😀", "✅", "🎉", "\u{301}", "\u{200d}", "\u{feff}", "done", "fertig", "a", "\u{e000}",
];

fn pattern() -> impl Strategy<Value = String> {
    let piece =
        (prop::sample::select(PIECES), prop::sample::select(&["", "", "", "*", "+", "?", "{0,2}", "*?"][..]))
            .prop_map(
                |(piece, often)| {
                    if often.is_empty() { piece.to_owned() } else { format!("(?:{piece}){often}") }
                },
            );
    let branch = prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat());
    prop::collection::vec(branch, 1..4).prop_map(|branches| branches.join("|"))
}

fn text() -> impl Strategy<Value = String> {
    let any = prop_oneof![4 => prop::sample::select(TEXTS).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(any, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn finds_what_the_regex_crate_finds(source in pattern(), text in text(), fold: bool, lines: bool) {
        let built = regex::RegexBuilder::new(&source).case_insensitive(fold).multi_line(lines).build();
        // Borders of words by bytes and the like may not be allowed where others are.
        prop_assume!(built.is_ok());
        let theirs = built.unwrap();
        let ours = RegexBuilder::new(&source).case_insensitive(fold).multi_line(lines).build().unwrap();

        prop_assert_eq!(ours.is_match(&text), theirs.is_match(&text));
        let spans: Vec<_> = theirs.find_iter(&text).map(|found| found.range()).collect();
        prop_assert_eq!(ours.find_iter(&text).map(|found| found.range()).collect::<Vec<_>>(), spans);
        prop_assert_eq!(
            ours.find_iter(&text).map(|found| found.as_str()).collect::<Vec<_>>(),
            theirs.find_iter(&text).map(|found| found.as_str()).collect::<Vec<_>>()
        );
        prop_assert_eq!(ours.split(&text).collect::<Vec<_>>(), theirs.split(&text).collect::<Vec<_>>());
        for with in ["", " ", "<$0>", "$n-"] {
            prop_assert_eq!(ours.replace_all(&text, with), theirs.replace_all(&text, with));
        }
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            prop_assert_eq!(
                ours.find_at(&text, at).map(|found| found.range()),
                theirs.find_at(&text, at).map(|found| found.range())
            );
        }
        let groups: Vec<Vec<_>> = theirs
            .captures_iter(&text)
            .map(|found| (0..found.len()).map(|group| found.get(group).map(|g| g.range())).collect())
            .collect();
        let count = theirs.captures_len();
        let found: Vec<Vec<_>> = ours
            .captures_iter(&text)
            .map(|found| (0..count).map(|group| found.get(group).map(|g| g.range())).collect())
            .collect();
        prop_assert_eq!(found, groups);
    }
}

#[test]
fn each_character_is_in_a_class_in_the_small_alphabet_as_in_the_large_one() {
    for source in [
        r"\w",
        r"\W",
        r"\s+",
        r"\d",
        r"(?i)[^ks\w]",
        r"[\w'é—]",
        r"(?i:straße|완료|готово)\w*",
        r"[^.;!?]\w",
        r"\b",
    ] {
        let anchored = format!("^(?:{source})$");
        let (theirs, ours) = (regex::Regex::new(&anchored).unwrap(), Regex::new(&anchored).unwrap());
        // All of the planes' busy beginning, and a sample of the rest.
        for c in ('\0'..'\u{3100}').chain(('\u{3100}'..=char::MAX).step_by(97)) {
            let text = c.to_string();
            assert_eq!(ours.is_match(&text), theirs.is_match(&text), "{source} {c:?}");
        }
    }
}

#[test]
fn a_costly_pattern_has_an_alphabet_and_a_plain_one_has_none() {
    assert!(Regex::new(r"\w+ done").unwrap().alphabet.is_some());
    assert!(Regex::new("done|fertig|完了").unwrap().alphabet.is_none());
    // Too far from any union of the kinds: compiled as it is.
    assert!(Regex::new(r"\p{Lu}\w").unwrap().alphabet.is_none());
}

#[test]
fn errors() {
    let error = Regex::new("a(").unwrap_err();
    assert!(error.to_string().contains("unclosed group"), "{error}");
    let error = RegexBuilder::new(r"a{999}{99}").size_limit(1 << 10).build().unwrap_err();
    assert_eq!(error.to_string(), "the pattern takes more than 1024 bytes when it is compiled");
}

#[test]
fn a_deferred_pattern_is_read_at_once_and_compiled_later() {
    assert!(RegexBuilder::new("a(").defer().is_err());
    let deferred = RegexBuilder::new(r"\bdone").case_insensitive(true).defer().unwrap();
    assert!(deferred.get().unwrap().is_match("All DONE."));
    let large = RegexBuilder::new("a{999}{99}").size_limit(1 << 10).defer().unwrap();
    assert!(large.get().unwrap_err().to_string().contains("takes more than 1024 bytes"));
}
