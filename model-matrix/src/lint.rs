//! What is odd about a matrix that loads: a run on it is possible, but proves less than it seems to.

use jiff::civil::Date;
use reqwest::Url;

use crate::matrix::{Expect, Matrix, Model, Provider, Role};
use crate::pins::{Unpinned, unpinned};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Warning,
    /// The matrix does not do what it is for.
    Error,
}

/// Something odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is, and what to do.
    pub message: String,
    /// The line of the matrix file; 0 when it is the file as a whole.
    pub line: u64,
}

/// Looks `matrix` over; findings are in the file's order.
#[must_use]
pub fn lint(matrix: &Matrix) -> Vec<Finding> {
    let mut findings = Vec::new();
    roles(matrix, &mut findings);
    same_endpoints(matrix, &mut findings);
    for model in &matrix.models {
        entry(model, &mut findings);
        pinned(model, &mut findings);
    }
    findings.sort_by(|a, b| (a.line, &a.message).cmp(&(b.line, &b.message)));
    findings
}

/// How many days before its end a model is warned of.
const NOTICE_DAYS: i32 = 60;

/// What the announced ends of models mean on the day `today`: those that are gone are errors, those that soon will be
/// are warnings.
#[must_use]
pub fn shutdowns(matrix: &Matrix, today: Date) -> Vec<Finding> {
    let mut findings = Vec::new();
    for model in &matrix.models {
        let Some(end) = model.shutdown else { continue };
        let days = (end - today).get_days();
        let (severity, message) = match days {
            ..=0 => (
                Severity::Error,
                format!(
                    "`{}` was to be shut down on {end}: put the model that took its place here",
                    model.id
                ),
            ),
            1..=NOTICE_DAYS => (
                Severity::Warning,
                format!(
                    "`{}` is to be shut down on {end}, in {days} days: choose what takes its place",
                    model.id
                ),
            ),
            _ => continue,
        };
        findings.push(Finding { severity, message, line: model.line });
    }
    findings
}

/// A name that may stand for another model tomorrow proves nothing then. What the endpoint must report can be pinned
/// in its place, if that is a proper name.
fn pinned(model: &Model, findings: &mut Vec<Finding>) {
    let (wire, name, base_url) = match &model.provider {
        Provider::Api { wire, model, base_url, .. } => (*wire, model, base_url),
        Provider::Program(program) => match (&program.model, &program.base_url) {
            (Some(model), Some(base_url)) => (program.adapter.wire(), model, base_url),
            _ => return,
        },
        Provider::Replay { .. } => return,
    };
    let host = base_url.host_str().unwrap_or_default();
    let Some(problem) = unpinned(wire, host, name) else { return };
    if model.pin.explicit && unpinned(wire, host, &model.pin.model).is_none() {
        return;
    }
    let severity = if problem == Unpinned::Preview { Severity::Warning } else { Severity::Error };
    let message = format!(
        "`{name}` of `{}` {}; ask for a pinned name, or write the name that the endpoint must report as `pin: {{ model: … }}`",
        model.id,
        problem.reason()
    );
    findings.push(Finding { severity, message, line: model.line });
}

fn roles(matrix: &Matrix, findings: &mut Vec<Finding>) {
    if matrix.is_offline() {
        return controls(matrix, findings);
    }
    for (role, name) in
        [(Role::FrontierReference, "frontier-reference"), (Role::WeakestDeployed, "weakest-deployed")]
    {
        if !matrix.models.iter().any(|model| model.role == role) {
            let message = format!(
                "no model has the role `{name}`; a matrix that releases rest on spans from the strongest to the weakest"
            );
            findings.push(Finding { severity: Severity::Warning, message, line: 0 });
        }
    }
}

/// Offline, the controls are all there is: without both kinds, a checker that always says the same goes unseen.
fn controls(matrix: &Matrix, findings: &mut Vec<Finding>) {
    for (wanted, name) in [(Expect::Pass, "pass"), (Expect::Fail, "fail")] {
        let there = matrix
            .models
            .iter()
            .any(|model| matches!(model.provider, Provider::Replay { expect, .. } if expect == Some(wanted)));
        if !there {
            let message = format!("no control has `expect: {name}`; controls prove something only in pairs");
            findings.push(Finding { severity: Severity::Warning, message, line: 0 });
        }
    }
}

/// The same model at the same endpoint twice is one sample counted as two, unless it is decoded differently.
fn same_endpoints(matrix: &Matrix, findings: &mut Vec<Finding>) {
    for models in matrix.by_endpoint().into_values() {
        for (index, model) in models.iter().enumerate() {
            if let Some(first) = models[..index].iter().find(|other| other.decoding == model.decoding) {
                let message = format!(
                    "`{}` is the same model at the same endpoint with the same decoding as `{}` in line {}",
                    model.id, first.id, first.line
                );
                findings.push(Finding { severity: Severity::Error, message, line: model.line });
            }
        }
    }
}

fn entry(model: &Model, findings: &mut Vec<Finding>) {
    let mut warn = |message: String| {
        findings.push(Finding { severity: Severity::Warning, message, line: model.line });
    };
    match &model.provider {
        Provider::Api { base_url, key_env, .. } => {
            if key_env.is_some() && base_url.scheme() == "http" && !is_loopback(base_url) {
                warn(format!("`{}` sends its key over http, readable on the way; use https", model.id));
            }
            if model.role == Role::Control {
                warn(format!("`{}` is a control, but its outcome is not known: only replays are", model.id));
            }
            if model.decoding.is_empty() {
                warn(format!(
                    "`{}` pins no decoding: the endpoint's defaults apply, and may change",
                    model.id
                ));
            }
        }
        Provider::Program(program) => {
            if model.pin.version.is_none() {
                findings.push(Finding {
                    severity: Severity::Error,
                    message: format!(
                        "`{}` is a program of any version: write what its --version prints as `pin: {{ version: … }}`",
                        model.id
                    ),
                    line: model.line,
                });
                return;
            }
            if program.key_env.is_some() && program.base_url.is_none() {
                warn(format!(
                    "`{}` gets its key in its environment, where whatever it starts can read it; with `base_url` and \
                     `program.base_url_env` a relay puts the key in, and the program never has it",
                    model.id
                ));
            }
        }
        Provider::Replay { expect, .. } => {
            if model.role == Role::Control && expect.is_none() {
                warn(format!("`{}` is a control without `expect`: it cannot misbehave", model.id));
            }
            if matches!(model.role, Role::FrontierReference | Role::WeakestDeployed) {
                warn(format!("`{}` is replayed: it cannot stand for a model that is deployed", model.id));
            }
        }
    }
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn findings(text: &str) -> Vec<String> {
        let matrix = Matrix::parse(Path::new("m.yaml"), text.as_bytes()).unwrap();
        lint(&matrix).into_iter().map(|f| format!("{}: {:?}: {}", f.line, f.severity, f.message)).collect()
    }

    #[test]
    fn a_lone_model_lacks_its_counterpart() {
        let found = findings(
            "models:\n  - { id: a, role: weakest-deployed, provider: openai-chat, model: m, base_url: 'http://127.0.0.1/v1', decoding: {temperature: 0} }\n",
        );
        insta::assert_snapshot!(found.join("\n"), @"0: Warning: no model has the role `frontier-reference`; a matrix that releases rest on spans from the strongest to the weakest");
    }

    #[test]
    fn duplicates_clear_keys_and_toothless_controls_are_seen() {
        let found = findings(
            "models:
  - { id: a, role: weakest-deployed, provider: openai-chat, model: m, base_url: 'http://llm.example.test/v1', key_env: K, decoding: {seed: 1} }
  - { id: b, role: frontier-reference, provider: openai-chat, model: m, base_url: 'http://llm.example.test/v1', decoding: {seed: 1} }
  - { id: c, role: other, provider: openai-chat, model: m, base_url: 'http://llm.example.test/v1', decoding: {seed: 2} }
  - { id: d, role: other, provider: openai-chat, model: n, base_url: 'http://llm.example.test/v1' }
  - { id: e, role: control, provider: replay, trace: x, wire: anthropic }
",
        );
        insta::assert_snapshot!(found.join("\n"), @"
        2: Warning: `a` sends its key over http, readable on the way; use https
        3: Error: `b` is the same model at the same endpoint with the same decoding as `a` in line 2
        5: Warning: `d` pins no decoding: the endpoint's defaults apply, and may change
        6: Warning: `e` is a control without `expect`: it cannot misbehave
        ");
    }

    #[test]
    fn controls_come_in_pairs() {
        let found = findings(
            "models:\n  - { id: a, role: control, provider: replay, trace: x, wire: anthropic, expect: pass }\n",
        );
        insta::assert_snapshot!(found.join("\n"), @"0: Warning: no control has `expect: fail`; controls prove something only in pairs");
    }

    #[test]
    fn the_shipped_offline_matrix_is_clean() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("matrices/offline.yaml");
        let matrix = Matrix::load(&path).unwrap();
        assert!(matrix.is_offline());
        assert_eq!(lint(&matrix), []);
    }

    #[test]
    fn names_that_are_not_pinned_are_refused_unless_what_is_served_is_pinned() {
        let found = findings(
            "models:
  - { id: a, role: weakest-deployed, provider: openai-chat, model: gpt-4o, base_url: 'https://api.openai.com/v1', decoding: {seed: 1} }
  - { id: b, role: frontier-reference, provider: openai-chat, model: gpt-4o, pin: {model: gpt-4o-2024-08-06}, base_url: 'https://api.openai.com/v1', decoding: {seed: 2} }
  - { id: c, role: other, provider: anthropic, model: claude-sonnet-4-5, pin: {model: claude-sonnet-4-5}, base_url: 'https://api.anthropic.com', decoding: {max_tokens: 9} }
  - { id: d, role: other, provider: gemini, model: gemini-3-pro-preview, base_url: 'https://generativelanguage.googleapis.com/v1beta', decoding: {temperature: 0} }
",
        );
        insta::assert_snapshot!(found.join("\n"), @r"
    2: Error: `gpt-4o` of `a` is an alias, which may stand for another model tomorrow; ask for a pinned name, or write the name that the endpoint must report as `pin: { model: … }`
    4: Error: `claude-sonnet-4-5` of `c` is an alias, which may stand for another model tomorrow; ask for a pinned name, or write the name that the endpoint must report as `pin: { model: … }`
    5: Warning: `gemini-3-pro-preview` of `d` is a preview, which may be changed without notice; ask for a pinned name, or write the name that the endpoint must report as `pin: { model: … }`
    ");
    }

    #[test]
    fn ends_are_warned_of_and_then_errors() {
        let matrix = Matrix::parse(
            Path::new("m.yaml"),
            b"models:\n  - { id: a, role: other, provider: openai-chat, model: m, base_url: 'http://127.0.0.1/v1', shutdown: 2027-03-01 }\n  - { id: b, role: other, provider: openai-chat, model: n, base_url: 'http://127.0.0.1/v1' }\n",
        )
        .unwrap();
        let on = |date: &str| {
            let found = shutdowns(&matrix, date.parse().unwrap());
            found.iter().map(|f| format!("{}: {:?}: {}", f.line, f.severity, f.message)).collect::<String>()
        };
        assert_eq!(on("2026-12-30"), "");
        assert!(on("2026-12-31").contains("in 60 days"));
        assert_eq!(
            on("2027-02-28"),
            "2: Warning: `a` is to be shut down on 2027-03-01, in 1 days: choose what takes its place"
        );
        assert_eq!(
            on("2027-03-01"),
            "2: Error: `a` was to be shut down on 2027-03-01: put the model that took its place here"
        );
        assert!(on("2029-01-01").contains("Error"));
    }

    #[test]
    fn the_shipped_examples_are_pinned() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("matrices/examples");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let matrix = Matrix::load(&entry.unwrap().path()).unwrap();
            let errors: Vec<_> = lint(&matrix).into_iter().filter(|finding| finding.line > 0).collect();
            assert_eq!(errors, []);
            seen += 1;
        }
        assert!(seen >= 9);
    }
}
