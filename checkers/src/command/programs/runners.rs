//! Test runners in their many guises, and programs that check without changing.

use super::{Call, HOSTS, RUNNERS, among};

impl Call<'_, '_> {
    /// Whether a build tool or interpreter is told to run tests.
    pub(super) fn runs_tests(&self) -> bool {
        let valued = |word: &String| {
            matches!(
                word.as_str(),
                "-C" | "-f"
                    | "-p"
                    | "--package"
                    | "--manifest-path"
                    | "-w"
                    | "--workspace"
                    | "--filter"
                    | "--prefix"
            )
        };
        let plain: Vec<String> = self
            .arguments
            .iter()
            .enumerate()
            .filter(|(at, word)| !word.starts_with('-') && (*at == 0 || !valued(&self.arguments[at - 1])))
            .map(|(_, word)| word.clone())
            .collect();
        let first = plain.first().map(String::as_str).unwrap_or_default();
        let is_test = |word: &str| {
            matches!(
                word,
                "test"
                    | "tests"
                    | "check"
                    | "nextest"
                    | "t"
                    | "verify"
                    | "spec"
                    | "ctest"
                    | "unittest"
                    | "pytest"
                    | "tst"
            ) || word.starts_with("test:")
                || word.starts_with("test-")
                || word.ends_with(":test")
                || word.ends_with("-test")
        };
        let script = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.split('.').next().unwrap_or(name);
            matches!(
                stem,
                "test"
                    | "tests"
                    | "run_tests"
                    | "run-tests"
                    | "runtests"
                    | "run_test"
                    | "check"
                    | "test_all"
                    | "test-all"
            )
        };
        match self.program {
            "python" | "python3" | "python2" | "py" => {
                let module = self.arguments.iter().skip_while(|word| *word != "-m").nth(1);
                module.is_some_and(|name| {
                    matches!(
                        name.as_str(),
                        "pytest" | "unittest" | "nose" | "nose2" | "tox" | "doctest" | "green"
                    )
                }) || (first.ends_with("manage.py") && plain.get(1).is_some_and(|word| word == "test"))
                    || (module.is_none() && script(first))
            }
            "node" => self.flag("--test"),
            "cargo" => matches!(first, "test" | "t" | "nextest"),
            "npm" | "yarn" | "pnpm" | "bun" => {
                let words: Vec<&str> =
                    plain.iter().map(String::as_str).filter(|word| *word != "run").collect();
                words.first().is_some_and(|word| is_test(word) || among(RUNNERS, word))
            }
            "playwright" | "ng" | "react-scripts" => first == "test",
            "bash" | "sh" | "zsh" | "dash" | "ksh" => script(first),
            program if among(HOSTS, program) => {
                !plain.is_empty()
                    && plain
                        .iter()
                        .all(|word| is_test(word) || word.contains(['/', '.', '=']) || word == "clean")
            }
            program => script(program),
        }
    }

    /// Whether the program, whatever else it may do, does not rewrite the files it is run on: linters, compilers,
    /// interpreters given a line that holds no sign of writing.
    pub(super) fn only_checks(&self) -> bool {
        const CHECKS: &[&str] = &[
            "tsc",
            "eslint",
            "mypy",
            "pyright",
            "pylint",
            "flake8",
            "shellcheck",
            "yamllint",
            "hadolint",
            "gcc",
            "cc",
            "clang",
            "rustc",
            "javac",
            "luac",
            "promtool",
            "xmllint",
            "ansible-lint",
            "markdownlint",
            "curl",
            "psql",
            "ping",
            "dig",
            "nslookup",
            "kubeval",
        ];
        const FLAGS: &[&str] = &[
            "--check",
            "--dry-run",
            "--noEmit",
            "--no-emit",
            "--diff",
            "--list-different",
            "--check-only",
            "--syntax-check",
        ];
        let fixes = self
            .arguments
            .iter()
            .any(|word| matches!(word.as_str(), "--fix" | "--write" | "-w" | "--in-place" | "-o"));
        let has_script = self.arguments.iter().position(|word| matches!(word.as_str(), "-c" | "-e" | "-r"));
        let script = has_script.and_then(|at| self.arguments.get(at + 1));
        let sign = |script: &String| {
            [
                "write",
                "'w'",
                "\"w\"",
                "'a'",
                "\"a\"",
                "'r+'",
                "\"r+\"",
                "'wb'",
                "rename",
                "unlink",
                "remove",
                "replace",
                "subprocess",
                "system",
                "shutil",
                "exec",
                "spawn",
                "File.",
                "fs.",
            ]
            .iter()
            .any(|sign| script.contains(sign))
        };
        match self.program {
            "python" | "python3" | "node" | "ruby" | "php" if script.is_some() => !script.is_some_and(sign),
            "python" | "python3" => ["py_compile", "compileall", "json.tool", "mypy", "flake8"]
                .iter()
                .any(|module| self.flag(module)),
            "node" | "nginx" | "php" | "ruby" | "bash" => {
                ["--check", "-t", "-l", "-c"].iter().any(|flag| self.flag(flag))
            }
            "terraform" | "helm" | "docker" | "docker-compose" | "kubectl" | "ruff" | "cargo" | "go"
            | "npm" | "yarn" | "pnpm" | "make" => {
                let words = [
                    "validate",
                    "plan",
                    "lint",
                    "template",
                    "config",
                    "check",
                    "clippy",
                    "vet",
                    "build",
                    "compile",
                    "typecheck",
                    "get",
                ];
                !fixes
                    && (words.iter().any(|word| self.flag(word))
                        || self.arguments.iter().any(|word| FLAGS.contains(&word.as_str())))
            }
            program => {
                !fixes
                    && (CHECKS.contains(&program)
                        || self.arguments.iter().any(|word| FLAGS.contains(&word.as_str())))
            }
        }
    }

    pub(super) fn tells_version(&self) -> bool {
        matches!(self.arguments, [only] if matches!(only.as_str(), "--version" | "-V" | "version" | "--help" | "-h"))
    }

    pub(super) fn installs(&self) -> bool {
        self.arguments.first().is_some_and(|word| {
            matches!(
                word.as_str(),
                "install"
                    | "ci"
                    | "i"
                    | "build"
                    | "check"
                    | "clippy"
                    | "vet"
                    | "add"
                    | "mod"
                    | "restore"
                    | "compile"
                    | "package"
            )
        }) && !self.flag("--fix")
    }
}
