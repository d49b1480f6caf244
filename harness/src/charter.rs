//! The charter: the document on trial.
//!
//! Only the part above the runtime marker is ever sent to a model; what stands below it, the failure-mode registry and
//! the evaluation notes, would tell the model what it is tested for. So the marker must stand there exactly once, and a
//! charter in which it is missing or doubtful is refused rather than guessed at.

mod binds;
pub mod edit;
mod markdown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::case::CharterValues;
use crate::case::digest::sha256;
use markdown::{bare, heading_level};

/// The marker that ends the part which is sent, unless a project sets another.
pub const RUNTIME_END: &str = "Runtime load ends here";

/// The heading of the section that can be taken out verbatim, unless a project sets another.
pub const INVARIANTS: &str = "Core Invariants";

/// The largest charter, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// A charter, parted at its runtime marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charter {
    /// The part above the marker, as it is sent.
    pub runtime: String,
    /// The part from the marker on, which is never sent: what is sent is searched for it.
    pub below: String,
    /// sha256 of the whole file, in hex.
    pub whole_sha256: String,
    /// sha256 of [`Self::runtime`], in hex.
    pub runtime_sha256: String,
    /// The version it states, such as `0.1.0`.
    pub version: Option<String>,
    /// The body of the Core Invariants section, verbatim, without blank lines around it; `None` when the project says
    /// that its charter has none.
    pub invariants: Option<String>,
    /// The headings of the runtime part, in order.
    pub headings: Vec<String>,
    /// The clauses that cases can bind to, such as `charter:inv-1`.
    pub ids: BTreeSet<String>,
}

/// Why a charter was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CharterError {
    /// The file cannot be read.
    #[error("{}: the charter cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is no text of a reasonable size.
    #[error("{}: {why}", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The marker does not occur exactly once.
    #[error("{}: {found}; the charter is refused, because nobody could tell what would be sent\n  = help: {help}", path.display())]
    Marker {
        /// The file.
        path: PathBuf,
        /// Where it occurs.
        found: String,
        /// What to do.
        help: String,
    },
    /// A part that must say something is missing or empty.
    #[error("{}:{line}: {what}\n  = help: {help}", path.display())]
    Part {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is missing.
        what: String,
        /// What to do.
        help: String,
    },
}

impl Charter {
    /// Loads the charter at `path`, parted at a line that starts with `runtime_end`. Without one the whole file is sent;
    /// without a heading of `invariants` it has none that cases could copy.
    ///
    /// # Errors
    /// When the file is no text, the marker does not occur exactly once, or a part is missing or empty.
    pub fn load(
        path: &Path,
        runtime_end: Option<&str>,
        invariants: Option<&str>,
    ) -> Result<Self, CharterError> {
        let bytes = std::fs::read(path)
            .map_err(|source| CharterError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(path, &bytes, runtime_end, invariants)
    }

    /// As [`Self::load`], from bytes; `path` is only for messages.
    ///
    /// # Errors
    /// As for [`Self::load`].
    pub fn parse(
        path: &Path,
        bytes: &[u8],
        runtime_end: Option<&str>,
        invariants: Option<&str>,
    ) -> Result<Self, CharterError> {
        let not_text = |why: String| CharterError::NotText { path: path.to_owned(), why };
        if bytes.len() > MAX_BYTES {
            return Err(not_text(format!("larger than {} MiB", MAX_BYTES >> 20)));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| not_text(format!("not valid UTF-8 after byte {}", error.valid_up_to())))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let end = runtime_end.map_or(Ok(text.len()), |runtime_end| marker(path, text, runtime_end))?;
        let (runtime, below) = text.split_at(end);
        let part = |line, what: &str, help: &str| CharterError::Part {
            path: path.to_owned(),
            line,
            what: what.to_owned(),
            help: help.to_owned(),
        };
        if runtime.trim().is_empty() {
            return Err(part(
                1,
                match runtime_end {
                    Some(_) => "nothing stands above the runtime marker",
                    None => "the charter is empty",
                },
                "models must have something to read",
            ));
        }
        let section = invariants.map(|heading| invariants_of(runtime, heading, part)).transpose()?;
        Ok(Self {
            whole_sha256: sha256(bytes),
            runtime_sha256: sha256(runtime.as_bytes()),
            version: version(runtime),
            headings: runtime
                .lines()
                .filter_map(|line| heading_level(line).map(|_| bare(line).to_owned()))
                .collect(),
            ids: binds::ids(runtime, section.unwrap_or_default()),
            invariants: section.map(str::to_owned),
            runtime: runtime.to_owned(),
            below: below.to_owned(),
        })
    }

    /// What a request must hold and what it must not.
    #[must_use]
    pub fn charge(&self) -> model_matrix::Charge {
        model_matrix::Charge::new(&self.runtime, &self.below)
    }

    /// What templates may use.
    #[must_use]
    pub fn values(&self) -> CharterValues {
        CharterValues { invariants: self.invariants.clone(), version: self.version.clone() }
    }
}

/// Lines with their starts, line ends included.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |start, line| {
        let at = *start;
        *start += line.len();
        Some((at, line))
    })
}

/// The byte at which the marker's line starts.
fn marker(path: &Path, text: &str, runtime_end: &str) -> Result<usize, CharterError> {
    let found: Vec<(usize, usize)> = lines(text)
        .enumerate()
        .filter(|(_, (_, line))| bare(line).starts_with(runtime_end))
        .map(|(number, (start, _))| (number + 1, start))
        .collect();
    match found.as_slice() {
        [(_, start)] if !runtime_end.trim().is_empty() => Ok(*start),
        [] => {
            let wanted = runtime_end.to_lowercase();
            let mentions =
                lines(text).enumerate().find(|(_, (_, line))| line.to_lowercase().contains(&wanted));
            let near =
                mentions.map(|(number, _)| format!("; line {} mentions it", number + 1)).unwrap_or_default();
            Err(CharterError::Marker {
                path: path.to_owned(),
                found: format!("no line starts with `{runtime_end}`{near}"),
                help: format!(
                    "write `{runtime_end}` on a line of its own, below what models must read; or say `runtime_end: null` under `charter` in assize.yaml to send the whole file"
                ),
            })
        }
        _ => {
            let numbers: Vec<_> = found.iter().map(|(number, _)| number.to_string()).collect();
            Err(CharterError::Marker {
                path: path.to_owned(),
                found: format!("{} lines start with `{runtime_end}`: {}", found.len(), numbers.join(", ")),
                help: "keep exactly one".to_owned(),
            })
        }
    }
}

/// The body of the section of invariants; `part` makes the error.
fn invariants_of<'t>(
    runtime: &'t str,
    heading: &str,
    part: impl Fn(usize, &str, &str) -> CharterError,
) -> Result<&'t str, CharterError> {
    let all: Vec<(usize, &str)> = lines(runtime).collect();
    let is_heading = |(_, (_, line)): &(usize, &(usize, &str))| bare(line).eq_ignore_ascii_case(heading);
    let found: Vec<usize> = all.iter().enumerate().filter(is_heading).map(|(at, _)| at).collect();
    match found.as_slice() {
        [] => Err(part(
            1,
            &format!("there is no section `{heading}` above the runtime marker"),
            &format!(
                "give it the heading `## {heading}`, or name its heading under `charter.invariants` (`null` when there is none)"
            ),
        )),
        [at] => match section(runtime, &all, *at) {
            "" => {
                let what = format!("the section `{heading}` is empty");
                Err(part(at + 1, &what, "cases compare what a model copied with this text"))
            }
            section => Ok(section),
        },
        [_, second, ..] => {
            let numbers: Vec<String> = found.iter().map(|at| (at + 1).to_string()).collect();
            let what = format!(
                "{} lines are the heading `{heading}`: {}; nobody could tell which of them binds",
                found.len(),
                numbers.join(", ")
            );
            Err(part(second + 1, &what, "keep exactly one above the runtime marker"))
        }
    }
}

/// The body of the section whose heading is the line `at` of `all`, without blank lines around it.
fn section<'t>(text: &'t str, all: &[(usize, &str)], at: usize) -> &'t str {
    let level = heading_level(all[at].1);
    let end = all[at + 1..].iter().find(|(_, line)| markdown::ends_section(line, level));
    let start = all.get(at + 1).map_or(text.len(), |(start, _)| *start);
    let body = &text[start..end.map_or(text.len(), |(end, _)| *end)];
    let first = body.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    body[first..].trim_end()
}

/// The version in a line such as `Version 0.1.0 — 2026-07-09`.
fn version(text: &str) -> Option<String> {
    text.lines().take(60).find_map(|line| {
        let line = bare(line).replace(['*', '_', '`'], "").to_lowercase();
        let rest = line.strip_prefix("version")?.trim_start_matches([':', ' ', '\t']).trim_start_matches('v');
        let version: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || ".-+".contains(*c)).collect();
        version
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| version.trim_end_matches(['.', '-']).to_owned())
    })
}

#[cfg(test)]
mod tests;
