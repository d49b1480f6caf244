//! `assize fixtures`: the fixtures of a constitution, and what the static ones come to.

use std::io::Write;
use std::path::Path;

use harness::case::{Aside, FIXTURE_FILE, Fixture};
use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use harness::sitting::statics::{self, Outcomes};
use reports::Manifest;
use reports::fixture::{FixtureRecord, FixtureStanding, Form, Kind, StaticCounts};
use reports::words::counted;

use super::exit::Exit;
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};

/// Run the static fixtures of a constitution and list all; asks no model
///
/// Behaviour fixtures are cases: `assize run` plays them.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only list them; run nothing
    #[arg(long)]
    list: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let material = Material::load(Project::find(project)?, Shipped::Yes)?;
    anyhow::ensure!(
        !material.project.fixtures.is_empty(),
        "the project has no fixtures; add `fixtures: [fixtures]` to assize.yaml, and scaffold one with\n  assize new fixture static/redline/NAME"
    );
    let outcomes = if arguments.list { Vec::new() } else { statics::run(&material) };
    let records = harness::sitting::fixtures::listed(&material, &Outcomes::new(outcomes));
    let mut out = say::data();
    for (record, fixture) in records.iter().zip(&material.fixtures.all) {
        line(&mut out, record, fixture, arguments.list)?;
    }
    writeln!(out)?;
    if !arguments.list {
        sums(&mut out, &records)?;
    }
    out.flush()?;
    let behaviour = records.iter().filter(|record| record.form == Form::Behaviour && !record.is_aside());
    let counts = StaticCounts::of(&records);
    say::note(&format!(
        "{} static, {} behaviour (played by `assize run`), {} not run here",
        counts.total(),
        behaviour.count(),
        records.iter().filter(|record| record.is_aside()).count()
    ));
    Ok(match counts {
        _ if arguments.list => Exit::Holds,
        StaticCounts { failed, .. } if failed > 0 => Exit::No,
        // Nothing that was run is nothing that holds.
        StaticCounts { passed: 0, .. } => Exit::Incomplete,
        StaticCounts { error, not_run, .. } if error + not_run > 0 => Exit::Incomplete,
        _ => Exit::Holds,
    })
}

/// One fixture, with what became of it.
fn line(out: &mut impl Write, record: &FixtureRecord, fixture: &Fixture, list: bool) -> std::io::Result<()> {
    let (mark, what) = match (&fixture.aside, record.form, record.standing) {
        (Some(Aside::Replaced(by)), ..) => (format!("{YELLOW}–{RESET}"), format!("replaced by {by}")),
        (Some(Aside::Dropped(_)), ..) => (
            format!("{YELLOW}–{RESET}"),
            format!("not run: {}", record.reason.as_deref().unwrap_or_default()),
        ),
        (None, Form::Behaviour, _) => (" ".to_owned(), String::new()),
        (None, Form::Static, _) if list => (" ".to_owned(), String::new()),
        (None, Form::Static, FixtureStanding::Passed) => (format!("{GREEN}✓{RESET}"), String::new()),
        (None, Form::Static, standing) => {
            let (mark, word) = match standing {
                FixtureStanding::Failed => (format!("{RED}✗{RESET}"), "failed"),
                _ => (format!("{YELLOW}!{RESET}"), "no verdict"),
            };
            (mark, format!("{word}: {}", record.reason.as_deref().unwrap_or_default()))
        }
    };
    writeln!(out, "{mark} {BOLD}{}{RESET}  {DIM}{}{RESET}", record.fixture, record.binds.join(", "))?;
    if !what.is_empty() {
        writeln!(out, "    {}", harmless(&what, 400))?;
        if !record.is_aside() {
            writeln!(out, "    {DIM}{}{RESET}", fixture.dir.join(FIXTURE_FILE).display())?;
        }
    }
    Ok(())
}

/// The static fixtures, happy and redline apart.
fn sums(out: &mut impl Write, records: &[FixtureRecord]) -> std::io::Result<()> {
    for kind in [Kind::Happy, Kind::Redline] {
        let counts = StaticCounts::of(records.iter().filter(|record| record.kind == kind));
        if counts.total() > 0 {
            writeln!(
                out,
                "static {kind}: {} of {} passed{}",
                counts.passed,
                counts.total(),
                besides(&[(counts.failed, "failed"), (counts.error, "error"), (counts.not_run, "not run")])
            )?;
        }
    }
    Ok(())
}

/// What is not passed, in words.
fn besides(parts: &[(usize, &str)]) -> String {
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if parts.is_empty() { String::new() } else { format!(", {}", parts.join(", ")) }
}

/// What a run's summary says of kinds and fixtures: happy and redline apart, static fixtures that did not pass, and all
/// that was not run, with the reason.
pub(crate) fn in_summary(out: &mut impl Write, manifest: &Manifest) -> std::io::Result<()> {
    // Of one kind alone the sum is the sum over all.
    for record in manifest.kinds.iter().filter(|_| manifest.kinds.len() > 1) {
        let counts = record.counts;
        writeln!(
            out,
            "  {}: {} of {} trials passed{}",
            record.kind,
            counts.passed,
            counts.expected,
            besides(&[(counts.failed, "failed"), (counts.error, "error"), (counts.not_run, "not run")])
        )?;
    }
    statics(out, &manifest.fixtures)
}

/// What static fixtures came to, and all that was not run with the reason.
pub(crate) fn statics(out: &mut impl Write, records: &[FixtureRecord]) -> std::io::Result<()> {
    let counts = StaticCounts::of(records);
    if counts.not_run > 0 && counts.not_run == counts.total() {
        writeln!(out, "  {YELLOW}!{RESET} {} not run", counted(counts.total(), "static fixture"))?;
    } else {
        sums(out, records)?;
        for record in records {
            let mark = match (record.form, record.is_aside(), record.standing) {
                (Form::Static, false, FixtureStanding::Failed) => format!("{RED}✗{RESET}"),
                (Form::Static, false, FixtureStanding::Error | FixtureStanding::NotRun) => {
                    format!("{YELLOW}!{RESET}")
                }
                _ => continue,
            };
            writeln!(out, "{mark} {}", harmless(&record.told(), 400))?;
        }
    }
    for record in records.iter().filter(|record| record.is_aside()) {
        writeln!(out, "  {YELLOW}note{RESET}: {}", harmless(&record.told(), 400))?;
    }
    Ok(())
}
