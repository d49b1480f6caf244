//! `assize run`: plays cases on the matrix, judges, and writes the record.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use harness::audit::{self, inputs};
use harness::budget::{self, Budget};
use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use harness::sitting::planning::{Request, Rows};
use harness::sitting::playing::Stop;
use harness::sitting::reporting;
use harness::sitting::reusing::{self, Source};
use harness::sitting::rundir::RunDir;
use harness::store::Place;
use jiff::Timestamp;
use reports::render::{self, Form};
use reports::report::{Report, Tone};
use reports::{Finding, Plan, Shard, Standing};

use super::checkout;
use super::exit::Exit;
use super::kept::Kept;
use super::perform::{self, Pace, Performed, believe, perform, ready};
use super::say;
use super::summary;
use super::talk::{Format, Talk};

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
    /// Keep the run in an object store too, as it grows, and go on with what is there of it: s3://BUCKET/PREFIX,
    /// gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Go on with an interrupted run: what it has finished is not played again
    #[arg(long, value_name = "RUN|URL", conflicts_with_all = ["cases", "models", "rows", "trials", "charter", "matrix", "shard"])]
    resume: Option<PathBuf>,
    /// Trials of one model at a time; the matrix's `in_flight` when not given, else 16
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    concurrency: Option<u32>,
    /// Take finished trials of identical cells from another run instead of playing them; a gate refuses them
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "store"])]
    reuse: Option<PathBuf>,
    #[command(flatten)]
    talk: Talk,
    /// The form of the result; JSON is that of `assize report --format json`
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    // Last, as all that follows its heading stands below it.
    #[command(flatten)]
    budget: Limits,
}

/// What the run may use up: no further trials are started then, and it can be resumed with more
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Budget")]
pub(super) struct Limits {
    /// Money, all attempts of the run together, in the currency of the matrix's prices, such as 5.00
    #[arg(long, value_name = "AMOUNT")]
    max_cost: Option<transcript::Amount>,
    /// Tokens read and written, all attempts of the run together
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Time for this sitting, such as 30m or 1h30m
    #[arg(long, value_name = "TIME", value_parser = budget::parse_time)]
    max_time: Option<std::time::Duration>,
}

impl Limits {
    /// What is given here, and else what the project's file says.
    pub(super) fn over(&self, project: Budget) -> Budget {
        let Self { max_cost, max_tokens, max_time } = *self;
        Budget { max_cost, max_tokens, max_time }.or(project)
    }
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
    let kept = arguments.kept()?;
    let (run, plan, material) = match &arguments.resume {
        Some(path) => resume_kept(path, arguments, kept.as_ref())?,
        None => start(arguments, project, kept.as_ref())?,
    };
    let (plan, material) = (Arc::new(plan), Arc::new(material));
    let pace = Pace { concurrency: arguments.concurrency, talk: arguments.talk };
    let resume = resume_line(&run, kept.as_ref());
    let Performed { conclusion, stopped, unsent } =
        perform(&run, &plan, &material, pace, &resume, kept.as_ref())?;
    let report = reporting::of(conclusion, &material);
    print(&run, &report, arguments)?;
    match &stopped {
        Some(Stop::Interrupted) => {
            say::note(&format!("interrupted; go on with:\n  {resume}"));
        }
        Some(Stop::Budget(why)) => say::note(&format!(
            "the budget stopped the run: {why}; go on with a larger one:\n  {resume} {}",
            larger(&material.project.budget)
        )),
        _ if !arguments.talk.quiet => next_step(&run, &report, &resume),
        _ => {}
    }
    if let (Some(error), Some(kept)) = (&unsent, &kept) {
        say::error(error);
        let (folder, place) = (run.path().display(), kept.place());
        say::note(&format!(
            "not all of the run is in {place}; all of it is in {folder}: keep it, and send it with:\n  assize push {folder} {place}"
        ));
    }
    if let Some(why) = summary::refused_by_gate(&report.manifest).filter(|_| exit(&report) == Exit::Holds) {
        say::note(&why);
    }
    Ok(match (stopped, unsent) {
        (Some(Stop::Interrupted), _) => Exit::Interrupted,
        (_, Some(_)) => Exit::Incomplete,
        _ => exit(&report),
    })
}

impl Arguments {
    /// Where the run is kept besides its folder.
    fn kept(&self) -> anyhow::Result<Option<Kept>> {
        anyhow::ensure!(
            self.out.as_deref().map(Place::in_path).transpose()?.flatten().is_none(),
            "--out names a folder on this machine, which a run always has; a place in a store is named with --store"
        );
        let place = match (&self.store, &self.resume) {
            (Some(store), _) => Some(store.parse()?),
            (None, Some(resume)) => Place::in_path(resume)?,
            (None, None) => None,
        };
        Ok(place.map(Kept::at))
    }
}

/// Says how to go on after a run that did not come out well.
fn next_step(run: &RunDir, report: &Report, resume: &str) {
    let troubles = || report.cells().flat_map(|cell| cell.troubles);
    let played = troubles().find(|trouble| matches!(trouble.standing, Standing::Failed | Standing::Passed));
    if exit(report) == Exit::Incomplete {
        say::note(&format!("what has no verdict can be played again:\n  {resume}"));
    } else if let Some(trouble) = played {
        say::note(&format!("to see why:\n  assize explain {} {}", run.path().display(), trouble.trial));
    }
}

/// A fresh run; with a store, also one that was begun and cut off.
fn start(
    arguments: &Arguments,
    project: Option<&Path>,
    kept: Option<&Kept>,
) -> anyhow::Result<(RunDir, Plan, Material)> {
    let mut project = Project::find(project)?.with(arguments.charter.as_deref(), arguments.matrix.as_deref());
    project.budget = arguments.budget.over(project.budget);
    if !arguments.talk.quiet {
        let notes = [
            checkout::uncommitted(&project),
            checkout::ignored(&project).map(|text| format!("note: {text}")),
        ];
        notes.iter().flatten().for_each(|note| say::note(note));
    }
    let root = project.root.clone();
    let material = Material::load(project, Shipped::Yes)?;
    if !arguments.talk.quiet
        && let Some(text) = checkout::other_than_committed(&material)
    {
        say::note(&format!("note: {text}"));
    }
    let now = Timestamp::now();
    let path = perform::folder(arguments.out.as_deref(), &root, now);
    let request = Request {
        cases: arguments.cases.clone(),
        models: arguments.models.clone(),
        rows: arguments.rows.unwrap_or_default(),
        trials: arguments.trials,
        shard: arguments.shard,
    };
    // Nothing is created for a run that will be refused.
    let (plan, secrets) = perform::planned(&material, &request, &path, now, kept)?;
    if let Some(kept) = kept
        && kept.begun(&path, &plan)?
    {
        if !arguments.talk.quiet {
            say::note(&format!("this run was begun before: going on with what {} keeps of it", kept.place()));
        }
        return resume(&path, arguments.budget.over(Budget::default()), Some(kept));
    }
    // So is a run to take trials from that cannot be believed.
    let source = arguments.reuse.as_deref().map(Source::open).transpose()?;
    // The cases that a run is narrowed to are all it was asked for; of shards, the first plays what is no trial.
    let whole = arguments.cases.is_empty() && plan.shard.is_none_or(|shard| shard.index == 1);
    let outcomes = if whole { perform::statics(&material, &secrets) } else { Vec::new() };
    let run = RunDir::create(&path, &material, &outcomes)?;
    if let Some(source) = source {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let taken = runtime.block_on(source.take(&run.journal(), &plan, &material))?;
        if !arguments.talk.quiet {
            say::note(&told(&taken));
        }
    }
    // Last: what a resume does not make up for must be there before there is a run to resume.
    run.begin(&plan)?;
    Ok((run, plan, material))
}

/// What was taken from another run, and why not more.
fn told(taken: &reusing::Taken) -> String {
    let others: Vec<String> = taken.others.iter().map(|(why, count)| format!("{count} {why}")).collect();
    let others =
        if others.is_empty() { String::new() } else { format!("; to be played: {}", others.join(", ")) };
    format!("{} of {} trials are taken from another run{others}", taken.trials, taken.of)
}

/// An interrupted run, with what a store has of it.
fn resume_kept(
    path: &Path,
    arguments: &Arguments,
    kept: Option<&Kept>,
) -> anyhow::Result<(RunDir, Plan, Material)> {
    let budget = arguments.budget.over(Budget::default());
    let Some(kept) = kept else { return resume(path, budget, None) };
    let path = match Place::in_path(path)? {
        Some(_) => kept.folder()?,
        None => path.to_owned(),
    };
    kept.fetch(&path)?;
    resume(&path, budget, Some(kept))
}

/// An interrupted run, from its own inputs: whatever has changed in the project since does not matter.
/// `budget` is a further one than the run was begun with, as far as it goes.
pub(super) fn resume(
    path: &Path,
    budget: Budget,
    kept: Option<&Kept>,
) -> anyhow::Result<(RunDir, Plan, Material)> {
    let run = RunDir::open(path)?;
    let plan = run.plan()?;
    let mut project = run.project()?;
    project.budget = budget.or(project.budget);
    let material = Material::load(project, Shipped::No)
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
    ready(&plan, &material, kept)?;
    believe(&material, &plan)?;
    Ok((run, plan, material))
}

fn lines(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
}

/// The options that give a resumed run a larger budget.
pub(super) fn larger(budget: &Budget) -> String {
    let options = [
        (budget.max_cost.is_some(), "--max-cost MORE"),
        (budget.max_tokens.is_some(), "--max-tokens MORE"),
        (budget.max_time.is_some(), "--max-time TIME"),
    ];
    options.iter().filter(|(given, _)| *given).map(|(_, option)| *option).collect::<Vec<_>>().join(" ")
}

fn resume_line(run: &RunDir, kept: Option<&Kept>) -> String {
    let store = kept.map(|kept| format!(" --store {}", kept.place())).unwrap_or_default();
    format!("assize run --resume {}{store}", run.path().display())
}

fn print(run: &RunDir, report: &Report, arguments: &Arguments) -> anyhow::Result<()> {
    match arguments.format {
        Format::Text => {
            let mut out = say::page();
            summary::print(&mut out, run.path(), report, say::columns(&std::io::stdout()))?;
            out.flush()?;
        }
        Format::Json => {
            let mut out = say::data();
            out.write_all(render::render(report, Form::Json)?.as_bytes())?;
            out.flush()?;
        }
    }
    let replayed: HashSet<bool> = report.manifest.plan.models.iter().map(|model| model.replay).collect();
    if !arguments.talk.quiet && replayed == HashSet::from([true]) && exit(report) == Exit::Holds {
        say::note(summary::NEXT_STEP);
    }
    Ok(())
}

/// The exit code that a run asks for.
pub(super) fn exit(report: &Report) -> Exit {
    match report.tone() {
        Tone::Good => Exit::Holds,
        Tone::Bad => Exit::No,
        Tone::Open => Exit::Incomplete,
    }
}
