//! What a run came to, for a terminal: the matrix, each surprise with its evidence, and what the numbers prove.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use harness::sitting::concluding::Conclusion;
use harness::sitting::rundir::{self, RunDir};
use reports::figures::Failure;
use reports::manifest::{CellRecord, TrialRecord};
use reports::table::{self, Tone};
use reports::{Expectation, LoadVerdict, Manifest, Row, Standing, TrialKey, served, statistics};

use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};

/// Surprises shown in full; the rest is counted.
const SHOWN: usize = 20;

/// What to do after a good run on recorded traces.
pub(crate) const NEXT_STEP: &str = "
This run tried the harness, not a model. Next: copy a matrix from model-matrix/matrices/examples/ (Ollama,
llama.cpp, OpenAI, Anthropic), put your model's name in, and say
  assize run --matrix my-matrix.yaml";

/// Prints the result of a run.
pub(crate) fn print(out: &mut impl Write, run: &RunDir, conclusion: &Conclusion) -> std::io::Result<()> {
    let manifest = &conclusion.manifest;
    writeln!(out)?;
    grid(out, &table::matrix(manifest))?;
    writeln!(out)?;
    surprises(out, run, conclusion)?;
    totals(out, manifest)?;
    writeln!(out, "{DIM}record: {}{RESET}", run.path().join(rundir::MANIFEST).display())
}

/// A table of toned pieces; its first line is the heading.
pub(super) fn grid(out: &mut impl Write, lines: &[Vec<(Tone, String)>]) -> std::io::Result<()> {
    for (index, line) in lines.iter().enumerate() {
        for (tone, text) in line {
            let colour = match tone {
                Tone::Good => GREEN,
                Tone::Bad => RED,
                Tone::Open => YELLOW,
                Tone::Plain if index == 0 => BOLD,
                Tone::Plain => "",
            };
            write!(out, "{colour}{text}{RESET}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn surprises(out: &mut impl Write, run: &RunDir, conclusion: &Conclusion) -> std::io::Result<()> {
    let manifest = &conclusion.manifest;
    let surprising = |cell: &CellRecord, trial: &TrialRecord| {
        let expect = manifest.plan.model(&cell.cell.model).map_or(Expectation::Pass, |model| model.expect);
        !matches!(
            (trial.standing, expect),
            (Standing::Passed, Expectation::Pass) | (Standing::Failed, Expectation::Fail)
        ) && manifest.plan.owns(&TrialKey { cell: cell.cell.clone(), trial: trial.trial })
    };
    let all: Vec<(&CellRecord, &TrialRecord)> = manifest
        .cells
        .iter()
        .flat_map(|cell| cell.trials.iter().map(move |trial| (cell, trial)))
        .filter(|(cell, trial)| surprising(cell, trial))
        .collect();
    let (idle, all): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, trial)| trial.standing == Standing::NotRun);
    not_run(out, &idle)?;
    for (cell, trial) in all.iter().take(SHOWN) {
        surprise(out, run, conclusion, cell, trial)?;
    }
    if all.len() > SHOWN {
        writeln!(out, "… and {} more; all are in {}\n", all.len() - SHOWN, rundir::VERDICTS)?;
    }
    Ok(())
}

/// Trials that were not run: there is nothing to show of each, so they are counted by reason.
fn not_run(out: &mut impl Write, trials: &[(&CellRecord, &TrialRecord)]) -> std::io::Result<()> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, trial) in trials {
        *reasons.entry(trial.reason.as_deref().unwrap_or("no reason recorded")).or_default() += 1;
    }
    for (reason, count) in reasons {
        writeln!(
            out,
            "{YELLOW}! {} not run{RESET}: {}\n",
            say::count(count, "trial"),
            harmless(reason, 400)
        )?;
    }
    Ok(())
}

fn surprise(
    out: &mut impl Write,
    run: &RunDir,
    conclusion: &Conclusion,
    cell: &CellRecord,
    trial: &TrialRecord,
) -> std::io::Result<()> {
    let key = format!("{}/t{}", cell.cell, trial.trial);
    let row = conclusion.rows.iter().rfind(|row| row.id == key);
    let (colour, what) = match trial.standing {
        Standing::Passed => (RED, "✗ passed, but is a control arm that must fail"),
        Standing::Failed => (RED, "✗ failed"),
        Standing::Error => (YELLOW, "! no verdict"),
        Standing::NotRun => (YELLOW, "! not run"),
    };
    writeln!(out, "{colour}{what}{RESET}  {BOLD}{key}{RESET}")?;
    if let Some(reason) = &trial.reason {
        writeln!(out, "    {}", harmless(reason, 400))?;
    }
    if let Some(row) = row {
        clauses(out, row)?;
        let place = run.path().join(rundir::TRANSCRIPTS);
        writeln!(out, "    {DIM}transcript: {}:{}{RESET}", place.display(), row.line)?;
    }
    writeln!(out)
}

/// A failed trial in one line: its key, which is the transcript's id, the clauses, and the transcript's place.
pub(super) fn failure(out: &mut impl Write, failure: &Failure, run: &Path) -> std::io::Result<()> {
    let clauses = if failure.clauses.is_empty() {
        "passed, but must fail".to_owned()
    } else {
        format!("failed {}", failure.clauses.join(", "))
    };
    writeln!(
        out,
        "{RED}✗{RESET} {BOLD}{}{RESET} {}  {DIM}{}:{}{RESET}",
        harmless(&failure.trial, 200),
        harmless(&clauses, 200),
        run.join(rundir::TRANSCRIPTS).display(),
        failure.line
    )
}

fn clauses(out: &mut impl Write, row: &Row) -> std::io::Result<()> {
    for clause in row.clauses.iter().filter(|clause| !clause.passed) {
        writeln!(out, "    {}: {}", clause.id, harmless(&clause.reason, 200))?;
        for evidence in clause.evidence.iter().take(3) {
            writeln!(
                out,
                "      {DIM}message {}, bytes {}–{}:{RESET} {}",
                evidence.message,
                evidence.start,
                evidence.end,
                harmless(&evidence.text, 160)
            )?;
        }
    }
    Ok(())
}

fn totals(out: &mut impl Write, manifest: &Manifest) -> std::io::Result<()> {
    let counts = manifest.counts;
    writeln!(
        out,
        "{} trials owed: {} passed, {} failed, {} error, {} not run",
        counts.expected, counts.passed, counts.failed, counts.error, counts.not_run
    )?;
    if let Some(shard) = manifest.plan.shard {
        let own = manifest.plan.trials().filter(|key| manifest.plan.owns(key)).count();
        writeln!(out, "shard {shard}: {own} of them are its own; `assize merge` joins it with the others")?;
    }
    for model in &manifest.models {
        let pin = manifest.plan.model(&model.id);
        let counts = model.counts;
        let note = match pin {
            Some(pin) if pin.expect == Expectation::Fail && counts.passed == 0 && counts.complete() => {
                "control arm: fails every case, as it must".to_owned()
            }
            Some(pin) if pin.expect == Expectation::Fail => "control arm: must fail every case".to_owned(),
            Some(pin) if pin.replay && counts.passed == counts.expected => {
                "control arm: passes every case, as it must".to_owned()
            }
            _ => interval(counts.passed, counts.passed + counts.failed),
        };
        write!(out, "  {}: {}/{} passed; {note}", model.id, counts.passed, counts.expected)?;
        match &model.cost {
            Some(cost) => writeln!(out, "; {cost}")?,
            None => writeln!(out)?,
        }
        if pin.is_some_and(|pin| !pin.replay) || model.load.verdict != LoadVerdict::Verified {
            let (colour, word) = loaded(model.load.verdict);
            writeln!(
                out,
                "    charter loaded: {colour}{word}{RESET}{DIM} ({}){RESET}",
                harmless(&model.load.how, 300)
            )?;
        }
        if let Some(program) = &model.program {
            let version = program.version.as_deref().unwrap_or("of no known version");
            writeln!(out, "    {DIM}program: {} {}{RESET}", program.adapter, harmless(version, 120))?;
        }
    }
    used(out, manifest)?;
    for remark in manifest.models.iter().flat_map(served::remarks) {
        writeln!(out, "  {YELLOW}note{RESET}: {}", harmless(&remark, 400))?;
    }
    let trials = manifest.plan.trials as usize;
    writeln!(
        out,
        "{DIM}{trials} of {trials} in a cell proves a pass rate of at least {:.0}% (one-sided, 95%), no more{RESET}",
        100.0 * statistics::all_passed_proves(trials)
    )
}

/// What the run used up, and what was not played in it.
fn used(out: &mut impl Write, manifest: &Manifest) -> std::io::Result<()> {
    let is_replay = |id: &str| manifest.plan.model(id).is_some_and(|pin| pin.replay);
    let asked: Vec<_> = manifest.models.iter().filter(|model| !is_replay(&model.id)).collect();
    let (read, written) =
        asked.iter().fold((0, 0), |(r, w), model| (r + model.usage.input, w + model.usage.output));
    if read + written > 0 {
        writeln!(out, "  {read} tokens read, {written} written")?;
    }
    let attempts = manifest.cells.iter().flat_map(|cell| &cell.trials).flat_map(|trial| &trial.attempts);
    let retries: u64 = attempts
        .filter(|attempt| attempt.reused_from.is_none())
        .map(|attempt| u64::from(attempt.retries))
        .sum();
    if retries > 0 {
        let requests = say::count(usize::try_from(retries).unwrap_or(usize::MAX), "request");
        writeln!(out, "  {requests} had to be sent again")?;
    }
    let (reused, runs) = manifest.reused();
    if reused > 0 {
        let runs = harmless(&runs.join(", "), 200);
        writeln!(
            out,
            "  {YELLOW}note{RESET}: {} not played but taken from {runs}; a gate refuses this run",
            say::count(reused, "trial")
        )?;
    }
    Ok(())
}

/// How the verdict on the charter's loading is shown.
pub(crate) fn loaded(verdict: LoadVerdict) -> (&'static str, &'static str) {
    match verdict {
        LoadVerdict::Verified => (GREEN, "verified"),
        LoadVerdict::Missing => (RED, "missing"),
        LoadVerdict::Leaked => (RED, "leaked"),
        LoadVerdict::NotRun => (YELLOW, "not run"),
    }
}

fn interval(passed: usize, judged: usize) -> String {
    match statistics::wilson(passed, judged) {
        Some((low, high)) => format!("95% interval {:.0}–{:.0}%", low * 100.0, high * 100.0),
        None => "nothing judged".to_owned(),
    }
}
