//! `grep` and `rg`.

use std::collections::BTreeMap;

use globset::GlobMatcher;
use regex::bytes::Regex;

use super::exec::{Io, Shell};
use super::options::{Options, Spec};
use super::pattern::{Syntax, compile, translate};
use super::text::{Inputs, lines};
use super::word::{BYTES_A_MATCH, wildcard};

/// Which of the family is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    Grep,
    Egrep,
    Fgrep,
    Rg,
}

const SPEC: Spec = Spec {
    flags: "rRnilLcwxFEPGvhHosqIa@SNu",
    values: "eABCmgtIX!",
    long: &[
        ("recursive", 'r'),
        ("dereference-recursive", 'R'),
        ("line-number", 'n'),
        ("ignore-case", 'i'),
        ("files-with-matches", 'l'),
        ("files-without-match", 'L'),
        ("count", 'c'),
        ("word-regexp", 'w'),
        ("line-regexp", 'x'),
        ("fixed-strings", 'F'),
        ("extended-regexp", 'E'),
        ("perl-regexp", 'P'),
        ("invert-match", 'v'),
        ("no-filename", 'h'),
        ("with-filename", 'H'),
        ("only-matching", 'o'),
        ("no-messages", 's'),
        ("quiet", 'q'),
        ("color", '@'),
        ("colour", '@'),
        ("no-heading", '@'),
        ("hidden", 'u'),
        ("regexp", 'e'),
        ("after-context", 'A'),
        ("before-context", 'B'),
        ("context", 'C'),
        ("max-count", 'm'),
        ("glob", 'g'),
        ("include", 'X'),
        ("exclude", '!'),
        ("exclude-dir", 't'),
    ],
};

struct Job {
    regex: Regex,
    options: Options,
    named: bool,
    before: usize,
    after: usize,
    most: usize,
}

pub(super) fn grep(sh: &mut Shell<'_>, args: &[String], io: &mut Io, flavour: Flavour) -> i32 {
    let name = if flavour == Flavour::Rg { "rg" } else { "grep" };
    match run(sh, args, io, flavour) {
        Ok(status) => status,
        Err(error) => io.fail(2, format_args!("{name}: {error}")),
    }
}

fn run(sh: &mut Shell<'_>, args: &[String], io: &mut Io, flavour: Flavour) -> Result<i32, String> {
    let mut options = Options::parse(args, SPEC)?;
    if flavour == Flavour::Rg && options.value('t').is_some() {
        return Err("option not available here: -t".to_owned());
    }
    let mut patterns: Vec<String> = options.values('e').map(str::to_owned).collect();
    if patterns.is_empty() {
        if options.rest.is_empty() {
            return Err("no pattern is given".to_owned());
        }
        patterns.push(options.rest.remove(0));
    }
    let regex = build(sh, &patterns, &options, flavour)?;
    let recursive = options.has('r') || options.has('R') || flavour == Flavour::Rg;
    let reads_pipe = options.rest.is_empty() && (io.input.is_some() || !recursive);
    let (targets, mut failed) = if reads_pipe {
        (vec![("(standard input)".to_owned(), io.input.clone().unwrap_or_default())], false)
    } else {
        collect(sh, &options, recursive, flavour, io)?
    };
    let context = options.number('C')?.unwrap_or(0);
    let job = Job {
        regex,
        named: !options.has('h')
            && (options.has('H')
                || !reads_pipe && (recursive_names(sh, &options, recursive) || options.rest.len() > 1)),
        before: options.number('B')?.unwrap_or(context),
        after: options.number('A')?.unwrap_or(context),
        most: options.number('m')?.unwrap_or(usize::MAX),
        options,
    };
    let mut found = false;
    for (name, content) in targets {
        if sh.charge(content.len()).is_err() {
            failed = true;
            io.err.line("grep: the command line reads too much");
            break;
        }
        found |= job.file(&name, &content, io);
        if io.out.is_full() {
            break;
        }
    }
    Ok(if failed && !(found && job.options.has('q')) { 2 } else { i32::from(!found) })
}

/// A recursive search names its files unless it was given one file.
fn recursive_names(sh: &Shell<'_>, options: &Options, recursive: bool) -> bool {
    let is_one_file = |name: &String| sh.path(name).is_ok_and(|path| sh.workspace.is_file(&path));
    recursive && !(options.rest.len() == 1 && options.rest.iter().all(is_one_file))
}

fn build(
    sh: &mut Shell<'_>,
    patterns: &[String],
    options: &Options,
    flavour: Flavour,
) -> Result<Regex, String> {
    let syntax = match flavour {
        _ if options.has('F') => Syntax::Fixed,
        Flavour::Fgrep => Syntax::Fixed,
        Flavour::Rg => Syntax::Perl,
        _ if options.has('P') => Syntax::Perl,
        Flavour::Egrep => Syntax::Extended,
        Flavour::Grep if options.has('E') => Syntax::Extended,
        Flavour::Grep => Syntax::Basic,
    };
    // A line end in a pattern separates alternatives.
    let patterns = patterns.join("\n");
    let one = |pattern: &str| Ok(format!("(?:{})", translate(pattern, syntax)?));
    let source = patterns.split('\n').map(one).collect::<Result<Vec<_>, String>>()?.join("|");
    let source = if options.has('x') {
        format!("^(?:{source})$")
    } else if options.has('w') {
        format!(r"(?:\b{{start-half}})(?:{source})(?:\b{{end-half}})")
    } else {
        source
    };
    let is_lower = !patterns.chars().any(char::is_uppercase);
    compile(sh, &source, options.has('i') || flavour == Flavour::Rg && options.has('S') && is_lower)
}

/// The files to search, named as the command line names them.
fn collect(
    sh: &mut Shell<'_>,
    options: &Options,
    recursive: bool,
    flavour: Flavour,
    io: &mut Io,
) -> Result<(Inputs, bool), String> {
    let mut count = 0;
    for glob in ['X', '!', 't', 'g'].into_iter().flat_map(|letter| options.values(letter)) {
        sh.charge_glob(glob)?;
        count += 1;
    }
    let globs = |letter| -> Vec<GlobMatcher> { options.values(letter).filter_map(wildcard).collect() };
    let (includes, mut excludes, exclude_dirs) = (globs('X'), globs('!'), globs('t'));
    let (negative, positive): (Vec<&str>, Vec<&str>) =
        options.values('g').partition(|glob| glob.starts_with('!'));
    let includes: Vec<_> = includes.into_iter().chain(positive.into_iter().filter_map(wildcard)).collect();
    excludes.extend(negative.into_iter().filter_map(|glob| wildcard(&glob[1..])));
    let is_wanted = |inner: &str| {
        let mut parts: Vec<&str> = inner.split('/').collect();
        let name = parts.pop().unwrap_or_default();
        let fits =
            |globs: &[GlobMatcher]| globs.iter().any(|glob| glob.is_match(name) || glob.is_match(inner));
        let in_excluded = parts.iter().any(|part| exclude_dirs.iter().any(|glob| glob.is_match(part)));
        let hidden =
            flavour == Flavour::Rg && !options.has('u') && inner.split('/').any(|part| part.starts_with('.'));
        (includes.is_empty() || fits(&includes)) && !fits(&excludes) && !in_excluded && !hidden
    };
    let mut out = Vec::new();
    let mut failed = false;
    let mut complain = |io: &mut Io, message: String| {
        failed = true;
        if !options.has('s') {
            io.err.line(format!("grep: {message}"));
        }
    };
    let here = [String::new()];
    for name in if options.rest.is_empty() { &here[..] } else { &options.rest } {
        if name == "-" {
            sh.charge(0)?;
            out.push(("(standard input)".to_owned(), io.input.clone().unwrap_or_default()));
            continue;
        }
        let path = match sh.path(name) {
            Ok(path) => path,
            Err(error) => {
                complain(io, error);
                continue;
            }
        };
        if !recursive || !sh.workspace.is_folder(&path) {
            match sh.read_at(&path, name) {
                Ok(content) => out.push((name.clone(), content)),
                Err(error) => complain(io, error),
            }
            continue;
        }
        let prefix = if name.is_empty() || name.ends_with('/') { name.clone() } else { format!("{name}/") };
        sh.walk()?;
        sh.charge(sh.workspace.paths_below(&path).count() * count * BYTES_A_MATCH)?;
        for inner in sh.workspace.paths_below(&path) {
            let below = path.below(inner).unwrap_or(inner);
            if is_wanted(below)
                && let Some(content) = sh.workspace.get(inner)
            {
                out.push((format!("{prefix}{below}"), content.clone()));
            }
        }
    }
    Ok((out, failed))
}

impl Job {
    /// Searches one file; true when something was found.
    fn file(&self, name: &str, content: &[u8], io: &mut Io) -> bool {
        let all: Vec<&[u8]> = lines(content).map(|line| line.strip_suffix(b"\n").unwrap_or(line)).collect();
        let is_hit = |line: &[u8]| self.regex.is_match(line) != self.options.has('v');
        let hits: Vec<usize> =
            all.iter().enumerate().filter(|(_, line)| is_hit(line)).map(|(n, _)| n).take(self.most).collect();
        let found = !hits.is_empty();
        if self.options.has('q') {
            return found;
        }
        if self.options.has('l') || self.options.has('L') {
            if found == self.options.has('l') {
                io.out.line(name);
            }
            return found;
        }
        if self.options.has('c') {
            let head = if self.named { format!("{name}:") } else { String::new() };
            io.out.line(format!("{head}{}", hits.len()));
            return found;
        }
        if found && content.contains(&0) && !self.options.has('a') {
            io.out.line(format!("Binary file {name} matches"));
            return found;
        }
        self.show(name, &all, &hits, io);
        found
    }

    fn show(&self, name: &str, all: &[&[u8]], hits: &[usize], io: &mut Io) {
        let mut shown: BTreeMap<usize, bool> = BTreeMap::new();
        for hit in hits {
            let from = hit.saturating_sub(self.before);
            let to = hit.saturating_add(self.after).min(all.len().saturating_sub(1));
            // Context that was shown already need not be walked again.
            let from = shown.last_key_value().map_or(from, |(last, _)| from.max(last + 1));
            for n in from..=to {
                shown.entry(n).or_insert(false);
            }
            shown.insert(*hit, true);
        }
        let mut last = None;
        for (n, is_hit) in shown {
            if (self.before > 0 || self.after > 0) && last.is_some_and(|last| last + 1 < n) {
                io.out.line("--");
            }
            last = Some(n);
            let mark = if is_hit { ':' } else { '-' };
            let mut head = if self.named { format!("{name}{mark}") } else { String::new() };
            if self.options.has('n') {
                head.push_str(&format!("{}{mark}", n + 1));
            }
            if self.options.has('o') && is_hit && !self.options.has('v') {
                for part in self.regex.find_iter(all[n]).filter(|part| !part.is_empty()) {
                    io.out.push(&head);
                    io.out.line(part.as_bytes());
                }
            } else {
                io.out.push(head);
                io.out.line(all[n]);
            }
            if io.out.is_full() {
                return;
            }
        }
    }
}
