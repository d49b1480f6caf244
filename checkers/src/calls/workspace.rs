//! What the files hold at the end, as far as a transcript shows it: writes are replayed on what reads and searches
//! have shown. The harness's own record of the workspace, where there is one, needs no guessing and comes first.

use std::collections::{HashMap, HashSet};

use transcript::{Change, Transcript};

use super::{CallEvent, Calls, Place, results};
use crate::command::{How, Output, Search, Step, Target, Write};

/// What is known of one file.
#[derive(Debug, Clone, Default)]
pub struct File {
    /// The whole content, when it is known.
    pub whole: Option<String>,
    /// Pieces that it is known to hold, when the whole is not.
    pub pieces: Vec<String>,
    /// Identifiers that it was listed for, and whether they were looked for as words of their own.
    pub listed: Vec<(String, bool)>,
    /// The last write that took effect.
    pub written: Option<Place>,
    /// Whether it is gone.
    pub deleted: bool,
}

impl File {
    /// Whether a search listed the file for `key`. Where another identifier holds the key as its part, only a search
    /// for the word tells them apart.
    #[must_use]
    pub fn is_listed_for(&self, key: &str, other: Option<&str>) -> bool {
        let ambiguous = other.is_some_and(|other| other.contains(key));
        !self.deleted && self.listed.iter().any(|(text, by_itself)| text == key && (*by_itself || !ambiguous))
    }

    /// Whether the file is known to hold a text for which `test` is true.
    pub fn shows(&self, test: impl Fn(&str) -> bool) -> bool {
        !self.deleted
            && self.whole.as_deref().into_iter().chain(self.pieces.iter().map(String::as_str)).any(test)
    }
}

/// The files of a workspace as a transcript leaves them.
#[derive(Debug, Default)]
pub struct Workspace {
    files: HashMap<String, File>,
    /// A text that the files are taken to hold where nothing else is known of them, for substitutions.
    presumed: Option<String>,
    /// The last change of unknown extent.
    opaque: Option<Place>,
}

impl Workspace {
    /// Replays the calls. `presumed` is a text that the files hold at the start as the case is made.
    #[must_use]
    pub fn replay(transcript: &Transcript, calls: &Calls<'_>, presumed: Option<&str>) -> Self {
        let mut workspace = Self { presumed: presumed.map(str::to_owned), ..Self::default() };
        for (place, event, step) in calls.steps() {
            workspace.step(place, event, step, calls);
        }
        if let Some(changes) = &transcript.workspace {
            workspace.take(changes, calls);
        }
        workspace
    }

    /// What is known of the file at `path`.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// The record of the workspace overrules whatever was read out of the calls.
    fn take(&mut self, changes: &[transcript::FileChange], calls: &Calls<'_>) {
        let last = calls.events.len();
        for file in self.files.values_mut() {
            file.written = None;
        }
        for change in changes {
            let file = self.files.entry(calls.paths.relative(&change.path)).or_default();
            *file = File {
                whole: change.content.clone(),
                pieces: Vec::new(),
                listed: Vec::new(),
                written: Some(Place { event: last, step: 0 }),
                deleted: change.change == Change::Deleted,
            };
            if change.content.is_none()
                && let Some(diff) = &change.diff
            {
                let added = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
                file.pieces = added.map(|line| line[1..].to_owned()).collect();
            }
        }
    }

    fn step(&mut self, place: Place, event: &CallEvent<'_>, step: &Step, calls: &Calls<'_>) {
        match step {
            Step::Read(paths) => self.shown(paths, event, place),
            Step::Search(search) => self.found(search, event, calls, place),
            Step::Diff(_) => self.diff(event.answer(), calls, place),
            Step::Write(write) => self.write(place, write),
            Step::Opaque(_) => {
                self.opaque = Some(place);
                // Most such calls leave most files alone: what was known stays likely until something else is shown.
                for file in self.files.values_mut() {
                    if let Some(whole) = file.whole.take() {
                        file.pieces.extend(whole.lines().take(10_000).map(str::to_owned));
                    }
                }
            }
            Step::Look | Step::Say(_) | Step::TestRun | Step::Bookkeeping => {}
        }
    }

    /// After a change of unknown extent, a file that shows something is taken to have been part of it.
    fn touch(&mut self, path: &str, place: Place) -> &mut File {
        let opaque = self.opaque.filter(|at| *at < place);
        let file = self.files.entry(path.to_owned()).or_default();
        if opaque.is_some() && file.written < opaque {
            file.written = opaque;
        }
        file
    }

    fn shown(&mut self, paths: &[String], event: &CallEvent<'_>, place: Place) {
        let [path] = paths else {
            // Several files in one answer: only headings such as those of `head` tell whose lines are whose.
            return self.shown_under_headings(paths, event, place);
        };
        let alone = event.steps.len() == 1;
        let apart = !alone && event.prints_alone(place.step);
        let partial = [
            "offset",
            "limit",
            "start",
            "end",
            "start_line",
            "end_line",
            "line_range",
            "view_range",
            "command",
            "cmd",
        ]
        .iter()
        .any(|name| event.call.arguments.get(*name).is_some());
        let file = self.touch(path, place);
        file.deleted = false;
        if alone && !partial {
            file.whole = Some(event.answer().to_owned());
            file.pieces.clear();
        } else if alone {
            file.pieces.push(event.answer().to_owned());
        } else if apart {
            file.pieces.push(event.lines_of(place.step).join("\n"));
        }
    }

    fn shown_under_headings(&mut self, paths: &[String], event: &CallEvent<'_>, place: Place) {
        let mut current = None;
        for line in event.lines_of(place.step) {
            if let Some(heading) = line.strip_prefix("==> ").and_then(|line| line.strip_suffix(" <==")) {
                current = paths.iter().find(|path| heading.trim_start_matches("./").ends_with(path.as_str()));
            } else if let Some(path) = current {
                self.touch(path, place).pieces.push(line);
            }
        }
    }

    fn found(&mut self, search: &Search, event: &CallEvent<'_>, calls: &Calls<'_>, place: Place) {
        let answer = event.lines_of(place.step);
        let alone = event.prints_alone(place.step);
        if search.output == Output::Lines
            || (alone && matches!(search.output, Output::Files | Output::Counts))
        {
            let named = |line: &String| Some(results::listed(line, &calls.paths)?.0);
            let still: HashSet<String> = match search.output {
                Output::Lines => HashSet::new(),
                _ => answer.iter().filter_map(named).collect(),
            };
            for (path, file) in &mut self.files {
                if search.covers(path) && !still.contains(path) {
                    file.pieces.retain(|piece| !search.patterns.iter().any(|pattern| pattern.is_in(piece)));
                }
            }
        }
        let mut heading = None;
        let single = match search.scopes.as_slice() {
            [one] if !one.is_empty() => Some(one.clone()),
            _ => None,
        };
        for line in &answer {
            let listed = results::listed(line, &calls.paths);
            let (path, text) = match (&listed, &heading, search.output) {
                (Some((path, _)), _, Output::Files) => (path.clone(), None),
                (Some((path, rest)), _, Output::Counts) if rest.trim() != "0" => (path.clone(), None),
                (_, _, Output::Files | Output::Counts | Output::Quiet | Output::Total) => continue,
                (Some((path, rest)), _, _)
                    if !rest.is_empty() && !path.chars().all(|c| c.is_ascii_digit()) =>
                {
                    (path.clone(), Some((*rest).to_owned()))
                }
                (_, Some(path), _) if line.trim_start().starts_with(|c: char| c.is_ascii_digit()) => {
                    (String::clone(path), Some(line.clone()))
                }
                (Some((path, "")), _, _) => {
                    heading = Some(path.clone());
                    continue;
                }
                _ => match &single {
                    Some(path) => (path.clone(), Some(line.clone())),
                    None => continue,
                },
            };
            let Some(text) = text else {
                // Among the lines of other steps a name may be theirs.
                if let [pattern] = search.patterns.as_slice()
                    && alone
                    && let Some((identifier, by_itself)) = pattern.identifier()
                {
                    let file = self.touch(&path, place);
                    if file.listed.len() < 16 {
                        file.listed.push((identifier.to_owned(), by_itself));
                    }
                }
                continue;
            };
            if event.steps.len() > 1 && !search.patterns.iter().any(|pattern| pattern.is_in(&text)) {
                continue;
            }
            let file = self.touch(&path, place);
            if file.whole.as_ref().is_some_and(|whole| {
                search.patterns.iter().any(|pattern| pattern.is_in(&text) && !pattern.is_in(whole))
            }) {
                file.whole = None;
            }
            if file.pieces.len() < 10_000 {
                file.pieces.push(text);
            }
        }
    }

    fn diff(&mut self, answer: &str, calls: &Calls<'_>, place: Place) {
        let mut path = None;
        for line in answer.lines() {
            if let Some(name) = line.strip_prefix("+++ ") {
                path = Some(calls.paths.relative(name.strip_prefix("b/").unwrap_or(name)));
            } else if let (Some(path), Some(text)) = (&path, line.strip_prefix('+')) {
                self.touch(path, place).pieces.push(text.to_owned());
            }
        }
    }

    fn write(&mut self, place: Place, write: &Write) {
        match &write.target {
            Target::File(path) => {
                let from = match &write.how {
                    How::From(from) => Some(self.files.get(from).cloned().unwrap_or_default()),
                    _ => None,
                };
                let presumed = self.presumed.clone();
                let file = self.files.entry(path.clone()).or_default();
                match from {
                    Some(source) => *file = source,
                    None => change(file, &write.how, presumed.as_deref()),
                }
                file.written = Some(place);
                file.deleted = matches!(write.how, How::Delete);
            }
            Target::Tree(folder) => {
                let below = |path: &str| {
                    folder.is_empty()
                        || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
                };
                for (_, file) in self.files.iter_mut().filter(|(path, _)| below(path)) {
                    let before = (file.whole.clone(), file.pieces.clone(), file.listed.clone());
                    change(file, &write.how, None);
                    if before != (file.whole.clone(), file.pieces.clone(), file.listed.clone()) {
                        file.written = Some(place);
                    }
                }
            }
        }
    }
}

fn change(file: &mut File, how: &How, presumed: Option<&str>) {
    match how {
        How::Whole(text) => {
            file.whole = Some(text.clone());
            file.pieces.clear();
            file.listed.clear();
        }
        How::Append(text) => match &mut file.whole {
            Some(whole) => whole.push_str(text),
            None => file.pieces.push(text.clone()),
        },
        How::Replace { old, new } => {
            match file.whole.as_mut().filter(|whole| whole.contains(old.as_str())) {
                Some(whole) => *whole = whole.replace(old.as_str(), new),
                // The tool found what we did not: our copy is not the file.
                None => file.whole = None,
            }
            file.listed.clear();
            // A search shows single lines, trimmed: those that the edit spans are gone.
            file.pieces.retain(|piece| !(old.contains('\n') && spans(old, piece)));
            for piece in &mut file.pieces {
                if piece.contains(old.as_str()) {
                    *piece = piece.replace(old.as_str(), new);
                }
            }
            if file.whole.is_none() {
                file.pieces.push(new.clone());
            }
        }
        How::Substitute(all) => {
            let apply = |text: &str| all.iter().fold(text.to_owned(), |text, one| one.apply(&text));
            if let Some(whole) = &mut file.whole {
                *whole = apply(whole);
            } else if file.pieces.is_empty() {
                let listed = file.listed.first().map(|(text, _)| text.as_str());
                file.pieces.extend(listed.or(presumed).map(str::to_owned));
            }
            file.listed.clear();
            for piece in &mut file.pieces {
                *piece = apply(piece);
            }
        }
        How::Delete | How::Unknown | How::From(_) => {
            file.whole = None;
            file.pieces.clear();
            file.listed.clear();
        }
    }
}

/// Whether a line that a search showed, number and all, is one of the lines of `old`.
fn spans(old: &str, piece: &str) -> bool {
    let text = piece.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches([':', '-']).trim();
    !text.is_empty() && old.lines().any(|line| line.trim() == text)
}
