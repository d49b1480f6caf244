//! What can be said of a set of cases without playing it: gaps in what is covered, and tables that prove little.

mod traces;

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

pub use traces::lint_traces;

use crate::case::{Case, CaseSet, FIXTURE_FILE, Fixtures, Problem, Registry, Table, Trace};

/// With fewer rows a sweep says little about more than the numbers that are written there.
const FEW_ROWS: usize = 8;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It must be mended.
    Error,
    /// It should be looked at.
    Warning,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintFinding {
    /// How bad it is.
    pub severity: Severity,
    /// The file or folder it is about.
    pub path: PathBuf,
    /// The line, counted from 1, when one is meant.
    pub line: Option<usize>,
    /// What was found.
    pub message: String,
    /// The same with the offending text, when it is a place in a file.
    pub problem: Option<Problem>,
}

impl fmt::Display for LintFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}", self.path.display())?;
        self.line.iter().try_for_each(|line| write!(f, ":{line}"))?;
        write!(f, ": {severity}: {}", self.message)
    }
}

/// Looks over all cases and the registry; errors first.
#[must_use]
pub fn lint_cases(set: &CaseSet, registry: &Registry) -> Vec<LintFinding> {
    let mut findings = Vec::new();
    registry_rows(set, registry, &mut findings);
    for case in &set.cases {
        naming(case, &mut findings);
        tables(case, &mut findings);
        traces(case, &mut findings);
        if case.failure_modes.is_empty() {
            let message = format!("the case {} names no failure mode", case.id);
            findings.push(about(case, Severity::Warning, message));
        }
    }
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// Looks over the fixtures; errors first.
#[must_use]
pub fn lint_fixtures(fixtures: &Fixtures) -> Vec<LintFinding> {
    let mut findings = Vec::new();
    for case in &fixtures.cases {
        tables(case, &mut findings);
        traces(case, &mut findings);
    }
    let Some(ids) = &fixtures.ids else { return findings };
    for fixture in fixtures.all.iter().filter(|fixture| fixture.aside.is_none()) {
        let dropped =
            fixture.binds.iter().filter(|id| ids.mark(id).is_some_and(|mark| mark.dropped.is_some()));
        for id in dropped {
            findings.push(LintFinding {
                severity: Severity::Warning,
                path: fixture.dir.join(FIXTURE_FILE),
                line: None,
                message: format!(
                    "`{id}` is dropped, but `{}` also binds to what is not, so it is run",
                    fixture.place
                ),
                problem: None,
            });
        }
    }
    findings.sort_by_key(|finding| finding.severity);
    findings
}

fn about(case: &Case, severity: Severity, message: String) -> LintFinding {
    LintFinding { severity, path: case.dir.clone(), line: None, message, problem: None }
}

fn registry_rows(set: &CaseSet, registry: &Registry, findings: &mut Vec<LintFinding>) {
    let mut tell = |severity, line, message| {
        let path = registry.path.clone();
        findings.push(LintFinding { severity, path, line: Some(line), message, problem: None });
    };
    for mode in &registry.modes {
        let covering: BTreeSet<&str> = set
            .cases
            .iter()
            .filter(|case| case.failure_modes.contains(&mode.id))
            .map(|case| case.id.as_str())
            .collect();
        if covering.is_empty() {
            tell(Severity::Warning, mode.line, format!("no case covers `{}`", mode.id));
            continue;
        }
        let listed: BTreeSet<&str> = mode.cases.iter().map(String::as_str).collect();
        for id in listed.difference(&covering) {
            let message = match set.case(id) {
                Some(_) => format!("`{}` lists {id}, which does not name the mode", mode.id),
                None => format!("`{}` lists {id}, which is not among the cases", mode.id),
            };
            tell(Severity::Warning, mode.line, message);
        }
        for id in covering.difference(&listed) {
            tell(Severity::Error, mode.line, format!("`{}` does not list {id}, which names it", mode.id));
        }
    }
}

/// A case `E1` called `percentage-trap` lives in `e01-percentage-trap`; one without a number in `percentage-trap`.
fn naming(case: &Case, findings: &mut Vec<LintFinding>) {
    let digits = case.id.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &case.id[..case.id.len() - digits.len()];
    let numbered = format!("{}{digits:0>2}-{}", letters.to_lowercase(), case.name);
    let folder = case.dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if folder != numbered && folder != case.name {
        let message =
            format!("the folder of case {} should be called `{numbered}` or `{}`", case.id, case.name);
        findings.push(about(case, Severity::Warning, message));
    }
}

fn tables(case: &Case, findings: &mut Vec<LintFinding>) {
    let mut seen: Vec<&Table> = Vec::new();
    for variant in &case.variants {
        let table = &*variant.table;
        if !table.declared || seen.contains(&table) {
            continue;
        }
        seen.push(table);
        let of = variant.name.as_ref().map(|name| format!(".{name}")).unwrap_or_default();
        if table.rows.len() < FEW_ROWS {
            let message =
                format!("the table of {}{of} has fewer than {FEW_ROWS} rows: {}", case.id, table.rows.len());
            findings.push(about(case, Severity::Warning, message));
        }
        for (index, row) in table.rows.iter().enumerate() {
            if let Some(twin) = table.rows[..index].iter().position(|earlier| earlier == row) {
                let message = format!("row {} of {}{of} repeats row {}", index + 1, case.id, twin + 1);
                findings.push(about(case, Severity::Error, message));
            }
        }
    }
}

fn traces(case: &Case, findings: &mut Vec<LintFinding>) {
    for (name, variant) in case.trace_variants() {
        if case.variant(Some(&variant)).is_none() {
            let message = format!("the trace `{name}.{variant}` is of no variant of {}", case.id);
            findings.push(about(case, Severity::Error, message));
        }
    }
    for name in case.trace_names() {
        for variant in &case.variants {
            let Err(errors) = Trace::load(case, variant, &name) else { continue };
            for problem in errors.0 {
                let message = match &problem.help {
                    Some(help) => format!("{} ({help})", problem.message),
                    None => problem.message.clone(),
                };
                let line = Some(problem.line).filter(|line| *line > 0);
                let path = problem.file.clone();
                let problem = Some(problem);
                let finding = LintFinding { severity: Severity::Error, path, line, message, problem };
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::case::{CheckerLookup, Surroundings};

    fn findings(root: &Path) -> String {
        let around =
            Surroundings { checkers: &|_, _| CheckerLookup::Found, binds: &BTreeSet::new(), charter: None };
        let set = CaseSet::load(root, &around).unwrap_or_else(|errors| panic!("{errors}"));
        let lines: Vec<_> = lint_cases(&set, &set.registry).iter().map(ToString::to_string).collect();
        lines.join("\n").replace(&*root.to_string_lossy(), "cases")
    }

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn case(id: &str, modes: &str, params: &str) -> String {
        format!(
            "id: {id}\nname: small-case-{}\nkind: happy\nfailure_modes: [{modes}]\nshows: x\nparams: [{params}]\n\
             script: [user: \"{{{{ n }}}}\", reply]\nchecker: x@1\n",
            id.to_lowercase()
        )
    }

    #[test]
    fn gaps_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let registry = "id,failure_mode,signature,mitigation,cases\na,A,s,m,E1 E2 E9\nb,B,s,m,\nc,C,s,m,\n";
        write(root, "registry.csv", registry);
        write(root, "e01-small-case-e1/case.yaml", &case("E1", "a, c", "{n: 1}, {n: 2}, {n: 1}"));
        write(root, "elsewhere/case.yaml", &case("E2", "", "{n: 1}"));
        write(root, "elsewhere/traces/naive.yaml", "- say: '{{ m }}'\n");
        write(root, "elsewhere/traces/naive.ii.yaml", "- say: x\n");
        insta::assert_snapshot!(findings(root), @r"
        cases/registry.csv:4: error: `c` does not list E1, which names it
        cases/e01-small-case-e1: error: row 3 of E1 repeats row 1
        cases/elsewhere: error: the trace `naive.ii` is of no variant of E2
        cases/elsewhere/traces/naive.yaml:1: error: in a template: `m` is not defined (did you mean `n`?)
        cases/registry.csv:2: warning: `a` lists E2, which does not name the mode
        cases/registry.csv:2: warning: `a` lists E9, which is not among the cases
        cases/registry.csv:3: warning: no case covers `b`
        cases/e01-small-case-e1: warning: the table of E1 has fewer than 8 rows: 3
        cases/elsewhere: warning: the folder of case E2 should be called `e02-small-case-e2` or `small-case-e2`
        cases/elsewhere: warning: the table of E2 has fewer than 8 rows: 1
        cases/elsewhere: warning: the case E2 names no failure mode
        ");
    }

    #[test]
    fn a_tidy_tree_has_no_findings() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "registry.csv", "id,failure_mode,signature,mitigation,cases\na,A,s,m,E1\n");
        let rows: Vec<_> = (0..8).map(|n| format!("{{n: {n}}}")).collect();
        write(dir.path(), "e01-small-case-e1/case.yaml", &case("E1", "a", &rows.join(", ")));
        assert_eq!(findings(dir.path()), "");
    }
}
