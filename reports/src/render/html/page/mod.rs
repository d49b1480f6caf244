//! The part of the page that can be read without a script, as the template wants it: words and figures, one file a section.
//!
//! Text from models, endpoints and files goes through [`text::line`], which takes out what could hide or turn it; the
//! template escapes it.

mod answer;
mod checkers;
mod figures;
mod fixtures;
mod matrix;
mod record;
mod troubles;
mod versus;

use minijinja::Value;
use serde::Serialize;

use super::Extras;
use crate::render::text;
use crate::report::{CellView, Report, Tone};

/// What frames the page.
#[derive(Debug, Serialize)]
pub(super) struct Frame {
    /// The content security policy, as markup: there is no `"` in it.
    pub policy: Value,
    /// The style sheet, as markup.
    pub style: Value,
}

/// All sections.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    frame: Frame,
    run: String,
    planned: String,
    answer: answer::Section,
    matrix: matrix::Section,
    fixtures: Option<fixtures::Section>,
    figures: figures::Section,
    troubles: troubles::Section,
    versus: Option<versus::Section>,
    checkers: Vec<checkers::Entry>,
    proves: Vec<answer::Proof>,
    trials: u32,
    record: record::Section,
}

impl Page {
    /// The page of `report`.
    pub fn new(report: &Report, extras: &Extras, frame: Frame) -> Self {
        let plan = &report.manifest.plan;
        let views: Vec<CellView<'_>> = report.cells().collect();
        Self {
            frame,
            run: short(&plan.run),
            planned: short(&plan.planned),
            answer: answer::section(report),
            matrix: matrix::section(report, &views, extras.past.as_ref()),
            fixtures: fixtures::section(report),
            figures: figures::section(report, extras.past.as_ref()),
            troubles: troubles::section(&views),
            versus: extras.comparison.as_ref().map(versus::section),
            checkers: checkers::entries(report),
            proves: answer::proofs(plan.trials),
            trials: plan.trials,
            record: record::section(report),
        }
    }
}

/// A name, in a line.
fn short(text: &str) -> String {
    text::line(text, 200)
}

/// The class and the words of a tone; the mark stands before both, so that colour is never the only sign.
fn words(tone: Tone) -> (&'static str, &'static str) {
    match tone {
        Tone::Good => ("good", "as it should be"),
        Tone::Bad => ("bad", "not as it should be"),
        Tone::Open => ("open", "without a verdict"),
    }
}

/// `44–100%`.
fn percents((low, high): (f64, f64)) -> String {
    format!("{:.0}–{:.0}%", 100.0 * low, 100.0 * high)
}

/// A count with its thousands set apart by thin spaces.
fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A duration as people read it.
#[expect(clippy::cast_precision_loss, reason = "read by people, to two or three digits")]
fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        60_000..3_600_000 => format!("{:.1} min", ms as f64 / 6e4),
        _ => format!("{:.1} h", ms as f64 / 3.6e6),
    }
}

/// A text as the value of a key in the page's fragment, such as `trial=E1/r1/m/t2`.
fn fragment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into());
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_as_people_read_them() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(thousands),
            ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!([900, 1_500, 90_000, 7_200_000].map(duration), ["900 ms", "1.5 s", "1.5 min", "2.0 h"]);
        assert_eq!(percents((0.4385, 1.0)), "44–100%");
        assert_eq!(fragment("E6.i/r1/a b&c=\"/t2"), "E6.i/r1/a%20b%26c%3D%22/t2");
    }
}
