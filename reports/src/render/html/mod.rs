//! The report as one HTML file that needs nothing besides: what people look at before a charter may change.
//!
//! The page is written as a stream. First comes what can be read without a script (answer, matrix, charts, what is wrong,
//! checkers, record), then the transcripts in compressed blocks as the journal has them, then the index of the trials, and
//! last the script that reads both. So a run of any length passes through in constant memory but for its verdicts, and a
//! browser shows the first part while it still reads the rest.
//!
//! Model text is hostile. In the first part it is escaped by the template; in the blocks it cannot be taken for markup
//! (base64), and the script makes nothing but text nodes of it; [`csp`] has the browser refuse whatever slipped through.

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, Write};

use minijinja::value::Serde;
use minijinja::{Environment, Value};
use transcript::Transcript;

mod assets;
mod csp;
mod index;
mod marks;
mod page;
pub mod past;
mod store;
mod trial;

pub use past::Past;

use crate::compare::Comparison;
use crate::report::Report;
use crate::row::Row;
use store::{Place, Store};

/// Why no page could be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HtmlError {
    /// The page cannot be written to.
    #[error("the report cannot be written: {0}")]
    Io(#[from] io::Error),
    /// A transcript cannot be JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The template cannot be filled in.
    #[error("the report cannot be written as HTML: {0}")]
    Template(#[from] minijinja::Error),
    /// The journal cannot be read.
    #[error("the transcripts cannot be read: {0}")]
    Journal(Box<dyn Error + Send + Sync>),
    /// The journal changed between judging and writing.
    #[error(
        "line {line} of the transcripts is not the one that was judged; nothing may write to the run while it is reported on"
    )]
    Changed {
        /// The line, counted from 1.
        line: usize,
    },
}

/// What a page may show besides the run itself.
#[derive(Debug, Default)]
pub struct Extras {
    /// The run set against an earlier one.
    pub comparison: Option<Comparison>,
    /// The nights before it.
    pub past: Option<Past>,
}

/// A line of the journal.
#[derive(Debug)]
pub struct Played {
    /// The line's number, counted from 1.
    pub line: usize,
    /// sha256 of the line without its end.
    pub sha256: String,
    /// What it holds.
    pub transcript: Transcript,
}

/// Writes the page. `journal` is every line of the run's transcripts, in order.
///
/// # Errors
/// [`HtmlError`] when the journal cannot be read or the page cannot be written; what has been written is then no page.
pub fn write<E: Into<Box<dyn Error + Send + Sync>>>(
    report: &Report,
    extras: &Extras,
    journal: impl IntoIterator<Item = Result<Played, E>>,
    mut out: impl Write,
) -> Result<(), HtmlError> {
    let (style, script) = (assets::normal(assets::STYLE), assets::normal(assets::SCRIPT));
    let policy = Value::from_safe_string(csp::policy(&style, &script));
    let frame = page::Frame { policy, style: Value::from_safe_string(style) };
    out.write_all(first_part(report, extras, frame)?.as_bytes())?;
    let mut store = Store::new(&mut out);
    let places = transcripts(report, journal, &mut store)?;
    let (_, blocks) = store.finish()?;
    let index = serde_json::to_vec(&index::Index::new(report, &places, blocks))?;
    store::packed(&mut out, "index", &index)?;
    write!(out, "<script>{script}</script>\n</body>\n</html>\n")?;
    Ok(out.flush()?)
}

fn first_part(report: &Report, extras: &Extras, frame: page::Frame) -> Result<String, HtmlError> {
    let mut environment = Environment::new();
    // The name's ending turns escaping on.
    environment.add_template("report.html", assets::PAGE)?;
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    let page = Serde(page::Page::new(report, extras, frame));
    Ok(environment.get_template("report.html")?.render(page)?)
}

/// Puts the journal into the store; gives the place of each line.
fn transcripts<W: Write, E: Into<Box<dyn Error + Send + Sync>>>(
    report: &Report,
    journal: impl IntoIterator<Item = Result<Played, E>>,
    store: &mut Store<W>,
) -> Result<HashMap<usize, Place>, HtmlError> {
    let rows: HashMap<usize, &Row> = report.rows.iter().map(|row| (row.line, row)).collect();
    let mut places = HashMap::with_capacity(rows.len());
    for played in journal {
        let Played { line, sha256, transcript } = played.map_err(|error| HtmlError::Journal(error.into()))?;
        let row = rows.get(&line).filter(|row| row.transcript_sha256 == sha256);
        let row = row.ok_or(HtmlError::Changed { line })?;
        let attempt = trial::Attempt::new(row, &transcript, report.checkers.get(&row.checker));
        places.insert(line, store.add(&attempt)?);
    }
    // A line that was judged and is gone must not pass for a trial that never was.
    match rows.keys().filter(|line| !places.contains_key(line)).min() {
        Some(line) => Err(HtmlError::Changed { line: *line }),
        None => Ok(places),
    }
}

#[cfg(test)]
mod tests;
