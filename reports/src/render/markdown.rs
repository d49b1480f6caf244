//! Markdown for a step summary or a pull-request comment: the answer, the matrix, and what is wrong, folded away.
//!
//! Model text stands in code spans and code blocks only, so that it can neither mention people, nor link, nor format.

use std::fmt::Write as _;

use super::text;
use crate::gate::Answer;
use crate::plan::Expectation;
use crate::report::{CellView, Report, Tone};
use crate::statistics;

/// What a step summary holds, in bytes.
pub const STEP_SUMMARY: usize = 1 << 20;
/// What a pull-request comment holds, in characters; counted as bytes, to be safe.
pub const COMMENT: usize = 65_536;

/// Kept free for the line that says how much was left out.
const RESERVE: usize = 512;

/// Writes the report in at most `limit` bytes.
#[must_use]
pub fn render(report: &Report, limit: usize) -> String {
    let views: Vec<CellView<'_>> = report.cells().collect();
    let mut page = Page { text: String::new(), limit: limit.saturating_sub(RESERVE), left_out: 0 };
    page.add(&heading(report));
    for fault in report.faults() {
        page.add(&format!("> ✗ {}\n\n", code(&fault, 400)));
    }
    page.add(&models(report));
    page.add(&matrix(report, &views));
    page.add(&fixtures(report));
    let groups = [(Tone::Bad, "Not as it should be"), (Tone::Open, "Without a verdict")];
    for (tone, title) in groups {
        let group: Vec<_> = views.iter().filter(|view| view.tone == tone).collect();
        if !group.is_empty() {
            page.add(&format!("\n### {title}: {} of {} cells\n\n", group.len(), views.len()));
        }
        for view in group {
            page.add(&details(report, view));
        }
    }
    page.add(&footer(report));
    if page.left_out > 0 {
        let _ = writeln!(
            page.text,
            "\n{} parts did not fit here; the run's folder and its HTML report have them all.",
            page.left_out
        );
    }
    page.text
}

/// A page that takes whole parts only, so that no fold or fence stays open.
struct Page {
    text: String,
    limit: usize,
    left_out: usize,
}

impl Page {
    fn add(&mut self, part: &str) {
        if self.text.len() + part.len() <= self.limit {
            self.text.push_str(part);
        } else {
            self.left_out += 1;
        }
    }
}

fn heading(report: &Report) -> String {
    let answer = match report.decision.answer {
        Answer::Yes => "✓ every expected trial of every model passed",
        Answer::No => "✗ no release may rest on this run",
        Answer::Incomplete => "! nothing failed, but not everything owed has a verdict",
    };
    let counts = report.manifest.counts;
    let mut out = format!("## Assize: {answer}\n\n");
    let _ = writeln!(
        out,
        "{} trials owed: **{} passed**, **{} failed**, **{} error**, **{} not run**.\n",
        counts.expected, counts.passed, counts.failed, counts.error, counts.not_run
    );
    // Of one kind alone the sum is the sum over all.
    for record in report.manifest.kinds.iter().filter(|_| report.manifest.kinds.len() > 1) {
        let counts = record.counts;
        let _ = writeln!(
            out,
            "- {}: {} of {} trials passed, {} failed, {} error, {} not run",
            record.kind, counts.passed, counts.expected, counts.failed, counts.error, counts.not_run
        );
    }
    for reason in report.decision.reasons.iter().take(3) {
        let _ = writeln!(out, "- {}", code(reason, 300));
    }
    if report.decision.reasons.len() > 3 {
        let _ = writeln!(out, "- and {} more reasons", report.decision.reasons.len() - 3);
    }
    out.push('\n');
    out
}

fn models(report: &Report) -> String {
    let mut out =
        String::from("| model | role | passed | 95% interval | reported as |\n|---|---|---|---|---|\n");
    for record in &report.manifest.models {
        let role = report.manifest.plan.model(&record.id).map(|pin| pin.role.clone()).unwrap_or_default();
        let counts = record.counts;
        let interval = statistics::wilson(counts.passed, counts.passed + counts.failed);
        let interval = interval
            .map_or("–".to_owned(), |(low, high)| format!("{:.0}–{:.0}%", low * 100.0, high * 100.0));
        let reported: Vec<String> = record
            .observed
            .iter()
            .filter_map(|observed| observed.model.as_deref())
            .map(|name| code(name, 80))
            .collect();
        let control = match report.expectation(&record.id) {
            Expectation::Fail => " (control arm: must fail)",
            Expectation::Pass => "",
        };
        let _ = writeln!(
            out,
            "| {} | {}{control} | {}/{} | {interval} | {} |",
            code(&record.id, 80),
            code(&role, 40),
            counts.passed,
            counts.expected,
            reported.join(", ")
        );
    }
    out.push('\n');
    out
}

fn matrix(report: &Report, views: &[CellView<'_>]) -> String {
    let models: Vec<&str> = report.manifest.plan.models.iter().map(|model| model.id.as_str()).collect();
    let mut cases: Vec<String> = Vec::new();
    for view in views {
        let label = view.cell().case_label();
        if !cases.contains(&label) {
            cases.push(label);
        }
    }
    let mut out = String::from("| case |");
    for model in &models {
        let _ = write!(out, " {} |", code(model, 80));
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(models.len()));
    for case in cases {
        let _ = write!(out, "| {} |", code(&case, 80));
        for model in &models {
            let cells =
                views.iter().filter(|view| view.cell().model == *model && view.cell().case_label() == case);
            let _ = write!(out, " {} |", entry(cells, report.expectation(model)));
        }
        out.push('\n');
    }
    out
}

/// `✓ 3/3`: how the rows of a case came out on a model.
fn entry<'v, 'r: 'v>(cells: impl Iterator<Item = &'v CellView<'r>>, expect: Expectation) -> String {
    let (mut right, mut owed) = (0, 0);
    let mut tone = None;
    for view in cells {
        owed += view.counts.expected;
        right += match expect {
            Expectation::Pass => view.counts.passed,
            Expectation::Fail => view.counts.failed,
        };
        tone = Some(match (tone, view.tone) {
            (Some(Tone::Bad), _) | (_, Tone::Bad) => Tone::Bad,
            (Some(Tone::Open), _) | (_, Tone::Open) => Tone::Open,
            _ => Tone::Good,
        });
    }
    tone.map_or_else(|| "–".to_owned(), |tone| format!("{} {right}/{owed}", tone.mark()))
}

/// Static fixtures, and fixtures that are not run here; happy and redline apart.
fn fixtures(report: &Report) -> String {
    let views = report.fixtures();
    if views.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n### Fixtures that ask no model\n\n");
    for (kind, counts) in report.static_sums() {
        let _ = writeln!(out, "- {}", text::static_sum(kind, counts));
    }
    out.push_str("\n| | fixture | binds | |\n|---|---|---|---|\n");
    for view in views {
        let reason = view.record.reason.as_deref().map(|reason| format!(": {}", code(reason, 300)));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {}{} |",
            view.mark(),
            code(&view.record.fixture, 120),
            code(&view.record.binds.join(", "), 200),
            view.standing(),
            reason.unwrap_or_default()
        );
    }
    out
}

fn details(report: &Report, view: &CellView<'_>) -> String {
    let mut out = format!(
        "<details><summary>{} <code>{}</code></summary>\n\n",
        view.tone.mark(),
        html(&text::headline(view))
    );
    if let Some(case) = report.case(view.cell()) {
        let _ = writeln!(out, "{} shows: {}\n", code(&case.name, 80), code(&case.shows, 400));
    }
    for trouble in &view.troubles {
        let _ = writeln!(out, "- {}", code(&text::trouble(trouble), 500));
        if let Some(evidence) = trouble.evidence.filter(|evidence| !evidence.trim().is_empty()) {
            let _ = writeln!(out, "  - in the transcript: {}", code(evidence, 300));
        }
    }
    out.push_str("\n</details>\n\n");
    out
}

fn footer(report: &Report) -> String {
    let plan = &report.manifest.plan;
    let trials = plan.trials as usize;
    let mut out = String::from("\n");
    let _ = writeln!(
        out,
        "{trials} of {trials} in a cell proves a pass rate of at least {:.0}% (one-sided, 95%), no more.\n",
        100.0 * statistics::all_passed_proves(trials)
    );
    let source = plan.source.as_ref().map_or("no commit".to_owned(), |source| {
        let dirty = if source.dirty { ", with uncommitted changes" } else { "" };
        format!("commit {}{dirty}", source.commit)
    });
    let _ = writeln!(
        out,
        "<sub>run {} · charter {} · {source} · assize {}</sub>",
        html(&text::line(&plan.run, 100)),
        &plan.charter.sha256.get(..12).unwrap_or(&plan.charter.sha256),
        html(&plan.assize)
    );
    out
}

/// Text in a code span, with a fence longer than any run of backticks within.
fn code(text: &str, limit: usize) -> String {
    let line = text::line(text, limit).replace('|', "¦");
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
