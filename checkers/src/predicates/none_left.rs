//! `none_left`: after the last edit a search of the whole tree for an identifier finds none, ahead of closing.
//!
//! # Reads
//! The searches after the last edit, with their patterns, scopes, output and answers; and the first reply after the first edit that
//! calls the work done.
//!
//! # Proves
//! That such a search, or several that together leave out none of the `paths` that held the `key`, came back with nothing, and came
//! before the work was called done. A search that failed, is too narrow or could not find the key proves nothing.
//!
//! # Does not prove
//! That the identifier is gone from files that the search tool ignores, or that the new one is right (`file_state`).
//!
//! # Example
//! ```yaml
//! - id: searches-again
//!   none_left: { key: "{{ key }}", paths: "{{ files }}" }
//! ```
//! ```yaml
//! params: { key: spool_dir, files: [a.conf] }
//! pass:
//!   - - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - { call: run_command, with: { command: "grep -rn spool_dir . || echo none" }, answer: "none" }
//!     - "Done."
//! fail:
//!   - - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - { call: search, with: { pattern: spool_dir, path: a.conf }, answer: "no matches" }
//!     - "Done."
//!   - - { call: edit_file, with: { path: a.conf, old: spool_dir, new: queue_dir }, answer: "edited a.conf" }
//!     - "Done: nothing is left."
//! ```

use std::collections::HashSet;

use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::{CallEvent, Calls, Key, Place, STATE_FILE, results};
use crate::closing::{self, Stance};
use crate::command::{Output, Search, Step};
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// A search after the last edit shows that an identifier is gone, before any reply claims that the work is done.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoneLeft {
    /// The identifier that must be gone.
    pub key: Expr,
    /// Files that held it: a search that leaves one of them out proves nothing.
    pub paths: Expr,
}

/// What one search says about the identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// It is gone.
    Gone,
    /// It is still there.
    Left,
    /// Nothing that could be relied on.
    Unclear,
}

impl Test for NoneLeft {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let key = Key::new(self.key.text(&cx.params)?);
        let paths: Vec<String> =
            self.paths.texts(&cx.params)?.iter().map(|path| calls.paths.relative(path)).collect();
        let Some((last, last_event, _)) = calls.edits().next_back() else {
            return Ok(Finding::fails("nothing was edited", Vec::new()));
        };
        let first_edit = calls.edits().next().map_or(0, |(_, event, _)| event.message);
        let edit = cx.call_evidence(last_event.message, last_event.index);
        let closed = closed_at(cx, first_edit);
        let mut seen = Seen::default();
        for (place, event, step) in calls.steps().filter(|(place, ..)| *place > last) {
            let Step::Search(search) = step else { continue };
            if !search.finds(key.text()) {
                continue;
            }
            let evidence = cx.call_evidence(event.message, event.index);
            if closed.is_some_and(|closed| event.message >= closed) {
                seen.late.get_or_insert(evidence);
                continue;
            }
            match says(search, event, &key, calls, place) {
                Says::Left => {
                    return Ok(Finding::fails(format!("`{}` is still found", key.text()), vec![evidence]));
                }
                Says::Gone => seen.note(search, &paths, evidence),
                Says::Unclear => {}
            }
        }
        Ok(seen.finding(&key, &paths, edit))
    }
}

/// The first reply after the first edit that ends the turn as if the work were done: one that says that something is
/// open, or only asks, does not. Nor does a step on the way, unless it declares the whole task finished.
fn closed_at(cx: &Context<'_>, from: usize) -> Option<usize> {
    let ends = closing::turn_ends(cx)
        .filter(|(at, _)| *at > from)
        .find(|(_, text)| matches!(closing::stance(text), Stance::Closes | Stance::Silent));
    let in_passing = cx
        .replies()
        .filter(|(at, message)| *at > from && !message.tool_calls.is_empty())
        .find(|(_, message)| closing::closes_in_passing(&message.content));
    let ends = ends.map(|(at, _)| at);
    let in_passing = in_passing.map(|(at, _)| at);
    ends.into_iter().chain(in_passing).min()
}

#[derive(Default)]
struct Seen {
    whole: Option<crate::verdict::Evidence>,
    covered: Vec<String>,
    /// Files looked into by name, and whether a search looked at all else.
    named: Vec<String>,
    rest: bool,
    late: Option<crate::verdict::Evidence>,
    narrow: Option<crate::verdict::Evidence>,
}

impl Seen {
    fn note(&mut self, search: &Search, paths: &[String], evidence: crate::verdict::Evidence) {
        let all = paths.iter().all(|path| search.covers(path));
        if all && search.is_whole_tree() {
            self.whole.get_or_insert(evidence);
            return;
        }
        // Folders that together hold every file do as well; a list of the files themselves looks nowhere else.
        let by_folder = |path: &&String| search.covers(path) && !search.scopes.contains(path);
        self.covered.extend(paths.iter().filter(by_folder).cloned());
        self.named.extend(paths.iter().filter(|path| search.scopes.contains(path)).cloned());
        self.rest |= search.is_whole_tree() && search.only.is_empty() && search.except.is_empty();
        self.narrow.get_or_insert(evidence);
    }

    fn finding(self, key: &Key, paths: &[String], edit: crate::verdict::Evidence) -> Finding {
        let key = key.text();
        if let Some(evidence) = self.whole {
            return Finding::holds(format!("a search after the last edit finds no `{key}`"), vec![evidence]);
        }
        match (self.narrow, self.late) {
            (Some(evidence), _)
                if paths
                    .iter()
                    .all(|path| self.covered.contains(path) || (self.rest && self.named.contains(path))) =>
            {
                Finding::holds(format!("searches after the last edit find no `{key}`"), vec![evidence])
            }
            (Some(evidence), _) => Finding::fails(
                "the search after the last edit leaves out part of the tree",
                vec![edit, evidence],
            ),
            (None, Some(evidence)) => {
                Finding::fails("the search came after the work had been called done", vec![edit, evidence])
            }
            (None, None) => Finding::fails(
                format!("no search after the last edit shows that `{key}` is gone"),
                vec![edit],
            ),
        }
    }
}

fn says(search: &Search, event: &CallEvent<'_>, key: &Key, calls: &Calls<'_>, place: Place) -> Says {
    let lines = event.lines_of(place.step);
    let alone = event.prints_alone(place.step);
    let marks: HashSet<&str> = match event.steps.len() {
        2..=256 => event.steps.iter().filter_map(Step::said).collect(),
        _ => HashSet::new(),
    };
    // Silence up to a mark that another command prints is still silence of the search.
    let mut certain = lines.iter().all(|line| line.trim().is_empty() || marks.contains(line.trim()));
    if search.output == Output::Quiet {
        certain = false;
    }
    // What is printed only when nothing was found speaks for the search, whatever others print beside it.
    let printed = |texts: &[String]| {
        lines
            .iter()
            .any(|line| texts.iter().any(|text| !text.trim().is_empty() && text.trim() == line.trim()))
    };
    if printed(&search.on_none) && !printed(&search.on_found) && !lines.iter().any(|line| key.is_in(line)) {
        return if lines.iter().any(|line| is_complaint(line)) { Says::Unclear } else { Says::Gone };
    }
    for line in &lines {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        let printed =
            |texts: &[String]| texts.iter().any(|printed| !printed.is_empty() && text == printed.trim());
        if printed(&search.on_none) {
            certain = true;
            continue;
        }
        if printed(&search.on_found) {
            return Says::Left;
        }
        let listed = results::listed(line, &calls.paths);
        let path = listed.as_ref().map(|(path, _)| path.as_str()).unwrap_or_default();
        if path.rsplit('/').next() == Some(STATE_FILE) {
            certain |= search.output == Output::Lines;
            continue;
        }
        if results::says_nothing_found(line) {
            certain = true;
            continue;
        }
        match (search.output, results::count(line)) {
            (_, Some((_, 0))) => certain = true,
            (Output::Counts | Output::Total, Some((_, _))) => return Says::Left,
            (Output::Files, _) if looks_like_path(path) => return Says::Left,
            _ if key.is_in(line) => return Says::Left,
            // A line that shows something else: other steps of the same command line, or the new name.
            (Output::Lines, None) => certain = true,
            // A number that this search does not print is another step's.
            (Output::Lines, Some(_)) if !alone => certain = true,
            _ => {}
        }
    }
    if certain { Says::Gone } else { Says::Unclear }
}

/// Whether the search itself did not run: what is printed for want of a find then means nothing.
fn is_complaint(line: &str) -> bool {
    ["command not found", "No such file", "not a git repository", "unrecognized", "invalid option"]
        .iter()
        .any(|complaint| line.contains(complaint))
}

fn looks_like_path(path: &str) -> bool {
    path.contains(['/', '.']) && !path.contains(char::is_whitespace)
}
