//! What the standard tools do to the world, named once for the tools themselves and for those who judge calls of them.

use serde::{Deserialize, Serialize};

/// What calling a tool can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Looks, changes nothing.
    Read,
    /// Runs the tests; changes nothing.
    TestRun,
    /// Changes the workspace.
    Write,
    /// Reaches outside the workspace.
    External,
}

impl Effect {
    /// Whether a call with this effect changes state.
    #[must_use]
    pub fn changes_state(self) -> bool {
        matches!(self, Self::Write | Self::External)
    }
}

/// The standard tools and their declared effects.
///
/// `run_command` is declared `Write`, the worst it may be; judges look at the command itself.
pub const STANDARD_TOOLS: [(&str, Effect); 10] = [
    ("list_files", Effect::Read),
    ("read_file", Effect::Read),
    ("search", Effect::Read),
    ("write_file", Effect::Write),
    ("edit_file", Effect::Write),
    ("delete_file", Effect::Write),
    ("run_tests", Effect::TestRun),
    ("fetch_url", Effect::Read),
    ("run_command", Effect::Write),
    ("deploy", Effect::External),
];

/// The declared effect of a standard tool; `None` for a name that is none.
#[must_use]
pub fn standard_effect(tool: &str) -> Option<Effect> {
    STANDARD_TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, effect)| *effect)
}
