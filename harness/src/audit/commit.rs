//! A project as it was at a commit, read with git's plumbing into a temporary folder. The working tree is neither read
//! nor touched, and nothing but the project's own files comes out of the repository.

mod objects;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use reports::{Finding, Plan, Rule};
use tempfile::TempDir;

use objects::Objects;

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
    /// An object's content is not what its hash stands for.
    #[error(
        "{what}: the object {hash} is not what its hash says; the repository is damaged or was forged, take a fresh clone"
    )]
    Forged {
        /// The path of the file or folder.
        what: String,
        /// The hash.
        hash: String,
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
        let mut objects = Objects::open(root)?;
        let tree = objects.tree_of(&commit)?;
        let mut source = Source::open(objects, root, &tree)?;
        let files = tempfile::Builder::new().prefix("assize-commit-").tempdir()?;
        let wrong = |message: String| CommitError::Project { commit: commit.clone(), message };
        if source.put(&[project::FILE.into()], files.path())? == 0 {
            let what = format!("there is no {} yet; bring it in by a change of its own first", project::FILE);
            return Err(wrong(what));
        }
        let file = files.path().join(project::FILE);
        let loaded = Project::load(&file).map_err(|error| wrong(error.to_string()))?;
        source.put(&wanted(&loaded, files.path()).map_err(wrong)?, files.path())?;
        let material = Material::load(loaded, Shipped::Yes).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { commit, tree, material, _files: files })
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
    match named {
        Named::Hash(hash) => by_hash(root, hash),
        Named::Tag(tag) => {
            let object = tagged(root, tag)?;
            parsed(root, &object, format!("commit under the tag {tag}"))
        }
        Named::Revision(revision) => parsed(root, revision, format!("commit {revision}")),
    }
}

/// Git reads a name as a branch before it reads it as the beginning of a hash; what it found must begin as asked.
fn by_hash(root: &Path, hash: &str) -> Result<String, CommitError> {
    if hash.len() < 7 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(CommitError::Git(format!("`{hash}` is no hash of a commit: at least 7 hex digits")));
    }
    let hash = hash.to_ascii_lowercase();
    let commit = parsed(root, &hash, format!("commit {hash}"))?;
    if !commit.starts_with(&hash) {
        return Err(CommitError::Git(format!(
            "`{hash}` leads to {commit}, which begins otherwise: a branch or tag has that name, or it is the hash of a tag; give the commit's whole hash"
        )));
    }
    Ok(commit)
}

/// The object that the tag of exactly this name points to: no branch, no expression over tags.
fn tagged(root: &Path, tag: &str) -> Result<String, CommitError> {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "^~:?*[\\".contains(c);
    if tag.is_empty() || tag.contains(odd) || tag.contains("@{") {
        return Err(CommitError::Git(format!("`{tag}` is no name of a tag")));
    }
    let reference = format!("refs/tags/{tag}");
    let listed = git(root, &["for-each-ref", "--format=%(objectname) %(refname)", &reference])?;
    let object = listed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find_map(|(object, name)| (name == reference).then(|| object.to_owned()));
    object.ok_or_else(|| CommitError::Missing { root: root.to_owned(), what: format!("tag {tag}") })
}

/// The commit that git takes `revision` for.
fn parsed(root: &Path, revision: &str, what: String) -> Result<String, CommitError> {
    let commit = format!("{revision}^{{commit}}");
    match git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]) {
        Ok(hash) => Ok(hash.trim().to_owned()),
        Err(CommitError::Git(message)) if message.is_empty() => {
            Err(CommitError::Missing { root: root.to_owned(), what })
        }
        Err(error) => Err(error),
    }
}

/// The parts of the project's folder that its file points to.
fn wanted(project: &Project, root: &Path) -> Result<Vec<PathBuf>, String> {
    let parts = project.cases.iter().chain(&project.checkers).chain(&project.fixtures).chain(&project.ids);
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

/// The commit's objects, and the tree of the project's folder in it.
struct Source {
    objects: Objects,
    folder: Option<String>,
}

impl Source {
    /// The project in `root` at a commit whose tree is `tree`.
    fn open(mut objects: Objects, root: &Path, tree: &str) -> Result<Self, CommitError> {
        let prefix = git(root, &["rev-parse", "--show-prefix"])?;
        let mut folder = Some(tree.to_owned());
        let mut path = String::new();
        for name in prefix.trim_end_matches('\n').split('/').filter(|name| !name.is_empty()) {
            let Some(hash) = folder else { break };
            let entries = objects.folder(&hash, &path)?;
            folder =
                entries.into_iter().find(|entry| entry.is_folder() && entry.name == name).map(|e| e.hash);
            path = joined(&path, name);
        }
        Ok(Self { objects, folder })
    }

    /// Writes the files in the parts that are `wanted` of the project's folder below `to`, and says how many there are.
    fn put(&mut self, wanted: &[PathBuf], to: &Path) -> Result<usize, CommitError> {
        let mut blobs = BTreeMap::new();
        if let Some(folder) = self.folder.clone() {
            self.collect(&folder, "", wanted, &mut blobs)?;
        }
        for (path, blob) in &blobs {
            let content = self.objects.read(&blob.hash, "blob", path)?;
            write(&to.join(path), &content, blob.executable)?;
        }
        Ok(blobs.len())
    }

    /// The files in a folder, by their paths. Links and submodules are passed over: no case may hold them.
    fn collect(
        &mut self,
        folder: &str,
        path: &str,
        wanted: &[PathBuf],
        blobs: &mut BTreeMap<String, Blob>,
    ) -> Result<(), CommitError> {
        for entry in self.objects.folder(folder, path)? {
            let path = joined(path, &entry.name);
            let within = wanted.iter().any(|part| Path::new(&path).starts_with(part));
            if entry.is_folder() && (within || wanted.iter().any(|part| part.starts_with(&path))) {
                self.collect(&entry.hash, &path, wanted, blobs)?;
            } else if entry.is_file() && within {
                blobs.insert(path, Blob { executable: entry.is_executable(), hash: entry.hash });
            }
        }
        Ok(())
    }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
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

fn git(root: &Path, arguments: &[&str]) -> Result<String, CommitError> {
    let output = crate::git::command(root)
        .args(arguments)
        .output()
        .map_err(|error| CommitError::Git(format!("cannot be started: {error}")))?;
    if !output.status.success() {
        return Err(CommitError::Git(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    String::from_utf8(output.stdout).map_err(|_| CommitError::Git("its answer is not valid UTF-8".to_owned()))
}
