//! The answer and its reasons, the sums, and what n of n proves.

use serde::Serialize;

use super::{duration, short, thousands, words};
use crate::gate::Answer;
use crate::manifest::Cost;
use crate::render::text;
use crate::report::{Report, Tone};
use crate::statistics;

/// Reasons shown at once.
const SHOWN: usize = 8;
/// Reasons in the page; the rest is counted.
const MOST: usize = 200;

/// The answer.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    mark: &'static str,
    class: &'static str,
    headline: &'static str,
    explained: &'static str,
    reasons: Vec<String>,
    more: Vec<String>,
    left_out: usize,
    narrowed: Vec<String>,
    tiles: Vec<Tile>,
}

/// A sum.
#[derive(Debug, Serialize)]
struct Tile {
    name: &'static str,
    value: String,
    /// What it is made of, if that needs saying.
    note: String,
}

/// What n of n proves.
#[derive(Debug, Serialize)]
pub(super) struct Proof {
    n: usize,
    rate: String,
    this: bool,
}

/// The answer of `report`.
pub(super) fn section(report: &Report) -> Section {
    let (tone, headline, explained) = match report.decision.answer {
        Answer::Yes => (
            Tone::Good,
            "A release may rest on it",
            "Every trial owed has the verdict it should have, and the record follows from the run's own files. `assize gate` says it again at any time.",
        ),
        Answer::No => {
            (Tone::Bad, "No release", "Something is not as it should be. No flag turns this into a yes.")
        }
        Answer::Incomplete => (
            Tone::Open,
            "Incomplete",
            "Nothing failed, but something owed has no verdict on the model. `assize run --resume` goes on with it.",
        ),
    };
    let mut reasons: Vec<String> =
        report.decision.reasons.iter().take(MOST).map(|reason| text::line(reason, 400)).collect();
    let more = reasons.split_off(reasons.len().min(SHOWN));
    Section {
        mark: tone.mark(),
        class: words(tone).0,
        headline,
        explained,
        reasons,
        more,
        left_out: report.decision.reasons.len().saturating_sub(MOST),
        narrowed: report.manifest.plan.narrowed.iter().map(|what| short(what)).collect(),
        tiles: tiles(report),
    }
}

fn tiles(report: &Report) -> Vec<Tile> {
    let counts = report.manifest.counts;
    let tile =
        |name, value: usize, note: &str| Tile { name, value: thousands(value as u64), note: note.to_owned() };
    let (mut input, mut output, mut elapsed, mut retries) = (0_u64, 0_u64, 0_u64, 0);
    // What was taken over from another run was paid for there.
    for row in report.rows.iter().filter(|row| row.reused_from.is_none()) {
        let usage = row.usage.unwrap_or_default();
        input = input.saturating_add(usage.input);
        output = output.saturating_add(usage.output);
        elapsed = elapsed.saturating_add(row.elapsed_ms.unwrap_or(0));
        retries += u64::from(row.retries);
    }
    let mut tiles = vec![
        tile("trials owed", counts.expected, ""),
        tile("passed", counts.passed, ""),
        tile("failed", counts.failed, "control arms that must fail included"),
        tile("errors", counts.error, "say nothing of a model"),
        tile("not run", counts.not_run, ""),
        Tile {
            name: "tokens",
            value: thousands(input + output),
            note: format!("{} in, {} out", thousands(input), thousands(output)),
        },
        Tile {
            name: "model time",
            value: duration(elapsed),
            note: "all attempts, one after the other".to_owned(),
        },
        Tile { name: "retries", value: thousands(retries), note: "requests sent again".to_owned() },
    ];
    tiles.extend(costs(report).into_iter().map(|cost| Tile {
        name: "cost",
        value: cost.to_string(),
        note: "of the models that the matrix has prices for".to_owned(),
    }));
    tiles
}

/// What the run cost, a sum for each currency.
fn costs(report: &Report) -> Vec<Cost> {
    let mut sums: Vec<Cost> = Vec::new();
    for cost in report.manifest.models.iter().filter_map(|model| model.cost.as_ref()) {
        match sums.iter_mut().find(|sum| sum.currency == cost.currency) {
            Some(sum) => sum.micros = sum.micros.saturating_add(cost.micros),
            None => sums.push(cost.clone()),
        }
    }
    sums
}

/// What n of n proves, for some n and for that of the run.
pub(super) fn proofs(trials: u32) -> Vec<Proof> {
    let mut numbers = vec![1, 3, 5, 10, 30, 100, trials as usize];
    numbers.retain(|n| *n > 0);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
        .into_iter()
        .map(|n| Proof {
            n,
            rate: format!("{:.0}%", 100.0 * statistics::all_passed_proves(n)),
            this: n == trials as usize,
        })
        .collect()
}
