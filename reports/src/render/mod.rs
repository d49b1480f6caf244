//! The report in other tools' forms, one file each: every one reads the same [`Report`] and decides nothing itself.

pub mod charts;
pub mod csv;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod tap;
mod text;

use crate::report::Report;

/// Why a report could not be written in some form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// It cannot be JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It cannot be CSV.
    #[error("the report cannot be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// It cannot be XML.
    #[error("the report cannot be written as XML: {0}")]
    Xml(#[from] std::io::Error),
}

/// A form that a report can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "`Form::ALL` says what each is, for people and programs alike")]
pub enum Form {
    Markdown,
    Comment,
    Junit,
    Sarif,
    Tap,
    CsvCells,
    CsvAttempts,
    CsvClauses,
    CsvFixtures,
    Json,
    Github,
    Gitlab,
}

impl Form {
    /// Every form, by the name it is asked for, with what it is.
    pub const ALL: [(Self, &'static str, &'static str); 12] = [
        (Self::Markdown, "markdown", "Markdown for a step summary (at most 1 MiB)"),
        (Self::Comment, "comment", "Markdown for a pull-request comment (at most 65,536 characters)"),
        (Self::Junit, "junit", "JUnit XML, a test case a cell"),
        (Self::Sarif, "sarif", "SARIF 2.1.0 for code scanning"),
        (Self::Tap, "tap", "TAP 13, a test point a cell"),
        (Self::CsvCells, "csv-cells", "CSV, a line a cell"),
        (Self::CsvAttempts, "csv-attempts", "CSV, a line an attempt"),
        (Self::CsvClauses, "csv-clauses", "CSV, a line a clause"),
        (Self::CsvFixtures, "csv-fixtures", "CSV, a line a fixture"),
        (Self::Json, "json", "JSON: the gate's answer, counts, cells, fixtures"),
        (Self::Github, "github", "GitHub annotations (workflow commands)"),
        (Self::Gitlab, "gitlab", "GitLab code quality"),
    ];
}

/// Writes `report` in `form`.
///
/// # Errors
/// [`RenderError`]; nothing in a report that was read from a run gives rise to one.
pub fn render(report: &Report, form: Form) -> Result<String, RenderError> {
    match form {
        Form::Markdown => Ok(markdown::render(report, markdown::STEP_SUMMARY)),
        Form::Comment => Ok(markdown::render(report, markdown::COMMENT)),
        Form::Junit => junit::render(report),
        Form::Sarif => sarif::render(report),
        Form::Tap => Ok(tap::render(report)),
        Form::CsvCells => csv::cells(report),
        Form::CsvAttempts => csv::attempts(report),
        Form::CsvClauses => csv::clauses(report),
        Form::CsvFixtures => csv::fixtures(report),
        Form::Json => json::render(report),
        Form::Github => Ok(github::render(report)),
        Form::Gitlab => gitlab::render(report),
    }
}

#[cfg(test)]
mod tests;
