//! The expected set: which trials a run owes, fixed and digested before the first of them is played.
//!
//! A record that lists only what happened cannot be told from a complete one; one that lists what was owed can.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use transcript::Prices;

use crate::digest;
use crate::shard::Shard;

/// One cell of the matrix: an instance of a case on a model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The case's id.
    pub case: String,
    /// The case's variant.
    pub variant: Option<String>,
    /// The parameter row, counted from 1.
    pub row: usize,
    /// The model's id in the matrix.
    pub model: String,
}

impl Cell {
    /// The case with its variant, such as `E6.i`.
    #[must_use]
    pub fn case_label(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}.{variant}", self.case),
            None => self.case.clone(),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/r{}/{}", self.case_label(), self.row, self.model)
    }
}

/// One trial: a repetition of a cell. Its text form is the transcript's id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrialKey {
    /// The cell.
    pub cell: Cell,
    /// Which repetition, counted from 1.
    pub trial: u32,
}

impl fmt::Display for TrialKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/t{}", self.cell, self.trial)
    }
}

/// What a model's trials are expected to come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Expectation {
    /// The model is on trial, or a control arm that must pass.
    #[default]
    Pass,
    /// A control arm that must fail: if it passes, the checkers prove nothing.
    Fail,
}

/// A model as it was pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPin {
    /// Its id in the matrix.
    pub id: String,
    /// Its role, such as `weakest-deployed`.
    pub role: String,
    /// The provider, such as `openai-chat`.
    pub provider: String,
    /// The model's name as it is asked for.
    pub requested: Option<String>,
    /// The endpoint, without credentials.
    pub endpoint: Option<String>,
    /// Whether it answers from recorded traces: evidence of the harness, never of a model.
    pub replay: bool,
    /// What its trials must come to.
    pub expect: Expectation,
    /// What its tokens cost, where the matrix says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
}

/// A file that went into the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What it is called: a path, a case id, or `name@version`.
    pub name: String,
    /// sha256 of its bytes, in hex.
    pub sha256: String,
}

/// A case, and who judges it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CasePin {
    /// The case's id.
    pub name: String,
    /// sha256 of its folder, in hex.
    pub sha256: String,
    /// The checker of each variant.
    pub judged_by: Vec<JudgedBy>,
}

/// Who judges a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgedBy {
    /// The variant; absent when the case has only one, without a name.
    pub variant: Option<String>,
    /// The checker, as `name@version`.
    pub checker: String,
}

/// A checker: what it says and what it was tried on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckerPin {
    /// The checker, as `name@version`.
    pub name: String,
    /// sha256 of its definition, in hex.
    pub sha256: String,
    /// sha256 of its controls, in hex.
    pub controls_sha256: String,
}

/// The charter as it was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CharterPin {
    /// Where it stands.
    pub path: String,
    /// The version it gives itself.
    pub version: Option<String>,
    /// sha256 of the whole file.
    pub sha256: String,
    /// sha256 of the part that is sent.
    pub runtime_sha256: String,
}

/// Where the inputs came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The commit, 40 hex digits.
    pub commit: String,
    /// The commit's tree.
    pub tree: String,
    /// Whether the working tree differed from the commit.
    pub dirty: bool,
}

/// What a run owes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The format's version.
    pub format: u32,
    /// The run's name.
    pub run: String,
    /// When it was planned, RFC 3339 in UTC.
    pub planned: String,
    /// The program's version.
    pub assize: String,
    /// sha256 of the program that planned the run, in hex; absent where the system does not let it be read.
    pub binary_sha256: Option<String>,
    /// The commit, when the project is a git checkout.
    pub source: Option<Source>,
    /// The charter.
    pub charter: CharterPin,
    /// The project file: what is asked for, and how often.
    pub policy: Input,
    /// The matrix file.
    pub matrix: Input,
    /// The models tried.
    pub models: Vec<ModelPin>,
    /// The cases played.
    pub cases: Vec<CasePin>,
    /// The checkers that judge.
    pub checkers: Vec<CheckerPin>,
    /// The project's own folders of checkers, whole: a checker may ask a program that lies beside it.
    pub checker_folders: Vec<Input>,
    /// All fixtures, static ones and those that are not run here included, and the list of ids.
    pub fixtures: Vec<Input>,
    /// The cases, rows or models were narrowed by hand: such a run cannot satisfy a gate.
    pub narrowed: Vec<String>,
    /// Trials a cell.
    pub trials: u32,
    /// The cells, in order.
    pub cells: Vec<Cell>,
    /// sha256 over the canonical JSON of cells and trials.
    pub expected_sha256: String,
    /// The part of it that this run plays itself; absent when it plays all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// The version of [`Plan`] and of the manifest that this build writes. A reader refuses newer ones; a field is only
/// added together with a new version.
pub const FORMAT: u32 = 2;

/// The most trials that a plan may owe. A number typed wrong must be told at once, not after an hour of counting.
pub const MOST_TRIALS: usize = 1_000_000;

/// Why a plan cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// Not JSON of this shape.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
    /// Written by a newer program.
    #[error("format {0} is newer than this program reads ({FORMAT}); use a newer assize")]
    Newer(u64),
    /// It owes more than any run can hold.
    #[error("{0} trials are more than a run can hold ({MOST_TRIALS})")]
    TooMany(usize),
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`PlanFileError`] when it is not one, a newer one, or one of absurd size.
    pub fn parse(text: &str) -> Result<Self, PlanFileError> {
        let loose: serde_json::Value = serde_json::from_str(text)?;
        let format = loose.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if format > u64::from(FORMAT) {
            return Err(PlanFileError::Newer(format));
        }
        let plan: Self = serde_json::from_str(text)?;
        if plan.size() > MOST_TRIALS {
            return Err(PlanFileError::TooMany(plan.size()));
        }
        Ok(plan)
    }

    /// The digest of what is owed.
    ///
    /// # Errors
    /// Never in practice: cells are strings and small numbers.
    pub fn digest_of(cells: &[Cell], trials: u32) -> Result<String, serde_json::Error> {
        digest::canonical(&(cells, trials)).map(|bytes| digest::sha256_hex(&bytes))
    }

    /// sha256 of the plan's canonical JSON, in hex: where a run's journal begins.
    ///
    /// # Errors
    /// Never in practice: a plan is made of strings and small numbers.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        digest::canonical(self).map(|bytes| digest::sha256_hex(&bytes))
    }

    /// Every trial owed, in order.
    pub fn trials(&self) -> impl Iterator<Item = TrialKey> + '_ {
        self.cells
            .iter()
            .flat_map(|cell| (1..=self.trials).map(move |trial| TrialKey { cell: cell.clone(), trial }))
    }

    /// Whether this run plays the trial itself, or leaves it to another shard.
    #[must_use]
    pub fn owns(&self, key: &TrialKey) -> bool {
        self.shard.is_none_or(|shard| shard.owns(key))
    }

    /// How many trials are owed.
    #[must_use]
    pub fn size(&self) -> usize {
        self.cells.len().saturating_mul(self.trials as usize)
    }

    /// The pin of a case.
    #[must_use]
    pub fn case(&self, id: &str) -> Option<&CasePin> {
        self.cases.iter().find(|case| case.name == id)
    }

    /// The pin of the checker that judges `cell`.
    #[must_use]
    pub fn checker_of(&self, cell: &Cell) -> Option<&CheckerPin> {
        let judges = &self.case(&cell.case)?.judged_by;
        let label = &judges.iter().find(|judge| judge.variant == cell.variant)?.checker;
        self.checkers.iter().find(|checker| checker.name == *label)
    }

    /// The pin of the model `id`.
    #[must_use]
    pub fn model(&self, id: &str) -> Option<&ModelPin> {
        self.models.iter().find(|model| model.id == id)
    }
}
