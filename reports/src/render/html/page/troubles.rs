//! What is not as it should be, trial by trial: the list that is there without a script.

use serde::Serialize;

use super::{fragment, words};
use crate::render::text;
use crate::report::{CellView, Tone, Trouble};
use crate::row::Standing;

/// Trials listed; the rest is counted, and the table has it.
const MOST: usize = 200;
/// Trials shown before the list is unfolded.
const SHOWN: usize = 12;

/// The list.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    all: usize,
    shown: Vec<Entry>,
    folded: Vec<Entry>,
    left_out: usize,
}

/// A trial that is not as it should be.
#[derive(Debug, Serialize)]
struct Entry {
    mark: &'static str,
    class: &'static str,
    trial: String,
    href: String,
    what: &'static str,
    clause: Option<String>,
    reason: String,
    evidence: Option<String>,
}

/// What is wrong with `views`, failures first.
pub(super) fn section(views: &[CellView<'_>]) -> Section {
    let group = |bad: bool| {
        let all = views.iter().flat_map(|view| &view.troubles);
        all.filter(move |trouble| (tone(trouble) == Tone::Bad) == bad)
    };
    let all = views.iter().map(|view| view.troubles.len()).sum();
    let mut shown: Vec<Entry> = group(true).chain(group(false)).take(MOST).map(entry).collect();
    let folded = shown.split_off(shown.len().min(SHOWN));
    Section { all, left_out: all - shown.len() - folded.len(), shown, folded }
}

fn tone(trouble: &Trouble<'_>) -> Tone {
    match trouble.standing {
        Standing::Passed | Standing::Failed => Tone::Bad,
        Standing::Error | Standing::NotRun => Tone::Open,
    }
}

fn entry(trouble: &Trouble<'_>) -> Entry {
    let tone = tone(trouble);
    Entry {
        mark: tone.mark(),
        class: words(tone).0,
        trial: text::line(&trouble.trial, 200),
        href: format!("#trial={}", fragment(&trouble.trial)),
        what: match trouble.standing {
            Standing::Passed => "passed, and must fail",
            Standing::Failed => "failed",
            Standing::Error => "no verdict",
            Standing::NotRun => "not run",
        },
        clause: trouble.clause.map(|clause| text::line(clause, 200)),
        reason: text::line(trouble.reason, 400),
        evidence: trouble.evidence.map(|evidence| text::line(evidence, 300)).filter(|text| !text.is_empty()),
    }
}
