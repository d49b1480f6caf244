//! What other people's tools say of each form of a report. The script installs what it needs, so this runs only where it
//! is asked for.

use std::process::Command;

use axum::http::StatusCode;
use axum::response::IntoResponse as _;

use crate::support::server::{Server, says};
use crate::support::{Project, Ran};

/// Text that would be a tag, a link, a mention, a formula, a workflow command, the end of a document, if it got through.
const HOSTILE: &str = "=SUM(1)\n::error file=x::owned\n</code></details><script>alert(1)</script> ]]> @everyone \
                       [x](http://example.test) ![y](http://example.test/z) `a``b` | # SKIP \u{1b}[2J\u{202e}\u{0}%25";

/// Four models: one passes, fails and passes again, one answers with errors, of one a trial is not run, and one passes
/// everything.
fn mixed() -> (Project, Vec<Server>) {
    let servers = vec![
        Server::start(|_, number| says(if number == 1 { HOSTILE } else { "A piano." })),
        Server::start(|_, _| (StatusCode::BAD_REQUEST, HOSTILE).into_response()),
        Server::start(|_, _| says("A piano.")),
        Server::start(|_, _| says("A piano.")),
    ];
    let project = Project::new();
    let urls: Vec<String> = servers.iter().map(Server::url).collect();
    project.matrix("openai-chat", &urls, "    limits: { in_flight: 1 }\n");
    project.run(&["run", "--out", "r"]).expect(1);
    let journal = project.read("r/transcripts.jsonl");
    let kept: String = journal.split_inclusive('\n').filter(|line| !line.contains("W1/r1/m3/t2")).collect();
    assert!(kept.len() < journal.len());
    project.write("r/transcripts.jsonl", &kept);
    (project, servers)
}

#[test]
#[ignore = "installs Python, Perl and Node packages; `.ci/run` asks for it"]
fn tools_that_know_nothing_of_this_program_read_every_form() {
    let (project, _servers) = mixed();
    for service in ["github", "gitlab"] {
        let folder = format!("set-up-{service}");
        project.write(&format!("{folder}/AGENTS.md"), "# Working here\n\n## Figures\n\nRecompute.\n");
        project.run(&["init", &folder, "--ci", service]).expect(0);
    }
    std::fs::rename(
        project.path().join("set-up-gitlab/.gitlab"),
        project.path().join("set-up-github/.gitlab"),
    )
    .unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/outside/renderers.sh");
    let mut command = Command::new("bash");
    command.current_dir(project.path()).args([script, env!("CARGO_BIN_EXE_assize"), "r", "set-up-github"]);
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    println!("{}", ran.stdout);
    for says in
        ["prove: Failed 3/4", "junit: 4 test cases", "sarif: 3 results", "csv-clauses: ", "gitlab: 3 issues"]
    {
        assert!(ran.stdout.contains(says), "{says}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("CI files: 2 and the action are sound"), "{}", ran.stdout);
}
