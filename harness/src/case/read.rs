//! Reading one case file: what identifies a case, what it binds to, and its variants.

use std::path::Path;
use std::sync::Arc;

use super::builder::Builder;
use super::fields::Fields;
use super::folder::Folder;
use super::model::{Case, CaseKind, Variant};
use super::node::Node;
use super::problem::{Problem, Problems, suggestion};
use super::registry::Registry;
use super::script::texts_of;
use super::variant::{self, Layers, is_kebab};
use super::{CASE_FILE, Surroundings, said};

/// A case, and where its id and name stand, for what is said when another has the same.
pub(crate) struct Read {
    pub(crate) case: Option<Case>,
    pub(crate) identity: Vec<(&'static str, String, Problem)>,
}

/// Reads the case in `dir`.
pub(crate) fn case(
    dir: &Path,
    registry: &Registry,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Read {
    let mut read = Read { case: None, identity: Vec::new() };
    let folder = Folder::read(dir, problems);
    let source = match folder.source(CASE_FILE) {
        Ok(source) => source,
        Err(why) => {
            problems.add(why.of(dir.join(CASE_FILE)));
            return read;
        }
    };
    let Some(root) = Node::parse(&source, problems) else { return read };
    let known = ["id", "name", "kind", "binds", "failure_modes", "shows", "variants"];
    let known = [&known[..], &variant::KEYS[..]].concat();
    let Some(fields) = Fields::read(&root, &source, "a case", &known, problems) else { return read };
    let id = identity(&fields, "id", is_id, "letters, digits and hyphens, such as `E1`", &mut read, problems);
    let name =
        identity(&fields, "name", is_kebab, "words in lower case joined by hyphens", &mut read, problems);
    let kind = kind(&fields, problems);
    let shows = fields.required_text("shows", problems).map(|(text, _)| text.to_owned());
    let binds = binds(&fields, around, problems);
    let failure_modes = failure_modes(&fields, registry, problems);
    let variants = variants(&fields, &folder, around, problems);
    read.case = (|| {
        Some(Case {
            id: id?,
            name: name?,
            kind: kind?,
            binds,
            failure_modes,
            shows: shows?,
            dir: dir.to_owned(),
            variants,
            digest: folder.digest(),
            folder: Arc::new(folder),
            said: said::by_key(&fields),
        })
    })();
    read
}

fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn identity(
    fields: &Fields<'_>,
    key: &'static str,
    well_formed: fn(&str) -> bool,
    rule: &str,
    read: &mut Read,
    problems: &mut Problems,
) -> Option<String> {
    let (text, node) = fields.required_text(key, problems)?;
    if !well_formed(text) {
        let problem = fields.source.problem(node.span.clone(), format!("`{text}` cannot be a case's {key}"));
        problems.add(problem.help(rule));
        return None;
    }
    let twice = fields.source.problem(node.span.clone(), format!("another case has the {key} `{text}`"));
    read.identity.push((key, text.to_owned(), twice));
    Some(text.to_owned())
}

fn kind(fields: &Fields<'_>, problems: &mut Problems) -> Option<CaseKind> {
    let (text, node) = fields.required_text("kind", problems)?;
    let kind = CaseKind::named(text);
    if kind.is_none() {
        let problem = fields.source.problem(node.span.clone(), format!("unknown kind `{text}`"));
        problems.add(problem.help(suggestion(text, ["happy", "redline"])));
    }
    kind
}

fn binds(fields: &Fields<'_>, around: &Surroundings<'_>, problems: &mut Problems) -> Vec<String> {
    let Some(node) = fields.get("binds") else { return Vec::new() };
    let mut binds = Vec::new();
    for (text, place) in texts_of(node, fields.source, "`binds`", problems) {
        if !around.binds.contains(text) {
            let problem =
                fields.source.problem(place.span.clone(), format!("`{text}` is no clause of the charter"));
            problems.add(problem.help(suggestion(text, around.binds.iter().map(String::as_str))));
        }
        binds.push(text.to_owned());
    }
    binds
}

fn failure_modes(fields: &Fields<'_>, registry: &Registry, problems: &mut Problems) -> Vec<String> {
    let Some(node) = fields.get("failure_modes") else { return Vec::new() };
    let mut modes = Vec::new();
    for (text, place) in texts_of(node, fields.source, "`failure_modes`", problems) {
        if registry.mode(text).is_none() {
            let problem = fields.source.problem(place.span.clone(), format!("unknown failure mode `{text}`"));
            problems.add(problem.help(suggestion(text, registry.modes.iter().map(|mode| mode.id.as_str()))));
        }
        modes.push(text.to_owned());
    }
    modes
}

pub(crate) fn variants(
    fields: &Fields<'_>,
    folder: &Folder,
    around: &Surroundings<'_>,
    problems: &mut Problems,
) -> Vec<Variant> {
    let read = |layers: Layers<'_>, name: Option<&str>, problems: &mut Problems| {
        variant::read(&mut Builder::new(folder, problems), layers, name, around)
    };
    let Some(node) = fields.get("variants") else {
        return read(Layers { case: *fields, variant: None }, None, problems).into_iter().collect();
    };
    let source = fields.source;
    let Some(named) = Fields::open(node, source, "`variants`", problems) else { return Vec::new() };
    let mut variants = Vec::new();
    for (key, node) in named.iter() {
        if key.name.is_empty() || !key.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            let problem =
                source.problem(key.span.clone(), format!("`{}` cannot be a variant's name", key.name));
            problems.add(problem.help("letters, digits and hyphens"));
        }
        // A variant may change nothing, but then it is written as `{}`.
        let Some(over) = Fields::read(node, source, "a variant", &variant::KEYS, problems) else { continue };
        variants.extend(read(Layers { case: *fields, variant: Some(over) }, Some(&key.name), problems));
    }
    if named.iter().next().is_none() {
        problems.add(source.problem(node.span.clone(), "`variants` is empty"));
    }
    variants
}
