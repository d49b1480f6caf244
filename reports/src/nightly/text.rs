//! The answer for a terminal: what it is, the cells that are not as ever, the models, and what it rests on.

use super::report::{CellReport, ModelReport, Report};
use super::rule::{self, State};
use crate::report::Tone;
use crate::table::{Lines, Piece, plain};
use crate::words::{counted, steers};

/// All cells are shown up to so many; beyond that only those that are not as ever.
const ALL_SHOWN: usize = 40;

/// The cells, as a table.
#[must_use]
pub fn cells(report: &Report) -> Lines {
    let all = report.cells.len() <= ALL_SHOWN;
    let mut shown: Vec<&CellReport> =
        report.cells.iter().filter(|cell| all || !matches!(cell.state, State::Ok | State::New)).collect();
    shown.sort_by_key(|cell| std::cmp::Reverse(cell.state));
    let heading = ["cell", "tonight", "95%", "baseline", "p", "fresh", "fresh p", "state"];
    let mut grid: Lines = vec![heading.map(plain).into()];
    for cell in shown {
        let texts = [
            cell.cell.to_string(),
            cell.tonight.to_string(),
            cell.wilson95.map_or_else(dash, interval),
            if cell.baseline.nights == 0 { dash() } else { cell.baseline.tally.to_string() },
            cell.p.map_or_else(dash, p_value),
            cell.fresh.map_or_else(String::new, |fresh| fresh.to_string()),
            cell.fresh_p.map_or_else(String::new, p_value),
        ];
        let mut line: Vec<Piece> = texts.map(plain).into();
        line.push((tone(cell.state), cell.state.to_string()));
        grid.push(line);
    }
    grid
}

/// How many cells the table leaves out.
#[must_use]
pub fn cells_left_out(report: &Report) -> usize {
    report.cells.len() + 1 - cells(report).len()
}

/// The models, as a table.
#[must_use]
pub fn models(report: &Report) -> Lines {
    let k = report.models.first().map_or(0, |model| model.k);
    let heading = [
        "model".to_owned(),
        "expected".to_owned(),
        "run".to_owned(),
        "not run".to_owned(),
        "error".to_owned(),
        "pass@1 ± SE".to_owned(),
        format!("pass^{k}"),
        "baseline".to_owned(),
        "p".to_owned(),
        "adjusted".to_owned(),
        "state".to_owned(),
        "answered as".to_owned(),
    ];
    let mut grid: Lines = vec![heading.map(plain).into()];
    grid.extend(report.models.iter().map(model));
    grid
}

fn model(model: &ModelReport) -> Vec<Piece> {
    let counts = model.counts;
    let rate = model.pass_at_1.map_or_else(dash, |mean| match mean.cluster_se {
        Some(se) => format!("{:.3} ± {se:.3}", mean.mean),
        None => format!("{:.3}", mean.mean),
    });
    let texts = [
        model.id.clone(),
        counts.expected.to_string(),
        (counts.passed + counts.failed).to_string(),
        counts.not_run.to_string(),
        counts.error.to_string(),
        rate,
        model.pass_hat_k.map_or_else(dash, |rate| format!("{rate:.3}")),
        if model.baseline.n() == 0 { dash() } else { model.baseline.to_string() },
        model.p.map_or_else(dash, p_value),
        model.adjusted_p.map_or_else(dash, p_value),
    ];
    let mut line: Vec<Piece> = texts.map(plain).into();
    line.push((tone(model.state), model.state.to_string()));
    line.push(plain(observed(model)));
    line
}

fn observed(model: &ModelReport) -> String {
    let names = model.observed.iter().map(|seen| format!("{} ×{}", tame(&seen.name()), seen.replies));
    names.collect::<Vec<_>>().join(", ")
}

/// What an endpoint calls itself, for a terminal: short, and without characters that steer it.
fn tame(name: &str) -> String {
    name.chars().take(80).map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// What was compared and by which rule, in a sentence or two.
#[must_use]
pub fn basis(report: &Report) -> String {
    let made = report.comparisons;
    let new = report.cells.iter().filter(|cell| cell.baseline.nights == 0).count();
    let mut text = format!(
        "{} and {} compared with up to {} nights; {} got {} fresh trials each.",
        counted(made.cells, "cell"),
        counted(made.models, "model"),
        rule::NIGHTS,
        counted(made.suspects, "suspect"),
        rule::FRESH_TRIALS
    );
    if new > 0 {
        text.push_str(&format!(" No baseline yet: {}; nothing is said of them.", counted(new, "cell")));
    }
    text
}

fn tone(state: State) -> Option<Tone> {
    match state {
        State::Ok | State::Improved => Some(Tone::Good),
        State::New => None,
        State::Flaky | State::Watch | State::Suspect | State::Incomplete => Some(Tone::Open),
        State::Regressed | State::ModelRegressed => Some(Tone::Bad),
    }
}

fn dash() -> String {
    "–".to_owned()
}

fn interval((low, high): (f64, f64)) -> String {
    format!("{:.0}–{:.0}%", low * 100.0, high * 100.0)
}

/// A p-value as people read it: three digits, or a power of ten.
pub(crate) fn p_value(p: f64) -> String {
    if p >= 0.001 { format!("{p:.3}") } else { format!("{p:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoints_name_cannot_steer_the_terminal() {
        assert_eq!(tame("m\u{1b}[2J\u{202e}x"), "m\u{fffd}[2J\u{fffd}x");
        assert_eq!(tame(&"m".repeat(200)).len(), 80);
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(p_value(0.05), "0.050");
        assert_eq!(p_value(0.000_07), "7e-5");
        assert_eq!((counted(1, "cell"), counted(0, "cell")), ("1 cell".to_owned(), "0 cells".to_owned()));
    }
}
