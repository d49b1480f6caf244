//! Scripts given to an interpreter on the command line: those that put one text in another's place can be followed.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::lex::{Redirect, Simple};
use super::super::{How, Step, Target, Write, substitution};
use super::{Call, Syntax};
use crate::lean::Regex;

/// A string in either kind of quotation marks.
const TEXT: &str = r#"(?:[rbu]?(?:'([^'\n]*)'|"([^"\n]*)"))"#;

#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests run each of them")]
fn pattern(source: &str) -> Regex {
    Regex::new(&source.replace("TEXT", TEXT)).expect("a constant pattern")
}

static REPLACES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(?:replace|replaceAll|gsub!?|sub)\s*\(\s*(?:TEXT|(\w+))\s*,\s*(?:TEXT|(\w+))")
});
static ASSIGNS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(\w+)\s*=\s*TEXT"));
static ASSIGNS_TWO: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(\w+)\s*,\s*(\w+)\s*=\s*\(?TEXT\s*,\s*TEXT"));
static STRINGS: LazyLock<Regex> = LazyLock::new(|| pattern("TEXT"));
static WRITES: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\bwrite\w*\s*\(|writeFile|\bFile\.write|\binplace\b"));
/// Signs that the script finds its files by itself.
static WALKS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)walk|glob|grep|find|listdir|scandir|readdir|argv|stdin|ls-files|input\("));

impl Call<'_, '_> {
    /// Reads a script that replaces one text by another in files; false when it is none.
    pub(super) fn rewrites(&mut self, command: &Simple) -> bool {
        let here = command.redirects.iter().find_map(|redirect| match redirect {
            Redirect::Here(text) => Some(text.as_str()),
            _ => None,
        });
        let inline = self.arguments.iter().position(|word| matches!(word.as_str(), "-c" | "-e"));
        let inline = inline.and_then(|at| self.arguments.get(at + 1)).map(String::as_str);
        let Some(script) = here.or(inline).filter(|script| WRITES.is_match(script)) else { return false };
        let Some(how) = replacement(script) else { return false };
        let targets = targets(script);
        for target in &targets {
            let target = match target {
                Target::File(path) => Target::File(self.reader.path(path)),
                Target::Tree(_) => Target::Tree(self.reader.cwd.clone()),
            };
            self.push(Step::Write(Write { target, how: how.clone() }));
        }
        !targets.is_empty()
    }
}

/// What takes the place of what, when there is one such pair.
fn replacement(script: &str) -> Option<How> {
    let mut values = HashMap::new();
    for found in ASSIGNS.captures_iter(script) {
        if let (Some(name), Some(text)) = (found.get(1), found.get(2).or(found.get(3))) {
            values.insert(name.as_str(), text.as_str());
        }
    }
    for found in ASSIGNS_TWO.captures_iter(script) {
        let one = found.get(3).or(found.get(4));
        let two = found.get(5).or(found.get(6));
        for (name, text) in [(found.get(1), one), (found.get(2), two)] {
            if let (Some(name), Some(text)) = (name, text) {
                values.insert(name.as_str(), text.as_str());
            }
        }
    }
    let mut all = Vec::new();
    for found in REPLACES.captures_iter(script) {
        let text = |from: usize| {
            let literal = found.get(from).or(found.get(from + 1)).map(|text| text.as_str());
            literal.or_else(|| values.get(found.get(from + 2)?.as_str()).copied())
        };
        let (old, new) = (text(1)?, text(4)?);
        if old.contains('/') || new.contains(['/', '\\']) {
            return None;
        }
        all.extend(substitution::parse(&format!("s/{old}/{new}/g"), Syntax::Extended)?);
    }
    (!all.is_empty()).then_some(How::Substitute(all))
}

/// The files that the script names, or the whole tree when it looks for them by itself.
fn targets(script: &str) -> Vec<Target> {
    if WALKS.is_match(script) {
        return vec![Target::Tree(String::new())];
    }
    STRINGS
        .captures_iter(script)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .flat_map(|text| text.as_str().split_whitespace())
        .filter(|text| text.contains('.') && text.chars().all(|c| c.is_alphanumeric() || "./_-".contains(c)))
        .take(256)
        .map(|text| Target::File(text.to_owned()))
        .collect()
}
