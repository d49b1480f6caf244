//! Reads shell command lines: what a `run_command` call looked at, searched for, ran or changed.
//!
//! Judges must tell a look from a change without running anything. A program on the list of those that only look is
//! a read, a test runner is a test run, and whatever is not understood changes state: the worst is assumed.

mod lex;
mod pattern;
mod programs;
mod search;
mod substitution;

use transcript::Effect;

pub use pattern::{Pattern, Syntax};
pub use search::{Output, Search};
pub use substitution::Substitution;

use lex::{Link, Redirect, Simple};

/// The longest command line that is read; a longer one is taken as a change of unknown extent.
const MAX_BYTES: usize = 256 << 10;
/// How deep `bash -c`, `$(…)` and the like are followed.
const MAX_DEPTH: usize = 6;
/// How many loops within one another are followed, and how many turns of them.
const MAX_LOOPS: usize = 8;
const MAX_TURNS: usize = 256;
/// How many steps one command line is read as.
const MAX_STEPS: usize = 10_000;

/// One thing that a call does.
#[derive(Debug, Clone)]
pub enum Step {
    /// Shows the content of these files.
    Read(Vec<String>),
    /// Shows what was changed, in these paths; in all when there are none.
    Diff(Vec<String>),
    /// Looks at something that is no file's content: names, dates, sums.
    Look,
    /// Prints this text: a mark in the answer, between what the steps around it print.
    Say(String),
    /// Looks for text in files.
    Search(Search),
    /// Runs tests.
    TestRun,
    /// Writes a file.
    Write(Write),
    /// Changes something that is no file's text: a branch, a folder, what is staged.
    Bookkeeping,
    /// Changes something, it is not known what.
    Opaque(String),
}

/// A write of files.
#[derive(Debug, Clone)]
pub struct Write {
    /// What is written.
    pub target: Target,
    /// With what.
    pub how: How,
}

/// Which files a write touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This one.
    File(String),
    /// Those below this folder that hold the text; the root is the empty path.
    Tree(String),
}

/// What a write does to a file's content.
#[derive(Debug, Clone)]
pub enum How {
    /// This is the content now.
    Whole(String),
    /// This is added at the end.
    Append(String),
    /// One text takes another's place, everywhere.
    Replace {
        /// The text that goes.
        old: String,
        /// The text that comes.
        new: String,
    },
    /// A substitution by pattern.
    Substitute(Vec<Substitution>),
    /// The file takes another's place: a move or a copy.
    From(String),
    /// The file is gone.
    Delete,
    /// Not known.
    Unknown,
}

impl Step {
    /// The text that it prints, when it prints one of its own.
    #[must_use]
    pub fn said(&self) -> Option<&str> {
        match self {
            Self::Say(text) if !text.trim().is_empty() => Some(text.trim()),
            _ => None,
        }
    }

    /// What the step can do.
    #[must_use]
    pub fn effect(&self) -> Effect {
        match self {
            Self::Read(_) | Self::Diff(_) | Self::Look | Self::Say(_) | Self::Search(_) => Effect::Read,
            Self::TestRun => Effect::TestRun,
            Self::Write(_) | Self::Bookkeeping | Self::Opaque(_) => Effect::Write,
        }
    }
}

/// What a command line does, step by step.
#[must_use]
pub fn read(command: &str) -> Vec<Step> {
    let mut reader = Reader {
        steps: Vec::new(),
        cwd: String::new(),
        bound: Vec::new(),
        turns: 0,
        names: None,
        prints_names: false,
    };
    reader.line(command, 0);
    if reader.is_cut() {
        // What comes after that is not read, and the worst is assumed of it.
        reader.steps.truncate(MAX_STEPS);
        reader.steps.push(Step::Opaque("a command line of too many steps to read".to_owned()));
    }
    if reader.steps.is_empty() {
        reader.steps.push(Step::Look);
    }
    reader.steps
}

/// The worst that the steps can do.
#[must_use]
pub fn effect_of(steps: &[Step]) -> Effect {
    let worst = |effect: &Effect| match effect {
        Effect::Read => 0,
        Effect::TestRun => 1,
        Effect::Write => 2,
        Effect::External => 3,
    };
    steps.iter().map(Step::effect).max_by_key(worst).unwrap_or(Effect::Read)
}

struct Reader {
    steps: Vec<Step>,
    /// Where `cd` has led, relative to where the line starts; absolute when it was told so.
    cwd: String,
    /// Loop variables and what they run over.
    bound: Vec<(String, Vec<String>)>,
    /// How many pipelines were read, each turn of a loop for itself.
    turns: usize,
    /// The files that `find` has just named, for the command that reads their names.
    names: Option<Names>,
    /// Whether the pipeline hands names on only for them to be printed.
    prints_names: bool,
}

/// Files by where they are and how they are called.
#[derive(Debug, Clone, Default)]
struct Names {
    /// The folder they are below.
    below: String,
    /// Patterns one of which their names fit; any name when there is none.
    only: Vec<String>,
    /// Patterns that their names do not fit.
    except: Vec<String>,
}

impl Reader {
    fn line(&mut self, text: &str, depth: usize) {
        if depth > MAX_DEPTH || text.len() > MAX_BYTES {
            self.steps.push(Step::Opaque("a command line too long or too deep to read".to_owned()));
            return;
        }
        let commands = lex::lex(text);
        let mut printing_loop = false;
        let mut start = 0;
        while start < commands.len() {
            let mut end = start + 1;
            while commands.get(end).is_some_and(|next| next.link == Link::Pipe) {
                end += 1;
            }
            let mark = self.steps.len();
            let in_body = printing_loop && !is_done(&commands[start]);
            self.prints_names = in_body || prints_names(&commands[start..end], &commands[end..]);
            let begins = commands[end - 1].words.first().is_some_and(|word| word == "while");
            printing_loop = self.prints_names && (in_body || begins);
            self.pipeline(&commands[start..end], depth);
            // Printing what a search found adds nothing to look at.
            if self.prints_names && matches!(self.steps[mark..].last(), Some(Step::Look)) {
                self.steps.pop();
            }
            self.echoes(&commands, start, end, mark);
            start = end;
        }
    }

    fn pipeline(&mut self, commands: &[Simple], depth: usize) {
        if self.is_cut() {
            return;
        }
        for commands in self.unrolled(commands) {
            self.turns += 1;
            self.turn(&commands, depth);
        }
    }

    /// Whether reading has come to its limits.
    fn is_cut(&self) -> bool {
        self.steps.len() > MAX_STEPS || self.turns > MAX_STEPS
    }

    /// A pipeline whose loop variables have their values.
    fn turn(&mut self, commands: &[Simple], depth: usize) {
        for (position, command) in commands.iter().enumerate() {
            if self.is_cut() {
                return;
            }
            let mark = self.steps.len();
            for inner in &command.inner {
                self.line(inner, depth + 1);
            }
            let inner_scope = scope_of(&self.steps[mark..]);
            let shows_inner =
                |word: &String| matches!(word.as_str(), "echo" | "printf" | "test" | "[" | "[[" | "if" | "!");
            let opens = |word: &&String| matches!(word.as_str(), "do" | "then" | "else" | "{");
            if !command.words.iter().find(|word| !opens(word)).is_some_and(shows_inner) {
                consumed(&mut self.steps[mark..]);
            }
            if position > 0 && takes_names(command) && !self.prints_names {
                consumed(&mut self.steps[mark.saturating_sub(1)..mark]);
                // Names that `find` hands on are not shown.
                if self.names.is_some() && matches!(self.steps.last(), Some(Step::Look)) {
                    self.steps.pop();
                }
            } else if position == 0 {
                self.names = None;
            }
            let own = self.steps.len();
            programs::run(self, command, position > 0, inner_scope.as_deref(), depth);
            if command.redirects.iter().any(hides) {
                hidden(&mut self.steps[own..]);
            }
            self.redirects(command);
        }
    }

    /// The pipeline once for each value of the loop variables that it names: each turn is a pipeline of its own.
    fn unrolled(&self, commands: &[Simple]) -> Vec<Vec<Simple>> {
        let mut turns = vec![commands.to_vec()];
        for (name, values) in self.bound.iter().rev().take(MAX_LOOPS) {
            if values.is_empty() || !commands.iter().any(|command| command.names(name)) {
                continue;
            }
            let put = |turn: &Vec<Simple>, value: &str| -> Vec<Simple> {
                turn.iter().map(|command| command.with(name, value)).collect()
            };
            turns = turns
                .iter()
                .flat_map(|turn| values.iter().map(move |value| put(turn, value)))
                .take(MAX_TURNS)
                .collect();
        }
        turns
    }

    /// What `grep … && echo found || echo none` would print, told to the search it reports on.
    fn echoes(&mut self, commands: &[Simple], start: usize, end: usize, mark: usize) {
        let negated = commands[start].words.first().is_some_and(|word| word == "!" || word == "if")
            && commands[start].words.iter().take(2).any(|word| word == "!");
        let conditional = commands[start].words.first().is_some_and(|word| word == "if");
        let Some(Step::Search(search)) =
            self.steps[mark..].iter_mut().rev().find(|step| matches!(step, Step::Search(_)))
        else {
            return;
        };
        for (position, command) in commands[end..].iter().enumerate() {
            let word = |n: usize| command.words.get(n).map(String::as_str);
            let head = word(0).unwrap_or_default();
            let found = match (command.link, conditional, head) {
                (Link::And, ..) | (Link::Then, true, "then") => !negated,
                (Link::Or, ..) | (Link::Then, true, "else") => negated,
                (Link::Pipe, ..) => continue,
                _ => return,
            };
            let skip = usize::from(matches!(head, "then" | "else" | "{"));
            if matches!(word(skip), Some("echo" | "printf")) {
                let text = commands[end + position].words[skip + 1..].join(" ");
                let text = text.trim_start_matches("-n ").trim_start_matches("-e ").replace("\\n", "");
                if found { search.on_found.push(text) } else { search.on_none.push(text) }
            }
        }
    }

    fn redirects(&mut self, command: &Simple) {
        for redirect in &command.redirects {
            let (path, append) = match redirect {
                Redirect::Out(path) => (path, false),
                Redirect::Append(path) => (path, true),
                Redirect::In(path) => {
                    self.steps.push(Step::Read(vec![self.path(path)]));
                    continue;
                }
                Redirect::Here(_) => continue,
            };
            if path == "/dev/null" || path == "/dev/stderr" || path == "/dev/stdout" || path == "/dev/tty" {
                continue;
            }
            let how = match (printed_by(command), append) {
                (Some(text), false) => How::Whole(text),
                (Some(text), true) => How::Append(text),
                (None, _) => How::Unknown,
            };
            self.steps.push(Step::Write(Write { target: Target::File(self.path(path)), how }));
        }
    }

    /// `path` as seen from where the line starts.
    fn path(&self, path: &str) -> String {
        if self.cwd.is_empty() || path.starts_with('/') || path.starts_with('~') {
            path.to_owned()
        } else {
            format!("{}/{path}", self.cwd)
        }
    }
}

/// Whether a command in a pipeline takes what comes in for names.
fn takes_names(command: &Simple) -> bool {
    command.words.iter().take(2).any(|word| word == "xargs" || word == "read")
}

/// Whether a pipeline ends in a command, or in a loop whose body is `rest`, that does no more than print each name.
fn prints_names(pipeline: &[Simple], rest: &[Simple]) -> bool {
    let prints = |word: &String| matches!(word.as_str(), "echo" | "printf" | "ls");
    let Some(last) = pipeline.last().filter(|_| pipeline.len() > 1) else { return false };
    match last.words.first().map(String::as_str) {
        Some("xargs") => last.words.iter().any(prints),
        Some("while") => {
            let Some(name) = last.words.last() else { return false };
            let mut body =
                rest.iter().take_while(|command| command.words.first().is_some_and(|word| word != "done"));
            let mut prints_it = false;
            let only_prints = body.all(|command| {
                let words: Vec<&String> = command.words.iter().filter(|word| *word != "do").collect();
                prints_it |= command.names(name);
                words.first().is_some_and(|word| prints(word)) && command.redirects.is_empty()
            });
            only_prints && prints_it
        }
        _ => false,
    }
}

/// Whether a command ends a loop.
fn is_done(command: &Simple) -> bool {
    command.words.first().is_some_and(|word| word == "done")
}

/// Whether what is printed goes where nobody sees it.
fn hides(redirect: &Redirect) -> bool {
    match redirect {
        Redirect::Out(path) | Redirect::Append(path) => {
            !matches!(path.as_str(), "/dev/stderr" | "/dev/stdout" | "/dev/tty")
        }
        Redirect::In(_) | Redirect::Here(_) => false,
    }
}

fn hidden(steps: &mut [Step]) {
    consumed(steps);
    for step in steps {
        if matches!(step, Step::Read(_) | Step::Diff(_) | Step::Say(_)) {
            *step = Step::Look;
        }
    }
}

/// What a search lists for another command to take its files from is not shown.
fn consumed(steps: &mut [Step]) {
    for step in steps {
        if let Step::Search(search) = step {
            search.output = Output::Quiet;
        }
    }
}

/// The text that a command writes, when it says it outright.
fn printed_by(command: &Simple) -> Option<String> {
    let words = programs::without_prefixes(&command.words);
    let here = command.redirects.iter().find_map(|redirect| match redirect {
        Redirect::Here(text) => Some(text.clone()),
        _ => None,
    });
    match words.first().map(String::as_str)? {
        "cat" | "tee" if words.iter().skip(1).all(|word| word == "-" || words[0] == "tee") => here,
        "echo" => {
            let flags =
                words.iter().skip(1).take_while(|word| matches!(word.as_str(), "-n" | "-e" | "-ne")).count();
            let text = words[flags + 1..].join(" ");
            let text = if flags > 0 { text.replace("\\n", "\n").replace("\\t", "\t") } else { text };
            let ends = words.iter().skip(1).take(flags).any(|flag| flag.contains('n'));
            Some(if ends { text } else { text + "\n" })
        }
        "printf" if !words.get(1)?.contains('%') => Some(words[1].replace("\\n", "\n")),
        "printf" if words[1] == "%s\\n" => Some(words[2..].join("\n") + "\n"),
        "printf" if words[1] == "%s" => Some(words[2..].concat()),
        _ => None,
    }
}

/// The folder that the searches among the steps look in, for commands that take their file names from them.
fn scope_of(steps: &[Step]) -> Option<String> {
    steps.iter().rev().find_map(|step| match step {
        Step::Search(search) => Some(match search.scopes.as_slice() {
            [one] => one.clone(),
            _ => String::new(),
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
