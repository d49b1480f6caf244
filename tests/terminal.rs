//! What a terminal shows: the summary at several widths, colour when it is wanted, errors that say what to do.

use std::fmt::Write as _;

use crate::support::server::{Server, says};
use crate::support::{Project, Ran};

/// A failed run of two models, one of which answers with what would steer a terminal.
fn failed() -> (Project, [Server; 2]) {
    let hostile = "\n::error::owned\nAn \u{1b}[2J\u{1b}]0;owned\u{7}organ \u{202e}nagro\r, of which there are many in the world, large and small.";
    let servers = [Server::start(move |_, _| says(hostile)), Server::start(|_, _| says("A piano."))];
    let project = Project::new();
    project.matrix("openai-chat", &[servers[0].url(), servers[1].url()], "    limits: { in_flight: 1 }\n");
    project.edit("matrix.yaml", "id: m1", "id: a-model-of-considerable-length-2026-01-01");
    project.edit("matrix.yaml", "id: m2", "id: another-model-2026-01-01");
    project.run(&["run", "--out", "r"]).expect(1);
    (project, servers)
}

fn at(project: &Project, columns: &str, arguments: &[&str]) -> Ran {
    Ran::of(&project.command(arguments).env("COLUMNS", columns).output().unwrap())
}

/// Two models play at the same time, so which line of the journal is whose is chance.
fn without_lines(text: &str) -> String {
    text.lines()
        .map(|line| match line.split_once(".jsonl:") {
            Some((before, after)) => {
                format!("{before}.jsonl:N{}\n", after.trim_start_matches(char::is_numeric))
            }
            None => format!("{line}\n"),
        })
        .collect()
}

#[test]
fn the_summary_fits_the_terminal() {
    let (project, _servers) = failed();
    for columns in ["120", "80", "40"] {
        let ran = at(&project, columns, &["run", "--resume", "r", "--quiet"]).expect(1);
        assert_eq!(ran.stderr, "", "quiet is quiet");
        insta::assert_snapshot!(format!("summary-{columns}"), without_lines(&ran.stdout));
    }
    let ran = project.run(&["run", "--resume", "r", "--quiet"]).expect(1);
    insta::assert_snapshot!("summary-no-terminal", without_lines(&ran.stdout));
}

#[test]
fn nothing_that_a_model_says_steers_the_terminal() {
    let (project, _servers) = failed();
    let trial = "W1/r1/a-model-of-considerable-length-2026-01-01/t1";
    for arguments in [
        &["run", "--resume", "r"][..],
        &["gate", "r"],
        &["explain", "r", trial],
        &["explain", "r", trial, "--full"],
        &["check", "r/transcripts.jsonl"],
        &["check", "r/transcripts.jsonl", "--verbose"],
        &["compare", "r", "r"],
        &["report", "r", "--format", "github"],
        &["report", "r", "--format", "tap"],
    ] {
        let ran = project.run(arguments);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(ran.code < 2, "{arguments:?}: {said}");
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!said.contains(steers), "{arguments:?}: {said:?}");
        // Build servers act on lines that begin like this.
        assert!(!ran.stdout.lines().any(|line| line.trim_start().starts_with("::error::")), "{said}");
    }
    // A name in a file reaches the terminal in an error, as harmless as a model's words.
    project.write("matrix.yaml", "models:\n  - { id: \"a\\e[2Jb\", role: other, provider: openai-chat }\n");
    for (command, code) in [("lint", 1), ("models", 2)] {
        let ran = project.run(&[command]).expect(code);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains('\u{1b}'), "{:?}", ran.stderr);
    }
}

#[test]
fn colour_is_for_terminals_and_whoever_asks_for_it() {
    let (project, _servers) = failed();
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = project.command(&["gate", "r"]);
        command.env_remove("NO_COLOR");
        command.envs(variables.iter().copied());
        Ran::of(&command.output().unwrap()).stdout.contains('\u{1b}')
    };
    assert!(!coloured(&[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR", "0")]));
    assert!(!coloured(&[("NO_COLOR", "1")]));
}

#[test]
fn json_is_json_whatever_the_width_and_talk_keeps_to_stderr() {
    let (project, _servers) = failed();
    let trial = "W1/r1/a-model-of-considerable-length-2026-01-01/t1";
    for arguments in [
        &["run", "--resume", "r", "--format", "json"][..],
        &["lint", "--format", "json"],
        &["compare", "r", "r", "--format", "json"],
        &["check", "r/transcripts.jsonl", "--format", "json"],
        &["check", "r/transcripts.jsonl", "--format", "json", "--quiet"],
        &["explain", "W1", "--format", "json"],
        &["explain", "r", trial, "--format", "json"],
        &["models", "--format", "json"],
        &["report", "r", "--format", "json"],
    ] {
        let ran = at(&project, "30", arguments);
        let value: serde_json::Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        let filled = value.as_array().map_or(value.is_object(), |list| !list.is_empty());
        assert!(filled, "{arguments:?}: {value}");
        if arguments.contains(&"--quiet") {
            assert_eq!(ran.stderr, "", "{arguments:?}");
        }
    }
}

#[test]
fn verbose_also_names_what_is_as_it_should_be() {
    let (project, _servers) = failed();
    let ran = project.run(&["run", "--verbose", "--model", "another-model-2026-01-01"]).expect(0);
    assert!(ran.stderr.contains("✓ passed W1/r1/another-model-2026-01-01/t3"), "{}", ran.stderr);
    let ran = project.run(&["check", "r/transcripts.jsonl", "--verbose"]).expect(1);
    assert!(ran.stdout.contains("    ✓ word: "), "{}", ran.stdout);
    let ran = project.run(&["lint", "--verbose"]).expect(0);
    assert!(ran.stderr.contains("  case W1 say-the-word"), "{}", ran.stderr);
    project.run(&["run", "--verbose", "--quiet"]).expect(2);
}

/// Errors that people run into first: each says what to do.
#[test]
fn errors_say_what_to_do() {
    let (project, _servers) = failed();
    let empty = tempfile::tempdir().unwrap();
    let mut said = String::new();
    let mut tell = |arguments: &[&str], ran: Ran| {
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        let shown = ran
            .stderr
            .replace(&*project.path().to_string_lossy(), "PROJECT")
            .replace(&*empty.path().to_string_lossy(), "EMPTY");
        writeln!(said, "$ assize {}\n{shown}", arguments.join(" ")).unwrap();
    };
    let arguments = ["run"];
    let ran = project.command(&arguments).current_dir(empty.path()).output().unwrap();
    tell(&arguments, Ran::of(&ran));
    for arguments in [
        &["run", "--case", "E99"][..],
        &["run", "--model", "m9"],
        &["run", "--out", "r"],
        &["run", "--resume", "nowhere"],
        &["run", "--matrix", "nowhere.yaml"],
        &["run", "--charter", "nowhere.md"],
        &["run", "--rows", "9"],
        &["run", "--rows", "none"],
        &["run", "--shard", "3/2"],
        &["run", "--max-time", "soon"],
        &["run", "--max-cost", "5.00"],
        &["gate", "nowhere"],
        &["gate", "cases"],
        &["report", "r", "--format", "pdf"],
        &["report", "r", "--out", "no/such/folder/report.md"],
        &["explain", "nothing"],
        &["explain", "r", "W1/r1/m9/t1"],
        &["check", "nowhere.jsonl"],
        &["check", "CHARTER.md"],
        &["compare", "r", "nowhere"],
        &["models", "--model", "m9"],
        &["lint", "--base", "no-such-commit"],
        &["new", "case", "Not A Name"],
        &["help", "chekers"],
        &["merge", "r", "--out", "joined"],
        &["schema"],
    ] {
        tell(arguments, project.run(arguments));
    }
    insta::assert_snapshot!("errors", said);
}
