//! Static fixtures: their commands are run in the repository, and what they answered is kept with the run, so that what
//! each comes to can be derived from the record by anyone, without the repository.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use model_matrix::Secrets;
use reports::fixture::FixtureStanding;
use serde::{Deserialize, Serialize};

use super::material::Material;
use crate::case::{Fixture, Static};
use crate::programs::{self, Limits};

/// Bytes that a command may write to either output.
const OUTPUT_LIMIT: usize = 256 << 10;
/// What stands for the fixture's folder in a command.
const FOLDER: &str = "{fixture}";
/// The variables that a command gets from outside; the others have the same value everywhere.
const PASSED_ON: [&str; 3] = ["PATH", "TMPDIR", "SystemRoot"];
/// The variables of fixed value.
const FIXED: [(&str, &str); 3] = [("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC")];
/// The longest part of an output that is shown in a reason, in characters.
const SHOWN: usize = 200;

/// What a command answered: a line of `fixtures.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The fixture, such as `static/redline/NAME`.
    pub fixture: String,
    /// The digest of its folder when it was run.
    pub sha256: String,
    /// The command as it was run.
    pub command: Vec<String>,
    /// The exit status; absent when a signal ended it, or when there is no answer.
    pub status: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Why there is no answer, if there is none.
    pub error: Option<String>,
}

impl Outcome {
    /// The same without the values of keys: a command may come upon one in the repository.
    #[must_use]
    pub fn masked(self, secrets: &Secrets) -> Self {
        let mask = |text: String| secrets.mask(&text).into_owned();
        Self {
            command: self.command.into_iter().map(mask).collect(),
            stdout: mask(self.stdout),
            stderr: mask(self.stderr),
            error: self.error.map(mask),
            ..self
        }
    }
}

/// Runs every static fixture that is in force, one after the other: they share one repository.
#[must_use]
pub fn run(material: &Material) -> Vec<Outcome> {
    material
        .fixtures
        .statics()
        .map(|(fixture, command)| run_one(fixture, command, &material.project.root))
        .collect()
}

/// Runs one command in `root`.
fn run_one(fixture: &Fixture, wanted: &Static, root: &Path) -> Outcome {
    let argv = filled_in(wanted, fixture, root);
    let (status, stdout, stderr, error) = match answer(&argv, wanted, root) {
        Ok(answer) => (answer.status, answer.stdout, answer.stderr, None),
        Err(why) => (None, String::new(), String::new(), Some(why)),
    };
    Outcome {
        fixture: fixture.place.to_string(),
        sha256: fixture.digest.clone(),
        command: argv,
        status,
        stdout,
        stderr,
        error,
    }
}

/// The command with the fixture's folder filled in: relative to the repository where it lies in it.
fn filled_in(wanted: &Static, fixture: &Fixture, root: &Path) -> Vec<String> {
    let folder = match fixture.dir.strip_prefix(root) {
        Ok(inside) => inside.to_owned(),
        Err(_) => fixture.dir.canonicalize().unwrap_or_else(|_| fixture.dir.clone()),
    };
    let folder = folder.to_string_lossy().replace('\\', "/");
    wanted.command.iter().map(|part| part.replace(FOLDER, &folder)).collect()
}

fn answer(argv: &[String], wanted: &Static, root: &Path) -> Result<checkers::external::Answer, String> {
    let (program, arguments) = argv.split_first().ok_or("no program is named")?;
    // A folder of its own as home: what people keep in theirs, keys among it, is no part of a fixture.
    let home = tempfile::tempdir().map_err(|error| format!("no empty home could be made: {error}"))?;
    // The current folder, when the project was found there.
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let mut command = Command::new(programs::located(program, Some(root)));
    command.args(arguments).current_dir(root);
    programs::keep_only(&mut command, &PASSED_ON);
    command.envs(FIXED).env("HOME", OsString::from(home.path()));
    programs::answer(command, program, b"", Limits { time: wanted.time_limit, output: OUTPUT_LIMIT })
}

/// Finds what the recorded outcomes say of a fixture.
#[derive(Debug)]
pub struct Outcomes(HashMap<String, Vec<Outcome>>);

impl Outcomes {
    /// The outcomes, as they were recorded.
    #[must_use]
    pub fn new(outcomes: Vec<Outcome>) -> Self {
        let mut by_fixture: HashMap<String, Vec<Outcome>> = HashMap::new();
        for outcome in outcomes {
            by_fixture.entry(outcome.fixture.clone()).or_default().push(outcome);
        }
        Self(by_fixture)
    }

    /// How a static fixture stands, and why, unless it passed.
    #[must_use]
    pub fn standing(&self, fixture: &Fixture, wanted: &Static) -> (FixtureStanding, Option<String>) {
        let place = fixture.place.to_string();
        match self.0.get(&place).map(Vec::as_slice) {
            None | Some([]) => (FixtureStanding::NotRun, Some("no outcome of it was recorded".to_owned())),
            Some([outcome]) if outcome.sha256 == fixture.digest => judge(wanted, outcome),
            Some([_]) => {
                (FixtureStanding::Error, Some("the recorded outcome is of another text of it".to_owned()))
            }
            Some(_) => (FixtureStanding::Error, Some("several outcomes of it are recorded".to_owned())),
        }
    }
}

/// What an outcome comes to.
#[must_use]
pub fn judge(wanted: &Static, outcome: &Outcome) -> (FixtureStanding, Option<String>) {
    if let Some(error) = &outcome.error {
        return (FixtureStanding::Error, Some(error.clone()));
    }
    let Some(status) = outcome.status else {
        return (FixtureStanding::Error, Some("a signal ended the command".to_owned()));
    };
    let said = |text: &str| text.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned);
    let said = said(&outcome.stderr).or_else(|| said(&outcome.stdout));
    let said = match said {
        Some(line) => format!("; it said: {}", line.trim().chars().take(SHOWN).collect::<String>()),
        None => "; it said nothing".to_owned(),
    };
    if !wanted.exit.holds(status) {
        let reason = format!("exit status {status} instead of {}{said}", wanted.exit);
        return (FixtureStanding::Failed, Some(reason));
    }
    let holds = |message: &&String| outcome.stdout.contains(*message) || outcome.stderr.contains(*message);
    match wanted.messages.iter().find(|message| !holds(message)) {
        Some(missing) => {
            let reason = format!("exit status {status} as expected, but it does not say `{missing}`{said}");
            (FixtureStanding::Failed, Some(reason))
        }
        None => (FixtureStanding::Passed, None),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::case::ExpectedExit;

    fn wanted(exit: ExpectedExit, messages: &[&str]) -> Static {
        let messages = messages.iter().map(|text| (*text).to_owned()).collect();
        Static { command: vec!["x".to_owned()], exit, messages, time_limit: Duration::from_secs(1) }
    }

    fn outcome(status: Option<i32>, stdout: &str, stderr: &str, error: Option<&str>) -> Outcome {
        Outcome {
            fixture: "static/happy/x".to_owned(),
            sha256: String::new(),
            command: Vec::new(),
            status,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn status_and_message_both_decide() {
        use FixtureStanding::{Error, Failed, Passed};
        let (zero, one, nonzero) = (ExpectedExit::Is(0), ExpectedExit::Is(1), ExpectedExit::Nonzero);
        let table = [
            (wanted(zero, &[]), outcome(Some(0), "", "", None), Passed, ""),
            (
                wanted(zero, &[]),
                outcome(Some(1), "", "a\nno such file\n\n", None),
                Failed,
                "status 1 instead of 0; it said: no such file",
            ),
            (wanted(one, &["unknown rule"]), outcome(Some(1), "x.md:3: unknown rule", "", None), Passed, ""),
            (
                wanted(one, &["unknown rule"]),
                outcome(Some(1), "", "Traceback", None),
                Failed,
                "does not say `unknown rule`; it said: Traceback",
            ),
            (wanted(one, &["a", "b"]), outcome(Some(1), "a", "b", None), Passed, ""),
            (wanted(one, &["a", "b"]), outcome(Some(1), "a", "", None), Failed, "does not say `b`"),
            (wanted(one, &["a"]), outcome(Some(2), "a", "", None), Failed, "status 2 instead of 1"),
            (wanted(nonzero, &["a"]), outcome(Some(2), "a", "", None), Passed, ""),
            (wanted(nonzero, &["a"]), outcome(Some(0), "a", "", None), Failed, "status 0 instead of nonzero"),
            (wanted(nonzero, &["a"]), outcome(None, "a", "", None), Error, "signal"),
            (wanted(nonzero, &["a"]), outcome(None, "", "", Some("took longer")), Error, "took longer"),
        ];
        for (wanted, outcome, standing, says) in table {
            let (found, reason) = judge(&wanted, &outcome);
            assert_eq!(found, standing, "{outcome:?}");
            assert!(reason.as_deref().unwrap_or_default().contains(says), "{reason:?} lacks {says:?}");
            assert_eq!(reason.is_none(), standing == Passed);
        }
    }
}
