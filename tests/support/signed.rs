//! A project under git, and a run of it that passes, signed: what an audit says yes to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use reports::attestation::PublicKey;
use serde_json::{Value, json};

use super::server::{Request, Server};
use super::{Project, Ran};

/// A chat completion of the model that was asked for, under a response id of its own.
pub fn answers(request: &Request, text: &str) -> axum::response::Response {
    use axum::response::IntoResponse as _;
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    axum::Json(json!({
        "id": format!("chatcmpl-0000000000{number:06}"),
        "object": "chat.completion",
        "model": request.body["model"],
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12 },
    }))
    .into_response()
}

/// Runs git in a project.
pub fn git(project: &Project, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(project.path())
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.test", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Commits everything but the runs.
pub fn commit(project: &Project, message: &str) -> String {
    git(project, &["add", "-A"]);
    git(project, &["commit", "-q", "-m", message]);
    git(project, &["rev-parse", "HEAD"])
}

/// A project with a commit, a frontier model and a weakest one.
pub fn committed(urls: &[String]) -> (Project, String) {
    let project = Project::new();
    // Each model is pinned by the name it is asked for, so that one cannot pass for the other.
    let entry = |(index, url): (usize, &String)| {
        let role = if index == 0 { "frontier-reference" } else { "weakest-deployed" };
        let n = index + 1;
        format!(
            "  - id: m{n}\n    role: {role}\n    provider: openai-chat\n    model: test-model-{n}\n    base_url: {url}\n"
        )
    };
    let entries: String = urls.iter().enumerate().map(entry).collect();
    project.write("matrix.yaml", &format!("models:\n{entries}"));
    project.write(".gitignore", "/runs/\n");
    git(&project, &["init", "-q"]);
    let commit = commit(&project, "first");
    (project, commit)
}

/// A finished, signed run of such a project, in `runs/r`.
pub struct Signed {
    pub project: Project,
    pub commit: String,
    _server: Server,
}

impl Signed {
    pub fn new() -> Self {
        let server = Server::start(|request, _| answers(request, "piano"));
        let (project, commit) = committed(&[server.url(), server.url()]);
        project.run(&["run", "--out", "runs/r", "--concurrency", "1", "--quiet"]).expect(0);
        project.run(&["keygen", "--type", "p256", "--out", "runs/key"]).expect(0);
        project.run(&["keygen", "--out", "runs/other"]).expect(0);
        project.run(&["sign", "runs/r", "--key", "runs/key"]).expect(0);
        Self { project, commit, _server: server }
    }

    /// The public key that it is signed for.
    pub fn key(&self) -> PublicKey {
        PublicKey::from_pem(&self.project.read("runs/key.pub")).unwrap()
    }

    /// A copy of the run's folder to be spoilt.
    pub fn copy(&self) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        copy_all(&self.project.path().join("runs/r"), folder.path());
        folder
    }

    /// Audits a folder or a pack, with commit and key.
    pub fn audit(&self, run: &Path) -> Audited {
        self.audit_as(run, &["--commit", &self.commit, "--public-key", "runs/key.pub"])
    }

    /// Audits with other arguments.
    pub fn audit_as(&self, run: &Path, arguments: &[&str]) -> Audited {
        let mut command = self.project.command(&["audit", run.to_str().unwrap(), "--format", "json"]);
        let ran = Ran::of(&command.args(arguments).output().unwrap());
        let findings = serde_json::from_str::<Value>(&ran.stdout)
            .ok()
            .and_then(|answer| answer["findings"].as_array().cloned())
            .unwrap_or_default();
        Audited { ran, findings }
    }
}

/// What an audit said.
pub struct Audited {
    pub ran: Ran,
    pub findings: Vec<Value>,
}

impl Audited {
    /// As [`says`].
    pub fn says(&self, rule: &str, place: &str, text: &str) -> bool {
        says(&self.findings, rule, place, text)
    }
}

/// Whether there is a finding of this rule, at this place (`file` or `file:line`), that says this.
pub fn says(findings: &[Value], rule: &str, place: &str, text: &str) -> bool {
    findings.iter().any(|finding| {
        let file = finding["file"].as_str().unwrap_or_default();
        let line = finding["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let said = ["message", "expected", "found"].map(|key| finding[key].as_str().unwrap_or_default());
        finding["rule"] == rule
            && (place == file || place == format!("{file}{line}"))
            && said.join(" ").contains(text)
    })
}

/// A run's folder of the test's own.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), content).unwrap();
    }

    pub fn remove(&self, path: &str) {
        let path = self.at(path);
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }

    /// Replaces text once; fails the test when there is nothing to replace.
    pub fn swap(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} does not hold {old:?}");
        self.write(path, text.replacen(old, new, 1));
    }

    /// Edits a JSON file and writes it in canonical form, as a careful forger would.
    pub fn json(&self, path: &str, edit: impl FnOnce(&mut Value)) {
        let mut value: Value = serde_json::from_str(&self.read(path)).unwrap();
        edit(&mut value);
        self.write(path, reports::digest::file(&value).unwrap());
    }

    /// Edits the lines of a file.
    pub fn lines(&self, path: &str, edit: impl FnOnce(&mut Vec<String>)) {
        let mut lines: Vec<String> = self.read(path).lines().map(str::to_owned).collect();
        edit(&mut lines);
        self.write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    }

    /// Edits one line of the journal, as JSON.
    pub fn line(&self, number: usize, edit: impl FnOnce(&mut Value)) {
        self.lines("transcripts.jsonl", |lines| {
            let mut value: Value = serde_json::from_str(&lines[number - 1]).unwrap();
            edit(&mut value);
            lines[number - 1] = value.to_string();
        });
    }
}

/// Copies a tree, permissions too.
pub fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy_all(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
