//! Reading the part of a case file that a variant can override: script, tools, workspace, checker, parameters.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::builder::Builder;
use super::fields::{Fields, count_of, text_of};
use super::files;
use super::folder::clean_path;
use super::model::{CheckerRef, Variant};
use super::node::{Kind, Node};
use super::problem::{Problem, Source, suggestion};
use super::script::ScriptReader;
use super::table::{Row, Table, Type, check_name};
use super::{CharterValues, CheckerLookup, Surroundings, table_csv, tools};
use crate::template::ValueTemplate;

/// The keys that a variant can override.
pub(crate) const KEYS: [&str; 10] =
    ["params", "types", "derived", "script", "omit", "tools", "workspace", "files", "checker", "max_steps"];

/// How many requests a reply may make when nothing is said.
const MAX_STEPS: u32 = 30;

/// A variant's keys over the case's.
#[derive(Clone, Copy)]
pub(crate) struct Layers<'n> {
    pub(crate) case: Fields<'n>,
    pub(crate) variant: Option<Fields<'n>>,
}

impl<'n> Layers<'n> {
    /// The variant's value, even an empty one, or else the case's.
    pub(crate) fn get(&self, name: &str) -> Option<&'n Node> {
        match self.variant.filter(|variant| variant.has(name)) {
            Some(variant) => variant.get(name),
            None => self.case.get(name),
        }
    }

    pub(crate) fn source(&self) -> &'n Source {
        self.case.source
    }
}

/// Reads one variant.
pub(crate) fn read(
    builder: &mut Builder<'_>,
    layers: Layers<'_>,
    name: Option<&str>,
    around: &Surroundings<'_>,
) -> Option<Variant> {
    let source = layers.source();
    let charter = around.charter.map(CharterValues::to_json);
    let checker = read_checker(builder, layers, around);
    let max_steps = layers
        .get("max_steps")
        .and_then(|node| count_of(node, source, "`max_steps`", builder.problems))
        .unwrap_or(MAX_STEPS);
    let tools = layers.get("tools").map(|node| tools::read(builder, node, source)).unwrap_or_default();
    let script = layers
        .get("script")
        .map(|node| ScriptReader::read(builder, node, layers.get("omit"), source, max_steps, &tools));
    if script.is_none() {
        builder.problems.add(source.problem(layers.case.start(), "`script` is missing"));
    }
    let workspace = read_workspace(builder, layers);
    let files = files::read(builder, layers);
    let table = read_table(builder, layers);
    let derived = read_derived(builder, layers, table.as_ref().ok());
    let table = match table {
        Ok(table) => table,
        Err(columns) => {
            // Without any column known, every name would be told as unknown for the one real fault.
            if !columns.is_empty() {
                builder.try_names(&columns, &derived);
            }
            return None;
        }
    };
    builder.try_all(&table, &derived, charter.as_ref());
    Some(Variant {
        name: name.map(str::to_owned),
        script: script?,
        tools,
        workspace,
        files,
        derived,
        checker: checker?,
        table: Arc::new(table),
        charter,
    })
}

fn read_checker(
    builder: &mut Builder<'_>,
    layers: Layers<'_>,
    around: &Surroundings<'_>,
) -> Option<CheckerRef> {
    let source = layers.source();
    let Some(node) = layers.get("checker") else {
        // An empty `checker:` in a variant takes the case's away.
        let place = layers.variant.filter(|variant| variant.has("checker")).unwrap_or(layers.case);
        let problem = source.problem(place.start(), "the case has no checker");
        builder
            .problems
            .add(problem.help("`checker: name@1`; a case that nobody judges would always be green"));
        return None;
    };
    let text = text_of(node, source, "`checker`", builder.problems)?;
    let parsed = text.split_once('@').and_then(|(name, version)| {
        let plain = !version.starts_with('0') && version.bytes().all(|byte| byte.is_ascii_digit());
        let version = version.parse().ok().filter(|_| plain && is_kebab(name))?;
        Some(CheckerRef { name: name.to_owned(), version })
    });
    let Some(checker) = parsed else {
        let problem = source.problem(node.span.clone(), format!("`{text}` is not a checker and its version"));
        builder.problems.add(problem.help("write `name@version`, such as `percentage-trap@1`"));
        return None;
    };
    if let Some(problem) = absent(&checker, source.problem(node.span.clone(), ""), around) {
        builder.problems.add(problem);
    }
    Some(checker)
}

/// The problem of a checker that is not there.
fn absent(checker: &CheckerRef, place: Problem, around: &Surroundings<'_>) -> Option<Problem> {
    let CheckerRef { name, version } = checker;
    match (around.checkers)(name, *version) {
        CheckerLookup::Found => None,
        CheckerLookup::UnknownName(known) => {
            let problem = place.says(format!("there is no checker `{name}`"));
            Some(problem.help(suggestion(name, known.iter().map(String::as_str))))
        }
        CheckerLookup::UnknownVersion(known) => {
            let problem = place.says(format!("the checker `{name}` has no version {version}"));
            let known: Vec<_> = known.iter().map(|version| format!("`{name}@{version}`")).collect();
            Some(problem.help(format!("known: {}", known.join(", "))))
        }
    }
}

/// Lower-case words joined by single hyphens.
pub(crate) fn is_kebab(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn read_workspace(builder: &mut Builder<'_>, layers: Layers<'_>) -> BTreeMap<String, Arc<[u8]>> {
    let source = layers.source();
    let Some(node) = layers.get("workspace") else { return BTreeMap::new() };
    let Some(path) = text_of(node, source, "`workspace`", builder.problems) else { return BTreeMap::new() };
    builder.folder.tree(path).unwrap_or_else(|why| {
        builder.problems.add(source.problem(node.span.clone(), format!("`workspace`: `{path}` {why}")));
        BTreeMap::new()
    })
}

/// The table, or else the columns that could be read of it.
fn read_table(builder: &mut Builder<'_>, layers: Layers<'_>) -> Result<Table, Vec<String>> {
    let source = layers.source();
    let types = read_types(builder, layers);
    let Some(node) = layers.get("params") else {
        return Ok(Table::without_parameters());
    };
    let declared = types.iter().map(|(name, (kind, _))| (name.clone(), *kind)).collect();
    let table = match &node.kind {
        Kind::List(rows) => read_rows(builder, rows, node, &declared, source),
        _ => {
            let file = builder.file(node, source, "`params`").ok_or_else(Vec::new)?;
            let path = node.text().and_then(|path| clean_path(path).ok());
            table_csv::read(&file, &declared, builder.problems).map(|table| Table { file: path, ..table })
        }
    }?;
    let places = types.iter().map(|(name, (_, span))| (name.as_str(), span.clone()));
    table_csv::check_types(places, &table, source, builder.problems);
    Ok(table)
}

fn read_types(builder: &mut Builder<'_>, layers: Layers<'_>) -> BTreeMap<String, (Type, Range<usize>)> {
    let source = layers.source();
    let Some(node) = layers.get("types") else { return BTreeMap::new() };
    let Some(fields) = Fields::open(node, source, "`types`", builder.problems) else {
        return BTreeMap::new();
    };
    let mut types = BTreeMap::new();
    for (key, value) in fields.iter() {
        let Some(name) = text_of(value, source, "a type", builder.problems) else { continue };
        match Type::named(name) {
            Some(kind) => {
                types.insert(key.name.clone(), (kind, key.span.clone()));
            }
            None => {
                let problem = source.problem(value.span.clone(), format!("unknown type `{name}`"));
                builder.problems.add(problem.help(suggestion(name, Type::NAMES)));
            }
        }
    }
    types
}

fn read_rows(
    builder: &mut Builder<'_>,
    nodes: &[Node],
    list: &Node,
    types: &BTreeMap<String, Type>,
    source: &Source,
) -> Result<Table, Vec<String>> {
    let before = builder.problems.told();
    let mut table = Table { rows: Vec::new(), declared: true, file: None, lines: Vec::new() };
    for node in nodes {
        let Some(fields) = Fields::open(node, source, "a row", builder.problems) else { continue };
        let mut row = Row::new();
        for (key, value) in fields.iter() {
            check_name(&key.name, key.span.clone(), source, builder.problems);
            let value_json = value.to_json();
            if let Some(kind) = types.get(&key.name).filter(|kind| !kind.holds(&value_json)) {
                let message = format!("`{}` must be {}, not {}", key.name, kind.article(), value.describe());
                builder.problems.add(source.problem(value.span.clone(), message));
            }
            row.insert(key.name.clone(), value_json);
        }
        if let Some(first) = table.rows.first() {
            let lacks =
                first.keys().find(|name| !row.contains_key(*name)).map(|name| format!("lacks `{name}`"));
            let adds =
                || row.keys().find(|name| !first.contains_key(*name)).map(|name| format!("adds `{name}`"));
            if let Some(differs) = lacks.or_else(adds) {
                let problem = source.problem(fields.start(), format!("this row {differs}"));
                builder.problems.add(problem.help("every row has the parameters of the first"));
            }
        }
        table.lines.push(source.place(node.span.start).0);
        table.rows.push(row);
    }
    if nodes.is_empty() {
        builder.problems.add(source.problem(list.span.clone(), "the table has no rows"));
    }
    let columns = || table.rows.first().map(|row| row.keys().cloned().collect()).unwrap_or_default();
    if builder.problems.told() == before { Ok(table) } else { Err(columns()) }
}

fn read_derived(
    builder: &mut Builder<'_>,
    layers: Layers<'_>,
    table: Option<&Table>,
) -> Vec<(String, ValueTemplate)> {
    let source = layers.source();
    let Some(node) = layers.get("derived") else { return Vec::new() };
    let Some(fields) = Fields::open(node, source, "`derived`", builder.problems) else { return Vec::new() };
    let columns = table.and_then(|table| table.rows.first());
    let mut derived = Vec::new();
    for (key, value) in fields.iter() {
        check_name(&key.name, key.span.clone(), source, builder.problems);
        if columns.is_some_and(|row| row.contains_key(&key.name)) {
            let message = format!("`{}` is a column of the table already", key.name);
            builder.problems.add(source.problem(key.span.clone(), message));
        }
        builder.deriving = Some(key.name.clone());
        derived.extend(builder.value(value, source).map(|template| (key.name.clone(), template)));
        builder.deriving = None;
    }
    derived
}
