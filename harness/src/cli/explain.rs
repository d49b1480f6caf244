//! `assize explain`: what a case asks for, and why a trial came out as it did.

mod unknown;

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use checkers::definition::Clause;
use checkers::{Checker, Evidence, Outcome, Verdict};
use harness::audit;
use harness::case::{Case, CaseKind, Selected};
use harness::judging;
use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use reports::words::counted;
use serde_json::{Value, json};
use transcript::jsonl::{self, Lines};
use transcript::{Role, Transcript};

use super::exit::Exit;
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};
use super::talk::Format;

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
    /// The form of the answer; JSON of a trial holds the whole transcript
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    match &arguments.trial {
        Some(trial) => explain_trial(&PathBuf::from(&arguments.subject), trial, arguments),
        None => {
            if let Ok(opened) = audit::open(Path::new(&arguments.subject)) {
                let run = &opened.run;
                let plan = run.plan()?;
                let first = plan.trials().next().map(|key| format!(", such as {key}")).unwrap_or_default();
                anyhow::bail!("{} is a run's folder: name one of its trials too{first}", arguments.subject);
            }
            explain_case(&arguments.subject, project, arguments.format)
        }
    }
}

fn explain_case(name: &str, project: Option<&Path>, format: Format) -> anyhow::Result<Exit> {
    let material = Material::load(Project::find(project)?, Shipped::Yes)?;
    let all = material.selected().collect();
    let chosen = harness::case::select(all, &[name.to_owned()])?;
    if format == Format::Json {
        let list: Vec<Value> =
            chosen.iter().map(|selected| case_json(selected, &material)).collect::<anyhow::Result<_>>()?;
        say::json(&list)?;
        return Ok(Exit::Holds);
    }
    let mut out = say::page();
    let mut last: Option<&str> = None;
    for selected in chosen {
        if last != Some(&selected.case.id) {
            print_case(&mut out, selected.case)?;
        }
        last = Some(&selected.case.id);
        let checker = material.checker(&selected.variant.checker).context("the case's checker is gone")?;
        writeln!(
            out,
            "\n{BOLD}{}{RESET}: {}, {}, tools: {}",
            selected.label(),
            counted(selected.variant.rows(), "row"),
            match selected.variant.replies() {
                1 => "1 reply".to_owned(),
                replies => format!("{replies} replies"),
            },
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

/// A case's variant and its checker, for programs.
fn case_json(selected: &Selected<'_>, material: &Material) -> anyhow::Result<Value> {
    let (case, variant) = (selected.case, selected.variant);
    let checker = material.checker(&variant.checker).context("the case's checker is gone")?;
    let asked = |clause: &&Clause| is_asked(clause, variant.name.as_deref());
    let clauses = checker.definition.require.iter().filter(asked);
    Ok(json!({
        "case": case.id,
        "variant": variant.name,
        "name": case.name,
        "kind": match case.kind {
            CaseKind::Happy => "happy",
            CaseKind::Redline => "redline",
        },
        "shows": case.shows,
        "binds": case.binds,
        "failure_modes": case.failure_modes,
        "folder": case.dir,
        "rows": variant.rows(),
        "replies": variant.replies(),
        "tools": variant.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        "checker": {
            "label": checker.label(),
            "sha256": checker.sha256,
            "proves": checker.definition.proves.trim(),
            "does_not_prove": checker.definition.does_not_prove.trim(),
            "clauses": clauses.map(|clause| json!({ "id": clause.id, "says": says(clause) })).collect::<Vec<_>>(),
            "controls": checker.controls.len(),
        },
    }))
}

/// Whether a clause is required of a variant.
fn is_asked(clause: &Clause, variant: Option<&str>) -> bool {
    clause.variants.is_empty() || variant.is_some_and(|v| clause.variants.iter().any(|c| c == v))
}

/// What a clause requires, in words.
fn says(clause: &Clause) -> String {
    clause.says.clone().unwrap_or_else(|| in_words(clause.predicate.name()))
}

fn print_case(out: &mut impl Write, case: &Case) -> std::io::Result<()> {
    let kind = match case.kind {
        CaseKind::Happy => "happy: the plain road must stay open",
        CaseKind::Redline => "redline: something must not happen",
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
    for clause in definition.require.iter().filter(|clause| is_asked(clause, variant)) {
        writeln!(out, "    {}: {}", clause.id, says(clause))?;
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

fn explain_trial(path: &Path, trial: &str, arguments: &Arguments) -> anyhow::Result<Exit> {
    let opened = audit::open(path)?;
    let run = &opened.run;
    let material = Material::load(run.project()?, Shipped::No)
        .with_context(|| format!("the inputs of {} cannot be used", path.display()))?;
    let found = attempts(&run.journal(), trial)?;
    if found.is_empty() {
        let told = unknown::told(trial, &run.plan()?, material.cases());
        anyhow::bail!("{} holds no transcript {trial}: {told}", run.journal().display());
    }
    let judged = found.iter().map(|(line, transcript)| {
        let verdict = judging::judge(material.library.for_transcript(transcript), transcript);
        (format!("{}:{line}", run.journal().display()), transcript, verdict)
    });
    if arguments.format == Format::Json {
        let list: Vec<Value> = judged
            .map(|(place, transcript, verdict)| {
                json!({ "place": place, "verdict": verdict, "transcript": transcript })
            })
            .collect();
        say::json(&list)?;
        return Ok(Exit::Holds);
    }
    let mut out = say::page();
    for (place, transcript, verdict) in judged {
        print_trial(&mut out, transcript, &verdict, &place, arguments.full)?;
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
            // The bar keeps a model's `::error::` from being a line's beginning, which build servers act on.
            writeln!(out, "    {DIM}│{RESET} {}", harmless(line, 2000))?;
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
