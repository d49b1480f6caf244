//! `assize check`: judges recorded transcripts, offline.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use checkers::{ClauseResult, Library, Outcome, Verdict};
use harness::judging::{self, Judged};
use harness::programs::Programs;
use harness::project::{Project, ProjectError};
use harness::sitting::material;
use harness::sitting::rundir::{PLAN, TRANSCRIPTS};
use rayon::prelude::*;
use serde::Serialize;
use transcript::Transcript;

use super::exit::Exit;
use super::foreign::{self, Foreign};
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};
use super::talk::Talk;

/// Judge recorded transcripts, offline
///
/// A transcript is judged by the checker it names, else by the newest one for its case.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// JSONL files of transcripts, one a line, or files of the format that --from names; `-` reads standard input. A run's
    /// folder stands for its transcripts
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print the verdicts
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    foreign: foreign::Arguments,
    #[command(flatten)]
    talk: Talk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A line for each transcript, with the failing clauses under it
    Text,
    /// A JSON object for each transcript, one a line, in input order
    Jsonl,
    /// The same objects in one JSON array
    Json,
}

/// One verdict, as `--format jsonl` prints it.
#[derive(Serialize)]
struct Line<'a> {
    id: Option<&'a str>,
    case: Option<&'a str>,
    variant: Option<&'a str>,
    verdict: Outcome,
    checker: &'a str,
    clauses: &'a [ClauseResult],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    errors: usize,
    unreadable: usize,
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.passed += 1,
            Outcome::Fail => self.failed += 1,
            Outcome::Error => self.errors += 1,
        }
    }

    /// Everything that stood where a transcript should.
    fn seen(&self) -> usize {
        self.passed + self.failed + self.errors + self.unreadable
    }

    fn exit(&self) -> Exit {
        let judged = self.passed + self.failed + self.errors;
        if self.unreadable > 0 || judged == 0 {
            Exit::Usage
        } else if self.failed > 0 {
            Exit::No
        } else if self.errors > 0 {
            Exit::Incomplete
        } else {
            Exit::Holds
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let (folders, fixtures) = match Project::find(project) {
        Ok(project) => (project.checkers, project.fixtures),
        // Transcripts can be judged anywhere; only a project that was named must be there.
        Err(ProjectError::Missing { .. }) if project.is_none() => (Vec::new(), Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut library = Library::with_commands(Arc::new(Programs::of(folders.clone())));
    library.add_shipped()?;
    for folder in &folders {
        material::add_checkers(&mut library, folder)?;
    }
    material::add_fixture_checkers(&mut library, &fixtures)?;
    let foreign = arguments.foreign.read()?;
    let mut out: Box<dyn Write> = match arguments.format {
        Format::Text => Box::new(say::page()),
        Format::Jsonl | Format::Json => Box::new(say::data()),
    };
    let mut tally = Tally::default();
    for file in &arguments.files {
        judge_file(file, foreign.as_ref(), &library, |row| print(&mut out, &row, arguments, &mut tally))?;
    }
    if arguments.format == Format::Json {
        writeln!(out, "{}", if tally.seen() == 0 { "[]" } else { "\n]" })?;
    }
    out.flush()?;
    if !arguments.talk.quiet || tally.seen() == 0 {
        say::note(&summary(&tally));
    }
    Ok(tally.exit())
}

/// What became of one transcript of the input.
enum Row<'t> {
    Judged(&'t Transcript, &'t Verdict),
    /// Why a line, or a whole foreign file, is no transcript.
    Unreadable(Verdict),
}

impl Row<'_> {
    fn unreadable(file: &Path, error: &dyn std::error::Error) -> Self {
        Self::Unreadable(Verdict::error("none", format!("{}: {error}", file.display())))
    }
}

/// Judges all transcripts of a file and hands the rows to `out`, in the order of the file.
fn judge_file(
    file: &Path,
    foreign: Option<&Foreign>,
    library: &Library,
    mut out: impl FnMut(Row<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let journal = file.join(TRANSCRIPTS);
    let is_run = foreign.is_none() && file.join(PLAN).is_file();
    let file = if is_run { journal.as_path() } else { file };
    anyhow::ensure!(
        !file.is_dir(),
        "{} is a folder; name the files of transcripts in it{}",
        file.display(),
        if journal.is_file() { format!(", such as {}", journal.display()) } else { String::new() }
    );
    let source: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(file).with_context(|| format!("{} cannot be read", file.display()))?)
    };
    let Some(foreign) = foreign else {
        return judging::judge_lines(
            BufReader::with_capacity(1 << 20, source),
            library,
            |judged| match &judged {
                Judged::Transcript { transcript, verdict, .. } => out(Row::Judged(transcript, verdict)),
                Judged::Unreadable(error) => out(Row::unreadable(file, error)),
            },
        );
    };
    match foreign.import(file, source)? {
        Ok(transcripts) => {
            let judge = |transcript| judging::judge(library.for_transcript(transcript), transcript);
            let verdicts: Vec<Verdict> = transcripts.par_iter().map(judge).collect();
            transcripts
                .iter()
                .zip(&verdicts)
                .try_for_each(|(transcript, verdict)| out(Row::Judged(transcript, verdict)))
        }
        Err(error) => out(Row::unreadable(file, &error)),
    }
}

fn print(
    out: &mut impl Write,
    row: &Row<'_>,
    arguments: &Arguments,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let is_first = tally.seen() == 0;
    let (transcript, verdict) = match row {
        Row::Judged(transcript, verdict) => {
            tally.add(verdict.outcome);
            (Some(*transcript), *verdict)
        }
        Row::Unreadable(verdict) => {
            tally.unreadable += 1;
            (None, verdict)
        }
    };
    let line = Line {
        id: transcript.map(|transcript| transcript.id.as_str()),
        case: transcript.map(|transcript| transcript.case.as_str()),
        variant: transcript.and_then(|transcript| transcript.variant.as_deref()),
        verdict: verdict.outcome,
        checker: &verdict.checker,
        clauses: &verdict.clauses,
        reason: verdict.reason.as_deref(),
    };
    match arguments.format {
        Format::Jsonl => {
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        }
        Format::Json => {
            write!(out, "{}", if is_first { "[\n" } else { ",\n" })?;
            serde_json::to_writer(&mut *out, &line)?;
        }
        Format::Text => print_text(out, &line, verdict, arguments.talk.verbose)?,
    }
    Ok(())
}

/// The verdict, and the clauses that do not hold; all of them with `verbose`.
fn print_text(out: &mut impl Write, line: &Line<'_>, verdict: &Verdict, verbose: bool) -> anyhow::Result<()> {
    let (colour, mark) = match line.verdict {
        Outcome::Pass => (GREEN, "✓ pass "),
        Outcome::Fail => (RED, "✗ fail "),
        Outcome::Error => (YELLOW, "! error"),
    };
    let id = harmless(line.id.unwrap_or("(unreadable)"), 120);
    writeln!(out, "{colour}{mark}{RESET} {BOLD}{id}{RESET} {DIM}{}{RESET}", line.checker)?;
    if let Some(reason) = line.reason {
        writeln!(out, "    {}", harmless(reason, 400))?;
    }
    for clause in verdict.clauses.iter().filter(|clause| verbose || !clause.passed) {
        let mark = if !verbose {
            ""
        } else if clause.passed {
            "✓ "
        } else {
            "✗ "
        };
        writeln!(out, "    {mark}{}: {}", clause.id, harmless(&clause.reason, 200))?;
        for evidence in clause.evidence.iter().take(3) {
            let place = format!("message {}, bytes {}–{}", evidence.message, evidence.start, evidence.end);
            writeln!(out, "      {DIM}{place}:{RESET} {}", harmless(&evidence.text, 120))?;
        }
    }
    Ok(())
}

fn summary(tally: &Tally) -> String {
    let judged = tally.passed + tally.failed + tally.errors;
    if judged + tally.unreadable == 0 {
        return format!("{RED}error{RESET}: there is no transcript in the input, so nothing was judged");
    }
    let mut parts = vec![format!("{} passed", tally.passed), format!("{} failed", tally.failed)];
    if tally.errors > 0 {
        parts.push(format!("{} without a verdict", tally.errors));
    }
    if tally.unreadable > 0 {
        parts.push(format!("{} unreadable", tally.unreadable));
    }
    format!("{judged} judged: {}", parts.join(", "))
}
