//! `listed_in_result`: the searches before a certain call have listed all of some paths.
//!
//! # Reads
//! The answers of the searches for the text `finds`, whatever the tool, that came ahead of the first call that fits `before`, or
//! ahead of the first edit when it is left out.
//!
//! # Proves
//! That taken together they list every one of the `paths`. What `ls` or `find` prints beside a search is no find of it, and
//! neither is a count of 0.
//!
//! # Does not prove
//! That the model took note of what it was shown, or that nothing else holds the text.
//!
//! # Example
//! ```yaml
//! - id: finds-all
//!   listed_in_result: { finds: "{{ key }}", paths: "{{ files }}" }
//! ```
//! ```yaml
//! params: { key: spool_dir, files: [a.conf, docs/a.md] }
//! pass:
//!   - - { call: run_command, with: { command: "grep -rn spool_dir ." }, answer: "./a.conf:1: spool_dir = x\n./docs/a.md:3: `spool_dir`" }
//!     - "Two files have it."
//! fail:
//!   - - { call: search, with: { pattern: spool_dir, path: a.conf }, answer: "a.conf:1: spool_dir = x" }
//!     - "Two files have it."
//!   - "It is in a.conf and docs/a.md."
//! ```

use std::collections::BTreeSet;

use serde::Deserialize;

use super::selector::Selector;
use super::{Finding, Test};
use crate::calls::{Place, is_edit, results};
use crate::command::{Output, Step};
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// The answers of searches for a text list all of the paths, before the first call that fits `before`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedInResult {
    /// The text that the searches must find.
    pub finds: Expr,
    /// The paths that must be listed.
    pub paths: Expr,
    /// The call that the searches must come ahead of; the first edit when it is left out.
    pub before: Option<Selector>,
}

impl Test for ListedInResult {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let text = self.finds.text(&cx.params)?;
        let end = match &self.before {
            Some(selector) => {
                let wanted = selector.resolve(cx)?;
                let found = calls.events.iter().position(|event| wanted.fits(event));
                found.map(|event| Place { event, step: 0 })
            }
            None => calls.steps().find(|(_, _, step)| is_edit(step)).map(|(place, ..)| place),
        };
        let mut missing: BTreeSet<String> =
            self.paths.texts(&cx.params)?.iter().map(|path| calls.paths.relative(path)).collect();
        let mut evidence = Vec::new();
        for (place, event, step) in calls.steps() {
            if end.is_some_and(|end| place >= end) {
                break;
            }
            let Step::Search(search) = step else { continue };
            if !search.finds(&text) {
                continue;
            }
            let before = missing.len();
            let lines = event.lines_of(place.step);
            let alone = event.prints_alone(place.step);
            for line in &lines {
                let Some((path, rest)) = results::listed(line, &calls.paths) else { continue };
                // What `ls` or `find` lists in the same answer is no find of the search.
                if !(alone || search.patterns.iter().any(|pattern| pattern.is_in(rest))) {
                    continue;
                }
                if !(search.output == Output::Counts && rest.trim() == "0") {
                    missing.remove(&path);
                }
            }
            // `grep key one-file` does not repeat the file's name.
            if let [only] = search.scopes.as_slice()
                && lines.iter().any(|line| line.contains(&text))
            {
                missing.remove(only);
            }
            if missing.len() < before {
                evidence.push(cx.call_evidence(event.message, event.index));
            }
        }
        if missing.is_empty() {
            return Ok(Finding::holds("the searches list all of them", evidence));
        }
        if let Some(end) = end
            && let Some(event) = calls.events.get(end.event)
        {
            evidence.push(cx.call_evidence(event.message, event.index));
        }
        let missing: Vec<String> = missing.into_iter().collect();
        Ok(Finding::fails(format!("no search before the first edit lists {}", missing.join(", ")), evidence))
    }
}
