//! A project as it was at a commit, put into a temporary folder from git's objects. The working tree is neither read nor
//! touched, and nothing but the project's own files comes out of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use reports::{Finding, Plan, Rule};
use tempfile::TempDir;

use super::inputs::{self, Origin};
use crate::git::tree::{Blob, BlobKind, Found, joined};
use crate::git::{GitError, Named, Tree};
use crate::project::{self, Project};
use crate::sitting::material::{Material, Shipped};
use crate::sitting::planning::PlanError;
use crate::sitting::rundir::PLAN;

/// Why a project at a commit cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// The repository cannot be read, or has no such commit.
    #[error(transparent)]
    Git(#[from] GitError),
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

/// A project at a commit.
#[derive(Debug)]
pub struct AtCommit {
    /// The commit, in full.
    pub commit: String,
    /// Its tree.
    pub tree: String,
    /// What the project was made of.
    pub material: Material,
    _folder: TempDir,
}

/// The files of a project at a commit, put into a folder of their own.
#[derive(Debug)]
pub struct Files {
    commit: String,
    tree: String,
    project: Project,
    folder: TempDir,
    /// The files by their paths from the project's folder, and where each lies now.
    pub places: BTreeMap<PathBuf, PathBuf>,
}

impl Files {
    /// Takes what the project whose folder is `root` in some checkout is made of out of a commit.
    ///
    /// # Errors
    /// [`CommitError`] when there is no such commit, or a part of the project is not in it.
    pub fn read(root: &Path, named: &Named) -> Result<Self, CommitError> {
        let tree = Tree::at(root, named)?;
        let commit = tree.commit().to_owned();
        let folder = tempfile::Builder::new().prefix("assize-commit-").tempdir()?;
        let mut copy = Copy { tree, to: folder.path().to_owned(), files: BTreeMap::new() };
        let wrong = |message: String| project_error(&commit, &folder, &message);
        let home = copy.tree.project().to_owned();
        match copy.put(&joined(&home.join("/"), project::FILE)) {
            Err(Unput::Refused(why)) if why == NOTHING => {
                let what =
                    format!("there is no {} yet; bring it in by a change of its own first", project::FILE);
                return Err(wrong(what));
            }
            put => put.map_err(|why| why.of(project::FILE, &commit))?,
        }
        let here = folder.path().join(home.join("/"));
        let project = Project::load(&here.join(project::FILE)).map_err(|error| wrong(error.to_string()))?;
        for part in project.parts() {
            let shown = part.strip_prefix(&here).unwrap_or(part);
            let path = in_repository(&home, shown).map_err(|why| wrong(named_why(shown, &why)))?;
            copy.put(&path).map_err(|why| why.of(&shown.display().to_string(), &commit))?;
        }
        let place = |path: &String| (from_project(&home, path), folder.path().join(path));
        let places = copy.files.keys().map(place).collect();
        Ok(Self { tree: copy.tree.hash().to_owned(), commit, project, folder, places })
    }

    /// Loads the project.
    ///
    /// # Errors
    /// [`CommitError::Project`] when something is wrong with it.
    pub fn load(self) -> Result<AtCommit, CommitError> {
        let Self { commit, tree, project, folder, .. } = self;
        let material = Material::load(project, Shipped::Yes)
            .map_err(|errors| project_error(&commit, &folder, &errors.to_string()))?;
        Ok(AtCommit { commit, tree, material, _folder: folder })
    }
}

/// The error about a project that lies in `folder`, which for the moment says nothing to anybody.
fn project_error(commit: &str, folder: &TempDir, message: &str) -> CommitError {
    let message = message.replace(&format!("{}/", folder.path().display()), "");
    CommitError::Project { commit: commit.to_owned(), message }
}

impl AtCommit {
    /// Reads the project whose folder is `root` in some checkout, as it was at a commit.
    ///
    /// # Errors
    /// [`CommitError`] when there is no such commit, or no project that can be loaded.
    pub fn read(root: &Path, named: &Named) -> Result<Self, CommitError> {
        Files::read(root, named)?.load()
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

/// What is said of a part that a commit does not hold.
const NOTHING: &str = "is not in the commit";

/// Why a part of the project cannot be put down.
enum Unput {
    /// What is wrong with it, in words that follow its path.
    Refused(String),
    Git(GitError),
    Io(io::Error),
}

impl From<GitError> for Unput {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl From<io::Error> for Unput {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Unput {
    /// The error about the part that the project's file calls `part`.
    fn of(self, part: &str, commit: &str) -> CommitError {
        match self {
            Self::Refused(why) => {
                let message = named_why(Path::new(part), &why);
                CommitError::Project { commit: commit.to_owned(), message }
            }
            Self::Git(error) => error.into(),
            Self::Io(error) => error.into(),
        }
    }
}

fn named_why(part: &Path, why: &str) -> String {
    format!("{} {why}", part.display())
}

/// Files of a commit on their way into a folder that stands for the repository.
struct Copy {
    tree: Tree,
    to: PathBuf,
    /// The paths that were written, from the repository's root.
    files: BTreeMap<String, Blob>,
}

impl Copy {
    /// Puts what lies at `path` there: a file, or a folder with all that is in it. A link on the way to it is followed,
    /// as it was when the run was made. One within the folder stays a link, for the loader to refuse as it did then.
    fn put(&mut self, path: &str) -> Result<(), Unput> {
        let blobs = match self.tree.find(path)? {
            Found::File(blob) => BTreeMap::from([(path.to_owned(), blob)]),
            Found::Folder(hash) => {
                let below = self.tree.below(&hash, path)?;
                below.into_iter().map(|(name, blob)| (joined(path, &name), blob)).collect()
            }
            Found::Nothing => return Err(Unput::Refused(NOTHING.to_owned())),
            Found::Elsewhere(why) => return Err(Unput::Refused(why)),
        };
        // Links come last, and only where nothing else is, so that nothing is ever written through one.
        let (links, files): (Vec<_>, Vec<_>) =
            blobs.into_iter().partition(|(_, blob)| blob.kind == BlobKind::Link);
        for (path, blob) in files.into_iter().chain(links) {
            if self.files.contains_key(&path) {
                continue;
            }
            if let Some(link) = self.link_above(&path) {
                return Err(Unput::Refused(format!(
                    "is reached by {link}, a symbolic link in another part of the project"
                )));
            }
            let content = self.tree.read(&blob, &path)?;
            write(&self.to.join(&path), &content, blob.kind)?;
            self.files.insert(path, blob);
        }
        Ok(())
    }
}

impl Copy {
    /// A link that was written and through which `path` would be.
    fn link_above<'p>(&self, path: &'p str) -> Option<&'p str> {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above
            .into_iter()
            .find(|folder| self.files.get(*folder).is_some_and(|blob| blob.kind == BlobKind::Link))
    }
}

/// The path, from the repository's root, of what the project's file calls `path`; `Err` says why it has none.
fn in_repository(project: &[String], path: &Path) -> Result<String, String> {
    let mut whole: Vec<&str> = project.iter().map(String::as_str).collect();
    let mut named = false;
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                named = true;
                whole.push(name.to_str().ok_or("is not valid UTF-8")?);
            }
            Component::CurDir => {}
            Component::ParentDir if named => {
                return Err(
                    "goes into a folder and out of it again; write the path without the detour".to_owned()
                );
            }
            Component::ParentDir if whole.pop().is_some() => {}
            Component::ParentDir => {
                return Err(
                    "lies outside of the repository, so no commit holds it; put it into the repository"
                        .to_owned(),
                );
            }
            Component::RootDir | Component::Prefix(_) => {
                return Err("is a path of one machine; write it from the project's folder".to_owned());
            }
        }
    }
    Ok(whole.join("/"))
}

/// The path, from the project's folder, of what lies at `path` from the repository's root.
fn from_project(project: &[String], path: &str) -> PathBuf {
    let parts: Vec<&str> = path.split('/').collect();
    let common = project.iter().zip(&parts).take_while(|(a, b)| a == b).count();
    let up = project[common..].iter().map(|_| "..");
    up.chain(parts[common..].iter().copied()).collect()
}

fn write(to: &Path, content: &[u8], kind: BlobKind) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    match kind {
        BlobKind::Link => write_link(to, content),
        BlobKind::File { executable } => {
            let mut file = fs::File::create_new(to)?;
            io::Write::write_all(&mut file, content)?;
            if executable { make_executable(&file) } else { Ok(()) }
        }
    }
}

#[cfg(unix)]
fn write_link(to: &Path, content: &[u8]) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(content), to)
}

/// As git itself does where there are no links.
#[cfg(not(unix))]
fn write_link(to: &Path, content: &[u8]) -> io::Result<()> {
    fs::write(to, content)
}

#[cfg(unix)]
fn make_executable(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_project_is_one_of_the_repository_or_refused() {
        let project = ["tools".to_owned(), "assize".to_owned()];
        for (path, whole) in [
            ("CHARTER.md", Ok("tools/assize/CHARTER.md")),
            ("./a/b.md", Ok("tools/assize/a/b.md")),
            ("../../CHARTER.md", Ok("CHARTER.md")),
            (".", Ok("tools/assize")),
            ("../../../CHARTER.md", Err("outside of the repository")),
            ("a/../b", Err("detour")),
            ("/etc/charter.md", Err("one machine")),
        ] {
            match (in_repository(&project, Path::new(path)), whole) {
                (Ok(found), Ok(whole)) => {
                    assert_eq!(found, whole);
                    let back = from_project(&project, &found);
                    assert_eq!(in_repository(&project, &back).as_deref(), Ok(whole), "{path}");
                }
                (Err(why), Err(says)) => assert!(why.contains(says), "{path}: {why}"),
                (found, _) => panic!("{path}: {found:?}"),
            }
        }
    }
}
