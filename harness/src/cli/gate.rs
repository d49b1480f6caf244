//! `assize gate`: may a release, or a change, rest on a run? Everything is derived anew from the run's folder.

use std::path::{Path, PathBuf};

use checkers::Outcome;
use harness::audit::change;
use harness::audit::commit::{AtCommit, CommitError};
use harness::audit::{Question, Report};
use harness::git::Named;
use harness::project::Project;
use harness::sitting::material::{Material, Shipped};
use reports::{Answer, Finding, Manifest, Plan, Rule, served};

use super::audit::examine;
use super::exit::Exit;
use super::findings::{self, Format, Printed};
use super::{base, lint};

/// Say whether a release, or a change, may rest on a run
///
/// Verdicts, counts and the expected set are derived anew from the run's folder. With --base, the run must be of exactly
/// the project's present files, and the change since that commit must follow the rules for versions, cases, checkers and
/// policy. There is no way to waive a failure.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The run's folder, a pack, or its place in a store
    #[arg(value_name = "RUN|PACK|URL")]
    run: PathBuf,
    /// Also weigh the change of the project's files since this commit
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let question = Question { whole_matrix: arguments.base.is_some(), ..Question::default() };
    let report = examine(&arguments.run, &question)?;
    let mut notes: Vec<String> = report
        .manifest
        .iter()
        .flat_map(|manifest| &manifest.models)
        .flat_map(|model| served::remarks(model).into_iter().chain(served::unseen(model)))
        .map(|remark| format!("note: {remark}"))
        .collect();
    notes.extend(report.manifest.iter().flat_map(|manifest| ends(&manifest.plan)));
    // What was set aside is no failure, and nobody should have to look for it.
    let fixtures = report.manifest.iter().flat_map(|manifest| reports::fixture::weigh(&manifest.fixtures).2);
    notes.extend(fixtures.map(|aside| format!("note: {aside}")));
    notes.extend(report.manifest.iter().flat_map(earlier_attempts));
    let source = report.manifest.as_ref().and_then(|manifest| manifest.plan.source.as_ref());
    if source.is_some_and(|source| source.dirty) {
        notes.push(
            "note: the working tree differed from the commit when the run was planned, so an audit of a release \
             refuses it: commit, and run again"
                .to_owned(),
        );
    }
    let findings = match &arguments.base {
        Some(base) => weigh(base, project, report, &mut notes)?,
        None => report.findings,
    };
    let answer = Answer::to(&findings);
    let yes = "every expected trial of every model passed";
    findings::print(&Printed { answer, yes, findings: &findings, notes }, arguments.format)
}

/// Attempts that came before the one that decides, named before the rest is counted.
const NAMED: usize = 12;

/// The attempts without a verdict that came before the one that decides. They speak against nothing, but whoever relies on
/// a run should see how often it took another go.
fn earlier_attempts(manifest: &Manifest) -> Vec<String> {
    let trials = manifest.cells.iter().flat_map(|cell| cell.trials.iter().map(move |trial| (cell, trial)));
    let mut told: Vec<String> = trials
        .flat_map(|(cell, trial)| {
            let all = trial.attempts.len();
            let earlier = trial.attempts.iter().take(all.saturating_sub(1));
            earlier.filter(|attempt| attempt.verdict == Outcome::Error).map(move |attempt| {
                format!(
                    "note: {}/t{}: attempt {} of {all} ended without a verdict (transcripts.jsonl:{})",
                    cell.cell, trial.trial, attempt.attempt, attempt.line
                )
            })
        })
        .collect();
    if told.len() > NAMED {
        let more = told.len() - NAMED;
        told.truncate(NAMED);
        told.push(format!("note: and {more} more attempts without a verdict"));
    }
    told
}

/// Which end of the matrix was not tried. A change may land on the models that the matrix names; a release needs both ends.
/// Of a run on recorded traces alone there is more to say, and it is said.
fn ends(plan: &Plan) -> impl Iterator<Item = String> {
    let has_models = plan.models.iter().any(|model| !model.replay);
    let tried = |role: &str| plan.models.iter().any(|model| model.role == role && !model.replay);
    let lacking: Vec<&str> = ["frontier-reference", "weakest-deployed"]
        .into_iter()
        .filter(|role| has_models && !tried(role))
        .collect();
    lacking.into_iter().map(|role| {
        format!("note: no model in the role `{role}` was tried; the audit of a release needs both ends of the matrix")
    })
}

/// The findings on the change since `base`, after those on the run.
fn weigh(
    base: &str,
    project: Option<&Path>,
    report: Report,
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<Finding>> {
    let mut findings = report.findings;
    let head = Material::load(Project::find(project)?, Shipped::Yes)?;
    let at_base = match AtCommit::read(&head.project.root, &Named::Revision(base.to_owned())) {
        Ok(at_base) => at_base,
        Err(error @ CommitError::Project { .. }) => {
            findings.push(Finding::new(Rule::Commit, error.to_string()));
            return Ok(findings);
        }
        Err(error) => return Err(error.into()),
    };
    for finding in base::differences(&head.project, base)? {
        match finding {
            lint::Finding { wrong: true, text } => findings.push(Finding::new(Rule::Change, text)),
            lint::Finding { wrong: false, text } => notes.push(text),
        }
    }
    let Some(manifest) = &report.manifest else { return Ok(findings) };
    let change = change::weigh(&at_base, &head, &manifest.plan)?;
    findings.extend(change.findings);
    notes.push(format!("the edit is {}", change.classified.edit));
    notes.extend(change.classified.reasons.iter().map(|reason| format!("  {reason}")));
    notes.extend(change.policy_edits.iter().map(|edit| format!("policy edit: {edit}")));
    notes.extend(change.examination.edits.iter().map(|edit| format!("edit of the examination: {edit}")));
    notes.extend(change.examination.additions.iter().map(|more| format!("added: {more}")));
    let known = |row: &str| {
        let id = row.split(',').next().unwrap_or_default();
        head.sets.iter().any(|set| set.registry.mode(id).is_some())
    };
    let rows = change::rows_to_add(manifest, &head);
    notes.extend(
        rows.iter().filter(|row| !known(row)).map(|row| format!("row to add to the registry: {row}")),
    );
    Ok(findings)
}
