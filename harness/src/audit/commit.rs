//! A project as it was at a commit, read with git's plumbing into a temporary folder. The working tree is neither read
//! nor touched, and nothing but the project's own files comes out of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufReader, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use reports::{Finding, Plan, Rule};
use tempfile::TempDir;

use super::inputs::{self, Origin};
use crate::project::{self, Project};
use crate::sitting::material::{Material, Shipped};
use crate::sitting::planning::PlanError;
use crate::sitting::rundir::PLAN;

/// Why a project at a commit cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// Git is not there, or refused.
    #[error("git: {0}")]
    Git(String),
    /// The repository has no such commit.
    #[error("{} has no {what}", root.display())]
    Missing {
        /// The project's folder.
        root: PathBuf,
        /// What was asked for.
        what: String,
    },
    /// There is no project at that commit, or it cannot be loaded.
    #[error("the project at {commit} cannot be loaded: {message}")]
    Project {
        /// The commit.
        commit: String,
        /// Why.
        message: String,
    },
    /// The files cannot be put down.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// How a commit is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// By its hash, or the beginning of it.
    Hash(String),
    /// By a tag.
    Tag(String),
    /// By whatever git understands.
    Revision(String),
}

/// A project at a commit.
#[derive(Debug)]
pub struct AtCommit {
    /// The commit, in full.
    pub commit: String,
    /// Its tree.
    pub tree: String,
    /// What the project was made of.
    pub material: Material,
    _files: TempDir,
}

impl AtCommit {
    /// Reads the project whose folder is `root` in some checkout, as it was at a commit.
    ///
    /// # Errors
    /// [`CommitError`] when there is no such commit, or no project that can be loaded.
    pub fn read(root: &Path, named: &Named) -> Result<Self, CommitError> {
        let commit = resolve(root, named)?;
        let tree = git(root, &["rev-parse", "--verify", &format!("{commit}^{{tree}}")])?;
        let files = tempfile::Builder::new().prefix("assize-commit-").tempdir()?;
        let wrong = |message: String| CommitError::Project { commit: commit.clone(), message };
        let blobs = blobs(root, &commit)?;
        if !blobs.contains_key(project::FILE) {
            let what = format!("there is no {} yet; bring it in by a change of its own first", project::FILE);
            return Err(wrong(what));
        }
        let only = |path: &str| path == project::FILE;
        put(root, &blobs, only, files.path())?;
        let file = files.path().join(project::FILE);
        let loaded = Project::load(&file).map_err(|error| wrong(error.to_string()))?;
        let wanted = wanted(&loaded, files.path()).map_err(wrong)?;
        let wants = |path: &str| wanted.iter().any(|part| Path::new(path).starts_with(part));
        put(root, &blobs, |path| path != project::FILE && wants(path), files.path())?;
        let material = Material::load(loaded, Shipped::Yes).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { commit, tree: tree.trim().to_owned(), material, _files: files })
    }

    /// How `plan` differs from what the project at this commit asks for.
    ///
    /// # Errors
    /// When the expected set cannot be computed.
    pub fn compare(&self, plan: &Plan) -> Result<Vec<Finding>, PlanError> {
        let mut findings = Vec::new();
        match &plan.source {
            None => findings.push(
                Finding::new(Rule::Commit, "the run was not made in a git checkout, so it is of no commit")
                    .of(PLAN)
                    .but(&self.commit, "none"),
            ),
            Some(source) => {
                if source.commit != self.commit {
                    let message = "the run was made at another commit";
                    findings
                        .push(Finding::new(Rule::Commit, message).of(PLAN).but(&self.commit, &source.commit));
                } else if source.tree != self.tree {
                    let message = "the commit has another tree than the run says";
                    findings.push(Finding::new(Rule::Commit, message).of(PLAN).but(&self.tree, &source.tree));
                }
                if source.dirty {
                    let message = "the working tree differed from the commit when the run was planned; commit, and run again";
                    findings.push(Finding::new(Rule::Dirty, message).of(PLAN));
                }
            }
        }
        let name = format!("the files at {}", self.commit.get(..12).unwrap_or(&self.commit));
        let origin = Origin { name: &name, shipped_folders: 0 };
        findings.extend(inputs::compare(plan, &self.material, origin)?);
        findings.extend(inputs::shortfalls(plan, &self.material, origin)?);
        Ok(findings)
    }
}

/// The full hash of the commit that is named.
fn resolve(root: &Path, named: &Named) -> Result<String, CommitError> {
    let (revision, what) = match named {
        Named::Hash(hash) => {
            if hash.len() < 7 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(CommitError::Git(format!(
                    "`{hash}` is no hash of a commit: at least 7 hex digits"
                )));
            }
            (hash.clone(), format!("commit {hash}"))
        }
        Named::Tag(tag) => (format!("refs/tags/{tag}"), format!("tag {tag}")),
        Named::Revision(revision) => (revision.clone(), format!("commit {revision}")),
    };
    let arguments =
        ["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")];
    match git(root, &arguments) {
        Ok(hash) => Ok(hash.trim().to_owned()),
        Err(CommitError::Git(message)) if message.is_empty() => {
            Err(CommitError::Missing { root: root.to_owned(), what })
        }
        Err(error) => Err(error),
    }
}

/// The parts of the project's folder that its file points to.
fn wanted(project: &Project, root: &Path) -> Result<Vec<PathBuf>, String> {
    let parts = project.cases.iter().chain(&project.checkers);
    parts
        .chain([&project.charter.path, &project.matrix])
        .map(|path| {
            let inner = path
                .strip_prefix(root)
                .map_err(|_| format!("{} lies outside of the project", path.display()))?;
            let mut clean = PathBuf::new();
            for part in inner.components() {
                match part {
                    Component::Normal(name) => clean.push(name),
                    Component::CurDir => {}
                    _ => return Err(format!("{} leaves the project's folder", inner.display())),
                }
            }
            Ok(clean)
        })
        .collect()
}

/// A file of the commit.
struct Blob {
    hash: String,
    executable: bool,
}

/// The files below the project's folder, by their paths. Links and submodules are passed over: no case may hold them.
fn blobs(root: &Path, commit: &str) -> Result<BTreeMap<String, Blob>, CommitError> {
    let listed = git(root, &["ls-tree", "-r", "-z", commit, "."])?;
    let mut blobs = BTreeMap::new();
    for entry in listed.split('\0').filter(|entry| !entry.is_empty()) {
        let fields = entry.split_once('\t').and_then(|(meta, path)| {
            let mut meta = meta.split(' ');
            Some((meta.next()?, meta.next()?, meta.next()?, path))
        });
        let Some((mode, kind, hash, path)) = fields else {
            return Err(CommitError::Git(format!("`{entry}` is no line of ls-tree")));
        };
        if kind == "blob" && mode != "120000" {
            blobs.insert(path.to_owned(), Blob { hash: hash.to_owned(), executable: mode == "100755" });
        }
    }
    Ok(blobs)
}

/// Writes the files whose paths are wanted below `to`.
fn put(
    root: &Path,
    blobs: &BTreeMap<String, Blob>,
    wants: impl Fn(&str) -> bool,
    to: &Path,
) -> Result<(), CommitError> {
    let chosen: Vec<(&String, &Blob)> = blobs.iter().filter(|(path, _)| wants(path)).collect();
    let mut child = command(root, &["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| CommitError::Git(format!("cannot be started: {error}")))?;
    let asked: String = chosen.iter().map(|(_, blob)| format!("{}\n", blob.hash)).collect();
    let stdin = child.stdin.take();
    // Git answers while it is asked; with one thread both could wait for the other for ever.
    let asking = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(asked.as_bytes())));
    if let Some(stdout) = child.stdout.take() {
        let mut answers = BufReader::new(stdout);
        for (path, blob) in chosen {
            let content = answer(&mut answers, &blob.hash)?;
            write(&to.join(path), &content, blob.executable)?;
        }
    }
    // Whether it could be asked shows in its answers.
    let _ = asking.join();
    child.wait()?;
    Ok(())
}

/// One answer of `cat-file --batch`: a line with hash, kind and size, the content, a line end.
fn answer(answers: &mut impl io::BufRead, hash: &str) -> Result<Vec<u8>, CommitError> {
    let mut head = String::new();
    answers.read_line(&mut head)?;
    let size = head.strip_prefix(hash).and_then(|rest| rest.strip_prefix(" blob "));
    let Some(size) = size.and_then(|size| size.trim_end().parse::<usize>().ok()) else {
        return Err(CommitError::Git(format!("the blob {hash} cannot be read: {}", head.trim_end())));
    };
    let mut content = vec![0; size];
    answers.read_exact(&mut content)?;
    answers.read_exact(&mut [0])?;
    Ok(content)
}

fn write(to: &Path, content: &[u8], executable: bool) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, content)?;
    #[cfg(unix)]
    if executable {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(to, fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = executable;
    Ok(())
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let mut command = Command::new("git");
    // A replaced object would be another file under the same hash.
    command.arg("--no-replace-objects").arg("-C").arg(root).args(arguments);
    command
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, CommitError> {
    let output = command(root, arguments)
        .output()
        .map_err(|error| CommitError::Git(format!("cannot be started: {error}")))?;
    if !output.status.success() {
        return Err(CommitError::Git(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    String::from_utf8(output.stdout).map_err(|_| CommitError::Git("its answer is not valid UTF-8".to_owned()))
}
