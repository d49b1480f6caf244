//! The charts: how often models and cases come out as they should, what tokens and time it took.

use std::collections::BTreeMap;

use minijinja::Value;
use serde::Serialize;
use transcript::Usage;

use super::{duration, percents, short, thousands};
use crate::plan::Expectation;
use crate::render::charts::{interval, parts, spark, spread};
use crate::render::html::Past;
use crate::report::{self, Report, Tone};
use crate::statistics::{Tally, wilson};

/// The charts.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    models: Vec<Rate>,
    cases: Vec<Rate>,
    /// Whether there are models on trial, which the cases are charted over.
    on_trial: bool,
    has_past: bool,
    /// Whether the matrix has prices for any model.
    has_cost: bool,
    tokens: Vec<Tokens>,
    times: Vec<Time>,
}

/// How often something comes out as it should.
#[derive(Debug, Serialize)]
struct Rate {
    name: String,
    note: String,
    share: String,
    rate: String,
    interval: String,
    chart: Option<Value>,
    spark: Option<Value>,
    past: String,
}

/// A model's tokens.
#[derive(Debug, Serialize)]
struct Tokens {
    model: String,
    input: String,
    /// Empty when none was.
    cached: String,
    output: String,
    /// Empty when none was.
    reasoning: String,
    each: String,
    /// Empty where the matrix has no prices.
    cost: String,
    chart: Value,
}

/// How long a model's attempts took.
#[derive(Debug, Serialize)]
struct Time {
    model: String,
    median: String,
    p90: String,
    most: String,
    retries: String,
    chart: Value,
}

/// What is gathered of a model.
#[derive(Debug, Default)]
struct Gathered {
    tally: Tally,
    usage: Usage,
    /// Attempts that this run played itself.
    attempts: u64,
    elapsed: Vec<u64>,
    retries: u64,
}

/// The charts of `report`.
pub(super) fn section(report: &Report, past: Option<&Past>) -> Section {
    let plan = &report.manifest.plan;
    let mut models: Vec<Gathered> = plan.models.iter().map(|_| Gathered::default()).collect();
    let mut cases: Vec<(String, Tally)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for record in &report.manifest.cells {
        let Some(at) = plan.models.iter().position(|model| model.id == record.cell.model) else { continue };
        let (model, expect) = (&mut models[at], plan.models[at].expect);
        let mut tally = Tally::default();
        for trial in &record.trials {
            match report::trial_tone(trial.standing, expect) {
                Tone::Good => tally.passed += 1,
                Tone::Bad => tally.failed += 1,
                Tone::Open => {}
            }
            for attempt in trial.attempts.iter().filter(|attempt| attempt.reused_from.is_none()) {
                model.usage += attempt.usage.unwrap_or_default();
                model.attempts += 1;
                model.elapsed.extend(attempt.elapsed_ms);
                model.retries += u64::from(attempt.retries);
            }
        }
        model.tally += tally;
        if expect == Expectation::Pass {
            let label = record.cell.case_label();
            let place = *places.entry(label.clone()).or_insert_with(|| {
                cases.push((label, Tally::default()));
                cases.len() - 1
            });
            cases[place].1 += tally;
        }
    }
    let named = || plan.models.iter().zip(&models);
    let case_name = |label: &str| {
        let id = report.manifest.cells.iter().find(|record| record.cell.case_label() == label);
        id.and_then(|record| report.case(&record.cell)).map(|facts| short(&facts.name)).unwrap_or_default()
    };
    Section {
        models: named()
            .map(|(pin, model)| {
                let note =
                    if pin.expect == Expectation::Fail { "control arm that must fail" } else { &pin.role };
                let nights = past.and_then(|past| past.models.get(&pin.id));
                rate(&pin.id, short(note), model.tally, nights)
            })
            .collect(),
        cases: cases.iter().map(|(label, tally)| rate(label, case_name(label), *tally, None)).collect(),
        on_trial: !cases.is_empty(),
        has_past: past.is_some(),
        has_cost: report.manifest.models.iter().any(|model| model.cost.is_some()),
        tokens: tokens(report, &named().map(|(pin, model)| (pin.id.as_str(), model)).collect::<Vec<_>>()),
        times: times(named().map(|(pin, model)| (pin.id.as_str(), model)).collect()),
    }
}

fn rate(name: &str, note: String, tally: Tally, nights: Option<&Vec<Option<f64>>>) -> Rate {
    let known = tally.rate().zip(wilson(tally.passed, tally.n()));
    Rate {
        name: short(name),
        note,
        share: tally.to_string(),
        rate: known.map_or_else(|| "–".to_owned(), |(rate, _)| format!("{:.0}%", 100.0 * rate)),
        interval: known.map_or_else(|| "no verdict".to_owned(), |(_, interval)| percents(interval)),
        chart: known.map(|(rate, ends)| Value::from_safe_string(interval::svg(rate, ends))),
        spark: nights.map(|nights| Value::from_safe_string(spark::svg(nights))),
        past: nights.map(|nights| spark::words(nights)).unwrap_or_default(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a picture is not as exact as a double")]
fn tokens(report: &Report, models: &[(&str, &Gathered)]) -> Vec<Tokens> {
    let most = models.iter().map(|(_, model)| model.usage.total()).max().unwrap_or(0);
    let line = |(id, model): &(&str, &Gathered)| {
        let record = report.manifest.models.iter().find(|record| record.id == *id);
        let cost = record.and_then(|record| record.cost.as_ref());
        let Usage { input, output, cached, reasoning } = model.usage;
        Tokens {
            model: short(id),
            input: thousands(input),
            cached: some(cached),
            output: thousands(output),
            reasoning: some(reasoning),
            each: thousands(model.usage.total().checked_div(model.attempts).unwrap_or(0)),
            cost: cost.map(ToString::to_string).unwrap_or_default(),
            chart: Value::from_safe_string(parts::svg(&[input as f64, output as f64], most as f64)),
        }
    };
    models.iter().filter(|(_, model)| model.usage != Usage::default()).map(line).collect()
}

fn some(count: u64) -> String {
    if count > 0 { thousands(count) } else { String::new() }
}

fn times(models: Vec<(&str, &Gathered)>) -> Vec<Time> {
    let spreads: Vec<_> = models
        .into_iter()
        .filter_map(|(id, model)| Some((id, model.retries, spread::Spread::of(model.elapsed.clone())?)))
        .collect();
    let full = spreads.iter().map(|(_, _, spread)| spread.most).max().unwrap_or(0);
    spreads
        .into_iter()
        .map(|(id, retries, spread)| Time {
            model: short(id),
            median: duration(spread.median),
            p90: duration(spread.p90),
            most: duration(spread.most),
            retries: thousands(retries),
            chart: Value::from_safe_string(spread::svg(spread, full)),
        })
        .collect()
}
