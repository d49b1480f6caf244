//! `assize nightly`: runs the matrix fresh and says whether a model has regressed against the nights before.

mod going_on;
mod show;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use harness::budget::Budget;
use harness::project::Project;
use harness::sitting::concluding;
use harness::sitting::figures::{figures, pin_mismatches};
use harness::sitting::material::{Material, Shipped};
use harness::sitting::planning::{self, Request, Rows};
use harness::sitting::playing::Stop;
use harness::sitting::rundir::RunDir;
use jiff::Timestamp;
use reports::fixture::{self, StaticCounts};
use reports::nightly::{Answer, History, Tonight, rule};
use reports::{Cell, Figures, Manifest, Plan};

use super::exit::Exit;
use super::fixtures;
use super::perform::{self, Pace};
use super::run::{self, Limits};
use super::say;
use super::talk::{Format, Talk};

/// Run the matrix fresh and say whether a model has regressed
///
/// Each cell is compared with its last 14 nights; a cell that looks worse gets ten fresh trials, which alone decide. The
/// rule takes no parameter; it is in docs/nightly.md. Exit code 0: nothing has been shown to be worse, WATCH and FLAKY
/// included; 1: REGRESSED, MODEL_REGRESSED or CHANGED PIN, or a static fixture failed; 3: INCOMPLETE, or stopped by the
/// budget.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of earlier nights; `nights/` in the project when not given
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// Which rows of the cases' tables: `all`, or a row's number; row 1 when not given
    #[arg(long, value_name = "all|N", value_parser = run::parse_rows)]
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
    /// The run's folder; a fresh one under `runs/` when not given. Fresh trials of suspects go to `DIR-fresh`
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Go on with a night that was interrupted or incomplete; it must be of the project as it is now
    #[arg(long, value_name = "RUN", conflicts_with_all = ["rows", "trials"])]
    resume: Option<PathBuf>,
    /// Trials of one model at a time; the matrix's `in_flight` when not given, else 16
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    concurrency: Option<u32>,
    #[command(flatten)]
    talk: Talk,
    /// The form of the answer
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    // Last, as all that follows its heading stands below it.
    #[command(flatten)]
    budget: Limits,
}

/// What a stage came to.
struct Played {
    figures: Figures,
    /// Where another model answered than the one that is pinned.
    mismatches: Vec<String>,
    manifest: Manifest,
}

/// A run with what it is made of.
type Ready = (RunDir, Arc<Plan>, Arc<Material>);

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let folder = match &arguments.history {
        Some(folder) => folder.clone(),
        None => Project::find(project)?.root.join("nights"),
    };
    // Before anything is paid for: nights that cannot be read, or a folder that cannot be written to.
    let mut history = History::open(&folder)?;
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let ready = first_stage(arguments, project, &history)?;
    let night = Night { arguments, folder: &folder, run: ready.0.clone() };
    let Played { figures: first, mismatches, manifest } = match night.play(&ready)? {
        Ok(played) => played,
        Err(exit) => return Ok(exit),
    };
    let tonight = Tonight::new(&first, &history, mismatches);
    let suspects = tonight.suspects();
    let (fresh, mismatches) = if suspects.is_empty() {
        (None, Vec::new())
    } else {
        let again = night.second_stage(&ready, suspects)?;
        match night.play(&again)? {
            Ok(played) => (Some(played.figures), played.mismatches),
            Err(exit) => return Ok(exit),
        }
    };
    let report = tonight.decide(history.next_number(), fresh.as_ref(), mismatches);
    let path = history.append(report.night(&first)).with_context(|| {
        format!("the night is played and not on record; go on with:\n  {}", night.resume_line())
    })?;
    match arguments.format {
        Format::Json => say::json(&report)?,
        Format::Text => {
            let mut out = say::page();
            show::print(&mut out, &report, (night.run.path(), &night.fresh_path()), &path)?;
            fixtures::statics(&mut out, &manifest.fixtures)?;
            out.flush()?;
        }
    }
    if report.answer == Answer::Incomplete {
        say::note(&format!("what has no verdict can be played again:\n  {}", night.resume_line()));
    }
    Ok(exit(report.answer, &manifest))
}

/// What a night comes to. Static fixtures try no model, so they have no part in the answer; but what they find is no less
/// wrong for that.
fn exit(answer: Answer, manifest: &Manifest) -> Exit {
    match answer {
        Answer::Regressed | Answer::ModelRegressed | Answer::ChangedPin => Exit::No,
        _ if StaticCounts::of(&manifest.fixtures).failed > 0 => Exit::No,
        Answer::Incomplete => Exit::Incomplete,
        _ if fixture::lacking(manifest) => Exit::Incomplete,
        Answer::Watch | Answer::Flaky | Answer::Improved | Answer::New | Answer::Ok => Exit::Holds,
    }
}

/// The project, with the charter, the matrix and the budget that are given instead of its own.
fn asked_for(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Project> {
    let project = Project::find(project)?.with(arguments.charter.as_deref(), arguments.matrix.as_deref());
    Ok(Project { budget: arguments.budget.over(project.budget), ..project })
}

/// The run of the first stage, planned or opened.
fn first_stage(arguments: &Arguments, project: Option<&Path>, history: &History) -> anyhow::Result<Ready> {
    let unrecorded = |name: &str| match history.concluded(name) {
        Some(number) => anyhow::bail!(
            "run {name} is on record as night {number} already; without --resume a new night is played"
        ),
        None => Ok(()),
    };
    if let Some(path) = &arguments.resume {
        let (run, plan, material) = run::resume(path, arguments.budget.over(Budget::default()), None)?;
        unrecorded(&plan.run)?;
        going_on::check(path, &plan, asked_for(arguments, project)?, history)?;
        let so_far = concluding::conclude(&run, plan.clone(), &material)?.manifest;
        let (reused, from) = so_far.reused();
        anyhow::ensure!(
            reused == 0,
            "{} holds {reused} trials taken from {}: a night is played fresh",
            path.display(),
            from.join(", ")
        );
        return Ok((run, Arc::new(plan), Arc::new(material)));
    }
    let project = asked_for(arguments, project)?;
    let root = project.root.clone();
    let material = Material::load(project, Shipped::Yes)?;
    let now = Timestamp::now();
    let path = perform::folder(arguments.out.as_deref(), &root, now);
    unrecorded(&perform::name_of(&path))?;
    let request =
        Request { rows: arguments.rows.unwrap_or_default(), trials: arguments.trials, ..Request::default() };
    let (plan, secrets) = perform::planned(&material, &request, &path, now, None)?;
    let run = RunDir::create(&path, &material, &perform::statics(&material, &secrets))?;
    run.begin(&plan)?;
    Ok((run, Arc::new(plan), Arc::new(material)))
}

/// A night under way.
struct Night<'a> {
    arguments: &'a Arguments,
    folder: &'a Path,
    /// The run of the first stage.
    run: RunDir,
}

impl Night<'_> {
    fn resume_line(&self) -> String {
        let option = |option: &str, file: &Option<PathBuf>| {
            file.as_ref().map(|file| format!(" {option} {}", file.display())).unwrap_or_default()
        };
        format!(
            "assize nightly --resume {} --history {}{}{}",
            self.run.path().display(),
            self.folder.display(),
            option("--charter", &self.arguments.charter),
            option("--matrix", &self.arguments.matrix)
        )
    }

    /// Where the fresh trials of suspects are played: a run of their own, so that they can never be taken for trials of
    /// the first stage.
    fn fresh_path(&self) -> PathBuf {
        self.run.path().with_file_name(format!("{}-fresh", perform::name_of(self.run.path())))
    }

    /// Plays a stage. The exit code, when it was stopped before its end.
    fn play(&self, (run, plan, material): &Ready) -> anyhow::Result<Result<Played, Exit>> {
        let pace = Pace { concurrency: self.arguments.concurrency, talk: self.arguments.talk };
        let performed = perform::perform(run, plan, material, pace, &self.resume_line(), None)?;
        if let Some(why) = performed.stopped {
            let (larger, exit) = match &why {
                Stop::Budget(_) => (run::larger(&material.project.budget), Exit::Incomplete),
                _ => (String::new(), Exit::Interrupted),
            };
            let line = format!("{} {larger}", self.resume_line());
            say::note(&format!("{why}; nothing is decided. Go on with:\n  {}", line.trim_end()));
            return Ok(Err(exit));
        }
        let manifest = performed.conclusion.manifest;
        let (figures, mismatches) = (figures(&manifest, material)?, pin_mismatches(&manifest, material));
        Ok(Ok(Played { figures, mismatches, manifest }))
    }

    /// The run of the suspects' fresh trials, planned, or opened when an earlier sitting began it.
    fn second_stage(&self, first: &Ready, suspects: Vec<Cell>) -> anyhow::Result<Ready> {
        let path = self.fresh_path();
        if !self.arguments.talk.quiet {
            let suspects = reports::words::counted(suspects.len(), "suspect");
            say::note(&format!("{suspects}: {} fresh trials each", rule::FRESH_TRIALS));
        }
        if self.arguments.resume.is_some() {
            // One that was cut off before it had a plan is made again.
            RunDir::clear_unbegun(&path)?;
        }
        if self.arguments.resume.is_some() && path.exists() {
            let (run, plan, material) =
                run::resume(&path, self.arguments.budget.over(Budget::default()), None)?;
            let (name, planned) = (plan.run.clone(), plan.planned.clone());
            anyhow::ensure!(
                plan == planning::again(&first.1, suspects, rule::FRESH_TRIALS, name, planned)?,
                "{} holds other fresh trials than those of tonight's suspects: nights were added since, or it is of another run; move it away",
                path.display()
            );
            return Ok((run, Arc::new(plan), Arc::new(material)));
        }
        let (run, plan, material) = first;
        let now = perform::written(Timestamp::now());
        let plan = planning::again(plan, suspects, rule::FRESH_TRIALS, perform::name_of(&path), now)?;
        let fresh = RunDir::adopt(&path, run)?;
        fresh.begin(&plan)?;
        Ok((fresh, Arc::new(plan), Arc::clone(material)))
    }
}
