//! `sed`, as far as models use it: `s`, `p`, `d` and `q` with line numbers, patterns and ranges, printing or in place.

use std::sync::Arc;

use regex::bytes::{Captures, Regex};

use super::exec::{Io, Shell};
use super::options::{Options, Spec};
use super::pattern::{Syntax, compile, translate};
use super::text::{inputs, lines};
use crate::workspace::MAX_FILE_BYTES;

/// The most commands of a script, and pieces of a replacement: empty ones cost time without growing anything.
const MAX_STEPS: usize = 100;
const MAX_PARTS: usize = 100;

#[derive(Debug)]
enum Address {
    Line(usize),
    Last,
    Match(Regex),
}

#[derive(Debug)]
enum Action {
    Print,
    Delete,
    Quit,
    Substitute { regex: Regex, with: Vec<Part>, all: bool, print: bool },
}

/// A piece of a replacement.
#[derive(Debug)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
}

#[derive(Debug)]
struct Step {
    from: Option<Address>,
    to: Option<Address>,
    negated: bool,
    action: Action,
}

pub(super) fn sed(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> i32 {
    match run(sh, args, io) {
        Ok(status) => status,
        Err(error) => io.fail(1, format_args!("sed: {error}")),
    }
}

fn run(sh: &mut Shell<'_>, args: &[String], io: &mut Io) -> Result<i32, String> {
    const SPEC: Spec = Spec {
        flags: "nErsi",
        values: "e",
        long: &[
            ("quiet", 'n'),
            ("silent", 'n'),
            ("regexp-extended", 'E'),
            ("in-place", 'i'),
            ("expression", 'e'),
        ],
    };
    // `-i ''` is how another family of systems asks for no backup copy.
    let mut args = args.to_vec();
    if let Some(at) = args.iter().position(|arg| arg == "-i")
        && args.get(at + 1).is_some_and(String::is_empty)
    {
        args.remove(at + 1);
    }
    let mut backup = None;
    for arg in &mut args {
        if let Some(suffix) = arg.strip_prefix("-i").filter(|suffix| suffix.starts_with('.')) {
            backup = Some(suffix.to_owned());
            "-i".clone_into(arg);
        }
    }
    let mut options = Options::parse(&args, SPEC)?;
    let mut script: Vec<String> = options.values('e').map(str::to_owned).collect();
    if script.is_empty() {
        if options.rest.is_empty() {
            return Err("no script is given".to_owned());
        }
        script.push(options.rest.remove(0));
    }
    let syntax = if options.has('E') || options.has('r') { Syntax::Extended } else { Syntax::Basic };
    let steps = Parser { sh, chars: script.join("\n").chars().collect(), at: 0, syntax }.steps()?;
    if options.has('i') && options.rest.is_empty() {
        return Err("no file is named to be edited".to_owned());
    }
    let (files, all_read) = inputs(sh, "sed", &options.rest, io);
    if options.has('i') {
        for (name, content) in files {
            sh.charge(content.len() * steps.len())?;
            let edited = edit(&steps, &content, options.has('n'))?;
            let path = sh.path(&name)?;
            if let Some(suffix) = &backup {
                let copy = sh.path(&format!("{name}{suffix}"))?;
                sh.workspace.write(&copy, Arc::clone(&content)).map_err(|error| error.to_string())?;
            }
            if edited[..] != content[..] {
                sh.workspace.write(&path, edited).map_err(|error| error.to_string())?;
            }
        }
    } else {
        let size: usize = files.iter().map(|(_, content)| content.len()).sum();
        sh.charge(size * steps.len().max(1))?;
        let joined: Vec<u8> = files.iter().flat_map(|(_, content)| content.iter().copied()).collect();
        io.out.push(edit(&steps, &joined, options.has('n'))?);
    }
    Ok(if all_read { 0 } else { 2 })
}

fn edit(steps: &[Step], content: &[u8], quiet: bool) -> Result<Vec<u8>, String> {
    let last = lines(content).count();
    let mut open = vec![false; steps.len()];
    let mut out = Vec::new();
    for (n, line) in (1..).zip(lines(content)) {
        let has_end = line.ends_with(b"\n");
        let mut space = line.strip_suffix(b"\n").unwrap_or(line).to_vec();
        let (mut deleted, mut quits) = (false, false);
        let emit = |out: &mut Vec<u8>, space: &[u8]| {
            out.extend_from_slice(space);
            if has_end {
                out.push(b'\n');
            }
        };
        for (step, open) in steps.iter().zip(&mut open) {
            if step.selects(open, n, last, &space) == step.negated {
                continue;
            }
            match &step.action {
                Action::Print => emit(&mut out, &space),
                Action::Delete => deleted = true,
                Action::Quit => quits = true,
                Action::Substitute { regex, with, all, print } => {
                    let replaced = substitute(regex, with, *all, &mut space)?;
                    if replaced && *print {
                        emit(&mut out, &space);
                    }
                }
            }
            if deleted || quits {
                break;
            }
        }
        if !deleted && !quiet {
            emit(&mut out, &space);
        }
        if out.len() > 2 * MAX_FILE_BYTES {
            return Err("the output is too large".to_owned());
        }
        if quits {
            break;
        }
    }
    Ok(out)
}

impl Step {
    fn selects(&self, open: &mut bool, n: usize, last: usize, space: &[u8]) -> bool {
        let is_at = |address: &Address| match address {
            Address::Line(line) => *line == n,
            Address::Last => n == last,
            Address::Match(regex) => regex.is_match(space),
        };
        match (&self.from, &self.to) {
            (None, _) => true,
            (Some(from), None) => is_at(from),
            (Some(_), Some(to)) if *open => {
                let is_past = matches!(to, Address::Line(line) if n > *line);
                *open = !is_at(to) && !is_past;
                !is_past
            }
            (Some(from), Some(to)) => {
                let starts = is_at(from);
                *open = starts
                    && !matches!(to, Address::Line(line) if *line <= n)
                    && !(matches!(to, Address::Last) && n == last);
                starts
            }
        }
    }
}

/// Built by hand, so that a replacement made to grow is stopped while it grows.
fn substitute(regex: &Regex, with: &[Part], all: bool, space: &mut Vec<u8>) -> Result<bool, String> {
    let mut out = Vec::new();
    let mut done = 0;
    let mut found = false;
    for captures in regex.captures_iter(space).take(if all { usize::MAX } else { 1 }) {
        let Some(whole) = captures.get(0) else { continue };
        found = true;
        out.extend_from_slice(&space[done..whole.start()]);
        replacement(with, &captures, &mut out);
        done = whole.end();
        if out.len() > MAX_FILE_BYTES {
            return Err("a line would be too long".to_owned());
        }
    }
    if found {
        out.extend_from_slice(&space[done..]);
        *space = out;
    }
    Ok(found)
}

fn replacement(with: &[Part], captures: &Captures<'_>, out: &mut Vec<u8>) {
    for part in with {
        match part {
            Part::Text(text) => out.extend_from_slice(text),
            Part::Group(n) => out.extend_from_slice(captures.get(*n).map_or(b"", |group| group.as_bytes())),
        }
    }
}

struct Parser<'s, 'w> {
    sh: &'s mut Shell<'w>,
    chars: Vec<char>,
    at: usize,
    syntax: Syntax,
}

impl Parser<'_, '_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn skip(&mut self, what: &str) {
        while self.peek().is_some_and(|c| what.contains(c)) {
            self.at += 1;
        }
    }

    fn steps(mut self) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        loop {
            self.skip(" \t\n;");
            if self.peek().is_none() {
                return Ok(steps);
            }
            let from = self.address()?;
            self.skip(" ");
            let to = if self.peek() == Some(',') {
                self.at += 1;
                Some(self.address()?.ok_or("a range without an end")?)
            } else {
                None
            };
            self.skip(" ");
            let negated = self.peek() == Some('!');
            self.skip("! ");
            let action = match self.next() {
                Some('p') => Action::Print,
                Some('d') => Action::Delete,
                Some('q') => Action::Quit,
                Some('s') => self.substitution()?,
                other => {
                    return Err(format!("not available here: {}", other.map_or(String::new(), String::from)));
                }
            };
            if steps.len() >= MAX_STEPS {
                return Err("too many commands".to_owned());
            }
            steps.push(Step { from, to, negated, action });
            self.skip(" \t");
            if !matches!(self.peek(), None | Some('\n' | ';')) {
                return Err("extra characters after a command".to_owned());
            }
        }
    }

    fn address(&mut self) -> Result<Option<Address>, String> {
        match self.peek() {
            Some('$') => {
                self.at += 1;
                Ok(Some(Address::Last))
            }
            Some('/') => {
                self.at += 1;
                let pattern = self.until('/')?;
                let source = translate(&pattern, self.syntax)?;
                compile(self.sh, &source, false).map(|regex| Some(Address::Match(regex)))
            }
            Some(c) if c.is_ascii_digit() => {
                let mut digits = String::new();
                while let Some(c) = self.peek().filter(char::is_ascii_digit) {
                    digits.push(c);
                    self.at += 1;
                }
                digits
                    .parse()
                    .map(|line| Some(Address::Line(line)))
                    .map_err(|_| "a line number too large".to_owned())
            }
            _ => Ok(None),
        }
    }

    fn substitution(&mut self) -> Result<Action, String> {
        let mark =
            self.next().filter(|c| *c != '\n' && *c != '\\').ok_or("a substitution without a delimiter")?;
        let (pattern, with) = (self.until(mark)?, self.until(mark)?);
        let (mut all, mut print, mut ignore_case) = (false, false, false);
        while let Some(c) = self.peek() {
            match c {
                'g' => all = true,
                'p' => print = true,
                'i' | 'I' => ignore_case = true,
                '\n' | ';' | ' ' | '\t' => break,
                other => return Err(format!("flag not available here: {other}")),
            }
            self.at += 1;
        }
        let source = translate(&pattern, self.syntax)?;
        let regex = compile(self.sh, &source, ignore_case)?;
        let with = parts(&with);
        let groups = regex.captures_len();
        if with.iter().any(|part| matches!(part, Part::Group(n) if *n >= groups)) {
            return Err("a reference to a group that is not there".to_owned());
        }
        if with.len() > MAX_PARTS {
            return Err("too many references to groups".to_owned());
        }
        Ok(Action::Substitute { regex, with, all, print })
    }

    /// Up to the delimiter; one behind a backslash stands for itself.
    fn until(&mut self, mark: char) -> Result<String, String> {
        let mut out = String::new();
        while let Some(c) = self.next() {
            match c {
                c if c == mark => return Ok(out),
                '\\' if self.peek() == Some(mark) => out.extend(self.next()),
                '\\' => {
                    out.push('\\');
                    out.extend(self.next());
                }
                c => out.push(c),
            }
        }
        Err(format!("a command that is not ended with {mark}"))
    }
}

fn parts(text: &str) -> Vec<Part> {
    let mut out = Vec::new();
    let mut plain = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let group = match c {
            '&' => Some(0),
            '\\' => match chars.next() {
                Some(c) if c.is_ascii_digit() => c.to_digit(10).map(|n| n as usize),
                Some('n') => {
                    plain.push(b'\n');
                    None
                }
                Some('t') => {
                    plain.push(b'\t');
                    None
                }
                Some(c) => {
                    plain.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    None
                }
                None => None,
            },
            c => {
                plain.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                None
            }
        };
        if let Some(n) = group {
            out.push(Part::Text(std::mem::take(&mut plain)));
            out.push(Part::Group(n));
        }
    }
    out.push(Part::Text(plain));
    out
}
