//! `assize explain`: what a case asks for, and why a trial came out as it did.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use checkers::{Checker, Evidence, Outcome, Verdict};
use harness::audit;
use harness::case::Case;
use harness::judging;
use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use transcript::jsonl::{self, Lines};
use transcript::{Role, Transcript};

use super::exit::Exit;
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};

/// Show what a case requires and proves, or why a trial came out as it did
///
/// `assize explain E1` shows the case and its checker. `assize explain RUN TRIAL` shows, clause by clause, the evidence
/// in the transcript.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A case's id or name, or a run's folder or pack
    #[arg(value_name = "CASE|RUN|PACK")]
    subject: String,
    /// A trial of the run, such as E1/r1/naive/t1
    #[arg(value_name = "TRIAL")]
    trial: Option<String>,
    /// The whole conversation, not only the evidence
    #[arg(long, requires = "trial")]
    full: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    match &arguments.trial {
        Some(trial) => explain_trial(&PathBuf::from(&arguments.subject), trial, arguments.full),
        None => {
            if let Ok(opened) = audit::open(Path::new(&arguments.subject)) {
                let run = &opened.run;
                let plan = run.plan()?;
                let first = plan.trials().next().map(|key| format!(", such as {key}")).unwrap_or_default();
                anyhow::bail!("{} is a run's folder: name one of its trials too{first}", arguments.subject);
            }
            explain_case(&arguments.subject, project)
        }
    }
}

fn explain_case(name: &str, project: Option<&Path>) -> anyhow::Result<Exit> {
    let material = Material::load(Project::find(project)?, Shipped::Yes)?;
    let all = material.sets.iter().flat_map(harness::case::CaseSet::all).collect();
    let chosen = harness::case::select(all, &[name.to_owned()])?;
    let mut out = say::data();
    let mut last: Option<&str> = None;
    for selected in chosen {
        if last != Some(&selected.case.id) {
            print_case(&mut out, selected.case)?;
        }
        last = Some(&selected.case.id);
        let checker = material.checker(&selected.variant.checker).context("the case's checker is gone")?;
        writeln!(
            out,
            "\n{BOLD}{}{RESET}: {} rows, {} replies, tools: {}",
            selected.label(),
            selected.variant.rows(),
            selected.variant.replies(),
            match &selected.variant.tools[..] {
                [] => "none".to_owned(),
                tools => tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(", "),
            }
        )?;
        print_checker(&mut out, checker, selected.variant.name.as_deref())?;
    }
    out.flush()?;
    Ok(Exit::Holds)
}

fn print_case(out: &mut impl Write, case: &Case) -> std::io::Result<()> {
    let kind = match case.kind {
        harness::case::CaseKind::Happy => "happy: the plain road must stay open",
        harness::case::CaseKind::Redline => "redline: something must not happen",
    };
    writeln!(out, "{BOLD}{} {}{RESET} ({kind})", case.id, case.name)?;
    writeln!(out, "  shows: {}", case.shows)?;
    writeln!(out, "  binds: {}", case.binds.join(", "))?;
    writeln!(out, "  failure modes: {}", case.failure_modes.join(", "))?;
    writeln!(out, "  {DIM}{}{RESET}", case.dir.display())
}

fn print_checker(out: &mut impl Write, checker: &Checker, variant: Option<&str>) -> std::io::Result<()> {
    let definition = &checker.definition;
    writeln!(out, "  judged by {BOLD}{}{RESET} {DIM}sha256 {}{RESET}", checker.label(), checker.sha256)?;
    writeln!(out, "  a pass proves: {}", definition.proves.trim())?;
    writeln!(out, "  and does not prove: {}", definition.does_not_prove.trim())?;
    writeln!(out, "  required, all of:")?;
    for clause in &definition.require {
        let asked =
            clause.variants.is_empty() || variant.is_some_and(|v| clause.variants.iter().any(|c| c == v));
        if asked {
            let says = clause.says.clone().unwrap_or_else(|| in_words(clause.predicate.name()));
            writeln!(out, "    {}: {says}", clause.id)?;
        }
    }
    let passing =
        checker.controls.iter().filter(|control| control.expect == checkers::control::Expect::Pass).count();
    writeln!(
        out,
        "  tried on {passing} controls that pass and {} that fail",
        checker.controls.len() - passing
    )
}

/// A predicate's name, such as `FinalValue`, as words.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

fn explain_trial(path: &Path, trial: &str, full: bool) -> anyhow::Result<Exit> {
    let opened = audit::open(path)?;
    let run = &opened.run;
    let material = Material::load(run.project()?, Shipped::No)
        .with_context(|| format!("the inputs of {} cannot be used", path.display()))?;
    let found = attempts(&run.journal(), trial)?;
    anyhow::ensure!(!found.is_empty(), "{} holds no transcript {trial}", run.journal().display());
    let mut out = say::data();
    for (line, transcript) in &found {
        let verdict = judging::judge(material.library.for_transcript(transcript), transcript);
        let place = format!("{}:{line}", run.journal().display());
        print_trial(&mut out, transcript, &verdict, &place, full)?;
    }
    out.flush()?;
    Ok(Exit::Holds)
}

/// Every attempt at a trial, with its line.
fn attempts(journal: &Path, trial: &str) -> anyhow::Result<Vec<(usize, Transcript)>> {
    let file = File::open(journal).with_context(|| format!("{} cannot be read", journal.display()))?;
    let mut found = Vec::new();
    for line in Lines::new(BufReader::new(file)) {
        let line = line?;
        let transcript = jsonl::parse(&line).with_context(|| format!("in {}", journal.display()))?;
        if transcript.id == trial {
            found.push((line.number, transcript));
        }
    }
    Ok(found)
}

fn print_trial(
    out: &mut impl Write,
    transcript: &Transcript,
    verdict: &Verdict,
    place: &str,
    full: bool,
) -> std::io::Result<()> {
    let (colour, mark) = match verdict.outcome {
        Outcome::Pass => (GREEN, "✓ pass"),
        Outcome::Fail => (RED, "✗ fail"),
        Outcome::Error => (YELLOW, "! error"),
    };
    writeln!(
        out,
        "{colour}{mark}{RESET} {BOLD}{}{RESET} {DIM}{} {place}{RESET}",
        transcript.id, verdict.checker
    )?;
    if let Some(reason) = &verdict.reason {
        writeln!(out, "  {}", harmless(reason, 1000))?;
    }
    if full {
        conversation(out, transcript, verdict)?;
    }
    for clause in &verdict.clauses {
        let (colour, mark) = if clause.passed { (GREEN, "✓") } else { (RED, "✗") };
        writeln!(out, "  {colour}{mark} {}{RESET}: {}", clause.id, harmless(&clause.reason, 400))?;
        for evidence in &clause.evidence {
            writeln!(out, "      {}", excerpt(transcript, evidence))?;
        }
    }
    writeln!(out)
}

/// How many bytes around a piece of evidence are shown.
const AROUND: usize = 60;

/// The evidence in its surroundings, marked with ⟦ ⟧ so that colour is not needed to see it.
fn excerpt(transcript: &Transcript, evidence: &Evidence) -> String {
    let at = format!("{DIM}message {}:{RESET} ", evidence.message);
    let content = transcript.messages.get(evidence.message).map_or("", |message| message.content.as_str());
    let (Some(before), Some(found), Some(after)) = (
        content.get(..evidence.start),
        content.get(evidence.start..evidence.end),
        content.get(evidence.end..),
    ) else {
        return format!("{at}⟦{}⟧", harmless(&evidence.text, 300));
    };
    if evidence.call.is_some() || found.is_empty() {
        return format!("{at}⟦{BOLD}{}{RESET}⟧", harmless(&evidence.text, 300));
    }
    let head: String = before.chars().rev().take(AROUND).collect::<Vec<_>>().into_iter().rev().collect();
    format!(
        "{at}…{}⟦{BOLD}{}{RESET}⟧{}…",
        spaced(&head),
        harmless(found, 300),
        spaced(&after.chars().take(AROUND).collect::<String>())
    )
}

/// Text around evidence, with its outer spaces kept.
fn spaced(text: &str) -> String {
    let inner = harmless(text, 2 * AROUND);
    let lead = if text.starts_with(char::is_whitespace) { " " } else { "" };
    let tail = if text.ends_with(char::is_whitespace) && !inner.is_empty() { " " } else { "" };
    format!("{lead}{inner}{tail}")
}

fn conversation(out: &mut impl Write, transcript: &Transcript, verdict: &Verdict) -> std::io::Result<()> {
    for (index, message) in transcript.messages.iter().enumerate() {
        let who = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant if message.is_models_own() => "model",
            Role::Assistant => "assistant (script)",
            Role::Tool => "tool",
        };
        writeln!(out, "  {BOLD}[{index}] {who}{RESET}")?;
        for line in message.content.lines() {
            writeln!(out, "    {}", harmless(line, 2000))?;
        }
        for call in &message.tool_calls {
            writeln!(
                out,
                "    → {} {}",
                harmless(&call.name, 100),
                harmless(&call.arguments.to_string(), 2000)
            )?;
        }
        for clause in &verdict.clauses {
            for evidence in clause.evidence.iter().filter(|evidence| evidence.message == index) {
                let mark = if clause.passed { "✓" } else { "✗" };
                writeln!(out, "    {DIM}^ {mark} {}: {}{RESET}", clause.id, harmless(&evidence.text, 200))?;
            }
        }
    }
    writeln!(out)
}
