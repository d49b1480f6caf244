//! A trial that a run does not hold: which ones were likely meant.

use harness::case::Case;
use reports::Plan;

/// Trials that are named.
const NAMED: usize = 6;

/// What to say of `asked`: that it was owed and not played, or which trials come near it, or how trials are named.
pub(super) fn told<'c>(asked: &str, plan: &Plan, cases: impl Iterator<Item = &'c Case>) -> String {
    let keys: Vec<String> = plan.trials().map(|key| key.to_string()).collect();
    if keys.iter().any(|key| key == asked) {
        return "the run owes it, but it was not played yet; `assize run --resume` goes on".to_owned();
    }
    let names: Vec<(String, String)> = cases.map(|case| (case.name.clone(), case.id.clone())).collect();
    let near = near(asked, &keys, &names);
    if !near.is_empty() {
        return format!("did you mean one of these?\n  {}", near.join("\n  "));
    }
    let listed = |all: &mut dyn Iterator<Item = &str>| {
        let mut known: Vec<&str> = Vec::new();
        all.for_each(|one| {
            if !known.contains(&one) {
                known.push(one);
            }
        });
        known.join(", ")
    };
    let part = |at: usize| listed(&mut keys.iter().filter_map(|key| key.split('/').nth(at)));
    format!(
        "a trial is named CASE/ROW/MODEL/TRIAL\n  cases: {}\n  rows: {}\n  models: {}\n  trials: {}",
        part(0),
        part(1),
        part(2),
        part(3)
    )
}

/// The trials that have most in common with `asked`: parts in any order, a case by its name too, and slips of the pen.
fn near(asked: &str, keys: &[String], names: &[(String, String)]) -> Vec<String> {
    let parts: Vec<String> = asked.split('/').map(|part| id_of(part, names).to_lowercase()).collect();
    let asked = parts.join("/");
    let mut scored: Vec<(usize, usize, &String)> = keys
        .iter()
        .map(|key| {
            let low = key.to_lowercase();
            let of_key: Vec<&str> = low.split('/').collect();
            let shared = parts.iter().filter(|part| of_key.iter().any(|own| is_meant(part, own))).count();
            (shared, strsim::damerau_levenshtein(&asked, &low), key)
        })
        .filter(|(shared, distance, _)| *shared > 0 || *distance <= asked.chars().count() / 3)
        .collect();
    // The plan's order decides among equals.
    scored.sort_by_key(|(shared, distance, _)| (std::cmp::Reverse(*shared), *distance));
    let most = scored.first().map_or(0, |(shared, ..)| *shared);
    scored.retain(|(shared, ..)| *shared == most);
    let left_out = scored.len().saturating_sub(NAMED);
    let mut near: Vec<String> = scored.into_iter().take(NAMED).map(|(.., key)| key.clone()).collect();
    if left_out > 0 {
        near.push(format!("… and {left_out} more"));
    }
    near
}

/// A case's id in the place of its name.
fn id_of<'a>(part: &'a str, names: &'a [(String, String)]) -> &'a str {
    names.iter().find(|(name, _)| name.eq_ignore_ascii_case(part)).map_or(part, |(_, id)| id)
}

/// Whether a part of a key is the one that was written: the whole of it, the case of a variant, or nearly so.
fn is_meant(written: &str, own: &str) -> bool {
    written == own
        || own.split('.').next() == Some(written)
        || (written.len() > 3 && strsim::damerau_levenshtein(written, own) <= written.len() / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(asked: &str) -> String {
        let keys: Vec<String> =
            ["E1/r1/large/t1", "E1/r1/large/t2", "E1/r1/small/t1", "E6.i/r1/large/t1", "E6.ii/r1/small/t1"]
                .map(str::to_owned)
                .into();
        near(asked, &keys, &[("percentage-trap".to_owned(), "E1".to_owned())]).join(" ")
    }

    #[test]
    fn the_nearest_trials_are_named() {
        assert_eq!(asked("E1/r1/larg/t1"), "E1/r1/large/t1");
        assert_eq!(asked("e1/r1/small"), "E1/r1/small/t1");
        assert_eq!(asked("percentage-trap"), "E1/r1/large/t1 E1/r1/large/t2 E1/r1/small/t1");
        assert_eq!(asked("E6"), "E6.i/r1/large/t1 E6.ii/r1/small/t1");
        assert_eq!(asked("small"), "E1/r1/small/t1 E6.ii/r1/small/t1");
        assert_eq!(asked("nothing-like-it"), "");
    }
}
