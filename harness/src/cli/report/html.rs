//! `assize report RUN --html`: the report as one file for people.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use harness::sitting::figures::{self, Judged};
use harness::sitting::reporting;
use harness::sitting::rundir::RunDir;
use reports::compare::{Comparison, Pins};
use reports::nightly::History;
use reports::render::html::{self, Extras, Past};
use reports::report::Report;

use super::{Arguments, say};

/// Writes the page and says where it is.
pub(super) fn write(arguments: &Arguments, run: &RunDir, report: &Report) -> anyhow::Result<()> {
    let extras = Extras {
        comparison: arguments.baseline.as_deref().map(|path| compare(path, run)).transpose()?,
        past: arguments.history.as_deref().map(past).transpose()?,
    };
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => beside(&arguments.run)?,
    };
    let journal = reporting::played(run)?;
    super::write(&path, |out| Ok(html::write(report, &extras, journal, out)?))?;
    say::note(&format!("{} is written", path.display()));
    Ok(())
}

/// The page's place when none is given: beside the run. Every file in the run's folder is evidence, and a page is none.
fn beside(run: &Path) -> anyhow::Result<PathBuf> {
    let mut path = run.canonicalize().with_context(|| run.display().to_string())?.into_os_string();
    path.push(".html");
    Ok(PathBuf::from(path))
}

fn compare(baseline: &Path, run: &RunDir) -> anyhow::Result<Comparison> {
    let open = |path: &Path| Judged::open(path).with_context(|| path.display().to_string());
    Ok(figures::compare(&open(baseline)?, &open(run.path())?, Pins::Same)?)
}

fn past(folder: &Path) -> anyhow::Result<Past> {
    let history = History::open(folder)?;
    anyhow::ensure!(!history.nights().is_empty(), "{} holds no nights", folder.display());
    Ok(Past::of(history.nights()))
}
