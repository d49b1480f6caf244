//! In what two plans differ, whatever a plan holds now or in a later format.

use reports::Plan;
use serde_json::Value;

/// What is a run's own: its name, and when it was planned.
pub const OWN: [&str; 2] = ["run", "planned"];

/// What of two plans is not the same, in words; the fields in `besides` may differ.
///
/// # Errors
/// Never in practice: a plan is made of strings and small numbers.
pub fn differences(one: &Plan, other: &Plan, besides: &[&str]) -> Result<Vec<String>, serde_json::Error> {
    let (one, other) = (serde_json::to_value(one)?, serde_json::to_value(other)?);
    let fields = |plan: &Value| plan.as_object().into_iter().flat_map(|plan| plan.keys().cloned()).collect();
    let mut names: Vec<String> = fields(&one);
    names.extend::<Vec<String>>(fields(&other));
    names.sort();
    names.dedup();
    names.retain(|name| !besides.contains(&name.as_str()) && one.get(name) != other.get(name));
    let mut words: Vec<String> = names.iter().map(|name| in_words(name).to_owned()).collect();
    words.dedup();
    Ok(words)
}

/// A field of the plan, for people.
fn in_words(field: &str) -> &str {
    match field {
        "charter" => "the charter",
        "matrix" => "the matrix",
        "models" => "the models and their pins",
        "cases" => "the cases",
        "checkers" => "the checkers",
        "cells" | "trials" | "expected_sha256" => "the expected set",
        "source" => "the commit, or whether the tree was clean",
        "assize" => "the version of assize",
        "binary_sha256" => "the program's digest",
        "policy" => "the project file",
        "shard" => "which shard it is",
        other => other,
    }
}
