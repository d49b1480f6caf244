//! What a run's fixtures come to, and its happy and redline cases apart: derived from the cells and the recorded answers.

use reports::fixture::{FixtureRecord, FixtureStanding, Form, Kind, KindRecord};
use reports::plan::Input;
use reports::row::Counts;
use reports::{Expectation, Manifest, Standing};

use super::material::Material;
use super::statics::{Outcome, Outcomes};
use crate::case::{self, Aside, CaseKind, Content, Fixture};

/// The name under which a plan pins the list of ids; a fixture's name has slashes.
const IDS: &str = "ids";

/// Every fixture and the list of ids, as they are pinned in a plan.
#[must_use]
pub fn pins(material: &Material) -> Vec<Input> {
    let fixtures = &material.fixtures;
    let ids = fixtures.ids.iter().map(|ids| Input { name: IDS.to_owned(), sha256: ids.digest.clone() });
    let all = fixtures.all.iter().map(|fixture| Input {
        // Trees may have a fixture of one name, of which one replaces the other.
        name: match fixture.tree {
            0 => fixture.place.to_string(),
            tree => format!("{}/{}", tree + 1, fixture.place),
        },
        sha256: fixture.digest.clone(),
    });
    ids.chain(all).collect()
}

/// Adds to `manifest` what it says of kinds and fixtures. `recorded` is what the static ones answered.
pub fn record(manifest: &mut Manifest, recorded: Vec<Outcome>, material: &Material) {
    manifest.kinds = kinds(manifest, material);
    let outcomes = Outcomes::new(recorded);
    let behaviour = |id: &str| behaviour(manifest, id);
    let records = material.fixtures.all.iter().map(|fixture| one(fixture, &behaviour, &outcomes));
    manifest.fixtures = records.collect();
}

/// The fixtures outside of a run: no model is asked.
#[must_use]
pub fn listed(material: &Material, outcomes: &Outcomes) -> Vec<FixtureRecord> {
    let behaviour = |_: &str| (FixtureStanding::NotRun, Some("`assize run` plays it".to_owned()));
    material.fixtures.all.iter().map(|fixture| one(fixture, &behaviour, outcomes)).collect()
}

/// Happy or redline, as the record has it.
fn kind(kind: CaseKind) -> Kind {
    match kind {
        CaseKind::Happy => Kind::Happy,
        CaseKind::Redline => Kind::Redline,
    }
}

/// The sums by kind. A control arm that must fail is no model on trial.
fn kinds(manifest: &Manifest, material: &Material) -> Vec<KindRecord> {
    [CaseKind::Happy, CaseKind::Redline]
        .into_iter()
        .filter_map(|wanted| {
            let of_kind = |id: &str| material.cases().any(|case| case.kind == wanted && case.id == id);
            let counts = counts(manifest, of_kind);
            (counts.expected > 0).then_some(KindRecord { kind: kind(wanted), counts })
        })
        .collect()
}

/// The sums over the trials of the cases that are `wanted`, on the models of which a pass is expected.
fn counts(manifest: &Manifest, wanted: impl Fn(&str) -> bool) -> Counts {
    let mut counts = Counts::default();
    let on_trial = |model: &str| manifest.plan.model(model).is_none_or(|pin| pin.expect == Expectation::Pass);
    let cells = manifest.cells.iter().filter(|cell| on_trial(&cell.cell.model) && wanted(&cell.cell.case));
    cells.flat_map(|cell| &cell.trials).for_each(|trial| counts.add(trial.standing));
    counts
}

/// How a fixture stands, and why.
type Stands = (FixtureStanding, Option<String>);

fn one(fixture: &Fixture, behaviour: &dyn Fn(&str) -> Stands, outcomes: &Outcomes) -> FixtureRecord {
    let (form, case) = match &fixture.content {
        Content::Static(_) => (Form::Static, None),
        Content::Behaviour(id) => (Form::Behaviour, Some(id.clone())),
    };
    let (mut dropped, mut replaced_by) = (Vec::new(), None);
    let (standing, reason) = match (&fixture.aside, &fixture.content) {
        (Some(Aside::Dropped(ids)), _) => {
            let reasons: Vec<String> =
                ids.iter().map(|(id, why)| format!("{id} is dropped: {why}")).collect();
            dropped = ids.iter().map(|(id, _)| id.clone()).collect();
            (FixtureStanding::NotRun, Some(reasons.join("; ")))
        }
        (Some(Aside::Replaced(by)), _) => {
            replaced_by = Some(by.to_string());
            (FixtureStanding::Replaced, Some(format!("replaced by {by}")))
        }
        (None, Content::Static(wanted)) => outcomes.standing(fixture, wanted),
        (None, Content::Behaviour(id)) => behaviour(id),
    };
    FixtureRecord {
        fixture: fixture.place.to_string(),
        form,
        kind: kind(fixture.place.kind),
        binds: fixture.binds.clone(),
        // What is set aside has no cells.
        case: case.filter(|_| fixture.aside.is_none()),
        standing,
        reason,
        dropped,
        replaced_by,
    }
}

/// How a behaviour fixture stands: by all its trials on the models on trial, of which the worst decides.
fn behaviour(manifest: &Manifest, id: &str) -> Stands {
    let counts = counts(manifest, |case| case == id);
    let of = |number: usize, what: &str| Some(format!("{number} of {} trials {what}", counts.expected));
    match counts {
        Counts { expected: 0, .. } => {
            (FixtureStanding::NotRun, Some("no trial of it was planned in this run".to_owned()))
        }
        Counts { failed, .. } if failed > 0 => (FixtureStanding::Failed, of(failed, "failed")),
        Counts { error, .. } if error > 0 => (FixtureStanding::Error, of(error, "have no verdict")),
        Counts { not_run, .. } if not_run > 0 => {
            let trials =
                manifest.cells.iter().filter(|cell| cell.cell.case == id).flat_map(|cell| &cell.trials);
            let idle = trials.filter(|trial| trial.standing == Standing::NotRun);
            let why = idle.filter_map(|trial| trial.reason.as_deref()).next().unwrap_or("no reason recorded");
            (FixtureStanding::NotRun, of(not_run, &format!("were not run: {why}")))
        }
        _ => (FixtureStanding::Passed, None),
    }
}

/// Where a case's own file lies, as it is called in the project, when the case is a fixture.
#[must_use]
pub fn path_of(material: &Material, id: &str) -> Option<String> {
    let of_case = |fixture: &&Fixture| {
        matches!(&fixture.content, Content::Behaviour(case) if case == id) && fixture.aside.is_none()
    };
    let fixture = material.fixtures.all.iter().find(of_case)?;
    Some(format!("fixtures/{}/{}", fixture.place, case::FIXTURE_FILE))
}
