//! sed, perl and awk: looks, or rewrites in place that can be followed.

use super::super::substitution;
use super::super::{How, Step, Syntax, Target, Write};
use super::Call;

impl Call<'_, '_> {
    pub(super) fn sed(&mut self) {
        let mut scripts = Vec::new();
        let mut plain = Vec::new();
        let (mut in_place, mut syntax) = (false, Syntax::Basic);
        let mut rest = self.arguments.iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-e" | "--expression" => scripts.extend(rest.next().cloned()),
                "-E" | "-r" | "--regexp-extended" => syntax = Syntax::Extended,
                "-f" | "--file" => return self.opaque(),
                // The backup suffix of the BSD form, which is a word of its own and may be empty.
                "" => {}
                _ if word.starts_with("--in-place") => in_place = true,
                _ if word.starts_with('-') && !word.starts_with("--") && word.len() > 1 => {
                    in_place |= word.contains('i');
                    if word.contains(['E', 'r']) && !word.starts_with("-i") {
                        syntax = Syntax::Extended;
                    }
                    if word.ends_with('e') && !word.starts_with("-i.") {
                        scripts.extend(rest.next().cloned());
                    }
                }
                _ => plain.push(word.clone()),
            }
        }
        if scripts.is_empty() && !plain.is_empty() {
            scripts.push(plain.remove(0));
        }
        let script = scripts.join("\n");
        if in_place {
            self.substitute(&script, syntax, &plain);
        } else if writes_from_sed(&script) {
            self.opaque();
        } else {
            let files = plain.iter().map(|file| self.reader.path(file)).collect::<Vec<_>>();
            self.push(if files.is_empty() { Step::Look } else { Step::Read(files) });
        }
    }

    pub(super) fn substitute(&mut self, script: &str, syntax: Syntax, files: &[String]) {
        let how = || substitution::parse(script, syntax).map_or(How::Unknown, How::Substitute);
        if files.is_empty() {
            return self.push(Step::Write(Write { target: Target::File(String::new()), how: how() }));
        }
        for file in files {
            let target = if file.contains("$") {
                Target::Tree(self.inner_scope.unwrap_or_default().to_owned())
            } else if file.contains(['*', '?']) {
                Target::Tree(self.reader.path(file))
            } else {
                Target::File(self.reader.path(file))
            };
            self.push(Step::Write(Write { target, how: how() }));
        }
    }

    pub(super) fn perl(&mut self) {
        let mut script = None;
        let mut plain = Vec::new();
        let mut in_place = false;
        let mut rest = self.arguments.iter();
        while let Some(word) = rest.next() {
            if word.starts_with('-') {
                in_place |= word.contains('i');
                if word.ends_with('e') {
                    script = rest.next().cloned();
                }
            } else {
                plain.push(word.clone());
            }
        }
        match script {
            Some(script) if in_place => self.substitute(&script, Syntax::Extended, &plain),
            _ => self.opaque(),
        }
    }

    pub(super) fn awk(&mut self) {
        let script = self.arguments.iter().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
        let script: String = script.split_whitespace().collect();
        let writes = [">\"", "system(", "|\"", "print>", "getline"].iter().any(|sign| script.contains(sign));
        if writes || self.flag("inplace") || self.flag("-f") { self.opaque() } else { self.show() }
    }
}

/// Whether a sed script writes a file or runs a program.
fn writes_from_sed(script: &str) -> bool {
    script.split([';', '\n', '{', '}']).any(|part| {
        let part =
            part.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' ' | '!'));
        part.starts_with("w ")
            || part.starts_with("e ")
            || (part.starts_with('s')
                && part.rsplit(['/', '|', '#', '@']).next().is_some_and(|flags| {
                    flags.len() < 40
                        && (flags.starts_with("w ")
                            || flags.starts_with("gw ")
                            || flags == "e"
                            || flags == "ge")
                }))
    })
}
