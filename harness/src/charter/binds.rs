//! The clauses of a charter that cases can bind to, by short ids.

use std::collections::BTreeSet;

use super::markdown::{bare, heading_level};

/// The bind ids of what stands in the runtime part.
///
/// `charter:inv-N` for the numbered invariants, `charter:protocol-x` for lines that begin with a letter A–Z or
/// `Protocol X`, `charter:pN` for phases, `charter:usage-N` for the numbered rules under a heading that speaks of usage,
/// `charter:tiers` when tiers are named, and `charter:the-words-of-it` for each heading.
pub(super) fn ids(runtime: &str, invariants: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    ids.extend(invariants.lines().filter_map(item_number).map(|number| format!("charter:inv-{number}")));
    let mut in_usage = false;
    for line in runtime.lines() {
        let text = bare(line);
        let lower = text.to_lowercase();
        let short = !text.is_empty() && text.split(' ').count() <= 4 && item_number(line).is_none();
        if short || heading_level(line).is_some() {
            in_usage = lower.starts_with("usage");
        }
        if heading_level(line).is_some() {
            ids.extend(slug(text).map(|slug| format!("charter:{slug}")));
        }
        if in_usage {
            ids.extend(item_number(line).map(|number| format!("charter:usage-{number}")));
        }
        ids.extend(protocol(text).map(|letter| format!("charter:protocol-{letter}")));
        ids.extend(phase(text).map(|number| format!("charter:p{number}")));
        if is_tier(text) {
            ids.insert("charter:tiers".to_owned());
        }
    }
    ids
}

/// The words of a heading in lower case, joined by hyphens.
fn slug(heading: &str) -> Option<String> {
    let lower = heading.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join("-"))
}

/// The number of an item such as `3. …`, at the outermost level.
fn item_number(line: &str) -> Option<u32> {
    let text = line.strip_prefix("  ").unwrap_or(line).trim_start_matches(['*', '_']);
    let (number, rest) = text.split_once(['.', ')'])?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '*', '_'])).then(|| number.parse().ok())?
}

/// The letter of `A — Arithmetic`, `Protocol A: …`, `A. Arithmetic`, in lower case.
fn protocol(text: &str) -> Option<char> {
    let rest = text.strip_prefix("Protocol ").unwrap_or(text);
    let mut characters = rest.chars();
    let letter = characters.next().filter(char::is_ascii_uppercase)?;
    let rest = characters.as_str();
    let parted = [" — ", " – ", " - ", ": ", ". "].iter().any(|mark| rest.starts_with(mark));
    (parted && rest.chars().nth(2).is_some()).then(|| letter.to_ascii_lowercase())
}

/// The number of `P1 — Decompose` or `Phase 1`.
fn phase(text: &str) -> Option<u32> {
    let rest = text.strip_prefix("Phase ").or_else(|| text.strip_prefix('P'))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let rest = &rest[digits.len()..];
    ([" — ", " – ", " - ", ": "].iter().any(|mark| rest.starts_with(mark))).then(|| digits.parse().ok())?
}

/// Whether the line describes a tier: `T0 — …`.
fn is_tier(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('T').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
    else {
        return false;
    };
    rest.len() + 1 < text.len()
        && [" — ", " – ", " - ", ": ", "** "].iter().any(|mark| rest.starts_with(mark))
}
