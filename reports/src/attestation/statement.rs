//! What is said of a run: two in-toto statements (Statement v1), derived from its manifest and nothing else.
//!
//! The first has the `test-result` predicate v0.1, which any in-toto reader understands. It has no list for what was not
//! run, and strict readers refuse fields it does not know; so a cell that was not run, or ended in an error, is named
//! among the failed ones, and the result is then never `PASSED`. The second carries the whole manifest.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::digest;
use crate::gate;
use crate::manifest::{CellRecord, Manifest};
use crate::plan::{Expectation, Plan};
use crate::row::Standing;

/// The type of every statement.
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The predicate type of the test result.
pub const TEST_RESULT: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// The predicate type of the statement that carries the whole manifest.
pub const MANIFEST: &str = "urn:assize:manifest:1";

/// A statement about its subjects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement<P> {
    #[serde(rename = "_type")]
    kind: &'static str,
    subject: Vec<ResourceDescriptor>,
    predicate_type: &'static str,
    predicate: P,
}

impl<P> Statement<P> {
    /// A statement that `predicate` holds of `subject`.
    pub fn new(subject: Vec<ResourceDescriptor>, predicate_type: &'static str, predicate: P) -> Self {
        Self { kind: STATEMENT_TYPE, subject, predicate_type, predicate }
    }
}

/// A thing, by its digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResourceDescriptor {
    name: String,
    digest: BTreeMap<&'static str, String>,
}

impl ResourceDescriptor {
    /// A thing without a digest yet.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), digest: BTreeMap::new() }
    }

    /// The same with a digest of `algorithm`, in hex.
    #[must_use]
    pub fn with_digest(mut self, algorithm: &'static str, hex: &str) -> Self {
        self.digest.insert(algorithm, hex.to_owned());
        self
    }
}

/// The test-result predicate: exactly the fields of its specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestResult {
    result: &'static str,
    configuration: Vec<ResourceDescriptor>,
    passed_tests: Vec<String>,
    failed_tests: Vec<String>,
}

/// The predicate of the second statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Whole<'m> {
    manifest: &'m Manifest,
}

impl TestResult {
    /// The result of a run. It is `PASSED` only when the gate would say yes.
    #[must_use]
    pub fn of(manifest: &Manifest) -> Self {
        let (mut passed, mut failed) = (Vec::new(), Vec::new());
        for cell in &manifest.cells {
            let list = if as_owed(cell, &manifest.plan) { &mut passed } else { &mut failed };
            list.push(cell.cell.to_string());
        }
        let yes = gate::findings(manifest).is_empty();
        Self {
            result: if yes { "PASSED" } else { "FAILED" },
            configuration: configuration(&manifest.plan),
            passed_tests: passed,
            failed_tests: failed,
        }
    }
}

/// Whether every trial of a cell came out as it had to.
fn as_owed(cell: &CellRecord, plan: &Plan) -> bool {
    let wanted = match plan.model(&cell.cell.model).map(|model| model.expect) {
        Some(Expectation::Fail) => Standing::Failed,
        _ => Standing::Passed,
    };
    !cell.trials.is_empty() && cell.trials.iter().all(|trial| trial.standing == wanted)
}

/// What the run was made with.
fn configuration(plan: &Plan) -> Vec<ResourceDescriptor> {
    let sha256 = |name: &str, hex: &str| ResourceDescriptor::named(name).with_digest("sha256", hex);
    let mut all =
        vec![sha256(&plan.matrix.name, &plan.matrix.sha256), sha256("expected", &plan.expected_sha256)];
    all.extend(plan.cases.iter().map(|case| sha256(&format!("case:{}", case.name), &case.sha256)));
    all.extend(
        plan.checkers.iter().map(|checker| sha256(&format!("checker:{}", checker.name), &checker.sha256)),
    );
    all.extend(
        plan.checker_folders
            .iter()
            .map(|folder| sha256(&format!("checkers:{}", folder.name), &folder.sha256)),
    );
    all
}

/// What both statements are about: the charter, its commit, and the manifest's file.
fn subjects(manifest: &Manifest) -> Result<Vec<ResourceDescriptor>, serde_json::Error> {
    let charter = &manifest.plan.charter;
    let mut subjects = vec![ResourceDescriptor::named(&charter.path).with_digest("sha256", &charter.sha256)];
    if let Some(source) = &manifest.plan.source {
        subjects.push(ResourceDescriptor::named("commit").with_digest("gitCommit", &source.commit));
    }
    let file = digest::sha256_hex(&digest::file(manifest)?);
    subjects.push(ResourceDescriptor::named("manifest.json").with_digest("sha256", &file));
    Ok(subjects)
}

/// The payload of the first statement.
///
/// # Errors
/// When the manifest cannot be JSON.
pub fn test_result(manifest: &Manifest) -> Result<Vec<u8>, serde_json::Error> {
    digest::canonical(&Statement::new(subjects(manifest)?, TEST_RESULT, TestResult::of(manifest)))
}

/// The payload of the second statement.
///
/// # Errors
/// When the manifest cannot be JSON.
pub fn whole_manifest(manifest: &Manifest) -> Result<Vec<u8>, serde_json::Error> {
    digest::canonical(&Statement::new(subjects(manifest)?, MANIFEST, Whole { manifest }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::manifest::TrialRecord;

    /// A manifest of two cells whose trials stand like this.
    fn manifest(standings: [Standing; 2], replay: bool) -> Manifest {
        let mut manifest: Manifest = serde_json::from_value(crate::manifest::tests::example(replay)).unwrap();
        for (cell, standing) in manifest.cells.iter_mut().zip(standings) {
            cell.trials = vec![TrialRecord {
                trial: 1,
                standing,
                reason: None,
                failed_clauses: Vec::new(),
                attempts: Vec::new(),
            }];
        }
        manifest
    }

    fn predicate(manifest: &Manifest) -> Value {
        let statement: Value = serde_json::from_slice(&test_result(manifest).unwrap()).unwrap();
        statement["predicate"].clone()
    }

    #[test]
    fn only_what_passed_is_named_as_passed() {
        let good = predicate(&manifest([Standing::Passed, Standing::Passed], false));
        assert_eq!(good["result"], "PASSED");
        assert_eq!(
            (&good["passedTests"], &good["failedTests"]),
            (&json!(["E1/r1/m", "E2/r1/m"]), &json!([]))
        );
        for standing in [Standing::Failed, Standing::Error, Standing::NotRun] {
            let bad = predicate(&manifest([Standing::Passed, standing], false));
            assert_eq!(bad["result"], "FAILED", "{standing:?}");
            assert_eq!(bad["failedTests"], json!(["E2/r1/m"]), "{standing:?}");
        }
        assert_eq!(predicate(&manifest([Standing::Passed, Standing::Passed], true))["result"], "FAILED");
    }

    #[test]
    fn the_predicate_has_the_fields_of_its_specification_and_no_other() {
        let predicate = predicate(&manifest([Standing::Passed, Standing::Failed], false));
        let fields: Vec<&String> = predicate.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["configuration", "failedTests", "passedTests", "result"]);
        assert!(predicate["configuration"].as_array().unwrap().iter().all(|one| one["digest"].is_object()));
    }

    #[test]
    fn the_second_statement_carries_the_manifest_whole() {
        let manifest = manifest([Standing::Passed, Standing::NotRun], false);
        let statement: Value = serde_json::from_slice(&whole_manifest(&manifest).unwrap()).unwrap();
        assert_eq!(statement["predicateType"], MANIFEST);
        assert_eq!(statement["predicate"]["manifest"], serde_json::to_value(&manifest).unwrap());
    }
}
