//! Programs that take their files from elsewhere, and those that move, copy and delete them.

use super::super::lex::{Link, Redirect, Simple};
use super::super::search::default_syntax;
use super::super::{How, Names, Step, Target, Write, scope_of};
use super::{Call, SHOW, among, run, without_prefixes};

impl Call<'_, '_> {
    pub(super) fn find(&mut self) {
        if self.flag("-delete")
            || self.arguments.iter().any(|word| word.starts_with("-fprint") || word.starts_with("-fls"))
        {
            return self.opaque();
        }
        let start = self.arguments.iter().position(|word| {
            matches!(
                word.as_str(),
                "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
            )
        });
        let names = self.names_of_find(start.unwrap_or(self.arguments.len()));
        let Some(start) = start else {
            self.reader.names = Some(names);
            return self.push(Step::Look);
        };
        let inner: Vec<String> = self.arguments[start + 1..]
            .iter()
            .take_while(|word| *word != ";" && *word != "+")
            .filter(|word| *word != "{}")
            .cloned()
            .collect();
        self.on_files(&inner, names);
    }

    /// Where `find` looks, and the `-name` patterns before the action.
    fn names_of_find(&self, end: usize) -> Names {
        let before = &self.arguments[..end];
        let scope = before.first().filter(|word| !word.starts_with(['-', '!'])).cloned().unwrap_or_default();
        let scope = if matches!(scope.as_str(), "." | "./") { String::new() } else { scope };
        let mut names = Names { below: self.reader.path(&scope), ..Names::default() };
        for at in 1..before.len() {
            if matches!(before[at - 1].as_str(), "-name" | "-iname") {
                let denied = at >= 2 && matches!(before[at - 2].as_str(), "!" | "-not");
                let list = if denied { &mut names.except } else { &mut names.only };
                list.push(before[at].clone());
            }
        }
        names
    }

    pub(super) fn xargs(&mut self) {
        let mut at = 0;
        while let Some(word) = self.arguments.get(at).filter(|word| word.starts_with('-')) {
            let takes_value = matches!(word.as_str(), "-I" | "-n" | "-P" | "-d" | "-L" | "-s" | "-E" | "-a");
            at += 1 + usize::from(takes_value);
        }
        let inner: Vec<String> = self.arguments[at.min(self.arguments.len())..]
            .iter()
            .filter(|word| *word != "{}" && *word != "%")
            .cloned()
            .collect();
        let names = self.reader.names.take().unwrap_or_else(|| Names {
            below: scope_of(&self.reader.steps).unwrap_or_else(|| self.reader.cwd.clone()),
            ..Names::default()
        });
        self.on_files(&inner, names);
    }

    /// Runs `inner` on files whose names are not in the command line.
    fn on_files(&mut self, inner: &[String], names: Names) {
        let Names { below: scope, mut only, mut except } = names;
        let words = without_prefixes(inner);
        let Some(program) = words.first() else { return self.push(Step::Look) };
        let scope = if matches!(scope.as_str(), "." | "./") { String::new() } else { scope };
        if let Some(syntax) = default_syntax(program) {
            let mark = self.reader.steps.len();
            self.grep(program, &words[1..], syntax, Some(scope));
            if let Some(Step::Search(search)) = self.reader.steps.get_mut(mark) {
                search.only.append(&mut only);
                search.except.append(&mut except);
            }
            return;
        }
        let mark = self.reader.steps.len();
        let command =
            Simple { link: Link::Then, words: words.to_vec(), redirects: Vec::new(), inner: Vec::new() };
        run(self.reader, &command, true, Some(&scope), self.depth + 1);
        if self.reader.steps.len() == mark && among(SHOW, program) {
            return self.push(Step::Read(vec![scope]));
        }
        for step in &mut self.reader.steps[mark..] {
            match step {
                Step::Write(write) if matches!(&write.target, Target::File(path) if path.is_empty()) => {
                    write.target = Target::Tree(scope.clone());
                }
                Step::Look if among(SHOW, program) => *step = Step::Read(vec![scope.clone()]),
                _ => {}
            }
        }
    }

    pub(super) fn tee(&mut self, command: &Simple) {
        let here = command.redirects.iter().find_map(|redirect| match redirect {
            Redirect::Here(text) => Some(text.clone()),
            _ => None,
        });
        let append = self.flag("-a") || self.flag("--append");
        for file in self.plain() {
            let how = match (&here, append) {
                (Some(text), false) => How::Whole(text.clone()),
                (Some(text), true) => How::Append(text.clone()),
                (None, _) => How::Unknown,
            };
            let target = Target::File(self.reader.path(&file));
            if file != "/dev/null" && file != "/dev/tty" {
                self.push(Step::Write(Write { target, how }));
            }
        }
    }

    pub(super) fn moves(&mut self) {
        let plain = self.plain();
        match self.program {
            "rm" => self.delete(&plain),
            "touch" => {
                for file in plain {
                    let target = Target::File(self.reader.path(&file));
                    self.push(Step::Write(Write { target, how: How::Append(String::new()) }));
                }
            }
            program => self.transfer(&plain, program == "mv"),
        }
    }

    pub(super) fn delete(&mut self, files: &[String]) {
        for file in files {
            let target = Target::File(self.reader.path(file));
            self.push(Step::Write(Write { target, how: How::Delete }));
        }
    }

    pub(super) fn transfer(&mut self, files: &[String], removes: bool) {
        let Some((to, from)) = files.split_last() else { return self.opaque() };
        for file in from {
            let into_folder = from.len() > 1 || to.ends_with('/') || to == ".";
            let name = file.rsplit('/').next().unwrap_or(file);
            let to = if into_folder { format!("{}/{name}", to.trim_end_matches('/')) } else { to.clone() };
            let how = How::From(self.reader.path(file));
            self.push(Step::Write(Write { target: Target::File(self.reader.path(&to)), how }));
            if removes {
                self.delete(std::slice::from_ref(file));
            }
        }
    }
}
