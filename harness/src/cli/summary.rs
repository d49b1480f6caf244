//! What a run came to, for a terminal: the matrix, each surprise with its evidence, and what the numbers prove.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::Path;

use harness::sitting::rundir;
use reports::figures::Failure;
use reports::report::{CellView, Report, Tone, Trouble};
use reports::table::{self, Lines};
use reports::words::counted;
use reports::{Answer, Expectation, LoadVerdict, Manifest, Row, Standing, gate, served, statistics};
use transcript::Usage;

use super::say::{BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};

/// Cells with surprises that are shown; the rest is counted.
const SHOWN: usize = 20;

/// What to do after a good run on recorded traces.
pub(crate) const NEXT_STEP: &str = "
This run tried the harness, not a model. Next: name a model in a matrix of your own (`assize help matrix` shows how), and say
  assize run --matrix my-matrix.yaml";

/// That a gate will refuse a run, and why; `None` for one that it takes, that is still incomplete, or that tries recorded
/// traces only, of which more is said elsewhere.
pub(super) fn refused_by_gate(manifest: &Manifest) -> Option<String> {
    let on_traces = manifest.plan.models.iter().all(|model| model.replay);
    let decision = gate::decide(manifest);
    (decision.answer == Answer::No && !on_traces).then(|| {
        let reasons: Vec<String> =
            decision.reasons.iter().take(SHOWN).map(|reason| harmless(reason, 400)).collect();
        format!("`assize gate` will refuse this run:\n  {}", reasons.join("\n  "))
    })
}

/// Prints the result of a run, its tables for a terminal of `width` columns.
pub(crate) fn print(
    out: &mut impl Write,
    run: &Path,
    report: &Report,
    width: Option<usize>,
) -> std::io::Result<()> {
    writeln!(out)?;
    // What counts comes last, where it is still to be seen when much is wrong.
    surprises(out, run, report)?;
    grid(out, table::matrix(report), width)?;
    writeln!(out)?;
    totals(out, &report.manifest)?;
    writeln!(out, "{DIM}record: {}{RESET}", run.join(rundir::MANIFEST).display())
}

/// A table, folded where it is too wide; its first line is the heading.
pub(super) fn grid(out: &mut impl Write, lines: Lines, width: Option<usize>) -> std::io::Result<()> {
    for (block, lines) in table::fold(lines, width).iter().enumerate() {
        if block > 0 {
            writeln!(out)?;
        }
        for (index, line) in lines.iter().enumerate() {
            for (tone, text) in line {
                let colour = match tone {
                    None if index == 0 => BOLD,
                    None => "",
                    Some(tone) => colour(*tone),
                };
                write!(out, "{colour}{text}{RESET}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// The colour of a tone; a mark always stands beside it.
fn colour(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => GREEN,
        Tone::Bad => RED,
        Tone::Open => YELLOW,
    }
}

/// What is not as it should be in the run's own part.
fn surprises(out: &mut impl Write, run: &Path, report: &Report) -> std::io::Result<()> {
    let plan = &report.manifest.plan;
    // Only a shard's own part is looked at.
    let own: Option<HashSet<String>> =
        plan.shard.map(|_| plan.trials().filter(|key| plan.owns(key)).map(|key| key.to_string()).collect());
    let is_own = |trial: &str| own.as_ref().is_none_or(|own| own.contains(trial));
    let views: Vec<CellView<'_>> = report.cells().collect();
    let mut idle: Vec<&Trouble<'_>> = Vec::new();
    let mut cells: Vec<Vec<&Trouble<'_>>> = Vec::new();
    for view in &views {
        let own = view.troubles.iter().filter(|trouble| is_own(&trouble.trial));
        let (not_run, played): (Vec<_>, Vec<_>) =
            own.partition(|trouble| trouble.standing == Standing::NotRun);
        idle.extend(not_run);
        cells.extend((!played.is_empty()).then_some(played));
    }
    not_run(out, &idle)?;
    for troubles in cells.iter().take(SHOWN) {
        cell(out, run, report, troubles)?;
    }
    if cells.len() > SHOWN {
        let left = counted(cells.len() - SHOWN, "more cell");
        writeln!(out, "… and {left}; all are in {}\n", run.join(rundir::VERDICTS).display())?;
    }
    Ok(())
}

/// The first trial of a cell that is not as it should be, and the names of the others.
fn cell(out: &mut impl Write, run: &Path, report: &Report, troubles: &[&Trouble<'_>]) -> std::io::Result<()> {
    let Some((first, others)) = troubles.split_first() else { return Ok(()) };
    surprise(out, run, report, first)?;
    if !others.is_empty() {
        let named = others.iter().map(|trouble| {
            let trial = trouble.trial.rsplit('/').next().unwrap_or_default();
            match (trouble.standing, trouble.clause) {
                (Standing::Failed, Some(clause)) => format!("{trial} {clause}"),
                (Standing::Failed | Standing::Passed, _) => trial.to_owned(),
                (Standing::Error | Standing::NotRun, _) => format!("{trial} no verdict"),
            }
        });
        let named = named.collect::<Vec<_>>().join(", ");
        writeln!(out, "    and of the same cell: {}", harmless(&named, 400))?;
    }
    writeln!(out)
}

/// Trials that were not run: there is nothing to show of each, so they are counted by reason.
fn not_run(out: &mut impl Write, trials: &[&Trouble<'_>]) -> std::io::Result<()> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for trouble in trials {
        *reasons.entry(trouble.reason).or_default() += 1;
    }
    for (reason, count) in reasons {
        let trials = counted(count, "trial");
        writeln!(out, "{YELLOW}! {trials} not run{RESET}: {}\n", harmless(reason, 400))?;
    }
    Ok(())
}

fn surprise(out: &mut impl Write, run: &Path, report: &Report, trouble: &Trouble<'_>) -> std::io::Result<()> {
    let (colour, what) = match trouble.standing {
        Standing::Passed => (RED, "✗ passed, but is a control arm that must fail"),
        Standing::Failed => (RED, "✗ failed"),
        Standing::Error => (YELLOW, "! no verdict"),
        Standing::NotRun => (YELLOW, "! not run"),
    };
    writeln!(out, "{colour}{what}{RESET}  {BOLD}{}{RESET}", harmless(&trouble.trial, 200))?;
    if trouble.standing != Standing::Passed && trouble.clause.is_none() {
        writeln!(out, "    {}", harmless(trouble.reason, 400))?;
    }
    if let Some(row) = report.deciding(&trouble.trial) {
        clauses(out, row)?;
        let place = run.join(rundir::TRANSCRIPTS);
        writeln!(out, "    {DIM}transcript: {}:{}{RESET}", place.display(), row.line)?;
    }
    Ok(())
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
            // What is verified is what was sent. Without a reply nobody has said that it was read.
            let judged = counts.passed + counts.failed > 0;
            let unanswered =
                model.load.verdict == LoadVerdict::Verified && model.observed.is_empty() && !judged;
            let what = if unanswered { "charter sent, and no reply came" } else { "charter loaded" };
            let colour = if unanswered { YELLOW } else { colour };
            writeln!(
                out,
                "    {what}: {colour}{word}{RESET}{DIM} ({}){RESET}",
                harmless(&model.load.how, 300)
            )?;
        }
        if let Some(program) = &model.program {
            let version = program.version.as_deref().unwrap_or("of no known version");
            writeln!(out, "    {DIM}program: {} {}{RESET}", program.adapter, harmless(version, 120))?;
        }
    }
    super::fixtures::in_summary(out, manifest)?;
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
    let mut tokens = Usage::default();
    for model in asked {
        tokens += model.usage;
    }
    if tokens.total() > 0 {
        writeln!(out, "  {} tokens read, {} written", tokens.input, tokens.output)?;
    }
    let attempts = manifest.cells.iter().flat_map(|cell| &cell.trials).flat_map(|trial| &trial.attempts);
    let retries: u64 = attempts
        .filter(|attempt| attempt.reused_from.is_none())
        .map(|attempt| u64::from(attempt.retries))
        .sum();
    if retries > 0 {
        let requests = counted(usize::try_from(retries).unwrap_or(usize::MAX), "request");
        writeln!(out, "  {requests} had to be sent again")?;
    }
    let (reused, runs) = manifest.reused();
    if reused > 0 {
        let runs = harmless(&runs.join(", "), 200);
        writeln!(
            out,
            "  {YELLOW}note{RESET}: {} not played but taken from {runs}; a gate refuses this run, since copies are no trials of its own",
            counted(reused, "trial")
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
