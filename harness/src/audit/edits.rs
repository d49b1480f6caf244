//! What a change does to an examination that was there: to cases, static fixtures, and whatever judges lies beside. Not a
//! list of keys decides but the bytes that were loaded at both ends, so that nothing can be forgotten.
//!
//! What may come is only more: new cases, new rows at the end of a table, new checkers. Remarks in a case's file, and where
//! its rows are written, make no difference.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use checkers::Checker;
use reports::words::counted;
use reports::{Finding, Rule};

use super::AuditError;
use crate::case::digest::sha256;
use crate::case::{Case, Content, Fixture, Instance, Variant};
use crate::sitting::material::{Material, files_below};
use crate::sitting::planning::{PlanError, shown};

/// The file that `assize lock` adds checkers to.
const LOCK: &str = "checkers.lock";

/// What differs.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// What is not as it was.
    pub(super) changed: Vec<Finding>,
    /// What came to what was there, and takes nothing away.
    pub(super) added: Vec<String>,
    /// Judges that are not what they were under the same name, which no change may do.
    pub(super) swapped: Vec<Finding>,
}

/// Holds the examination of `head` against that of `before`.
///
/// # Errors
/// When a folder of checkers cannot be read again.
pub(super) fn between(before: &Material, head: &Material) -> Result<Edits, AuditError> {
    let mut edits = Edits::default();
    for then in before.cases() {
        if let Some(now) = head.cases().find(|now| now.id == then.id) {
            case((before, then), (head, now), &mut edits);
        }
    }
    for then in &before.fixtures.all {
        fixture((before, then), head, &mut edits);
    }
    programs(before, head, &mut edits)?;
    edits.swapped = swapped(before, head);
    Ok(edits)
}

/// Checkers of the project that lie elsewhere now and have another text under the same name and version, or fewer
/// controls. Of files that are edited where they lie, `--base` tells by their paths; those that a fixture brings along are
/// part of the fixture.
fn swapped(before: &Material, head: &Material) -> Vec<Finding> {
    let own = |checker: &&Checker| {
        before.project.checkers.iter().any(|folder| Path::new(&checker.file).starts_with(folder))
    };
    let mut swapped = Vec::new();
    for then in before.library.iter().filter(own) {
        let Some(now) = head.library.iter().find(|now| now.label() == then.label()) else { continue };
        let (was, is) = (Path::new(&then.file), Path::new(&now.file));
        if shown(&before.project.root, was) == shown(&head.project.root, is) {
            continue;
        }
        let kept: BTreeSet<&str> = now.controls_text.lines().collect();
        let lost = then.controls_text.lines().filter(|control| !kept.contains(control)).count();
        let message = if then.sha256 != now.sha256 {
            format!("{} is another checker than it was; put it back and write a new version", then.label())
        } else if lost > 0 {
            format!(
                "{lost} controls of {} were changed or taken out; controls may only be added",
                then.label()
            )
        } else {
            continue;
        };
        swapped.push(Finding::new(Rule::Change, message).of(shown(&head.project.root, is)));
    }
    swapped
}

/// A file of a folder at one end: how it is called, and what it holds.
type Side<'f> = Option<&'f [u8]>;

/// A case that is at both ends.
fn case((before, then): (&Material, &Case), (head, now): (&Material, &Case), edits: &mut Edits) {
    let (old, new) = (then.folder.files(), now.folder.files());
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let more = more_rows(then, now);
    let tables: BTreeSet<&str> = [then, now].into_iter().flat_map(tables).collect();
    for path in paths {
        let sides = (old.get(path).map(AsRef::as_ref), new.get(path).map(AsRef::as_ref));
        if sides.0 == sides.1 {
            continue;
        }
        let own = path == then.file() && path == now.file();
        let keys = if own { keys(then, now) } else { Vec::new() };
        let rows_only = if own { keys.is_empty() } else { tables.contains(path.as_str()) };
        if more.is_some() && rows_only {
            continue;
        }
        let what = match keys.as_slice() {
            [] => String::new(),
            keys => format!(" ({} changed)", keys.join(", ")),
        };
        let place = match sides.1 {
            Some(_) => shown(&head.project.root, &now.dir.join(path)),
            None => shown(&before.project.root, &then.dir.join(path)),
        };
        edits.changed.push(differs(&format!("case {}{what}", then.id), &place, sides));
    }
    edits.added.extend(
        more.filter(|more| !more.is_empty()).map(|more| format!("case {}: {}", then.id, more.join(", "))),
    );
}

/// The keys of the case's own file under which it says something else.
fn keys<'c>(then: &'c Case, now: &'c Case) -> Vec<&'c str> {
    let of = |case: &'c Case| -> BTreeMap<&'c str, &'c str> {
        case.said.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
    };
    let (old, new) = (of(then), of(now));
    let all: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    all.into_iter().filter(|key| old.get(key) != new.get(key)).collect()
}

/// The files that hold the case's rows.
fn tables(case: &Case) -> impl Iterator<Item = &str> {
    case.variants.iter().filter_map(|variant| variant.table.file.as_deref())
}

/// The rows that came to each variant, in words; `None` when one that was there is gone, or is not played as it was.
fn more_rows(then: &Case, now: &Case) -> Option<Vec<String>> {
    let mut more: Vec<String> = Vec::new();
    for old in &then.variants {
        let new = now.variant(old.name.as_deref())?;
        if !new.table.rows.starts_with(&old.table.rows) || !plays_alike(old, new) {
            return None;
        }
        let count = new.rows() - old.rows();
        if count > 0 {
            let of = old.name.as_ref().map(|name| format!(" of variant {name}")).unwrap_or_default();
            more.push(format!("{}{of}", counted(count, "new row")));
        }
    }
    Some(more)
}

/// Whether every row that `old` has comes to the same in `new`, with the charter left as it was.
fn plays_alike(old: &Variant, new: &Variant) -> bool {
    let new = Variant { charter: old.charter.clone(), ..new.clone() };
    let instance = |variant: &Variant, row| -> Option<Instance> { variant.instance(row).ok() };
    (0..old.rows()).all(|row| instance(old, row).is_some_and(|was| instance(&new, row) == Some(was)))
}

/// A fixture; what it plays as a case is looked at with the cases.
fn fixture((before, then): (&Material, &Fixture), head: &Material, edits: &mut Edits) {
    if then.aside.is_some() {
        return;
    }
    let what = format!("fixture {}", then.place);
    let dir = shown(&before.project.root, &then.dir);
    let Some(now) = head.fixtures.all.iter().find(|now| now.tree == then.tree && now.place == then.place)
    else {
        edits.changed.push(Finding::new(Rule::Change, format!("{what} is gone")).of(dir));
        return;
    };
    if now.aside.is_some() {
        edits.changed.push(Finding::new(Rule::Change, format!("{what} is set aside now")).of(dir));
    }
    if matches!(then.content, Content::Behaviour(_)) {
        return;
    }
    let (old, new) = (then.folder().files(), now.folder().files());
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for path in paths {
        let sides = (old.get(path).map(AsRef::as_ref), new.get(path).map(AsRef::as_ref));
        if sides.0 != sides.1 {
            edits.changed.push(differs(&what, &shown(&head.project.root, &now.dir.join(path)), sides));
        }
    }
}

/// What lies beside checkers that may ask programs: their definitions and controls have rules of their own.
fn programs(before: &Material, head: &Material, edits: &mut Edits) -> Result<(), AuditError> {
    for folder in &before.project.checkers {
        // Whoever asks a program says so; whoever only speaks of one is taken at its word.
        let asks = |checker: &Checker| {
            Path::new(&checker.file).starts_with(folder) && checker.text.contains("command")
        };
        if !before.library.iter().any(asks) {
            continue;
        }
        let name = shown(&before.project.root, folder);
        let there = head.project.checkers.iter().find(|there| shown(&head.project.root, there) == name);
        let (old, new) =
            (beside(folder)?, there.map(|folder| beside(folder)).transpose()?.unwrap_or_default());
        let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for path in paths {
            let sides = (old.get(path).map(Vec::as_slice), new.get(path).map(Vec::as_slice));
            if sides.0 != sides.1 {
                edits.changed.push(differs("what a checker may ask", &format!("{name}/{path}"), sides));
            }
        }
    }
    Ok(())
}

/// The files of a folder of checkers that are neither a definition, nor controls, nor their lock.
fn beside(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, AuditError> {
    let mut found = BTreeMap::new();
    for file in files_below(folder).map_err(PlanError::from)? {
        let path = shown(folder, &file);
        let known = [".yaml", ".yml", ".controls.jsonl"].iter().any(|ending| path.ends_with(ending));
        if !known && path != LOCK {
            found.insert(path, std::fs::read(&file)?);
        }
    }
    Ok(found)
}

/// What is said of a file that is not as it was: its digests and, where it is text, the first line that reads otherwise.
fn differs(whose: &str, place: &str, (old, new): (Side<'_>, Side<'_>)) -> Finding {
    let digest = |side: Side<'_>| side.map_or("none".to_owned(), |bytes| sha256(bytes)[..12].to_owned());
    let verb = match (old, new) {
        (None, _) => "this file is new",
        (_, None) => "this file is gone",
        _ => "this file is not as it was",
    };
    let message = format!("{whose}: {verb} (sha256 {} → {})", digest(old), digest(new));
    let finding = Finding::new(Rule::Change, message).of(place);
    let text = |side: Side<'_>| std::str::from_utf8(side.unwrap_or_default()).ok().map(str::to_owned);
    match (text(old), text(new)) {
        (Some(old_text), Some(new_text)) if old.is_some() && new.is_some() => {
            let (line, was, is) = first_difference(&old_text, &new_text);
            finding.at(line).but(was, is)
        }
        _ => finding,
    }
}

/// The most of a line that is shown.
const SHOWN: usize = 160;

/// The first line that is not the same, counted from 1, as it was and as it is.
fn first_difference(old: &str, new: &str) -> (usize, String, String) {
    let (mut was, mut is) = (old.split_inclusive('\n'), new.split_inclusive('\n'));
    let mut number = 1;
    loop {
        match (was.next(), is.next()) {
            (Some(a), Some(b)) if a == b => number += 1,
            (a, b) => return (number, quoted(a), quoted(b)),
        }
    }
}

fn quoted(line: Option<&str>) -> String {
    let Some(line) = line else { return "no such line".to_owned() };
    let line = line.strip_suffix('\n').unwrap_or(line);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_shown() {
        assert_eq!(first_difference("a\nb\nc\n", "a\nx\nc\n"), (2, "`b`".to_owned(), "`x`".to_owned()));
        assert_eq!(first_difference("a\n", "a\nb\n"), (2, "no such line".to_owned(), "`b`".to_owned()));
        // A line end counts as well.
        assert_eq!(first_difference("a", "a\r\n"), (1, "`a`".to_owned(), "`a\r`".to_owned()));
    }
}
