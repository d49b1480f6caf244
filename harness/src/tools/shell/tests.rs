use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::workspace::Tree;

fn workspace() -> Workspace {
    let files = [
        ("README.md", "# Mill\n\nSet max_jobs in conf/app.toml.\n"),
        ("conf/app.toml", "max_jobs = 4\n[log]\nlevel = \"info\"\n"),
        ("src/main.py", "import conf\nmax_jobs = conf.get(\"max_jobs\")\nMAX_JOBS = 9\n"),
        ("src/util/text.py", "def f(x):\n    return x + 1\n"),
        (".ci/run", "make test\n"),
    ];
    let tree: Tree =
        files.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes()))).collect();
    Workspace::new(Arc::new(tree))
}

/// Runs the commands in one workspace, as `$ command` and its answer; `!` marks an error.
fn session(commands: &[&str]) -> String {
    let mut workspace = workspace();
    let mut out = String::new();
    for command in commands {
        let outcome = run(command, &mut workspace);
        let mark = if outcome.is_error { "!" } else { "" };
        out.push_str(&format!("${mark} {command}\n{}\n", outcome.content));
    }
    out
}

#[test]
fn looking_around() {
    insta::assert_snapshot!(session(&[
        "ls",
        "ls -la src",
        "ls -R src nothing",
        "pwd; cd src && pwd && ls",
        "cat conf/app.toml",
        "cat /repo/conf/app.toml missing.txt",
        "cat src ../x",
        "cat -n README.md | head -1",
        "head -n 1 README.md conf/app.toml",
        "tail -n +2 conf/app.toml",
        "tail -1 src/main.py",
        "head -n -1 conf/app.toml",
        "cat README.md | grep -n Set - missing",
        "wc -l src/*.py README.md",
        "wc README.md",
        "cat README.md | wc -c",
        "sha256sum conf/app.toml",
        "find . -name '*.py' -type f",
        "find src -type d -o -name 'm*'",
        "find . -not -path './src/*' -type f",
        "find . -name '*.py' -delete",
        "find . -exec rm {} +",
        "echo 'a  b' \"c\\\"d\" e\\ f",
        "printf '%s=%s\\n' a 1 b 2",
        "test -f README.md && echo yes || echo no",
        "[ -d nothing ] || echo none",
        "sort -u conf/app.toml | uniq -c | sort -rn | head -2",
        "sed -n '2,3p' src/main.py",
        "sed 's/max_jobs/w/' src/main.py",
        "git status",
        "git log --oneline",
    ]));
}

#[test]
fn searching() {
    insta::assert_snapshot!(session(&[
        "grep -rn max_jobs .",
        "grep -rn max_jobs",
        "grep -n max_jobs src/main.py",
        "grep -rl max_jobs . | sort",
        "grep -rci max_jobs --include='*.py' .",
        "grep -rc absent . | grep -v ':0$' || echo 'none left'",
        "grep -r absent .",
        "grep max_jobs src",
        "grep max_jobs nothing",
        "grep -rnw MAX_JOBS src --include=*.{py,toml}",
        "grep -rn --exclude-dir=src --exclude=README.md max_jobs /repo",
        "grep -E 'get\\(|level' -rho .",
        "grep -F 'get(\"max' src/main.py",
        "grep 'f(x)' src/util/text.py",
        "grep -A1 -n import src/main.py",
        "grep -rn '[[:upper:]]\\+_JOBS\\b' src",
        "grep -q max_jobs README.md && echo found",
        "rg -n max_jobs",
        "rg 'make' ; rg --hidden make",
        "git grep -n level",
        "grep -P '(a)\\1' README.md",
        "grep -Z x README.md",
    ]));
}

#[test]
fn changing() {
    insta::assert_snapshot!(session(&[
        "cat > CHARTER_STATE.md <<'EOF'\nTask: $x `y`\n\nINV-1: keep\nEOF",
        "cat CHARTER_STATE.md",
        "cat <<EOF >> CHARTER_STATE.md && tail -1 CHARTER_STATE.md\nmore \\$5\nEOF",
        "echo one > a.txt; echo two >> a.txt; cat < a.txt",
        "echo x > src",
        "echo x > ../../etc/passwd",
        "echo gone 2>&1 >/dev/null",
        "cat missing 2>/dev/null",
        "cat missing 2>&1 | wc -l",
        "sed -i 's/\\bmax_jobs\\b/workers/g' src/main.py conf/app.toml && cat src/main.py",
        "grep -rl max_jobs . | xargs sed -i 's|max_jobs|workers|'; grep -rn max_jobs .",
        "sed -i '' -e '/^MAX/d' src/main.py; cat src/main.py",
        "sed -E 's/(\\w+) = (.*)/\\2 <- \\1 (&)/' conf/app.toml",
        "mkdir docs/a; mkdir -p docs/a && ls docs",
        "cp conf/app.toml docs/ && mv README.md docs/readme.md && touch new && ls docs",
        "cp conf docs",
        "rm src; rm nothing; rm -f nothing; rm -rf src .ci",
        "rm -rf /",
        "sort a.txt > a.txt; wc -c a.txt",
        "sha256sum new | tee new.sha256 | cut -c1",
        "git status --short",
        "git diff conf",
        "git commit -am x",
    ]));
}

#[test]
fn what_needs_a_real_shell_is_refused_before_anything_runs() {
    insta::assert_snapshot!(session(&[
        "python3 -c 'print(1)'",
        "pytest -q",
        "python gen.py > out.txt; ls",
        "rm README.md; echo $HOME",
        "rm README.md; echo `id`",
        "echo \"$(rm README.md)\"",
        "for f in *.py; do rm $f; done",
        "if true; then rm README.md; fi",
        "while rm README.md; do true; done",
        "(rm README.md)",
        "rm README.md &",
        "echo 'open",
        "echo a |",
        "&& rm README.md",
        "echo a > ",
        "ls README.md",
        "curl https://a.test; true",
        "! true",
        "   ",
    ]));
}

#[test]
fn output_is_cut_and_work_is_bounded() {
    let mut workspace = workspace();
    let line = "x".repeat(1 << 19);
    assert!(!run(&format!("echo {}", &line[..200_000]), &mut workspace).is_error);
    workspace.write(&crate::workspace::WorkPath::parse("big").unwrap(), line.into_bytes()).unwrap();
    let outcome = run("cat big", &mut workspace);
    assert!(outcome.content.len() < MAX_OUTPUT_BYTES + 100);
    assert!(
        outcome.content.ends_with("… the output is cut here, 507904 more bytes"),
        "{}",
        &outcome.content[MAX_OUTPUT_BYTES..]
    );
    let outcome = run(&format!("cat {}", "big ".repeat(10_000)), &mut workspace);
    assert!(outcome.is_error && outcome.content.contains("… the output is cut here"));
    let outcome = run(&format!("sed 's/x/{}/g' big", "y".repeat(10_000)), &mut workspace);
    assert_eq!(outcome.content, "sed: a line would be too long\nexit status 1");
    let outcome = run(&format!("grep -c q {}", "big ".repeat(10_000)), &mut workspace);
    assert!(outcome.is_error, "{}", &outcome.content[..100]);
    workspace.write(&crate::workspace::WorkPath::parse("many").unwrap(), b"a\n".repeat(1 << 19)).unwrap();
    assert!(
        run("grep -c -C 9999999999 a many; grep -C 9999999999 a many", &mut workspace)
            .content
            .starts_with("524288\na\n")
    );
    let outcome = run(&format!("ls {}", ". ".repeat(100_000)), &mut workspace);
    assert!(outcome.is_error);
    let outcome = run(&"cat big | ".repeat(5_000).replace("| cat big", "| cat"), &mut workspace);
    assert!(outcome.is_error);
}

/// Each of these lines is short, and asks for more work or memory than a command line may have.
#[test]
fn no_command_line_gets_more_than_its_share() {
    let mut workspace = workspace();
    let path = |text: &str| crate::workspace::WorkPath::parse(text).unwrap();
    workspace.write(&path("big"), b"x".repeat(1 << 19)).unwrap();
    workspace.write(&path("ends"), b"\n".repeat(1 << 20)).unwrap();
    let often = |what: &str, count: usize| what.repeat(count);
    let mut lines = vec![
        often("echo x >> big;", 200),
        often("sed -n /x/p README.md;", 600),
        often("grep -q x README.md;", 600),
        often("true *;", 5000),
        format!("cat big | tee {} > /dev/null", often("a ", 200)),
        format!("cat ends | sort {} > /dev/null", often("- ", 10)),
        format!("cat ends | uniq {}", often("- ", 10)),
        format!("find . {} -name x", often("-name x -o ", 5000)),
        format!("grep -r {} q .", often("--include=x ", 5000)),
        format!("cat big | grep -c q {} > /dev/null", often("- ", 200)),
    ];
    for command in ["cat", "head -c1", "tail -c1", "wc", "sort", "uniq", "sha256sum", "sed p", "sed -n 1p"] {
        lines.push(format!("cat big | {command} {} > /dev/null", often("- ", 200)));
    }
    for line in &lines {
        let outcome = run(line, &mut workspace.clone());
        let told = outcome.content.contains("the command line reads too much");
        let start = &line[..line.len().min(40)];
        assert!(outcome.is_error && told, "{start}: {}", &outcome.content[..outcome.content.len().min(200)]);
    }
    let outcome = run(&often("true *;", 5000), &mut workspace.clone());
    assert_eq!(outcome.content.matches("reads too much").count(), 1, "it is over once it is said");
    // Each of these paths has five hundred folders above it.
    for n in 0..200 {
        workspace.write(&path(&format!("{}{n}", often("a/", 499))), *b"").unwrap();
    }
    for line in ["find .", "ls -R", "echo **/*"] {
        let outcome = run(line, &mut workspace.clone());
        assert!(outcome.is_error && outcome.content.contains("reads too much"), "{line}");
    }
}

#[test]
fn xargs_does_not_call_itself_by_any_name() {
    for name in ["xargs", "/bin/xargs", "/usr/bin/xargs"] {
        // Deep enough for any stack, were each to run the next.
        let line = format!("xargs {}", format!("{name} ").repeat(15_000));
        let content = run(&line, &mut workspace()).content;
        assert_eq!(content, "xargs: this use is not available here\nexit status 1", "{name}");
    }
}

#[test]
fn a_line_that_ends_in_a_backslash_is_answered() {
    for (line, answer) in [
        (
            "cat <<\\",
            "command not available here: cat <<\\ (a here-document without an end mark)\nexit status 127",
        ),
        ("echo a\\", "a"),
        ("echo \\", "(no output)"),
    ] {
        assert_eq!(run(line, &mut workspace()).content.trim_end(), answer, "{line}");
    }
}

#[test]
fn a_pattern_has_a_longest_length() {
    for command in ["grep", "grep -E", "grep -F", "grep -P", "rg"] {
        for start in ["[", "{", "x"] {
            let line = format!("{command} '{}' README.md", start.repeat(200_000));
            let content = run(&line, &mut workspace()).content;
            assert!(content.contains("a pattern is longer than 4096 bytes"), "{command} {start}: {content}");
        }
    }
}

#[test]
fn every_known_command_answers_and_every_other_is_refused() {
    for name in ["cat", "ls", "grep", "git", "sed", "xargs"] {
        let outcome = run(&format!("{name} --no-such-option"), &mut workspace());
        assert!(outcome.is_error && !outcome.content.is_empty(), "{name}: {}", outcome.content);
    }
    assert_eq!(
        run("frobnicate x", &mut workspace()).content,
        "command not available here: frobnicate\nexit status 127"
    );
}

fn command() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "cat",
        "ls",
        "grep",
        "rg",
        "find",
        "head",
        "tail",
        "wc",
        "sed",
        "-n",
        "-i",
        "-r",
        "-c",
        "--",
        "s/a/b/g",
        "'",
        "\"",
        "\\",
        "$",
        "`",
        "|",
        "&&",
        "||",
        ";",
        ">",
        ">>",
        "<",
        "<<",
        "<<<",
        "EOF",
        "\n",
        "README.md",
        "src",
        "*",
        "*.py",
        "{a,b}",
        "[",
        "]",
        "[a-",
        "{",
        "}",
        "(",
        "2>&1",
        "&>",
        "é",
        "1",
        "+2",
        "-5",
        "10p",
        "/x/,$d",
        "mv",
        "cp",
        "rm",
        "-rf",
        "mkdir",
        "git",
        "diff",
        "status",
        "xargs",
        "/bin/xargs",
        "/usr/bin/",
        "-",
        "tee",
        "printf",
        "%s",
        "%",
        "sort",
        "uniq",
        "..",
        "/",
        "~",
        "-e",
        "-A",
        "99999999999999999999",
        "!",
        "test",
        "=",
        "\\(",
        "\\)",
        "\\{",
        "a\\{2\\}",
        "[[:alpha:]",
    ]);
    prop::collection::vec((word, prop::sample::select(vec![" ", "", " "])), 0..24)
        .prop_map(|words| words.into_iter().map(|(word, gap)| format!("{word}{gap}")).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_command_line_panics_or_leaves_the_workspace(line in prop_oneof![command(), any::<String>()]) {
        let mut workspace = workspace();
        let outcome = run(&line, &mut workspace);
        prop_assert!(!outcome.content.is_empty());
        prop_assert!(workspace.paths().all(|path| crate::workspace::WorkPath::parse(path).unwrap().as_str() == path));
    }

    #[test]
    fn quoted_text_comes_out_as_it_went_in(text in "[^'\\x00]{1,40}") {
        prop_assume!(!text.starts_with('-'));
        let outcome = run(&format!("printf '%s' '{text}' > out"), &mut workspace());
        prop_assert_eq!(outcome.content, "(no output)");
        let mut workspace = workspace();
        run(&format!("printf '%s' '{text}' > out"), &mut workspace);
        prop_assert_eq!(&**workspace.get("out").unwrap(), text.as_bytes());
    }
}
