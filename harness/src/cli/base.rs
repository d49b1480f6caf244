//! `assize lint --base REF`: what a change may not do to cases, checkers and the registry.
//!
//! - A released definition stays as it was, and so does each of its controls; more controls may be added.
//! - A case whose tools, variants or parameters changed is judged by a higher version of its checker than before, and no
//!   case goes to another checker. Cases are known by their ids, wherever their folders lie.
//! - A new failure mode comes with one case and one registry row, in the same change; rows are never taken away.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use harness::audit::change;
use harness::audit::commit::{AtCommit, CommitError};
use harness::git::tree::{Blob, BlobKind, Found, joined};
use harness::git::{self, Named, Tree};
use harness::project::Project;
use harness::sitting::material::Material;
use serde_json::Value;

use super::lint::Finding;

/// The keys of a case that say what it requires; the words of its script are not among them.
const REQUIRING: [&str; 5] = ["tools", "variants", "types", "derived", "omit"];

/// What the change since `base` does that it may not.
pub(crate) fn differences(project: &Project, base: &str) -> anyhow::Result<Vec<Finding>> {
    let tree = Sides::at(&project.root, base)?;
    let mut findings = Vec::new();
    definitions(&tree, &mut findings)?;
    cases(&tree, &mut findings)?;
    registries(&tree, &mut findings)?;
    Ok(findings)
}

/// What the change since `base` does to the examination that was there.
pub(crate) fn examination(material: &Material, base: &str) -> anyhow::Result<Vec<Finding>> {
    let at_base = match AtCommit::read(&material.project.root, &Named::Revision(base.to_owned())) {
        Ok(at_base) => at_base,
        Err(error @ CommitError::Project { .. }) => return Ok(vec![Finding::warning(error.to_string())]),
        Err(error) => return Err(error.into()),
    };
    let found = change::examination(&at_base, material)?;
    let advice = "if that changes what is required, its checker needs a new version";
    let edits = found.edits.into_iter().map(|edit| Finding::warning(format!("{edit}; {advice}")));
    let findings = found.findings.iter().map(|finding| Finding::error(finding.to_string()));
    Ok(findings.chain(edits).collect())
}

/// The project's files as they are, and as they were at a commit.
struct Sides<'a> {
    root: &'a Path,
    tree: RefCell<Tree>,
    /// The files of the commit, by their paths from the project's folder.
    then: BTreeMap<String, Blob>,
}

impl<'a> Sides<'a> {
    fn at(root: &'a Path, base: &str) -> anyhow::Result<Self> {
        let mut tree = Tree::at(root, &Named::Revision(base.to_owned())).with_context(|| {
            format!("--base {base} cannot be read; name a commit, branch or tag of this checkout")
        })?;
        let folder = tree.project().join("/");
        let then = match tree.find(&folder)? {
            Found::Folder(hash) => tree.below(&hash, &folder)?,
            _ => BTreeMap::new(),
        };
        Ok(Self { root, tree: RefCell::new(tree), then })
    }

    fn paths(&self) -> impl Iterator<Item = &String> {
        self.then.keys()
    }

    /// The text of a file of the commit.
    fn then(&self, path: &str) -> anyhow::Result<String> {
        let missing = || format!("{path} is not in the base, or is a link to nowhere");
        let mut tree = self.tree.borrow_mut();
        let mut blob = self.then.get(path).with_context(missing)?.clone();
        if blob.kind == BlobKind::Link {
            let whole = joined(&tree.project().join("/"), path);
            let Found::File(target) = tree.find(&whole)? else { anyhow::bail!(missing()) };
            blob = target;
        }
        let bytes = tree.read(&blob, path)?;
        String::from_utf8(bytes)
            .map_err(|_| anyhow::anyhow!("{path}, as it is in the base, is not valid UTF-8"))
    }

    /// The text of a file as it is now, if there is one.
    fn now(&self, path: &str) -> anyhow::Result<Option<String>> {
        match fs::read_to_string(self.root.join(path)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{path} cannot be read")),
        }
    }

    fn named<'t>(&'t self, name: &'t str) -> impl Iterator<Item = &'t String> {
        self.paths().filter(move |path| path.rsplit('/').next() == Some(name))
    }
}

fn definitions(tree: &Sides<'_>, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
    for controls in tree.paths().filter(|path| path.ends_with(".controls.jsonl")) {
        let written = ["yaml", "yml"].map(|ending| controls.replace("controls.jsonl", ending));
        let Some(definition) = written.into_iter().find(|path| tree.then.contains_key(path)) else {
            continue;
        };
        match tree.now(&definition)? {
            Some(now) if now == tree.then(&definition)? => {}
            Some(_) => findings.push(Finding::error(format!(
                "{definition} was released and has changed; put it back and write a new version beside it"
            ))),
            None => findings.push(Finding::error(format!(
                "{definition} was released and is gone; old versions stay, so that recorded runs can be judged again"
            ))),
        }
        let now = tree.now(controls)?.unwrap_or_default();
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

fn cases(tree: &Sides<'_>, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
    let (then, now) = (cases_then(tree)?, cases_now(tree)?);
    for (path, before) in &then {
        let id = id(before, path);
        // Folders may move; what a case is called by is its id. Where trees share an id, each keeps its own case.
        let stayed = now.iter().filter(|(at, case)| *at == path && self::id(case, at) == id);
        let moved = now.iter().filter(|(at, case)| {
            self::id(case, at) == id && then.get(*at).is_none_or(|there| self::id(there, at) != id)
        });
        let stayed: Vec<_> = stayed.collect();
        let found = if stayed.is_empty() { moved.collect() } else { stayed };
        for (at, after) in found {
            findings.extend(judged_otherwise(at, before, after));
            findings.extend(requires_otherwise(tree, (path, before), (at, after)));
        }
    }
    Ok(())
}

/// What a case is called by, wherever it lies.
fn id<'c>(case: &'c Value, path: &'c str) -> &'c str {
    case["id"].as_str().unwrap_or(path)
}

/// The judges of a case, by its variants; without a name, the one that the case itself names.
fn judges(case: &Value) -> BTreeMap<Option<&str>, &str> {
    let own = case["checker"].as_str();
    let variants = case["variants"].as_object().into_iter().flatten();
    let of_variants = variants
        .filter_map(|(name, variant)| Some((Some(name.as_str()), variant["checker"].as_str().or(own)?)));
    own.map(|checker| (None, checker)).into_iter().chain(of_variants).collect()
}

/// Whether `now` is a higher version of the checker `then`.
fn is_higher(then: &str, now: &str) -> bool {
    let parted = |checker: &str| {
        let (name, version) = checker.split_once('@')?;
        Some((name.to_owned(), version.parse::<u32>().ok()?))
    };
    parted(then).zip(parted(now)).is_some_and(|(then, now)| then.0 == now.0 && then.1 < now.1)
}

/// Judges that were exchanged for others than a higher version of themselves.
fn judged_otherwise(path: &str, before: &Value, after: &Value) -> Vec<Finding> {
    let now = judges(after);
    judges(before)
        .into_iter()
        .filter_map(|(variant, then)| Some((variant, then, *now.get(&variant)?)))
        .filter(|(_, then, now)| then != now && !is_higher(then, now))
        .map(|(variant, then, now)| {
            let variant = variant.map(|name| format!("variant {name}: ")).unwrap_or_default();
            Finding::error(format!(
                "{path}: {variant}{then} judged it, and now {now} does; a case only goes on to a higher version of the checker that judged it"
            ))
        })
        .collect()
}

/// What a case requires otherwise than before, though no new version judges it.
fn requires_otherwise(
    tree: &Sides<'_>,
    (path, before): (&str, &Value),
    (at, after): (&str, &Value),
) -> Vec<Finding> {
    let (then_judges, now_judges) = (judges(before), judges(after));
    let mut kept = then_judges.iter().filter_map(|(variant, then)| Some((*then, *now_judges.get(variant)?)));
    if kept.clone().next().is_some() && kept.all(|(then, now)| is_higher(then, now)) {
        return Vec::new();
    }
    // Who judges a variant is looked at by itself.
    let (before, after) = (without_judges(before), without_judges(after));
    let changed = |keys: &[&str]| {
        keys.iter().filter(|key| before[**key] != after[**key]).copied().collect::<Vec<_>>().join(", ")
    };
    let checker = after["checker"].as_str().unwrap_or("its checker");
    let mut requiring = changed(&REQUIRING);
    if header(&after, at, |table| tree.now(table).ok()?)
        != header(&before, path, |table| tree.then(table).ok())
    {
        requiring = format!("{requiring} the table's columns").trim().to_owned();
    }
    if requiring.is_empty() {
        return Vec::new();
    }
    vec![Finding::error(format!(
        "{at}: {requiring} changed, but it is still judged by {checker}; what it requires goes into a new version"
    ))]
}

/// A case whose variants do not say who judges them.
fn without_judges(case: &Value) -> Value {
    let mut case = case.clone();
    let variants = case.get_mut("variants").and_then(Value::as_object_mut).into_iter().flatten();
    for variant in variants.filter_map(|(_, variant)| variant.as_object_mut()) {
        variant.remove("checker");
    }
    case
}

/// The columns of a case's table, from the case itself or from its file.
fn header(case: &Value, path: &str, read: impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(row) = case["params"].as_array().and_then(|rows| rows.first()?.as_object()) {
        return Some(row.keys().map(String::as_str).collect::<Vec<_>>().join(","));
    }
    let table = case["params"].as_str()?;
    let path = Path::new(path).with_file_name(table).display().to_string().replace('\\', "/");
    read(&path).and_then(|text| text.lines().next().map(str::to_owned))
}

fn yaml(text: &str, path: &str) -> anyhow::Result<Value> {
    serde_yaml::from_str(text).map_err(|error| anyhow::anyhow!("{path}: {}", error.render()))
}

fn registries(tree: &Sides<'_>, findings: &mut Vec<Finding>) -> anyhow::Result<()> {
    let new_cases = new_cases(tree)?;
    for path in tree.named("registry.csv") {
        let Some(now) = tree.now(path)? else {
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

/// The cases of the base, by their files.
fn cases_then(tree: &Sides<'_>) -> anyhow::Result<BTreeMap<String, Value>> {
    tree.named("case.yaml").map(|path| Ok((path.clone(), yaml(&tree.then(path)?, path)?))).collect()
}

/// The cases as they are now, by their files.
fn cases_now(tree: &Sides<'_>) -> anyhow::Result<BTreeMap<String, Value>> {
    let paths =
        git::known(tree.root)?.into_iter().filter(|path| path.rsplit('/').next() == Some("case.yaml"));
    paths
        .filter_map(|path| tree.now(&path).transpose().map(|text| (path, text)))
        .map(|(path, text)| yaml(&text?, &path).map(|case| (path, case)))
        .collect()
}

/// The cases that were not there, and the failure modes they name.
fn new_cases(tree: &Sides<'_>) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let then = cases_then(tree)?;
    let known: BTreeSet<&str> = then.iter().map(|(path, case)| id(case, path)).collect();
    let now = cases_now(tree)?;
    let new = now.iter().filter(|(path, case)| !then.contains_key(*path) && !known.contains(id(case, path)));
    let modes = |case: &Value| {
        let modes = case["failure_modes"].as_array().into_iter().flatten();
        modes.filter_map(|mode| mode.as_str().map(str::to_owned)).collect()
    };
    Ok(new.map(|(path, case)| (path.clone(), modes(case))).collect())
}
