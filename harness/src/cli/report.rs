//! `assize report`: a run in the form that another tool, or a person, reads.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use harness::audit;
use harness::sitting::reporting;
use reports::render::{self, Form};
use reports::whole::{self, Whole};

use super::exit::Exit;
use super::fetched::Fetched;
use super::say;

mod html;

/// Write a run's report for a pull request, a build server, a spreadsheet or a program
///
/// Everything is judged anew from the run's transcripts. The exit code is that of the run: 0 when every trial is as it
/// should be, 1 when one is not, 3 when one has no verdict.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The run's folder, a pack, or its place in a store
    #[arg(value_name = "RUN|PACK|URL")]
    run: PathBuf,
    /// The form
    #[arg(long, value_parser = forms(), default_value = "markdown")]
    format: Form,
    /// One HTML file for people, with every transcript in it; `RUN.html`, beside the run, when no --out is given
    #[arg(long, conflicts_with = "format")]
    html: bool,
    /// An earlier run to compare with, in the HTML
    #[arg(long, value_name = "RUN", requires = "html")]
    baseline: Option<PathBuf>,
    /// The folder of earlier nights to draw, in the HTML
    #[arg(long, value_name = "DIR", requires = "html")]
    history: Option<PathBuf>,
    /// The file to write; standard output when not given
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Reads a form by its name.
fn forms() -> impl TypedValueParser<Value = Form> {
    let values = Form::ALL.map(|(_, name, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(values).try_map(|name| {
        let found = Form::ALL.into_iter().find(|(_, known, _)| *known == name);
        found.map(|(form, ..)| form).ok_or_else(|| format!("there is no form {name}"))
    })
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let fetched = Fetched::one(&arguments.run)?;
    anyhow::ensure!(
        !(fetched.is_passing() && arguments.html && arguments.out.is_none()),
        "{} is in a store: name the file to write with --out",
        arguments.run.display()
    );
    let opened = audit::open(fetched.path())?;
    let (report, _) = reporting::report(&opened.run)?;
    if arguments.html {
        html::write(arguments, &opened.run, &report)?;
        return Ok(super::run::exit(&report));
    }
    let text = render::render(&report, arguments.format)?;
    match &arguments.out {
        Some(path) => write(path, |out| Ok(out.write_all(text.as_bytes())?))?,
        None => {
            let mut out = say::data();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(super::run::exit(&report))
}

/// Writes a file whole or not at all.
fn write(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<&File>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let cannot = || format!("{} cannot be written", path.display());
    let folder = whole::folder_of(path);
    anyhow::ensure!(
        folder.is_dir(),
        "{} cannot be written: make the folder {} first",
        path.display(),
        folder.display()
    );
    let file = Whole::begin(path).with_context(cannot)?;
    let mut out = BufWriter::with_capacity(1 << 20, file.file());
    content(&mut out).with_context(cannot)?;
    out.flush().with_context(cannot)?;
    drop(out);
    file.finish().with_context(cannot)
}
