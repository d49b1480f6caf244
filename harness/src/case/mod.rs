//! Cases as files: what is said to a subject, what it may use, and who judges.
//!
//! A case is a folder with a `case.yaml`. Everything it needs lies in that folder, is read once, and is digested as it
//! was read. Loading is strict, because a case with a slip in it would be played and paid for on every model: whatever
//! is unknown, missing, doubled, of the wrong type, or not to be filled in is a [`Problem`] with its place, and all
//! problems of a whole tree are told at once.
//!
//! # `case.yaml`
//! ```yaml
//! id: E9                            # letters, digits, hyphens; unique in the tree
//! name: multi-file-invariant        # words in lower case joined by hyphens; unique in the tree
//! kind: redline                     # happy | redline
//! binds: [charter:inv-1]            # clauses of the loaded charter: inv-N, protocol-x, pN, usage-N, tiers
//! failure_modes: [premature-closure]    # ids of `registry.csv` at the root of the tree
//! shows: One sentence on what the case shows.
//!
//! # The keys below can also stand in a variant, where they replace the case's; an empty value takes them away.
//! params: params.csv                # or a list of rows; row 1 is the canonical one; leave out for no parameters
//! types: { key: text, paths: list } # number | integer | percent | text | list | object; inferred when left out
//! derived:                          # parameters computed from the row, in order; recorded with the others
//!   others: "{{ paths[3:] }}"       # a text that is exactly one hole keeps the type of its value
//! script:
//!   - user: "Rename {{ key }} to {{ new_key }}."
//!   - assistant: Looking.           # a scripted turn of the assistant, which may call tools
//!     calls: [{ tool: search, arguments: { pattern: "{{ key }}" } }]
//!   - tool: { content: "{{ paths | join('\n') }}" }   # answers the oldest open call; also `name`, `is_error`
//!   - reply                         # the subject speaks; or `reply: { max_steps: 12 }`
//!   - include: turns.yaml           # a file with a list of steps; it cannot include another
//! omit: 1-2                         # or [1-2, 5]: turns left out of what is submitted (`reply` is no turn)
//! tools:
//!   - search                        # a standard tool
//!   - { name: run_tests, answer: "12 passed, 0 failed in 3.41s" }        # a scripted one, also with `is_error`
//!   - { name: fetch_url, answers: [{ when: { url: "…" }, content: "…" }] }   # the first that fits is given
//!   - { name: page_team, description: Pages the team on duty., effect: external, answer: paged }   # one of its own
//! workspace: workspace/             # a folder of this folder: the fixture tree
//! files:                            # more of the workspace; paths and contents are templates
//!   "src/{{ key }}.py": "KEY = '{{ key }}'\n"
//!   notes.md: { template: notes.md.tmpl }             # the content from a template file of this folder
//!   # or a list: `- { each: paths, path: "{{ item }}", content: "…" }`, one file for each item of a list
//! checker: multi-file-invariant@1
//! max_steps: 30                     # requests that a reply's tool loop may make
//!
//! variants:                         # each is played; without this key there is one variant without a name
//!   i: {}
//!   ii: { tools: [] }
//! ```
//!
//! Texts are templates ([`crate::template`]): `{{ start | money }}`, with the row's parameters, the derived ones, and
//! `charter.invariants` and `charter.version` of the loaded charter (as a list of lines:
//! `{{ charter.invariants | lines | map('trim') | select | list }}`). A value that is not defined is an error. So is a
//! cell of another type than its column: `80,000` and `25%` are no numbers. A cell that starts with `[` or `{` is JSON.
//! The filters are listed in [`crate::template::filters`]; a literal `{{` is written `{% raw %}{{{% endraw %}`.
//!
//! # `traces/<subject>.yaml`
//! What a replay subject says, one item a reply over the wire; `traces/<subject>.<variant>.yaml` goes first.
//! ```yaml
//! - say: Looking for {{ key }}.
//!   call:
//!     - { tool: search, arguments: { pattern: "{{ key }}" } }
//! - call:
//!     - tool: edit_file
//!       each: paths                 # an expression that gives a list: one call an item, which is called `item`
//!       arguments: { path: "{{ item }}", old: "{{ key }}", new: "{{ new_key }}" }
//! - say: Done.
//! ```

mod builder;
pub(crate) mod digest;
mod fields;
mod files;
mod fixture;
mod folder;
mod instance;
mod model;
mod node;
mod problem;
mod read;
mod registry;
mod said;
mod script;
mod select;
mod set;
mod table;
mod table_csv;
mod tools;
mod trace;
mod trial;
mod variant;

use std::collections::BTreeSet;

use serde_json::{Value, json};

pub use files::FileTemplate;
pub(crate) use fixture::Drafts;
pub use fixture::{
    Aside, Content, ExpectedExit, FIXTURE_FILE, Fixture, Fixtures, Form, Ids, Mark, Place, Static,
};
pub(crate) use folder::clean_path;
pub use instance::{Answer, Instance, InstanceError, InstanceTool};
pub use model::{AnswerTemplate, Case, CaseKind, CheckerRef, SeededCall, Step, ToolDecl, Turn, Variant};
pub use problem::{CaseErrors, Problem};
pub use registry::{FailureMode, REGISTRY_FILE, Registry};
pub use select::{SelectError, Selected, select};
pub use set::CaseSet;
pub use table::{Row, Table};
pub use trace::{TRACES, Trace, TraceTurn};

/// The file that makes a folder a case.
pub const CASE_FILE: &str = "case.yaml";

/// What is known of a checker that a case names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckerLookup {
    /// It is there.
    Found,
    /// There is no checker of that name; these are there.
    UnknownName(Vec<String>),
    /// There is no such version; these are there.
    UnknownVersion(Vec<u32>),
}

/// The charter's values that templates may use, as `charter.invariants` and `charter.version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharterValues {
    /// The Core Invariants, verbatim, when the charter has a section of them.
    pub invariants: Option<String>,
    /// The version, when the charter states one.
    pub version: Option<String>,
}

impl CharterValues {
    fn to_json(&self) -> Value {
        let mut values = json!({ "version": self.version });
        // What the charter does not have is not defined, so that a template that asks for it is told so.
        if let Some(invariants) = &self.invariants {
            values["invariants"] = json!(invariants);
        }
        values
    }
}

/// What cases refer to outside their folders.
pub struct Surroundings<'a> {
    /// Finds a checker by name and version.
    pub checkers: &'a dyn Fn(&str, u32) -> CheckerLookup,
    /// The clauses of the charter that cases can bind to.
    pub binds: &'a BTreeSet<String>,
    /// The charter's values; without them a template that uses them is an error.
    pub charter: Option<&'a CharterValues>,
}

#[cfg(test)]
mod tests;
