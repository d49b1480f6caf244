//! grep and its relatives: what is looked for, where, and what the answer looks like.

use globset::Glob;

use super::{Pattern, Syntax};

/// What the answer to a search looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The lines found.
    Lines,
    /// The names of the files that hold one.
    Files,
    /// A number for each file.
    Counts,
    /// One number.
    Total,
    /// Nothing; the exit status tells.
    Quiet,
}

/// A search for text in files.
#[derive(Debug, Clone)]
pub struct Search {
    /// What is looked for; any of them.
    pub patterns: Vec<Pattern>,
    /// The files and folders looked into; empty for the whole tree.
    pub scopes: Vec<String>,
    /// When not empty, only files whose name fits one of these are looked into.
    pub only: Vec<String>,
    /// Files and folders whose name fits one of these are passed over.
    pub except: Vec<String>,
    /// Files and folders whose name begins with a dot are passed over unless they are named.
    pub skips_hidden: bool,
    /// What the answer looks like.
    pub output: Output,
    /// What the command line prints besides when something was found.
    pub on_found: Vec<String>,
    /// What it prints when nothing was.
    pub on_none: Vec<String>,
}

impl Search {
    /// A search of the whole tree.
    #[must_use]
    pub fn new(patterns: Vec<Pattern>) -> Self {
        Self {
            patterns,
            scopes: Vec::new(),
            only: Vec::new(),
            except: Vec::new(),
            skips_hidden: false,
            output: Output::Lines,
            on_found: Vec::new(),
            on_none: Vec::new(),
        }
    }

    /// Whether every use of `text` is found, in the files looked into.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.finds(text))
    }

    /// Whether `path` is among the files looked into. Scopes must be relative to the root by now.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        let seen = |below: &str| !(self.skips_hidden && below.split('/').any(|part| part.starts_with('.')));
        let in_scope = (self.is_whole_tree() && seen(path))
            || self.scopes.iter().any(|scope| {
                let below = path.strip_prefix(scope.as_str()).and_then(|rest| rest.strip_prefix('/'));
                path == scope || below.is_some_and(seen) || (is_glob(scope) && fits(scope, path))
            });
        in_scope
            && (self.only.is_empty() || self.only.iter().any(|glob| name_fits(glob, path)))
            && !self.except.iter().any(|glob| name_fits(glob, path))
    }

    /// Whether the search starts at the root.
    #[must_use]
    pub fn is_whole_tree(&self) -> bool {
        self.scopes.is_empty() || self.scopes.iter().any(String::is_empty)
    }
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

fn fits(glob: &str, path: &str) -> bool {
    Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// Whether the path, its file name, or one of its folders fits.
fn name_fits(glob: &str, path: &str) -> bool {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    fits(glob, path) || path.split('/').any(|part| fits(glob, part)) || fits(&format!("**/{glob}"), path)
}

/// How a program of the family reads its pattern when no flag says otherwise; `None` for other programs.
pub(super) fn default_syntax(program: &str) -> Option<Syntax> {
    match program {
        "grep" | "zgrep" => Some(Syntax::Basic),
        "egrep" | "rg" | "ripgrep" | "ag" | "ack" | "ugrep" | "pcregrep" | "pcre2grep" => {
            Some(Syntax::Extended)
        }
        "fgrep" => Some(Syntax::Fixed),
        _ => None,
    }
}

/// A command of the grep family as read from its arguments.
pub(super) struct Grep {
    pub(super) search: Search,
    /// `-v`: the lines that do *not* fit.
    pub(super) inverted: bool,
    pub(super) recursive: bool,
    pub(super) has_files: bool,
}

/// Reads the arguments of `program`.
pub(super) fn grep(program: &str, arguments: &[String], syntax: Syntax) -> Grep {
    let mut flags = Flags { syntax, ..Flags::default() };
    let mut plain = Vec::new();
    let mut rest = arguments.iter();
    let mut only_plain = false;
    while let Some(word) = rest.next() {
        if only_plain || !word.starts_with('-') || word == "-" {
            plain.push(word.clone());
        } else if word == "--" {
            only_plain = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            flags.long(program, name, value, &mut rest);
        } else {
            flags.short(program, &word[1..], &mut rest);
        }
    }
    if flags.sources.is_empty() && !flags.lists_names && !plain.is_empty() {
        flags.sources.push(plain.remove(0));
    }
    let patterns = flags
        .sources
        .iter()
        .flat_map(|source| source.lines())
        .map(|source| Pattern::new(source, flags.syntax, flags.ignore_case, flags.whole_words))
        .collect();
    let mut search = Search::new(patterns);
    search.scopes.clone_from(&plain);
    search.only = flags.only;
    search.except = flags.except;
    search.skips_hidden = matches!(program, "rg" | "ripgrep" | "ag") && flags.unrestricted < 2;
    search.output = flags.output;
    Grep { search, inverted: flags.inverted, recursive: flags.recursive, has_files: !plain.is_empty() }
}

struct Flags {
    syntax: Syntax,
    ignore_case: bool,
    whole_words: bool,
    inverted: bool,
    recursive: bool,
    lists_names: bool,
    /// How many of ripgrep's `-u` there are: two take in the hidden files.
    unrestricted: usize,
    output: Output,
    sources: Vec<String>,
    only: Vec<String>,
    except: Vec<String>,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            syntax: Syntax::Basic,
            ignore_case: false,
            whole_words: false,
            inverted: false,
            recursive: false,
            lists_names: false,
            unrestricted: 0,
            output: Output::Lines,
            sources: Vec::new(),
            only: Vec::new(),
            except: Vec::new(),
        }
    }
}

impl Flags {
    fn long<'a>(
        &mut self,
        program: &str,
        name: &str,
        value: Option<&str>,
        rest: &mut impl Iterator<Item = &'a String>,
    ) {
        let mut value = || value.map(str::to_owned).or_else(|| rest.next().cloned()).unwrap_or_default();
        match name {
            "regexp" => self.sources.push(value()),
            "include" => self.only.push(value()),
            "exclude" | "exclude-dir" | "ignore" | "ignore-dir" | "ignore-file" => self.except.push(value()),
            "glob" | "iglob" => self.glob(&value()),
            "type" => self.only.push(of_type(&value())),
            "ignore-case" => self.ignore_case = true,
            "word-regexp" => self.whole_words = true,
            "fixed-strings" | "literal" => self.syntax = Syntax::Fixed,
            "extended-regexp" | "perl-regexp" | "pcre2" => self.syntax = Syntax::Extended,
            "invert-match" => self.inverted = true,
            "recursive" | "dereference-recursive" => self.recursive = true,
            "files-with-matches" | "files-without-match" | "name-only" => self.output = Output::Files,
            "count" | "count-matches" => self.output = Output::Counts,
            "quiet" | "silent" => self.output = Output::Quiet,
            "hidden" => self.unrestricted = 2,
            "unrestricted" => self.unrestricted += 1,
            "files" if program == "rg" => self.lists_names = true,
            "max-count" | "context" | "after-context" | "before-context" | "file" | "max-depth" | "sort"
            | "replace" | "type-not" | "threads" => {
                value();
            }
            _ => {}
        }
    }

    fn short<'a>(&mut self, program: &str, letters: &str, rest: &mut impl Iterator<Item = &'a String>) {
        for (at, letter) in letters.char_indices() {
            let tail = letters[at + letter.len_utf8()..].to_owned();
            let mut value =
                || if tail.is_empty() { rest.next().cloned().unwrap_or_default() } else { tail.clone() };
            match letter {
                'e' => return self.sources.push(value()),
                'g' if matches!(program, "rg" | "ripgrep") => return self.glob(&value()),
                't' if matches!(program, "rg" | "ripgrep") => return self.only.push(of_type(&value())),
                'f' | 'm' | 'A' | 'B' | 'C' | 'M' | 'j' => {
                    value();
                    return;
                }
                'd' | 'D' if program == "grep" => {
                    value();
                    return;
                }
                'i' => self.ignore_case = true,
                'w' => self.whole_words = true,
                'F' | 'Q' => self.syntax = Syntax::Fixed,
                'E' | 'P' => self.syntax = Syntax::Extended,
                'v' => self.inverted = true,
                'r' | 'R' => self.recursive = true,
                'l' | 'L' => self.output = Output::Files,
                'c' => self.output = Output::Counts,
                'q' => self.output = Output::Quiet,
                '.' => self.unrestricted = 2,
                'u' => self.unrestricted += 1,
                _ => {}
            }
        }
    }

    fn glob(&mut self, glob: &str) {
        match glob.strip_prefix('!') {
            Some(not) => self.except.push(not.to_owned()),
            None => self.only.push(glob.to_owned()),
        }
    }
}

/// The files of a type as ripgrep names it.
fn of_type(name: &str) -> String {
    match name {
        "python" => "*.py",
        "rust" => "*.rs",
        "ruby" => "*.rb",
        "yaml" => "*.{yaml,yml}",
        "js" => "*.{js,jsx,mjs,cjs}",
        "ts" => "*.{ts,tsx}",
        "md" | "markdown" => "*.{md,markdown}",
        "cpp" => "*.{cpp,cc,cxx,h,hpp}",
        "c" => "*.{c,h}",
        other => return format!("*.{other}"),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(line: &str) -> Search {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        grep(&words[0], &words[1..], Syntax::Basic).search
    }

    #[test]
    fn ripgrep_passes_over_hidden_files_unless_told_otherwise() {
        assert!(!search("rg key").covers(".env"));
        assert!(!search("rg key").covers(".github/ci.yml"));
        for line in
            ["rg --hidden key", "rg -uu key", "rg -. key", "rg key .env", "grep -r key", "ag --hidden key"]
        {
            assert!(search(line).covers(".env"), "{line}");
        }
        assert!(search("rg -u key").covers("a.py"));
        assert!(!search("rg -u key").covers(".env"));
        assert!(search("rg key .github").covers(".github/ci.yml"));
    }
}
