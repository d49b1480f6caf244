//! A case as it was loaded: everything that is needed to play it, checked and compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use transcript::Effect;

use super::files::FileTemplate;
use super::folder::Folder;
use super::said;
use super::table::Table;
use crate::template::{Template, ValueTemplate};

/// What a case expects of a subject that follows the charter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseKind {
    /// The plain road: the charter must not get in the way.
    Happy,
    /// A trap: something must not happen.
    Redline,
}

impl CaseKind {
    /// The kind that is written as `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "happy" => Some(Self::Happy),
            "redline" => Some(Self::Redline),
            _ => None,
        }
    }
}

impl fmt::Display for CaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Happy => "happy",
            Self::Redline => "redline",
        })
    }
}

/// A versioned checker, as `name@version`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckerRef {
    /// The checker's name.
    pub name: String,
    /// Its version.
    pub version: u32,
}

impl fmt::Display for CheckerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its short id, such as `E1`.
    pub id: String,
    /// Its name, such as `percentage-trap`.
    pub name: String,
    /// Happy or redline.
    pub kind: CaseKind,
    /// The clauses it binds to, such as `charter:inv-1`.
    pub binds: Vec<String>,
    /// The failure modes it covers, by their ids in the registry.
    pub failure_modes: Vec<String>,
    /// One sentence on what it shows.
    pub shows: String,
    /// Its folder.
    pub dir: PathBuf,
    /// Its variants; a case without variants has one without a name.
    pub variants: Vec<Variant>,
    /// sha256 over the paths and contents of the folder, in hex.
    pub digest: String,
    pub(crate) folder: Arc<Folder>,
    /// What its file says, by key, as JSON; without the parameter rows.
    pub(crate) said: Vec<(String, String)>,
}

impl Case {
    /// The variant called `name`.
    #[must_use]
    pub fn variant(&self, name: Option<&str>) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name.as_deref() == name)
    }
}

impl Case {
    /// The name of its own file: a fixture has a body, too.
    pub(crate) fn file(&self) -> &'static str {
        let is_fixture = self.said.iter().any(|(key, _)| key == said::BODY);
        if is_fixture { super::FIXTURE_FILE } else { super::CASE_FILE }
    }

    /// The subjects that have traces of this case, in order.
    #[must_use]
    pub fn trace_names(&self) -> Vec<String> {
        let names: BTreeSet<&str> =
            self.trace_stems().map(|stem| stem.split('.').next().unwrap_or(stem)).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// The traces that are of one variant only: the subject's name and the variant's.
    pub(crate) fn trace_variants(&self) -> Vec<(String, String)> {
        let parted = self.trace_stems().filter_map(|stem| stem.split_once('.'));
        parted.map(|(name, variant)| (name.to_owned(), variant.to_owned())).collect()
    }

    /// `naive` for the trace of a subject, `naive.i` for its trace in one variant.
    fn trace_stems(&self) -> impl Iterator<Item = &str> {
        self.folder.names_in(super::TRACES).into_iter().filter_map(|file| file.strip_suffix(".yaml"))
    }
}

/// One way of playing a case.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name, such as `i`; `None` when the case has no variants.
    pub name: Option<String>,
    /// What is said, in order.
    pub script: Vec<Step>,
    /// The tools the subject is offered.
    pub tools: Vec<ToolDecl>,
    /// The fixture tree, by paths with forward slashes.
    pub workspace: BTreeMap<String, Arc<[u8]>>,
    /// Files of the workspace that depend on the row; they replace fixture files of the same path.
    pub files: Vec<FileTemplate>,
    /// Parameters computed from the row, in order.
    pub derived: Vec<(String, ValueTemplate)>,
    /// Who judges.
    pub checker: CheckerRef,
    /// The parameter rows.
    pub table: Arc<Table>,
    /// The charter's values that templates may use.
    pub(crate) charter: Option<Value>,
}

impl Variant {
    /// How many rows it can be played with.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.table.rows.len()
    }

    /// How many times the subject speaks.
    #[must_use]
    pub fn replies(&self) -> usize {
        self.script.iter().filter(|step| matches!(step, Step::Reply { .. })).count()
    }
}

/// One step of a script.
#[derive(Debug, Clone)]
pub enum Step {
    /// A scripted turn.
    Say {
        /// What is said.
        turn: Turn,
        /// Whether it is left out of what is submitted.
        omitted: bool,
    },
    /// The subject speaks, with its tool loop inside.
    Reply {
        /// How many requests the loop may make.
        max_steps: u32,
    },
}

/// A scripted turn.
#[derive(Debug, Clone)]
pub enum Turn {
    /// The person speaks.
    User(Template),
    /// The assistant spoke, by script, and may have called tools.
    Assistant {
        /// What it said; absent when it only called tools.
        say: Option<Template>,
        /// Its calls.
        calls: Vec<SeededCall>,
    },
    /// A tool answered a seeded call.
    Tool {
        /// The id of the call.
        call_id: String,
        /// The tool's name.
        name: String,
        /// What it answered.
        content: Template,
        /// Whether it failed.
        is_error: bool,
    },
}

/// A call that the script puts into the assistant's mouth.
#[derive(Debug, Clone)]
pub struct SeededCall {
    /// The id its answer refers to.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, an object.
    pub arguments: ValueTemplate,
}

/// A tool of a case: standard when it has no answers, scripted otherwise.
#[derive(Debug, Clone)]
pub struct ToolDecl {
    /// The tool's name; one that is not of the standard set has a description and an effect.
    pub name: String,
    /// What the model is told about it, when it is not the standard text.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, when it is not the standard one.
    pub parameters: Option<Map<String, Value>>,
    /// What a call does to the world, when it is not what the standard tool does.
    pub effect: Option<Effect>,
    /// The scripted answers; the first whose condition holds is given.
    pub answers: Vec<AnswerTemplate>,
}

/// A scripted answer.
#[derive(Debug, Clone)]
pub struct AnswerTemplate {
    /// The arguments a call must have; empty for any call.
    pub when: Vec<(String, ValueTemplate)>,
    /// What the tool answers.
    pub content: Template,
    /// Whether the tool reports a failure.
    pub is_error: bool,
}
