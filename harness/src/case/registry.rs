//! The registry of failure modes: what can go wrong with a model, how it shows, what the charter does about it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use csv::ReaderBuilder;

use super::problem::{CaseErrors, Problem, Problems, Source};
use super::table::Type;
use super::{table_csv, variant::is_kebab};

/// The registry's file, beside the cases.
pub const REGISTRY_FILE: &str = "registry.csv";

const COLUMNS: [&str; 5] = ["id", "failure_mode", "signature", "mitigation", "cases"];

/// One failure mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureMode {
    /// Its id, such as `fencepost-error`.
    pub id: String,
    /// What it is called.
    pub failure_mode: String,
    /// How it shows.
    pub signature: String,
    /// What stands against it.
    pub mitigation: String,
    /// The ids of the cases that cover it.
    pub cases: Vec<String>,
    /// Its line in the file.
    pub line: usize,
}

/// All known failure modes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registry {
    /// The modes, in the order of the file.
    pub modes: Vec<FailureMode>,
    /// The file they were read from.
    pub path: PathBuf,
}

impl Registry {
    /// Reads `path`.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn load(path: &Path) -> Result<Self, CaseErrors> {
        let mut problems = Problems::default();
        let registry = Self::read(path, &mut problems);
        problems.settle(Some(registry))
    }

    /// The mode with the id `id`.
    #[must_use]
    pub fn mode(&self, id: &str) -> Option<&FailureMode> {
        self.modes.iter().find(|mode| mode.id == id)
    }

    pub(crate) fn read(path: &Path, problems: &mut Problems) -> Self {
        let mut registry = Self { modes: Vec::new(), path: path.to_owned() };
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.add(Problem::whole(path, format!("the registry cannot be read: {error}")));
                return registry;
            }
        };
        let source = match Source::decode(path, &bytes) {
            Ok(source) => source,
            Err(problem) => {
                problems.add(problem);
                return registry;
            }
        };
        let header: Vec<String> = ReaderBuilder::new()
            .from_reader(source.text.as_bytes())
            .headers()
            .map(|header| header.iter().map(str::to_owned).collect())
            .unwrap_or_default();
        if header != COLUMNS {
            let end = source.text.find('\n').unwrap_or(source.text.len());
            let problem = source.problem(0..end, "the registry's columns are not as expected");
            problems.add(problem.help(format!("the header must be `{}`", COLUMNS.join(","))));
            return registry;
        }
        let types: BTreeMap<_, _> = COLUMNS.map(|column| (column.to_owned(), Type::Text)).into();
        let Ok(table) = table_csv::read(&source, &types, problems) else { return registry };
        for (row, line) in table.rows.iter().zip(&table.lines) {
            let cell = |name: &str| {
                row.get(name).and_then(|cell| cell.as_str()).unwrap_or_default().trim().to_owned()
            };
            let mode = FailureMode {
                id: cell("id"),
                failure_mode: cell("failure_mode"),
                signature: cell("signature"),
                mitigation: cell("mitigation"),
                cases: cell("cases").split_whitespace().map(str::to_owned).collect(),
                line: *line,
            };
            if let Some(why) = registry.fault(&mode) {
                problems.add(source.problem(source.byte_at(*line as u64, 1), why));
            }
            registry.modes.push(mode);
        }
        registry
    }

    fn fault(&self, mode: &FailureMode) -> Option<String> {
        if !is_kebab(&mode.id) {
            return Some(format!(
                "`{}` cannot be a mode's id: words in lower case joined by hyphens",
                mode.id
            ));
        }
        if let Some(twin) = self.mode(&mode.id) {
            return Some(format!("the id `{}` occurs twice, first in line {}", mode.id, twin.line));
        }
        let empty = [
            ("failure_mode", &mode.failure_mode),
            ("signature", &mode.signature),
            ("mitigation", &mode.mitigation),
        ];
        empty.iter().find(|(_, text)| text.is_empty()).map(|(column, _)| format!("`{column}` is empty"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Registry, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("registry.csv");
        std::fs::write(&path, text).unwrap();
        Registry::load(&path)
            .map_err(|errors| errors.to_string().replace(&*dir.path().to_string_lossy(), "DIR"))
    }

    #[test]
    fn rows_are_read() {
        let registry =
            load("id,failure_mode,signature,mitigation,cases\na-b,A b,\"x, y\",m,E1 E6.i\n").unwrap();
        let mode = registry.mode("a-b").unwrap();
        assert_eq!((mode.signature.as_str(), mode.line), ("x, y", 2));
        assert_eq!(mode.cases, ["E1", "E6.i"]);
    }

    #[test]
    fn faults_have_a_place() {
        let text =
            "id,failure_mode,signature,mitigation,cases\na-b,A b,s,m,E1\na-b,A b,s,m,\nA B,x,s,m,\nc,x,,m,\n";
        insta::assert_snapshot!(load(text).unwrap_err(), @r"
        error: the id `a-b` occurs twice, first in line 2
         --> DIR/registry.csv:3:1
          |
        3 | a-b,A b,s,m,
          | ^

        error: `A B` cannot be a mode's id: words in lower case joined by hyphens
         --> DIR/registry.csv:4:1
          |
        4 | A B,x,s,m,
          | ^

        error: `signature` is empty
         --> DIR/registry.csv:5:1
          |
        5 | c,x,,m,
          | ^

        3 problems
        ");
        insta::assert_snapshot!(load("id,mode\na,b\n").unwrap_err(), @r"
        error: the registry's columns are not as expected
         --> DIR/registry.csv:1:1
          |
        1 | id,mode
          | ^^^^^^^
          |
          = help: the header must be `id,failure_mode,signature,mitigation,cases`

        1 problem
        ");
    }
}
