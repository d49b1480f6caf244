//! Which trials a run owes: computed from the cases and the matrix before anything is played.

use model_matrix::{Model, Provider};
use reports::plan::{CasePin, CharterPin, CheckerPin, FORMAT, Input, JudgedBy, MOST_TRIALS, ModelPin};
use reports::{Cell, Expectation, Plan, Shard, digest};

use super::fixtures;
use super::material::{Material, MaterialError, files_below};
use crate::case::{self, Case, SelectError, Selected, Variant};

/// The fewest trials a cell that a gate takes.
pub const GATE_TRIALS: u32 = 3;

/// Which rows of the tables are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rows {
    /// Row 1 of each table.
    #[default]
    Canonical,
    /// All rows.
    All,
    /// The row of this number, counted from 1.
    One(usize),
}

/// How a run was asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Cases, as ids, `ID.variant`, names or globs; empty means all.
    pub cases: Vec<String>,
    /// Models by id; empty means all.
    pub models: Vec<String>,
    /// Rows.
    pub rows: Rows,
    /// Trials a cell; the project's number when not given.
    pub trials: Option<u32>,
    /// The part to be played; all of it when not given.
    pub shard: Option<Shard>,
}

/// Why there is nothing to play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A filter on cases matches nothing, or is no pattern.
    #[error("--case: {0}")]
    Cases(#[from] SelectError),
    /// A filter on models matches nothing.
    #[error("--model {filter} matches no model of the matrix; there are {known}")]
    NoModel {
        /// The filter.
        filter: String,
        /// What there is.
        known: String,
    },
    /// A case has no such row.
    #[error("--rows {row}: {case} has only {rows} in its table; `--rows all` plays every one")]
    NoRow {
        /// The row asked for.
        row: usize,
        /// The case.
        case: String,
        /// How many rows it has.
        rows: usize,
    },
    /// No trials.
    #[error("--trials 0 would prove nothing; a gate asks for at least 3")]
    NoTrials,
    /// More trials than any run could play.
    #[error("{0} trials are more than a run can hold ({MOST_TRIALS}); play fewer rows, models or --trials")]
    TooMany(usize),
    /// A file that the plan pins cannot be read.
    #[error("{}: {source}", path.display())]
    Input {
        /// The file.
        path: std::path::PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A folder that the plan pins cannot be read.
    #[error(transparent)]
    Folder(#[from] MaterialError),
    /// The expected set has no digest.
    #[error("the expected set cannot be written down: {0}")]
    Digest(#[from] serde_json::Error),
}

/// Plans a run. Which commit it is made from, and by which program, is for whoever is about to play it to add: what is
/// planned only to be held against another plan has neither.
///
/// # Errors
/// [`PlanError`] when a filter matches nothing: an empty run must never look like a good one.
pub fn plan(material: &Material, request: &Request, run: String, planned: String) -> Result<Plan, PlanError> {
    let trials = request.trials.unwrap_or(material.project.trials);
    if trials == 0 {
        return Err(PlanError::NoTrials);
    }
    let models = select_models(material, &request.models)?;
    let all = material.selected().collect();
    let variants = case::select(all, &request.cases)?;
    let mut cells = Vec::new();
    for Selected { case, variant } in &variants {
        for row in rows_of(case, variant, request.rows)? {
            for model in &models {
                cells.push(Cell {
                    case: case.id.clone(),
                    variant: variant.name.clone(),
                    row,
                    model: model.id.clone(),
                });
            }
        }
    }
    let owed = cells.len().saturating_mul(trials as usize);
    if owed > MOST_TRIALS {
        return Err(PlanError::TooMany(owed));
    }
    let mut cases: Vec<&Case> = variants.iter().map(|chosen| chosen.case).collect();
    cases.dedup_by_key(|case| &case.id);
    let mut checkers: Vec<_> = cases
        .iter()
        .flat_map(|case| &case.variants)
        .filter_map(|variant| material.checker(&variant.checker))
        .collect();
    checkers.sort_by_key(|checker| checker.label());
    checkers.dedup_by_key(|checker| checker.label());
    Ok(Plan {
        format: FORMAT,
        run,
        planned,
        assize: env!("CARGO_PKG_VERSION").to_owned(),
        binary_sha256: None,
        source: None,
        charter: charter_pin(material),
        policy: policy(material)?,
        matrix: Input {
            name: shown(&material.project.root, &material.project.matrix),
            sha256: material.matrix.digest().to_owned(),
        },
        models: models.iter().map(|model| pin(model)).collect(),
        cases: cases.iter().map(|case| case_pin(case)).collect(),
        checkers: checkers.iter().map(|checker| checker_pin(checker)).collect(),
        checker_folders: checker_folders(material)?,
        fixtures: fixtures::pins(material),
        narrowed: narrowings(material, request, trials),
        trials,
        expected_sha256: Plan::digest_of(&cells, trials)?,
        cells,
        shard: request.shard,
    })
}

/// Plans fresh trials of some cells of an earlier run, with everything else as it was there.
///
/// # Errors
/// [`PlanError`] when the expected set cannot be written down.
pub fn again(
    earlier: &Plan,
    cells: Vec<Cell>,
    trials: u32,
    run: String,
    planned: String,
) -> Result<Plan, PlanError> {
    Ok(Plan {
        run,
        planned,
        narrowed: vec![format!("only {} cells of {}, {trials} fresh trials each", cells.len(), earlier.run)],
        trials,
        expected_sha256: Plan::digest_of(&cells, trials)?,
        cells,
        shard: None,
        ..earlier.clone()
    })
}

/// A case as it is pinned in a plan.
pub(crate) fn case_pin(case: &Case) -> CasePin {
    let judged_by = case
        .variants
        .iter()
        .map(|variant| JudgedBy { variant: variant.name.clone(), checker: variant.checker.to_string() });
    CasePin { name: case.id.clone(), sha256: case.digest.clone(), judged_by: judged_by.collect() }
}

/// A checker as it is pinned in a plan.
pub(crate) fn checker_pin(checker: &checkers::Checker) -> CheckerPin {
    CheckerPin {
        name: checker.label(),
        sha256: checker.sha256.clone(),
        controls_sha256: digest::sha256_hex(checker.controls_text.as_bytes()),
    }
}

/// The project file as it is pinned in a plan.
pub(crate) fn policy(material: &Material) -> Result<Input, PlanError> {
    let project = &material.project;
    let bytes = std::fs::read(&project.file)
        .map_err(|source| PlanError::Input { path: project.file.clone(), source })?;
    Ok(Input { name: shown(&project.root, &project.file), sha256: digest::sha256_hex(&bytes) })
}

/// The digests of the project's own folders of checkers: paths and contents of all files in them.
pub(crate) fn checker_folders(material: &Material) -> Result<Vec<Input>, PlanError> {
    let project = &material.project;
    let digested = project.checkers.iter().map(|folder| {
        let mut files = Vec::new();
        for file in files_below(folder)? {
            let path = shown(folder, &file);
            let bytes = std::fs::read(&file).map_err(|source| PlanError::Input { path: file, source })?;
            files.push((path, bytes));
        }
        let sha256 =
            case::digest::of_files(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())));
        Ok(Input { name: shown(&project.root, folder), sha256 })
    });
    digested.collect()
}

/// What a gate would miss in a run asked for like this.
fn narrowings(material: &Material, request: &Request, trials: u32) -> Vec<String> {
    let mut narrowed = Vec::new();
    if !request.cases.is_empty() {
        narrowed.push(format!("only cases {}", request.cases.join(", ")));
    }
    if !request.models.is_empty() {
        narrowed.push(format!("only models {}", request.models.join(", ")));
    }
    if let Rows::One(row) = request.rows
        && row != 1
    {
        narrowed.push(format!("only row {row} of each table"));
    }
    let least = material.project.trials.max(GATE_TRIALS);
    if trials < least {
        narrowed.push(format!("{trials} of {least} trials a cell"));
    }
    narrowed
}

fn select_models<'m>(material: &'m Material, filters: &[String]) -> Result<Vec<&'m Model>, PlanError> {
    let all = &material.matrix.models;
    for filter in filters {
        if !all.iter().any(|model| model.id == *filter) {
            let known: Vec<_> = all.iter().map(|model| model.id.as_str()).collect();
            return Err(PlanError::NoModel { filter: filter.clone(), known: known.join(", ") });
        }
    }
    Ok(all.iter().filter(|model| filters.is_empty() || filters.contains(&model.id)).collect())
}

fn rows_of(case: &Case, variant: &Variant, rows: Rows) -> Result<Vec<usize>, PlanError> {
    let count = variant.rows();
    match rows {
        Rows::Canonical => Ok(vec![1]),
        Rows::All => Ok((1..=count).collect()),
        Rows::One(row) if (1..=count).contains(&row) => Ok(vec![row]),
        Rows::One(row) => Err(PlanError::NoRow { row, case: case.id.clone(), rows: count }),
    }
}

fn charter_pin(material: &Material) -> CharterPin {
    CharterPin {
        path: shown(&material.project.root, &material.project.charter.path),
        version: material.charter.version.clone(),
        sha256: material.charter.whole_sha256.clone(),
        runtime_sha256: material.charter.runtime_sha256.clone(),
    }
}

/// A model as it is pinned in a plan.
pub(crate) fn pin(model: &Model) -> ModelPin {
    let (endpoint, expect) = match &model.provider {
        Provider::Api { base_url, .. } => (Some(base_url.to_string()), Expectation::Pass),
        Provider::Program(program) => (program.base_url.as_ref().map(ToString::to_string), Expectation::Pass),
        Provider::Replay { expect: Some(model_matrix::Expect::Fail), .. } => (None, Expectation::Fail),
        _ => (None, Expectation::Pass),
    };
    ModelPin {
        id: model.id.clone(),
        role: written(model.role),
        provider: match &model.provider {
            Provider::Replay { .. } => "replay".to_owned(),
            Provider::Program(program) => program.adapter.name().to_owned(),
            other => written(other.wire()),
        },
        requested: Some(model.provider.requested_model()).filter(|name| !name.is_empty()),
        endpoint,
        replay: model.provider.is_replay(),
        expect,
        prices: model.prices.clone(),
    }
}

/// A unit variant as it is written in files.
fn written<T: serde::Serialize>(value: T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A path as people wrote it: relative to the project where it lies in it, with forward slashes.
pub(crate) fn shown(root: &std::path::Path, path: &std::path::Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string().replace('\\', "/")
}
