//! `all`, `any`, `not`: predicates over predicates.

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
