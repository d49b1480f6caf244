//! What each program does: the ones that only look, those that run tests, those whose changes can be followed.

mod files;
mod git;
mod rewriters;
mod runners;
mod scripts;
mod searches;

use super::lex::{Redirect, Simple};
use super::search::{Output, default_syntax};
use super::{Reader, Step, Syntax};

/// Programs that look at the world and change nothing, whatever their arguments.
const LOOK: &str = "\
ls ll dir pwd tree stat file sha256sum sha1sum sha512sum md5sum shasum md5 cksum b2sum \
sum du df basename dirname realpath readlink which type whereis whoami id date printenv uname ps man seq help history \
locate env locale nproc free uptime getconf tokei cloc";

/// Programs that change nothing and print nothing either.
const SILENT: &str = "\
test [ [[ true false : exit return pushd popd export set unset local declare shopt ulimit sleep wait \
read continue break mapfile hash";

/// Programs that show the content of the files named.
const SHOW: &str = "\
cat head tail less more nl tac bat batcat sort uniq cut rev column jq yq xxd hexdump od strings \
base64 fold fmt paste join expand tr comm awk gawk mawk sed diff cmp view zcat xmllint";

/// Programs that run tests.
const RUNNERS: &str = "\
pytest py.test tox nox jest vitest mocha ava ctest rspec phpunit pest bats nosetests cypress karma \
jasmine busted prove trial nextest cargo-nextest gotestsum";

/// Tools that run tests through a subcommand.
const HOSTS: &str = "\
cargo npm yarn pnpm bun deno go make gmake mvn mvnw gradle gradlew dotnet mix rake rails swift \
flutter dart sbt lein stack cabal zig bazel ninja meson just task hatch pdm composer node invoke inv \
pants elm-test forge xcodebuild earthly";

/// Prefixes that run the rest of the line: how many words of their own they take is found out.
const WRAPPERS: &str = "\
sudo doas env time nohup nice ionice timeout command builtin exec stdbuf npx bunx pnpx bundle poetry \
uv uvx pipenv pdm rye conda xvfb-run unbuffer strace watch if then else elif while until do ! { } \
eval setsid chronic";

/// Whether the list, words between blanks, has `word`.
fn among(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// Runs `command` in the reader's head.
pub(super) fn run(
    reader: &mut Reader,
    command: &Simple,
    piped: bool,
    inner_scope: Option<&str>,
    depth: usize,
) {
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
        let is_wrapper = among(WRAPPERS, first);
        if !is_wrapper || rest.len() == 1 {
            return rest;
        }
        let mut next = 1;
        while let Some(word) = rest.get(next) {
            let takes_value =
                matches!(word.as_str(), "-u" | "-n" | "-k" | "-s" | "-c" | "-g" | "--with" | "--python");
            let own = word.starts_with('-')
                || (first == "timeout" && word.starts_with(|c: char| c.is_ascii_digit()))
                || matches!(
                    (first.as_str(), word.as_str()),
                    ("bundle" | "npx", "exec")
                        | ("poetry" | "uv" | "pipenv" | "pdm" | "rye" | "conda", "run")
                );
            if !own {
                break;
            }
            let skipped =
                1 + usize::from(takes_value && !matches!(first.as_str(), "time" | "if" | "command"));
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
            // `for f do rm "$f"`: over arguments that are not seen here.
            if words.get(2).is_some_and(|word| word != "in") {
                reader.steps.push(Step::Opaque(words.join(" ")));
            }
            reader.bound.push((name, values));
            true
        }
        Some("done") => {
            reader.bound.pop();
            true
        }
        Some("while" | "until" | "select") => {
            // Their `done` must not end the loop around them.
            reader.bound.push((String::new(), Vec::new()));
            words.len() == 1
        }
        Some("then" | "else" | "do" | "{") if words.len() > 1 => loop_words(reader, &words[1..]),
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
        if matches!(self.program, "python" | "python3" | "node" | "ruby") && self.rewrites(command) {
            return;
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
            "wc" | "sha256sum" | "sha1sum" | "sha512sum" | "md5sum" | "shasum" | "cksum" | "cmp" => {
                self.measure();
            }
            "date" if self.flag("-s") => self.opaque(),
            "pip" | "pip3" | "apt" | "apt-get" | "brew" | "apk" | "dnf" | "yum" => {
                self.push(Step::Bookkeeping);
            }
            "echo" | "printf" => self.says(),
            // They print a line of their own, and no file's name.
            "pwd" | "date" | "whoami" | "id" | "uname" => self.push(Step::Say(String::new())),
            program if among(SILENT, program) => {}
            program if among(RUNNERS, program) => self.push(Step::TestRun),
            program if among(SHOW, program) => self.show(),
            program if among(LOOK, program) => self.push(Step::Look),
            _ if self.runs_tests() => self.push(Step::TestRun),
            _ if self.only_checks() => self.push(Step::Bookkeeping),
            _ if self.tells_version() => self.push(Step::Look),
            program if among(HOSTS, program) && self.installs() => self.push(Step::Bookkeeping),
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

    /// In a loop the marks come in another order than the steps are read in, so they mark nothing there.
    fn says(&mut self) {
        let flags =
            self.arguments.iter().take_while(|word| matches!(word.as_str(), "-n" | "-e" | "-ne")).count();
        let text = self.arguments[flags..].join(" ").replace("\\n", "");
        let marks = self.reader.bound.is_empty() && !self.piped;
        self.push(if marks { Step::Say(text) } else { Step::Look });
    }

    /// Numbers about a file show nothing of what it says.
    fn measure(&mut self) {
        let left = self.boiled_down().unwrap_or(Output::Quiet);
        match self.reader.steps.last_mut() {
            Some(Step::Search(search)) if self.piped => search.output = left,
            Some(step @ (Step::Read(_) | Step::Diff(_))) if self.piped => *step = Step::Look,
            _ => self.push(Step::Look),
        }
    }

    fn show(&mut self) {
        if self.piped && searches::hides_finds(self.program, self.arguments) {
            return self.measure();
        }
        let told = self.piped.then(|| self.boiled_down()).flatten();
        if let (Some(output), Some(Step::Search(search))) = (told, self.reader.steps.last_mut()) {
            search.output = output;
            return;
        }
        let files = self.plain().iter().map(|file| self.reader.path(file)).collect::<Vec<_>>();
        if files.is_empty() && self.piped && !self.reader.steps.is_empty() {
            return;
        }
        self.push(if files.is_empty() { Step::Look } else { Step::Read(files) });
    }

    fn cd(&mut self) {
        let to = self.arguments.first().map_or("", String::as_str);
        if !to.starts_with('-') && !to.starts_with('$') {
            self.reader.cwd = self.reader.path(to);
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
}
