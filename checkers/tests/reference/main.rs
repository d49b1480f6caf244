//! The predicates' reference, docs/predicates.md: put together from the module comments, every example in it tried.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod page;
mod tried;

#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use checkers::predicates::Predicate;
use page::Page;

/// All module comments below `src/predicates` that document something users write, predicates first.
fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> =
        files(&source("src/predicates")).iter().filter_map(|file| Page::read(file)).collect();
    pages.sort_by(|one, two| (one.is_form(), one.names()).cmp(&(two.is_form(), two.names())));
    pages
}

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    folders.iter().flat_map(|folder| self::files(folder)).chain(files).collect()
}

#[test]
fn every_predicate_has_a_page_and_every_page_a_predicate() {
    let mut documented: Vec<String> =
        pages().iter().filter(|page| !page.is_form()).flat_map(|page| page.names().to_vec()).collect();
    documented.sort();
    let mut known: Vec<String> = Predicate::names().collect();
    known.sort();
    assert_eq!(documented, known);
}

#[test]
fn pages_say_what_is_read_proved_and_not_proved() {
    let wrong: Vec<String> = pages().iter().flat_map(Page::faults).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_pass_and_fail_as_they_say() {
    let mut wrong = Vec::new();
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for page in pages() {
        for example in &page.examples {
            let outcome = tried::try_out(example).unwrap_or_else(|error| vec![error]);
            wrong.extend(outcome.into_iter().map(|fault| format!("{}: {fault}", page.file)));
            *tried.entry(example.predicate()).or_default() += 1;
        }
    }
    assert!(wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
    let untried: Vec<String> = Predicate::names().filter(|name| !tried.contains_key(name)).collect();
    assert!(untried.is_empty(), "without an example: {untried:?}");
}

#[test]
fn the_reference_is_in_step() {
    let pages = pages();
    let mut text = String::from("\n| predicate | asks |\n|---|---|\n");
    for page in pages.iter().filter(|page| !page.is_form()) {
        writeln!(text, "| {} | {} |", page.links(), page.summary).unwrap();
    }
    for page in &pages {
        write!(text, "\n{}", page.markdown()).unwrap();
    }
    text.push('\n');
    support::keep_in_step("predicates.md", "reference", &text);
}

#[test]
fn the_overview_names_every_predicate() {
    let overview = fs::read_to_string(source("../docs/checkers.md")).unwrap();
    let missing: Vec<String> =
        Predicate::names().filter(|name| !overview.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/checkers.md does not name {missing:?}");
}
