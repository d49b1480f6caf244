//! `assize lint --base REF`: what a change may not do to cases, checkers and the registry.
//!
//! - A released definition stays as it was, and so does each of its controls; more controls may be added.
//! - A case whose tools, variants or parameters changed is judged by another version of its checker than before.
//! - A new failure mode comes with one case and one registry row, in the same change; rows are never taken away.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use harness::project::Project;
use serde_json::Value;

use super::lint::Finding;

/// The keys of a case that say what it requires; the words of its script are not among them.
const REQUIRING: [&str; 5] = ["tools", "variants", "types", "derived", "omit"];
/// The keys whose change is worth a second look.
const TELLING: [&str; 3] = ["script", "workspace", "files"];

/// What the change since `base` does that it may not.
pub(crate) fn differences(project: &Project, base: &str) -> anyhow::Result<Vec<Finding>> {
    let tree = Tree::at(&project.root, base)?;
    let mut findings = Vec::new();
    definitions(&tree, &mut findings)?;
    cases(&tree, &mut findings)?;
    registries(&tree, &mut findings)?;
    Ok(findings)
}

/// The project's files at a commit.
struct Tree<'a> {
    root: &'a Path,
    base: &'a str,
    paths: Vec<String>,
}

impl<'a> Tree<'a> {
    fn at(root: &'a Path, base: &'a str) -> anyhow::Result<Self> {
        let listed = git(root, &["ls-tree", "-r", "-z", "--name-only", base, "."]).with_context(|| {
            format!("--base {base} cannot be read; name a commit, branch or tag of this checkout")
        })?;
        let paths = listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
        Ok(Self { root, base, paths })
    }

    fn then(&self, path: &str) -> anyhow::Result<String> {
        git(self.root, &["show", &format!("{}:./{path}", self.base)])
    }

    fn now(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    fn named<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t String> {
        self.paths.iter().filter(move |path| path.rsplit('/').next() == Some(name))
    }
}

fn git(root: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = harness::git::command(root).args(arguments).output().context("git cannot be started")?;
    anyhow::ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn definitions(tree: &Tree<'_>, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
    for controls in tree.paths.iter().filter(|path| path.ends_with(".controls.jsonl")) {
        let definition = controls.replace(".controls.jsonl", ".yaml");
        if !tree.paths.contains(&definition) {
            continue;
        }
        match tree.now(&definition) {
            Some(now) if now == tree.then(&definition)? => {}
            Some(_) => findings.push(Finding::error(format!(
                "{definition} was released and has changed; put it back and write a new version beside it"
            ))),
            None => findings.push(Finding::error(format!(
                "{definition} was released and is gone; old versions stay, so that recorded runs can be judged again"
            ))),
        }
        let now = tree.now(controls).unwrap_or_default();
        let now: BTreeSet<&str> = now.lines().collect();
        let then = tree.then(controls)?;
        let lost = then.lines().filter(|line| !now.contains(line)).count();
        if lost > 0 {
            findings.push(Finding::error(format!(
                "{controls}: {lost} controls were changed or taken out; controls may only be added"
            )));
        }
    }
    Ok(())
}

fn cases(tree: &Tree<'_>, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
    for path in tree.named("case.yaml") {
        let Some(now) = tree.now(path) else { continue };
        let then = tree.then(path)?;
        let (then, now) = (yaml(&then, path)?, yaml(&now, path)?);
        if then["checker"] != now["checker"] {
            continue;
        }
        let changed = |keys: &[&str]| {
            keys.iter().filter(|key| then[**key] != now[**key]).copied().collect::<Vec<_>>().join(", ")
        };
        let checker = now["checker"].as_str().unwrap_or("its checker");
        let mut requiring = changed(&REQUIRING);
        if header(tree, path, &now, false)? != header(tree, path, &then, true)? {
            requiring = format!("{requiring} the table's columns").trim().to_owned();
        }
        if !requiring.is_empty() {
            findings.push(Finding::error(format!(
                "{path}: {requiring} changed, but it is still judged by {checker}; what it requires goes into a new version"
            )));
        }
        let telling = changed(&TELLING);
        if !telling.is_empty() {
            findings.push(Finding::warning(format!(
                "{path}: {telling} changed; if that changes what is required, {checker} needs a new version"
            )));
        }
    }
    Ok(())
}

/// The columns of a case's table.
fn header(tree: &Tree<'_>, case: &str, content: &Value, then: bool) -> anyhow::Result<Option<String>> {
    let Some(table) = content["params"].as_str() else { return Ok(None) };
    let path = Path::new(case).with_file_name(table).display().to_string().replace('\\', "/");
    let text = if then { tree.then(&path).ok() } else { tree.now(&path) };
    Ok(text.and_then(|text| text.lines().next().map(str::to_owned)))
}

fn yaml(text: &str, path: &str) -> anyhow::Result<Value> {
    serde_yaml::from_str(text).map_err(|error| anyhow::anyhow!("{path}: {}", error.render()))
}

fn registries(tree: &Tree<'_>, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
    let new_cases = new_cases(tree)?;
    for path in tree.named("registry.csv") {
        let Some(now) = tree.now(path) else {
            findings.push(Finding::error(format!("{path} is gone")));
            continue;
        };
        let (then, now) = (modes(&tree.then(path)?), modes(&now));
        for gone in then.difference(&now) {
            findings.push(Finding::error(format!(
                "{path}: the row `{gone}` was taken out; rows are never taken away"
            )));
        }
        for new in now.difference(&then) {
            match new_cases.iter().filter(|(_, modes)| modes.contains(new)).count() {
                1 => {}
                0 => findings.push(Finding::error(format!(
                    "{path}: the new failure mode `{new}` brings no case with it"
                ))),
                many => findings.push(Finding::error(format!(
                    "{path}: the new failure mode `{new}` brings {many} cases with it; one is the rule"
                ))),
            }
        }
    }
    Ok(())
}

/// The failure modes that a registry lists.
fn modes(text: &str) -> BTreeSet<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().filter_map(|row| Some(row.ok()?.get(0)?.to_owned())).collect()
}

/// The cases that were not there, and the failure modes they name.
fn new_cases(tree: &Tree<'_>) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let then: BTreeSet<&String> = tree.named("case.yaml").collect();
    let tracked = git(tree.root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard", "."])?;
    let mut found = BTreeMap::new();
    for path in tracked.split('\0').filter(|path| path.rsplit('/').next() == Some("case.yaml")) {
        if then.contains(&path.to_owned()) {
            continue;
        }
        let Some(text) = tree.now(path) else { continue };
        let modes = yaml(&text, path)?["failure_modes"]
            .as_array()
            .map(|modes| modes.iter().filter_map(|mode| mode.as_str().map(str::to_owned)).collect())
            .unwrap_or_default();
        found.insert(path.to_owned(), modes);
    }
    Ok(found)
}
