//! What is told to be on disk is there after a power cut: by what the system was asked for, in which order.

use std::process::Command;

use crate::support::Project;
use crate::support::server::{Server, says};

/// The names of the calls and the paths they were about, in order; a folder's own path where it was synced.
fn calls(project: &Project, arguments: &[&str]) -> Vec<(String, String)> {
    let run = project.command(arguments);
    let log = project.path().join("strace.log");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-s", "4096", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o"]);
    command.arg(&log).arg(run.get_program()).args(run.get_args()).current_dir(project.path());
    assert!(command.output().unwrap().status.success());
    let root = format!("{}/", std::fs::canonicalize(project.path()).unwrap().display());
    let text = project.read("strace.log");
    let call = |line: &str| {
        let line = line.split_once(' ')?.1.trim_start();
        let (name, rest) = line.split_once('(')?;
        let path = match name {
            "fsync" | "fdatasync" => rest.split_once('<')?.1.split_once('>')?.0,
            _ => rest.rsplit('"').nth(1)?,
        };
        let inner = path.strip_prefix(&root).or_else(|| (path == root.trim_end_matches('/')).then_some("."));
        Some((name.to_owned(), inner.unwrap_or(path).to_owned()))
    };
    text.lines().filter_map(call).collect()
}

#[test]
#[ignore = "needs strace; `.ci/run` asks for it"]
fn a_run_is_planned_once_its_inputs_are_on_disk_and_a_trial_counts_once_its_line_is() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let calls = calls(&project, &["run", "--out", "runs/r", "-q"]);
    let place = |name: &str, path: &str| {
        let found = calls.iter().position(|call| call.0.starts_with(name) && call.1 == path);
        found.unwrap_or_else(|| panic!("no {name} of {path} in {calls:#?}"))
    };
    let planned = place("rename", "runs/r/plan.json");
    let inputs = project.files();
    let root = project.path().join("runs/r/inputs");
    let inputs: Vec<_> = inputs.iter().filter(|file| file.starts_with(&root)).collect();
    assert!(inputs.len() > 20, "{inputs:?}");
    for input in inputs {
        for path in [input.as_path(), input.parent().unwrap()] {
            let path = path.strip_prefix(project.path()).unwrap().display().to_string();
            assert!(place("fsync", &path) < planned, "{path}");
        }
    }
    // The folders that were made, in the folders that hold them.
    assert!(place("fsync", ".") < planned);
    let after = |from: usize, name: &str, path: &str| {
        let found = calls[from..].iter().position(|call| call.0 == name && call.1 == path);
        from + found.unwrap_or_else(|| panic!("no {name} of {path} after call {from} in {calls:#?}"))
    };
    after(planned, "fsync", "runs");
    // The plan's name, the journal's, and then its lines.
    let named = after(after(planned, "fsync", "runs/r") + 1, "fsync", "runs/r");
    after(named, "fdatasync", "runs/r/sittings.jsonl");
    let line = after(named, "fdatasync", "runs/r/transcripts.jsonl");
    assert!(line < place("rename", "runs/r/manifest.json"));
}
