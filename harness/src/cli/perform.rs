//! Playing a run from the command line: what must be there before it begins, progress, interrupts, the conclusion. `run`
//! and `nightly` share it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use harness::event::{Event, SharedReporter};
use harness::git;
use harness::journal::Journal;
use harness::redact;
use harness::sitting::concluding::{self, Conclusion};
use harness::sitting::evidence;
use harness::sitting::material::Material;
use harness::sitting::planning::{self, Request};
use harness::sitting::playing::{self, Options, Stop, StopFlag};
use harness::sitting::rundir::{self, RunDir};
use harness::sitting::statics::{self, Outcome};
use harness::store::Sender;
use jiff::Timestamp;
use model_matrix::{RetryPolicy, Secrets};
use reports::Plan;

use super::kept::{Following, Kept};
use super::talk::Talk;
use super::{progress, say};

/// How a run is played and watched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Trials of one model at a time.
    pub(super) concurrency: Option<u32>,
    /// How much is said meanwhile.
    pub(super) talk: Talk,
}

/// What came of a run.
#[derive(Debug)]
pub(super) struct Performed {
    /// Its record.
    pub(super) conclusion: Conclusion,
    /// Why it stopped before its end, if it did.
    pub(super) stopped: Option<Stop>,
    /// Why the store that was to keep it has not got all of it, if it has not.
    pub(super) unsent: Option<anyhow::Error>,
}

/// Plays a run and concludes it. `resume` is the command that goes on with it; `kept` is where it is kept besides.
pub(super) fn perform(
    run: &RunDir,
    plan: &Arc<Plan>,
    material: &Arc<Material>,
    pace: Pace,
    resume: &str,
    kept: Option<&Kept>,
) -> anyhow::Result<Performed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let stop = StopFlag::default();
    let reporter = progress::reporter(pace.talk);
    // Before a word is written: the run may be another process's.
    let opened = Journal::open(&run.journal(), &plan.digest()?)?;
    let _held = opened.0.held()?;
    run.sweep()?;
    if !pace.talk.quiet {
        say::note(&format!("run {}", run.path().display()));
    }
    // A store that takes nothing is told of before anything is paid for.
    let begin = |kept: &Kept| {
        let remote = kept.remote()?;
        runtime.block_on(Sender::begin(remote, run.clone(), plan))
    };
    let sender = kept.map(begin).transpose()?;
    let options = Options {
        run: run.clone(),
        concurrency: pace.concurrency.map(|n| n as usize),
        retry: RetryPolicy::default(),
        budget: material.project.budget,
        secrets: kept.map(Kept::secrets).cloned().unwrap_or_default(),
    };
    let (played, sender) = runtime.block_on(async {
        tokio::spawn(watch_for_interrupts(stop.clone(), Arc::clone(&reporter)));
        let following = sender.map(|sender| Following::start(sender, &reporter, &stop));
        let env = |name: &str| std::env::var(name).ok();
        let played = playing::play(plan, material, &options, opened, env, &reporter, &stop).await;
        let sender = match following {
            Some(following) => Some(following.end().await),
            None => None,
        };
        (played, sender)
    });
    drop(reporter);
    // What a sitting that broke off has finished is concluded too. Should that fail as well, the first error is the one that
    // tells why.
    let concluded = concluded(run, plan, material);
    // Whatever came of it, the store gets it.
    let finish = |sender: anyhow::Result<Sender>| Ok(runtime.block_on(sender?.finish())?);
    let unsent = sender.map(finish).and_then(anyhow::Result::err);
    let kept = format!("what was finished is kept; go on with:\n  {resume}");
    match (played, concluded) {
        (Ok(()), Ok(conclusion)) => Ok(Performed { conclusion, stopped: stop.reason().cloned(), unsent }),
        (Ok(()), Err(error)) => anyhow::bail!("the run cannot be concluded: {error:#}\n{kept}"),
        (Err(error), Ok(_)) => anyhow::bail!("{error}\n{kept}"),
        (Err(error), Err(second)) => {
            anyhow::bail!("{error}\nnor can the run be concluded: {second:#}\n{kept}")
        }
    }
}

/// Judges what the journal holds, and writes the record.
fn concluded(run: &RunDir, plan: &Arc<Plan>, material: &Material) -> anyhow::Result<Conclusion> {
    let conclusion = concluding::conclude(run, Plan::clone(plan), material)?;
    run.conclude(&conclusion.rows, &conclusion.manifest)?;
    Ok(conclusion)
}

/// A run's name: that of its folder.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A time as it is written in plans.
pub(super) fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A run's folder: the one that was asked for, or a fresh one in the project.
pub(super) fn folder(asked: Option<&Path>, root: &Path, now: Timestamp) -> PathBuf {
    asked.map_or_else(|| root.join("runs").join(rundir::fresh_name(now)), Path::to_owned)
}

/// Plans a run in `folder`, with all that must hold before anything is created or paid for. Gives the keys, so that
/// whoever writes something down can mask them.
pub(super) fn planned(
    material: &Material,
    request: &Request,
    folder: &Path,
    now: Timestamp,
    kept: Option<&Kept>,
) -> anyhow::Result<(Plan, Secrets)> {
    let mut plan = planning::plan(material, request, name_of(folder), written(now))?;
    plan.binary_sha256 = evidence::binary_sha256();
    plan.source = git::source(&material.project.root);
    let secrets = ready(&plan, material, kept)?;
    believe(material, &plan)?;
    playing::check_traces(&plan, material)?;
    Ok((plan, secrets))
}

/// Runs the static fixtures, and masks what they answered.
pub(super) fn statics(material: &Material, secrets: &Secrets) -> Vec<Outcome> {
    statics::run(material).into_iter().map(|outcome| outcome.masked(secrets)).collect()
}

/// Names every price and key that is missing, and keys that stand in the inputs, before a folder is made for a run that could not begin.
/// Gives the keys, so that whoever writes something down can mask them.
pub(super) fn ready(plan: &Plan, material: &Material, kept: Option<&Kept>) -> anyhow::Result<Secrets> {
    let models = material.matrix.models.iter().filter(|model| plan.model(&model.id).is_some());
    let replay = "http://127.0.0.1:9/v1".parse().ok();
    let env = |name: &str| std::env::var(name).ok();
    material.project.budget.check(models.clone())?;
    let subjects = model_matrix::Subjects::connect(models, env, replay.as_ref(), RetryPolicy::default())?;
    let mut secrets = subjects.secrets().clone();
    if let Some(kept) = kept {
        secrets = secrets.and(kept.secrets());
    }
    redact::inputs(material, &secrets)?;
    Ok(secrets)
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

/// The first interrupt stops new trials and lets those under way finish; the second ends the program at once.
async fn watch_for_interrupts(stop: StopFlag, reporter: SharedReporter) {
    interrupt().await;
    stop.raise(Stop::Interrupted);
    let reason = "interrupted: finishing the trials under way, which are paid for; once more to stop at once";
    reporter.report(Event::Stopping { reason: reason.to_owned() });
    interrupt().await;
    std::process::exit(130);
}

/// Waits for Ctrl-C, a request to terminate, or the end of the terminal.
async fn interrupt() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            // Asked first: whoever listens to a signal does not ignore it any more.
            let mut hangup = if ignores_hangup() { None } else { signal(SignalKind::hangup()).ok() };
            let hung_up = async {
                match &mut hangup {
                    Some(hangup) => hangup.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
                _ = hung_up => {}
            }
            return;
        }
    }
    // Without a signal handler the program ends as the platform ends it; the journal is whole all the same.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Whether the program was started to outlive its terminal, as `nohup` does it. Only Linux tells.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Its mask is in hexadecimal; a hangup is signal 1.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
