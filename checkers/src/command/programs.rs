//! What each program does: the ones that only look, those that run tests, those whose changes can be followed.

use super::lex::{Redirect, Simple};
use super::search::{Search, default_syntax, grep};
use super::substitution;
use super::{How, Reader, Step, Syntax, Target, Write};

/// Programs that look at the world and change nothing, whatever their arguments.
const LOOK: &[&str] = &[
    "ls", "ll", "dir", "pwd", "echo", "printf", "tree", "stat", "file", "sha256sum", "sha1sum", "sha512sum", "md5sum",
    "shasum", "md5", "cksum", "b2sum", "sum", "du", "df", "basename", "dirname", "realpath", "readlink", "which",
    "type", "whereis", "whoami", "id", "date", "printenv", "uname", "test", "[", "[[", "true", "false", ":", "exit",
    "return", "pushd", "popd", "export", "set", "unset", "local", "declare", "shopt", "ulimit", "seq", "sleep", "ps", "man", "help", "history",
    "wait", "read", "locate", "env", "locale", "nproc", "free", "uptime", "getconf", "tokei", "cloc", "continue", "break", "mapfile", "hash",
];

/// Programs that show the content of the files named.
const SHOW: &[&str] = &[
    "cat", "head", "tail", "less", "more", "nl", "tac", "bat", "batcat", "wc", "sort", "uniq", "cut", "rev", "column", "jq",
    "yq", "xxd", "hexdump", "od", "strings", "base64", "fold", "fmt", "paste", "join", "expand", "tr", "comm", "awk", "gawk",
    "mawk", "sed", "diff", "cmp", "view", "zcat", "xmllint",
];

/// Programs that run tests.
const RUNNERS: &[&str] = &[
    "pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "ctest", "rspec", "phpunit", "pest", "bats",
    "nosetests", "cypress", "karma", "jasmine", "busted", "prove", "trial", "nextest", "cargo-nextest", "gotestsum",
];

/// Tools that run tests through a subcommand.
const HOSTS: &[&str] = &[
    "cargo", "npm", "yarn", "pnpm", "bun", "deno", "go", "make", "gmake", "mvn", "mvnw", "gradle", "gradlew", "dotnet", "mix",
    "rake", "rails", "swift", "flutter", "dart", "sbt", "lein", "stack", "cabal", "zig", "bazel", "ninja", "meson", "just",
    "task", "hatch", "pdm", "composer", "node", "invoke", "inv", "pants", "elm-test", "forge", "xcodebuild", "earthly",
];

/// Prefixes that run the rest of the line: how many words of their own they take is found out.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "time", "nohup", "nice", "ionice", "timeout", "command", "builtin", "exec", "stdbuf", "npx", "bunx", "pnpx",
    "bundle", "poetry", "uv", "uvx", "pipenv", "pdm", "rye", "conda", "xvfb-run", "unbuffer", "strace", "watch", "if", "then", "else", "elif",
    "while", "until", "do", "!", "{", "}", "eval", "setsid", "chronic",
];

/// Runs `command` in the reader's head.
pub(super) fn run(reader: &mut Reader, command: &Simple, piped: bool, inner_scope: Option<&str>, depth: usize) {
    if loop_words(reader, &command.words) {
        return;
    }
    let words = without_prefixes(&command.words);
    let Some(program) = words.first() else {
        return;
    };
    let program = program.rsplit(['/', '\\']).next().unwrap_or(program).trim_end_matches(".exe");
    let mut call = Call { reader, program, arguments: &words[1..], piped, inner_scope, depth };
    call.run(command);
}

/// The words from the program on, without assignments and wrappers such as `sudo` and `timeout 60`.
pub(super) fn without_prefixes(words: &[String]) -> &[String] {
    let mut rest = words;
    loop {
        let Some(first) = rest.first() else { return rest };
        let assignment = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        if assignment && rest.len() > 1 {
            rest = &rest[1..];
            continue;
        }
        let is_wrapper = WRAPPERS.contains(&first.as_str());
        if !is_wrapper || rest.len() == 1 {
            return rest;
        }
        let mut next = 1;
        while let Some(word) = rest.get(next) {
            let takes_value = matches!(word.as_str(), "-u" | "-n" | "-k" | "-s" | "-c" | "-g" | "--with" | "--python");
            let own = word.starts_with('-')
                || (first == "timeout" && word.starts_with(|c: char| c.is_ascii_digit()))
                || matches!(
                    (first.as_str(), word.as_str()),
                    ("bundle" | "npx", "exec") | ("poetry" | "uv" | "pipenv" | "pdm" | "rye" | "conda", "run")
                );
            if !own {
                break;
            }
            let skipped = 1 + usize::from(takes_value && !matches!(first.as_str(), "time" | "if" | "command"));
            next += skipped;
        }
        rest = rest.get(next..).unwrap_or_default();
    }
}

/// `for f in a b`, `do`, `done`: remembers what a loop variable runs over. True when nothing is left to run.
fn loop_words(reader: &mut Reader, words: &[String]) -> bool {
    match words.first().map(String::as_str) {
        Some("for") => {
            let name = words.get(1).cloned().unwrap_or_default();
            let values = words.iter().skip(3).cloned().collect();
            reader.bound.push((name, values));
            true
        }
        Some("done") => {
            reader.bound.pop();
            true
        }
        Some("fi" | "esac" | "}" | "then" | "else" | "do" | "{" | "!") => words.len() == 1,
        _ => false,
    }
}

struct Call<'r, 'w> {
    reader: &'r mut Reader,
    program: &'w str,
    arguments: &'w [String],
    piped: bool,
    inner_scope: Option<&'w str>,
    depth: usize,
}

impl Call<'_, '_> {
    fn run(&mut self, command: &Simple) {
        if let Some(syntax) = default_syntax(self.program) {
            return self.grep(self.program.to_owned().as_str(), self.arguments, syntax, None);
        }
        match self.program {
            "cd" => self.cd(),
            "git" => self.git(),
            "bash" | "sh" | "zsh" | "dash" | "ksh" => self.shell(command),
            "find" | "fd" | "fdfind" => self.find(),
            "xargs" | "parallel" => self.xargs(),
            "sed" | "gsed" => self.sed(),
            "perl" => self.perl(),
            "awk" | "gawk" | "mawk" => self.awk(),
            "tee" => self.tee(command),
            "mv" | "cp" | "rm" | "touch" => self.moves(),
            "mkdir" | "rmdir" | "chmod" | "chown" => self.push(Step::Bookkeeping),
            "sort" if self.flag("-o") => self.opaque(),
            "yq" if self.flag("-i") || self.flag("--inplace") => self.opaque(),
            "sort" | "yq" => self.show(),
            "date" if self.flag("-s") => self.opaque(),
            "pip" | "pip3" | "apt" | "apt-get" | "brew" | "apk" | "dnf" | "yum" => self.push(Step::Bookkeeping),
            program if RUNNERS.contains(&program) => self.push(Step::TestRun),
            program if SHOW.contains(&program) => self.show(),
            program if LOOK.contains(&program) => self.push(Step::Look),
            _ if self.runs_tests() => self.push(Step::TestRun),
            _ if self.tells_version() => self.push(Step::Look),
            program if HOSTS.contains(&program) && self.installs() => self.push(Step::Bookkeeping),
            _ => self.opaque(),
        }
    }

    fn push(&mut self, step: Step) {
        self.reader.steps.push(step);
    }

    fn opaque(&mut self) {
        let what = std::iter::once(self.program.to_owned()).chain(self.arguments.iter().cloned());
        let what = what.collect::<Vec<_>>().join(" ").chars().take(200).collect();
        self.push(Step::Opaque(what));
    }

    fn flag(&self, name: &str) -> bool {
        self.arguments.iter().any(|word| word == name)
    }

    fn plain(&self) -> Vec<String> {
        self.arguments.iter().filter(|word| !word.starts_with('-')).cloned().collect()
    }

    fn show(&mut self) {
        let files = self.plain().iter().map(|file| self.reader.path(file)).collect::<Vec<_>>();
        self.push(if files.is_empty() { Step::Look } else { Step::Read(files) });
    }

    fn cd(&mut self) {
        let to = self.arguments.first().map_or("", String::as_str);
        if !to.starts_with('-') && !to.starts_with('$') {
            self.reader.cwd = self.reader.path(to);
        }
    }

    /// Pushes a search. `tree` is set when the file names come from somewhere else.
    fn grep(&mut self, program: &str, arguments: &[String], syntax: Syntax, tree: Option<String>) {
        let read = grep(program, arguments, syntax);
        if read.search.patterns.is_empty() {
            return self.push(Step::Look);
        }
        let filters = self.piped && !read.has_files && tree.is_none() && !read.recursive;
        if filters {
            if !read.inverted {
                self.narrow(&read.search);
            }
            return;
        }
        if read.inverted {
            return self.push(Step::Look);
        }
        let mut search = read.search;
        search.scopes = search.scopes.iter().map(|scope| self.reader.path(scope)).collect();
        if let Some(tree) = tree {
            search.scopes = vec![tree];
        } else if search.scopes.iter().any(|scope| scope.contains("$()")) {
            search.scopes = vec![self.inner_scope.unwrap_or_default().to_owned()];
        } else if search.scopes.is_empty() && !self.reader.cwd.is_empty() {
            search.scopes = vec![self.reader.cwd.clone()];
        }
        self.push(Step::Search(search));
    }

    /// `… | grep x`: only what fits as well is shown of a search's answer.
    fn narrow(&mut self, filter: &Search) {
        if let Some(Step::Search(search)) = self.reader.steps.last_mut() {
            // What the first search found and the filter dropped is not shown, so it proves less than both.
            let patterns = std::mem::take(&mut search.patterns);
            search.patterns =
                patterns.into_iter().filter(|pattern| filter.finds(&pattern.source)).collect();
        } else if let Some(Step::Read(files)) = self.reader.steps.last() {
            let mut search = filter.clone();
            search.scopes.clone_from(files);
            self.push(Step::Search(search));
        }
    }

    fn git(&mut self) {
        let mut at = 0;
        while let Some(word) = self.arguments.get(at).filter(|word| word.starts_with('-')) {
            let takes_value = matches!(word.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree");
            at += 1 + usize::from(takes_value);
        }
        let Some(sub) = self.arguments.get(at) else { return self.push(Step::Look) };
        let rest = &self.arguments[at + 1..];
        let plain = || rest.iter().filter(|word| !word.starts_with('-')).cloned().collect::<Vec<_>>();
        let has = |name: &str| rest.iter().any(|word| word == name);
        match sub.as_str() {
            "grep" => {
                let rest = rest.to_vec();
                self.grep("git-grep", &rest, Syntax::Basic, None);
            }
            "diff" | "show" if !rest.iter().any(|word| word.starts_with("--output")) => {
                let names = rest.iter().any(|word| matches!(word.as_str(), "--stat" | "--name-only" | "--name-status" | "--shortstat"));
                let paths = rest.iter().filter(|word| word.contains(['.', '/']) && !word.starts_with('-') && !word.contains("..")).cloned().collect();
                self.push(if names { Step::Look } else { Step::Diff(paths) });
            }
            "status" | "log" | "ls-files" | "blame" | "rev-parse" | "describe" | "cat-file" | "ls-tree" | "shortlog"
            | "version" | "help" | "whatchanged" | "reflog" | "rev-list" | "check-ignore" | "name-rev" => self.push(Step::Look),
            "branch" | "tag" | "remote" if plain().is_empty() || has("--list") || has("-l") => self.push(Step::Look),
            "stash" if has("list") || has("show") => self.push(Step::Look),
            "config" if has("--get") || has("--list") || has("-l") => self.push(Step::Look),
            "add" | "commit" | "branch" | "tag" | "fetch" | "push" | "remote" | "config" => self.push(Step::Bookkeeping),
            "checkout" | "switch" if has("-b") || has("-c") || has("-B") || has("-C") => self.push(Step::Bookkeeping),
            "mv" => self.transfer(&plain(), true),
            "rm" => self.delete(&plain()),
            _ => self.opaque(),
        }
    }

    fn shell(&mut self, command: &Simple) {
        let mut arguments = self.arguments.iter();
        while let Some(word) = arguments.next() {
            if word.starts_with('-') && !word.starts_with("--") && word.contains('c') {
                let line = arguments.next().cloned().unwrap_or_default();
                return self.reader.line(&line, self.depth + 1);
            }
        }
        let script = command.redirects.iter().find_map(|redirect| match redirect {
            Redirect::Here(text) => Some(text.clone()),
            _ => None,
        });
        match script {
            Some(text) if self.plain().is_empty() => self.reader.line(&text, self.depth + 1),
            _ if self.runs_tests() => self.push(Step::TestRun),
            _ => self.opaque(),
        }
    }

    fn find(&mut self) {
        if self.flag("-delete") || self.arguments.iter().any(|word| word.starts_with("-fprint") || word.starts_with("-fls")) {
            return self.opaque();
        }
        let start = self.arguments.iter().position(|word| {
            matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch")
        });
        let Some(start) = start else { return self.push(Step::Look) };
        let scope = self.arguments.first().filter(|word| !word.starts_with('-')).cloned().unwrap_or_default();
        let scope = self.reader.path(&scope);
        let inner: Vec<String> = self.arguments[start + 1..]
            .iter()
            .take_while(|word| *word != ";" && *word != "+")
            .filter(|word| *word != "{}")
            .cloned()
            .collect();
        let mut names = self.names_of_find(start);
        self.on_files(&inner, scope, &mut names);
    }

    /// The `-name` patterns before the action.
    fn names_of_find(&self, end: usize) -> Vec<String> {
        let before = &self.arguments[..end];
        let after = before.iter().skip(1);
        before
            .iter()
            .zip(after)
            .filter(|(flag, _)| matches!(flag.as_str(), "-name" | "-iname"))
            .map(|(_, name)| name.clone())
            .collect()
    }

    fn xargs(&mut self) {
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
        let scope = super::scope_of(&self.reader.steps).unwrap_or_else(|| self.reader.cwd.clone());
        self.on_files(&inner, scope, &mut Vec::new());
    }

    /// Runs `inner` on files whose names are not in the command line.
    fn on_files(&mut self, inner: &[String], scope: String, names: &mut Vec<String>) {
        let words = without_prefixes(inner);
        let Some(program) = words.first() else { return self.push(Step::Look) };
        let scope = if matches!(scope.as_str(), "." | "./") { String::new() } else { scope };
        if let Some(syntax) = default_syntax(program) {
            let mark = self.reader.steps.len();
            self.grep(program, &words[1..], syntax, Some(scope));
            if let Some(Step::Search(search)) = self.reader.steps.get_mut(mark) {
                search.only.append(names);
            }
            return;
        }
        let mark = self.reader.steps.len();
        let command = Simple { link: super::Link::Then, words: words.to_vec(), redirects: Vec::new(), inner: Vec::new() };
        run(self.reader, &command, true, Some(&scope), self.depth + 1);
        for step in &mut self.reader.steps[mark..] {
            match step {
                Step::Write(write) if matches!(&write.target, Target::File(path) if path.is_empty()) => {
                    write.target = Target::Tree(scope.clone());
                }
                Step::Look if SHOW.contains(&program.as_str()) => *step = Step::Read(vec![scope.clone()]),
                _ => {}
            }
        }
    }

    fn sed(&mut self) {
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

    fn substitute(&mut self, script: &str, syntax: Syntax, files: &[String]) {
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

    fn perl(&mut self) {
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

    fn awk(&mut self) {
        let script = self.arguments.iter().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
        let script: String = script.split_whitespace().collect();
        let writes = [">\"", "system(", "|\"", "print>", "getline"].iter().any(|sign| script.contains(sign));
        if writes || self.flag("inplace") || self.flag("-f") { self.opaque() } else { self.show() }
    }

    fn tee(&mut self, command: &Simple) {
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

    fn moves(&mut self) {
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

    fn delete(&mut self, files: &[String]) {
        for file in files {
            let target = Target::File(self.reader.path(file));
            self.push(Step::Write(Write { target, how: How::Delete }));
        }
    }

    fn transfer(&mut self, files: &[String], removes: bool) {
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

    /// Whether a build tool or interpreter is told to run tests.
    fn runs_tests(&self) -> bool {
        let valued = |word: &String| matches!(word.as_str(), "-C" | "-f" | "-p" | "--package" | "--manifest-path" | "-w" | "--workspace" | "--filter" | "--prefix");
        let plain: Vec<String> = self
            .arguments
            .iter()
            .enumerate()
            .filter(|(at, word)| !word.starts_with('-') && (*at == 0 || !valued(&self.arguments[at - 1])))
            .map(|(_, word)| word.clone())
            .collect();
        let first = plain.first().map(String::as_str).unwrap_or_default();
        let is_test = |word: &str| {
            matches!(word, "test" | "tests" | "check" | "nextest" | "t" | "verify" | "spec" | "ctest" | "unittest" | "pytest" | "tst")
                || word.starts_with("test:")
                || word.starts_with("test-")
                || word.ends_with(":test")
                || word.ends_with("-test")
        };
        let script = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.split('.').next().unwrap_or(name);
            matches!(stem, "test" | "tests" | "run_tests" | "run-tests" | "runtests" | "run_test" | "check" | "test_all" | "test-all")
        };
        match self.program {
            "python" | "python3" | "python2" | "py" => {
                let module = self.arguments.iter().skip_while(|word| *word != "-m").nth(1);
                module.is_some_and(|name| matches!(name.as_str(), "pytest" | "unittest" | "nose" | "nose2" | "tox" | "doctest" | "green"))
                    || (first.ends_with("manage.py") && plain.get(1).is_some_and(|word| word == "test"))
                    || (module.is_none() && script(first))
            }
            "node" => self.flag("--test"),
            "cargo" => matches!(first, "test" | "t" | "nextest"),
            "npm" | "yarn" | "pnpm" | "bun" => {
                let words: Vec<&str> = plain.iter().map(String::as_str).filter(|word| *word != "run").collect();
                words.first().is_some_and(|word| is_test(word) || RUNNERS.contains(word))
            }
            "playwright" | "ng" | "react-scripts" => first == "test",
            "bash" | "sh" | "zsh" | "dash" | "ksh" => script(first),
            program if HOSTS.contains(&program) => !plain.is_empty() && plain.iter().all(|word| is_test(word) || word.contains(['/', '.', '=']) || word == "clean"),
            program => script(program),
        }
    }

    fn tells_version(&self) -> bool {
        matches!(self.arguments, [only] if matches!(only.as_str(), "--version" | "-V" | "version" | "--help" | "-h"))
    }

    fn installs(&self) -> bool {
        self.arguments.first().is_some_and(|word| {
            matches!(word.as_str(), "install" | "ci" | "i" | "build" | "check" | "clippy" | "vet" | "add" | "mod" | "restore" | "compile" | "package")
        }) && !self.flag("--fix")
    }
}

/// Whether a sed script writes a file or runs a program.
fn writes_from_sed(script: &str) -> bool {
    script.split([';', '\n', '{', '}']).any(|part| {
        let part = part.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' ' | '!'));
        part.starts_with("w ")
            || part.starts_with("e ")
            || (part.starts_with('s') && part.rsplit(['/', '|', '#', '@']).next().is_some_and(|flags| {
                flags.len() < 40 && (flags.starts_with("w ") || flags.starts_with("gw ") || flags == "e" || flags == "ge")
            }))
    })
}
