//! A small project in a temporary folder, a model behind a real HTTP server, and the binary to run on them.

pub mod faults;
#[cfg(feature = "object-store")]
pub mod s3;
pub mod schema;
pub mod server;
pub mod shifting;
pub mod signed;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The binary under test.
pub fn assize() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
    command.env("NO_COLOR", "1").env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// What a command did.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails the test unless the exit code is `code`.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

/// A project: one case, one checker of its own, a charter, a matrix.
pub struct Project {
    folder: tempfile::TempDir,
}

pub const CHARTER: &str = "# Test charter\n\nVersion 1.0.0\n\n## Core Invariants\n\n1. Say the word.\n\n## Protocols\n\nA — Words. Say them.\n\nRuntime load ends here.\n\nCANARY-BELOW-THE-MARKER\n";

const REGISTRY: &str =
    "id,failure_mode,signature,mitigation,cases\nforgets-the-word,Forgets the word,no word,invariant 1,W1\n";

const CASE: &str = "id: W1\nname: say-the-word\nkind: redline\nbinds: [charter:inv-1]\nfailure_modes: [forgets-the-word]\nshows: whether the word is said\nparams: params.csv\nscript:\n  - user: \"Say {{ word }}, please.\"\n  - reply\nchecker: says-the-word@1\n";

const CHECKER: &str = "id: says-the-word\nversion: 1\nengine: 1\ncases: [W1]\nproves: The word is in the reply.\ndoes_not_prove: That it is meant.\nrequire:\n  - id: word\n    matches: { pattern: \"(?i)\\\\bpiano\\\\b\" }\n";

fn control(id: &str, expect: &str, reply: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"case\":\"W1\",\"params\":{{}},\"messages\":[{{\"role\":\"assistant\",\"by\":\"model\",\"content\":\"{reply}\"}}],\"expect\":{expect}}}\n"
    )
}

/// What the test servers report of themselves, in an entry of a matrix.
pub const PINNED: &str = "    pin: { model: test-model-2026-01-01 }\n";

/// The controls of the project's checker.
pub fn controls() -> String {
    let fail = "{\"fail\":\"word\"}";
    [
        control("c1", "\"pass\"", "piano"),
        control("c2", "\"pass\"", "A Piano it is."),
        control("c3", fail, "pianoforte"),
        control("c4", fail, "organ"),
        control("c5", fail, "no"),
    ]
    .concat()
}

impl Project {
    pub fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        project.write("CHARTER.md", CHARTER);
        project.write(
            "assize.yaml",
            "charter: { path: CHARTER.md }\ncases: [cases]\ncheckers: [checkers]\nmatrix: matrix.yaml\ntrials: 3\n",
        );
        project.write("cases/registry.csv", REGISTRY);
        project.write("cases/w1-say-the-word/case.yaml", CASE);
        project.write("cases/w1-say-the-word/params.csv", "word\npiano\n");
        project.write("checkers/says-the-word/v1.yaml", CHECKER);
        project.write("checkers/says-the-word/v1.controls.jsonl", &controls());
        project.write("matrix.yaml", "models:\n  - { id: none, role: control, provider: replay, trace: none, wire: openai-chat, expect: pass }\n");
        project
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces text in a file; fails the test when there is nothing to replace.
    pub fn edit(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} does not hold {old:?}");
        self.write(path, &text.replace(old, new));
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// A matrix of one model per base URL, called m1, m2, …
    pub fn matrix(&self, provider: &str, urls: &[String], more: &str) {
        let mut text = "models:\n".to_owned();
        for (index, url) in urls.iter().enumerate() {
            let role = if index == 0 { "frontier-reference" } else { "weakest-deployed" };
            text += &format!(
                "  - id: m{n}\n    role: {role}\n    provider: {provider}\n    model: test-model-{n}\n    base_url: {url}\n{PINNED}{more}",
                n = index + 1
            );
        }
        self.write("matrix.yaml", &text);
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = assize();
        command.current_dir(self.path()).args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    /// Runs the program where no file may become longer than so many blocks of 512 bytes (of 1024, where the shell counts
    /// so): to whoever writes more than that, a disk that is full.
    #[cfg(unix)]
    pub fn run_limited(&self, blocks: u32, arguments: &[&str]) -> Ran {
        let run = self.command(arguments);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]);
        command.arg(run.get_program()).args(run.get_args()).current_dir(self.path()).stdin(Stdio::null());
        command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Ran::of(&command.output().unwrap())
    }

    /// The lines of a JSONL file of a run.
    pub fn lines(&self, path: &str) -> Vec<Value> {
        self.read(path).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.read(path)).unwrap()
    }

    /// Leaves of a finished run, whose journal was cut to `kept` lines, what a kill leaves: no conclusion, and no end of the
    /// sitting.
    pub fn as_killed(&self, run: &str, kept: usize) {
        for concluded in ["manifest.json", "verdicts.jsonl"] {
            fs::remove_file(self.path().join(run).join(concluded)).unwrap();
        }
        let path = format!("{run}/sittings.jsonl");
        let events = if kept == 0 { 1 } else { 2 };
        let began: String = self.read(&path).lines().take(events).map(|line| format!("{line}\n")).collect();
        self.write(&path, &began);
    }

    /// Every file below the project.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files
    }
}
