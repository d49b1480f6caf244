//! `all`, `any` and `not`: each of some predicates holds, one of them does, or one does not.
//!
//! # Reads
//! What the predicates in it read.
//!
//! # Proves
//! `all`: that each holds; the finding is that of the first that does not. `any`: that at least one holds. `not`: that the one in it
//! does not hold.
//!
//! # Does not prove
//! `not`: more than that the predicate did not find what it looks for; read what that does not prove the other way round. An error
//! of one of them is an error of the whole, under `not` as well.
//!
//! # Example
//! ```yaml
//! - id: says-both
//!   all:
//!     - names: { text: Paris }
//!     - names: { text: France }
//! ```
//! ```yaml
//! pass:
//!   - "Paris is the capital of France."
//! fail:
//!   - "It is Paris."
//!   - "France has one."
//! ```
//!
//! # Example
//! ```yaml
//! - id: says-one
//!   any:
//!     - names: { text: Paris }
//!     - names: { text: Lutetia }
//! ```
//! ```yaml
//! pass:
//!   - "It is Paris."
//!   - "The Romans said Lutetia."
//! fail:
//!   - "It is Lyon."
//! ```
//!
//! # Example
//! ```yaml
//! - id: says-not
//!   not:
//!     names: { text: Lyon }
//! ```
//! ```yaml
//! pass:
//!   - "It is Paris."
//! fail:
//!   - "It is Lyon."
//!   - "It is not Lyon."
//! ```

use serde::Deserialize;

use super::{Finding, Predicate, Test};
use crate::context::Context;
use crate::expr::EvalError;

/// Holds when each of its predicates does.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<Predicate>")]
pub struct All(Vec<Predicate>);

/// Holds when one of its predicates does.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<Predicate>")]
pub struct Any(Vec<Predicate>);

/// Holds when its predicate does not.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Not(Box<Predicate>);

fn not_empty(predicates: Vec<Predicate>) -> Result<Vec<Predicate>, &'static str> {
    if predicates.is_empty() { Err("a list of at least one predicate is needed") } else { Ok(predicates) }
}

impl TryFrom<Vec<Predicate>> for All {
    type Error = &'static str;

    fn try_from(predicates: Vec<Predicate>) -> Result<Self, Self::Error> {
        not_empty(predicates).map(Self)
    }
}

impl TryFrom<Vec<Predicate>> for Any {
    type Error = &'static str;

    fn try_from(predicates: Vec<Predicate>) -> Result<Self, Self::Error> {
        not_empty(predicates).map(Self)
    }
}

impl Test for All {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let mut evidence = Vec::new();
        let mut reasons = Vec::new();
        for predicate in &self.0 {
            let finding = predicate.test(cx)?;
            if !finding.holds {
                return Ok(finding);
            }
            evidence.extend(finding.evidence);
            reasons.push(finding.reason);
        }
        Ok(Finding::holds(reasons.join("; "), evidence))
    }
}

impl Test for Any {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let mut evidence = Vec::new();
        let mut reasons = Vec::new();
        for predicate in &self.0 {
            let finding = predicate.test(cx)?;
            if finding.holds {
                return Ok(finding);
            }
            evidence.extend(finding.evidence);
            reasons.push(finding.reason);
        }
        Ok(Finding::fails(reasons.join("; "), evidence))
    }
}

impl Test for Not {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let finding = self.0.test(cx)?;
        Ok(Finding { holds: !finding.holds, ..finding })
    }
}
