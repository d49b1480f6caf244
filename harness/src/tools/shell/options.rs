//! Reading a command's options, the same way for all commands.

use std::collections::BTreeSet;

/// What a command takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// Letters that stand alone.
    pub(super) flags: &'static str,
    /// Letters that take a value.
    pub(super) values: &'static str,
    /// Long names and the letter each stands for, which is among `flags` or `values`.
    pub(super) long: &'static [(&'static str, char)],
}

/// Options in order, and what is left.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// The letters that were given, each once: commands ask for them line by line.
    letters: BTreeSet<char>,
    /// Those that take a value, with each value.
    given: Vec<(char, String)>,
    /// The arguments that are no options.
    pub(super) rest: Vec<String>,
}

impl Options {
    pub(super) fn parse(args: &[String], spec: Spec) -> Result<Self, String> {
        let mut out = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--" {
                out.rest.extend(args.cloned());
                break;
            } else if let Some(long) = arg.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let Some((_, letter)) = spec.long.iter().find(|(known, _)| *known == name) else {
                    return Err(format!("option not available here: --{name}"));
                };
                let value = match value {
                    Some(value) => value.to_owned(),
                    None if spec.values.contains(*letter) => next(&mut args, name)?,
                    None => String::new(),
                };
                out.letters.insert(*letter);
                if spec.values.contains(*letter) {
                    out.given.push((*letter, value));
                }
            } else if let Some(letters) = arg.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                out.short(letters, spec, &mut args)?;
            } else {
                out.rest.push(arg.clone());
            }
        }
        Ok(out)
    }

    fn short<'a>(
        &mut self,
        letters: &str,
        spec: Spec,
        args: &mut impl Iterator<Item = &'a String>,
    ) -> Result<(), String> {
        for (at, letter) in letters.char_indices() {
            if spec.values.contains(letter) {
                let attached = &letters[at + letter.len_utf8()..];
                let value = if attached.is_empty() { next(args, letters)? } else { attached.to_owned() };
                self.letters.insert(letter);
                self.given.push((letter, value));
                return Ok(());
            }
            if !spec.flags.contains(letter) {
                return Err(format!("option not available here: -{letter}"));
            }
            self.letters.insert(letter);
        }
        Ok(())
    }

    pub(super) fn has(&self, letter: char) -> bool {
        self.letters.contains(&letter)
    }

    pub(super) fn values(&self, letter: char) -> impl Iterator<Item = &str> {
        self.given.iter().filter(move |(given, _)| *given == letter).map(|(_, value)| value.as_str())
    }

    pub(super) fn value(&self, letter: char) -> Option<&str> {
        self.values(letter).last()
    }

    pub(super) fn number(&self, letter: char) -> Result<Option<usize>, String> {
        self.value(letter).map(|text| text.parse().map_err(|_| format!("not a number: {text}"))).transpose()
    }
}

fn next<'a>(args: &mut impl Iterator<Item = &'a String>, name: &str) -> Result<String, String> {
    args.next().cloned().ok_or_else(|| format!("option {name} needs a value"))
}
