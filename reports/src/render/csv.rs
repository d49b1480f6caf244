//! Comma-separated tables: cells, attempts, clauses, fixtures. A text that a spreadsheet would take for a formula gets an
//! apostrophe in front, since much of it is the model's.

use ::csv::Writer;
use checkers::ClauseResult;

use super::{RenderError, text};
use crate::report::Report;
use crate::row::Row;

/// A line a cell.
///
/// # Errors
/// [`RenderError::Csv`].
pub fn cells(report: &Report) -> Result<String, RenderError> {
    let mut out = table(&[
        "case",
        "variant",
        "row",
        "model",
        "state",
        "as_expected",
        "required",
        "passed",
        "failed",
        "error",
        "not_run",
        "rate_low",
        "rate_high",
        "checker",
        "elapsed_ms",
        "first_clause",
        "reason",
    ])?;
    for view in report.cells() {
        let cell = view.cell();
        let counts = view.counts;
        let bound = |bound: Option<f64>| bound.map(|bound| format!("{bound:.6}")).unwrap_or_default();
        let trouble = view.troubles.first();
        out.write_record([
            cell.case.clone(),
            cell.variant.clone().unwrap_or_default(),
            cell.row.to_string(),
            cell.model.clone(),
            view.state.to_string(),
            (view.tone == crate::report::Tone::Good).to_string(),
            counts.expected.to_string(),
            counts.passed.to_string(),
            counts.failed.to_string(),
            counts.error.to_string(),
            counts.not_run.to_string(),
            bound(view.interval.map(|(low, _)| low)),
            bound(view.interval.map(|(_, high)| high)),
            view.record.checker.clone(),
            view.elapsed_ms.to_string(),
            trouble.and_then(|trouble| trouble.clause).unwrap_or_default().to_owned(),
            trouble.map(|trouble| tame(trouble.reason)).unwrap_or_default(),
        ])?;
    }
    finish(out)
}

/// A line an attempt.
///
/// # Errors
/// [`RenderError::Csv`].
pub fn attempts(report: &Report) -> Result<String, RenderError> {
    let mut out = table(&[
        "trial",
        "attempt",
        "verdict",
        "checker",
        "line",
        "transcript_sha256",
        "model_reported",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "reasoning_tokens",
        "retries",
        "started",
        "elapsed_ms",
        "first_clause",
        "reason",
    ])?;
    for row in &report.rows {
        let tokens = |count: fn(&transcript::Usage) -> u64| {
            row.usage.as_ref().map(|usage| count(usage).to_string()).unwrap_or_default()
        };
        let reported = row.served.last().and_then(|served| served.model.clone()).unwrap_or_default();
        out.write_record([
            row.id.clone(),
            row.attempt.to_string(),
            row.verdict.as_str().to_owned(),
            row.checker.clone(),
            row.line.to_string(),
            row.transcript_sha256.clone(),
            tame(&reported),
            tokens(|usage| usage.input),
            tokens(|usage| usage.output),
            tokens(|usage| usage.cached),
            tokens(|usage| usage.reasoning),
            row.retries.to_string(),
            row.started.clone().unwrap_or_default(),
            row.elapsed_ms.map(|ms| ms.to_string()).unwrap_or_default(),
            row.first_failure().map(|clause| clause.id.clone()).unwrap_or_default(),
            tame(reason(row)),
        ])?;
    }
    finish(out)
}

/// A line a clause of an attempt.
///
/// # Errors
/// [`RenderError::Csv`].
pub fn clauses(report: &Report) -> Result<String, RenderError> {
    let mut out =
        table(&["trial", "attempt", "clause", "holds", "reason", "message", "start", "end", "evidence"])?;
    for row in &report.rows {
        for clause in &row.clauses {
            let found = clause.evidence.first();
            let place = |place: Option<usize>| place.map(|place| place.to_string()).unwrap_or_default();
            out.write_record([
                row.id.clone(),
                row.attempt.to_string(),
                clause.id.clone(),
                clause.passed.to_string(),
                tame(&clause.reason),
                place(found.map(|found| found.message)),
                place(found.map(|found| found.start)),
                place(found.map(|found| found.end)),
                found.map(|found| tame(&found.text)).unwrap_or_default(),
            ])?;
        }
    }
    finish(out)
}

/// A line a fixture, those that are cases included.
///
/// # Errors
/// [`RenderError::Csv`].
pub fn fixtures(report: &Report) -> Result<String, RenderError> {
    let mut out = table(&["fixture", "form", "kind", "binds", "case", "standing", "reason"])?;
    for record in &report.manifest.fixtures {
        out.write_record([
            record.fixture.clone(),
            word(&record.form),
            record.kind.to_string(),
            tame(&record.binds.join(" ")),
            record.case.clone().unwrap_or_default(),
            word(&record.standing),
            tame(record.reason.as_deref().unwrap_or_default()),
        ])?;
    }
    finish(out)
}

/// The word that the manifest has for it.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn reason(row: &Row) -> &str {
    let clause: Option<&ClauseResult> = row.first_failure();
    clause.map(|clause| clause.reason.as_str()).or(row.reason.as_deref()).unwrap_or_default()
}

/// One harmless line that no spreadsheet runs.
fn tame(text: &str) -> String {
    let line = text::line(text, 1000);
    if line.starts_with(['=', '+', '-', '@']) { format!("'{line}") } else { line }
}

fn table(heading: &[&str]) -> Result<Writer<Vec<u8>>, RenderError> {
    let mut out = Writer::from_writer(Vec::new());
    out.write_record(heading)?;
    Ok(out)
}

fn finish(out: Writer<Vec<u8>>) -> Result<String, RenderError> {
    let bytes = out.into_inner().map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
