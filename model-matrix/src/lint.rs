//! What is odd about a matrix that loads: a run on it is possible, but proves less than it seems to.

use reqwest::Url;

use crate::matrix::{Expect, Matrix, Model, Provider, Role};

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
    }
    findings.sort_by(|a, b| (a.line, &a.message).cmp(&(b.line, &b.message)));
    findings
}

fn roles(matrix: &Matrix, findings: &mut Vec<Finding>) {
    if matrix.is_offline() {
        return controls(matrix, findings);
    }
    for (role, name) in
        [(Role::FrontierReference, "frontier-reference"), (Role::WeakestDeployed, "weakest-deployed")]
    {
        if !matrix.models.iter().any(|model| model.role == role) {
            let message =
                format!("no model has the role `{name}`; a matrix spans from the strongest to the weakest");
            findings.push(Finding { severity: Severity::Error, message, line: 0 });
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

fn is_loopback(url: &Url) -> bool {
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
        insta::assert_snapshot!(found.join("\n"), @"0: Error: no model has the role `frontier-reference`; a matrix spans from the strongest to the weakest");
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
}
