//! What the endpoints said of themselves, in words: who served under which names, and where nobody said.
//!
//! A contradicted pin is an error of its trial. What stands here contradicts nothing, but whoever relies on a run should
//! have seen it.

use crate::manifest::{ModelRecord, Observed};
use crate::subject::LoadVerdict;

/// What is worth a look in what a model's endpoint reported; empty when it always said the same.
#[must_use]
pub fn remarks(model: &ModelRecord) -> Vec<String> {
    let mut remarks: Vec<String> = uncounted(model).into_iter().collect();
    let all: usize = model.observed.iter().map(|seen| seen.replies).sum();
    let silent = replies(model, |seen| seen.model.is_none());
    if silent > 0 {
        remarks.push(format!(
            "{}: the endpoint did not say which model served {silent} of {all} replies, so the pin is not known to be kept",
            model.id
        ));
    }
    for (what, kinds) in [
        ("names", counted(model, |seen| seen.model.as_deref())),
        ("fingerprints", counted(model, |seen| seen.fingerprint.as_deref())),
    ] {
        if kinds.len() > 1 {
            let list: Vec<String> = kinds
                .iter()
                .map(|(name, replies)| format!("{} in {replies}", name.unwrap_or("none")))
                .collect();
            remarks.push(format!(
                "{}: {} {what} in {all} replies: {}",
                model.id,
                kinds.len(),
                list.join(", ")
            ));
        }
    }
    remarks
}

/// That what the model took is not all on record.
fn uncounted(model: &ModelRecord) -> Option<String> {
    let replies = model.uncounted?;
    Some(format!(
        "{}: nobody counted the tokens of {}, so its tokens on record are not all, and what it cost is not known",
        model.id,
        if replies.get() == 1 { "1 reply".to_owned() } else { format!("{replies} replies") }
    ))
}

/// That nobody could see whether the charter reached the model: what it did, it may have done without.
#[must_use]
pub fn unseen(model: &ModelRecord) -> Option<String> {
    (model.load.verdict == LoadVerdict::NotRun)
        .then(|| format!("{}: the charter was never seen to be loaded ({})", model.id, model.load.how))
}

fn replies(model: &ModelRecord, which: impl Fn(&Observed) -> bool) -> usize {
    model.observed.iter().filter(|seen| which(seen)).map(|seen| seen.replies).sum()
}

/// The different values of a field, in the order in which they came, with how many replies had each.
fn counted<'m>(
    model: &'m ModelRecord,
    field: impl Fn(&'m Observed) -> Option<&'m str>,
) -> Vec<(Option<&'m str>, usize)> {
    let mut kinds: Vec<(Option<&str>, usize)> = Vec::new();
    for seen in &model.observed {
        let value = field(seen);
        match kinds.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += seen.replies,
            None => kinds.push((value, seen.replies)),
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(observed: &[(Option<&str>, Option<&str>, usize)]) -> ModelRecord {
        let observed = observed.iter().map(|(model, fingerprint, replies)| Observed {
            model: model.map(str::to_owned),
            fingerprint: fingerprint.map(str::to_owned),
            replies: *replies,
        });
        ModelRecord { observed: observed.collect(), ..ModelRecord::named("m1") }
    }

    #[test]
    fn one_name_and_one_fingerprint_are_nothing_to_speak_of() {
        assert!(remarks(&record(&[(Some("m"), None, 9)])).is_empty());
        assert!(remarks(&record(&[])).is_empty());
    }

    #[test]
    fn silence_and_changes_are_told() {
        let told = remarks(&record(&[
            (Some("m"), Some("fp_1"), 3),
            (None, Some("fp_1"), 1),
            (Some("m"), Some("fp_2"), 2),
        ]));
        assert_eq!(
            told,
            [
                "m1: the endpoint did not say which model served 1 of 6 replies, so the pin is not known to be kept",
                "m1: 2 names in 6 replies: m in 5, none in 1",
                "m1: 2 fingerprints in 6 replies: fp_1 in 4, fp_2 in 2",
            ]
        );
    }
}
