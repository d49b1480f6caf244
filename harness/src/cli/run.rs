//! `assize run`: plays cases on the matrix, judges, and writes the record.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use harness::audit::{self, inputs};
use harness::event::{Event, SharedReporter};
use harness::project::Project;
use harness::sitting::concluding::{self, Conclusion};
use harness::sitting::evidence;
use harness::sitting::material::{Material, Shipped};
use harness::sitting::planning::{self, Request, Rows};
use harness::sitting::playing::{self, Options, StopFlag};
use harness::sitting::rundir::{self, RunDir};
use jiff::Timestamp;
use model_matrix::RetryPolicy;
use reports::{Finding, Manifest, Plan, Shard};

use super::exit::Exit;
use super::progress;
use super::say;
use super::summary;

/// Play cases on the matrix, judge the transcripts, write the record
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only these cases: an id (E1), a variant (E6.i), a name or a glob; repeatable
    #[arg(long = "case", value_name = "CASE")]
    cases: Vec<String>,
    /// Only these models of the matrix; repeatable
    #[arg(long = "model", value_name = "ID")]
    models: Vec<String>,
    /// Which rows of the cases' tables: `all`, or a row's number; row 1 when not given
    #[arg(long, value_name = "all|N", value_parser = parse_rows)]
    rows: Option<Rows>,
    /// Trials a cell; the project's number when not given
    #[arg(long, value_name = "N")]
    trials: Option<u32>,
    /// Another charter than the project's
    #[arg(long, value_name = "FILE")]
    charter: Option<PathBuf>,
    /// Another matrix than the project's
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Only part k of n of the trials, for n machines; `assize merge` joins the parts
    #[arg(long, value_name = "k/n")]
    shard: Option<Shard>,
    /// The run's folder; a fresh one under `runs/` when not given
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Go on with an interrupted run: what it has finished is not played again
    #[arg(long, value_name = "RUN", conflicts_with_all = ["cases", "models", "rows", "trials", "charter", "matrix", "shard"])]
    resume: Option<PathBuf>,
    /// Trials of one model at a time; the matrix's `in_flight` when not given, else 16
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    concurrency: Option<u32>,
    /// No progress, only the result
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn parse_rows(text: &str) -> Result<Rows, String> {
    if text == "all" {
        return Ok(Rows::All);
    }
    match text.parse() {
        Ok(row) if row > 0 => Ok(Rows::One(row)),
        _ => Err("`all`, or the number of a row, counted from 1".to_owned()),
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let (run, plan, material) = match &arguments.resume {
        Some(path) => resume(path)?,
        None => start(arguments, project)?,
    };
    let (plan, material) = (Arc::new(plan), Arc::new(material));
    let pace = Pace { concurrency: arguments.concurrency, quiet: arguments.quiet };
    let (conclusion, interrupted) = perform(&run, &plan, &material, pace, &resume_line(&run))?;
    print(&run, &conclusion, arguments)?;
    if interrupted {
        say::note(&format!("interrupted; go on with: {}", resume_line(&run)));
        return Ok(Exit::Interrupted);
    }
    Ok(exit(&conclusion.manifest))
}

/// How a run is played and watched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Trials of one model at a time.
    pub(super) concurrency: Option<u32>,
    /// No progress.
    pub(super) quiet: bool,
}

/// Plays a run and concludes it; says whether it was interrupted. `resume` is the command that goes on with it.
pub(super) fn perform(
    run: &RunDir,
    plan: &Arc<Plan>,
    material: &Arc<Material>,
    pace: Pace,
    resume: &str,
) -> anyhow::Result<(Conclusion, bool)> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let stop = StopFlag::default();
    let reporter = progress::reporter(pace.quiet);
    if !pace.quiet {
        say::note(&format!("run {}", run.path().display()));
    }
    let options = Options {
        journal: run.journal(),
        concurrency: pace.concurrency.map(|n| n as usize),
        retry: RetryPolicy::default(),
    };
    let played = runtime.block_on(async {
        tokio::spawn(watch_for_interrupts(stop.clone(), Arc::clone(&reporter)));
        let env = |name: &str| std::env::var(name).ok();
        playing::play(plan, material, &options, env, &reporter, &stop).await
    });
    drop(reporter);
    let interrupted = stop.is_raised() && played.is_ok();
    let conclusion = concluding::conclude(run, Plan::clone(plan), material)?;
    run.conclude(&conclusion.rows, &conclusion.manifest)?;
    played.with_context(|| format!("what was finished is kept; go on with: {resume}"))?;
    Ok((conclusion, interrupted))
}

/// A fresh run.
fn start(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<(RunDir, Plan, Material)> {
    let mut project = Project::find(project)?;
    if let Some(charter) = &arguments.charter {
        project.charter.path.clone_from(charter);
    }
    if let Some(matrix) = &arguments.matrix {
        project.matrix.clone_from(matrix);
    }
    let root = project.root.clone();
    let material = Material::load(project, Shipped::Yes)?;
    let now = Timestamp::now();
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => root.join("runs").join(rundir::fresh_name(now)),
    };
    let request = Request {
        cases: arguments.cases.clone(),
        models: arguments.models.clone(),
        rows: arguments.rows.unwrap_or_default(),
        trials: arguments.trials,
        shard: arguments.shard,
    };
    let mut plan = planning::plan(&material, &request, name_of(&path), written(now))?;
    plan.binary_sha256 = evidence::binary_sha256();
    missing_keys(&plan, &material)?;
    // Nothing is created for a run that will be refused.
    believe(&material, &plan)?;
    let run = RunDir::create(&path, &plan, &material)?;
    Ok((run, plan, material))
}

/// A run's name: that of its folder.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A time as it is written in plans.
pub(super) fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Names every key that is missing before a folder is made for a run that could not begin.
pub(super) fn missing_keys(plan: &Plan, material: &Material) -> anyhow::Result<()> {
    let models = material.matrix.models.iter().filter(|model| plan.model(&model.id).is_some());
    let replay = "http://127.0.0.1:9/v1".parse().ok();
    let env = |name: &str| std::env::var(name).ok();
    model_matrix::Subjects::connect(models, env, replay.as_ref(), RetryPolicy::default())?;
    Ok(())
}

/// An interrupted run, from its own inputs: whatever has changed in the project since does not matter.
pub(super) fn resume(path: &Path) -> anyhow::Result<(RunDir, Plan, Material)> {
    let run = RunDir::open(path)?;
    let plan = run.plan()?;
    let material = Material::load(run.project()?, Shipped::No)
        .with_context(|| format!("the inputs of {} cannot be used", path.display()))?;
    let differs = inputs::compare(&plan, &material, inputs::OWN)?;
    anyhow::ensure!(
        differs.is_empty(),
        "the inputs of {} are not those it was planned with:\n  {}",
        path.display(),
        lines(&differs)
    );
    let changed = audit::foreign(&run, &plan, &material)?;
    anyhow::ensure!(
        changed.is_empty(),
        "{} is not as this program wrote it, so this run cannot go on:\n  {}",
        run.journal().display(),
        lines(&changed)
    );
    believe(&material, &plan)?;
    Ok((run, plan, material))
}

fn lines(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
}

/// Refuses a run whose checkers misjudge their own controls.
pub(super) fn believe(material: &Material, plan: &Plan) -> anyhow::Result<()> {
    let failures = material.control_failures(plan);
    let lines: Vec<String> = failures.iter().map(|failure| format!("  {failure}")).collect();
    anyhow::ensure!(
        lines.is_empty(),
        "a checker misjudges its own controls, so nothing it says can be believed:\n{}\nmend the checker, or its controls",
        lines.join("\n")
    );
    Ok(())
}

fn resume_line(run: &RunDir) -> String {
    format!("assize run --resume {}", run.path().display())
}

/// The first interrupt stops new trials and lets those under way finish; the second ends the program at once.
async fn watch_for_interrupts(stop: StopFlag, reporter: SharedReporter) {
    interrupt().await;
    stop.raise();
    let reason = "interrupted: finishing the trials under way, which are paid for; once more to stop at once";
    reporter.report(Event::Stopping { reason: reason.to_owned() });
    interrupt().await;
    std::process::exit(130);
}

/// Waits for Ctrl-C or a request to terminate.
async fn interrupt() {
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        return;
    }
    // Without a signal handler the program ends as the platform ends it; the journal is whole all the same.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn print(run: &RunDir, conclusion: &Conclusion, arguments: &Arguments) -> anyhow::Result<()> {
    let mut out = say::data();
    summary::print(&mut out, run, conclusion)?;
    out.flush()?;
    if arguments.quiet {
        return Ok(());
    }
    let replayed: HashSet<bool> = conclusion.manifest.plan.models.iter().map(|model| model.replay).collect();
    if replayed == HashSet::from([true]) && exit(&conclusion.manifest) == Exit::Holds {
        say::note(summary::NEXT_STEP);
    }
    Ok(())
}

/// The exit code that a manifest asks for.
pub(super) fn exit(manifest: &Manifest) -> Exit {
    if reports::table::surprises(manifest) > 0 || !manifest.strangers.is_empty() {
        Exit::No
    } else if !manifest.own_part_is_complete() || manifest.counts.expected == 0 {
        Exit::Incomplete
    } else {
        Exit::Holds
    }
}
