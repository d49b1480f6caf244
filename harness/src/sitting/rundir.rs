//! A run's folder: `runs/<utc>-<short id>/`. It holds everything the run was made of, so that it can be resumed and
//! re-derived by anyone with this folder and the program.
//!
//! `inputs/` is a project of its own: charter, cases, checkers and matrix as they were used, under an `assize.yaml`.

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reports::manifest::Evidence;
use reports::{Manifest, Plan, Row};

use super::attesting;
use super::evidence::{self, Listing};
use super::material::{self, Material, MaterialError};
use super::statics::Outcome;
use crate::project::{self, Project, ProjectError};

/// The journal's name.
pub const TRANSCRIPTS: &str = "transcripts.jsonl";
/// The verdicts' name.
pub const VERDICTS: &str = "verdicts.jsonl";
/// The manifest's name.
pub const MANIFEST: &str = "manifest.json";
/// The plan's name.
pub const PLAN: &str = "plan.json";
/// The name of what static fixtures answered; without such fixtures there is none.
pub const FIXTURES: &str = "fixtures.jsonl";
/// The name of the folder of inputs.
pub const INPUTS: &str = "inputs";
/// The project file among the inputs, as its people wrote it.
pub const POLICY: &str = "inputs/project.yaml";
/// The name of the list of ids among the inputs.
const IDS: &str = "ids.txt";

/// What is wrong with a run's folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunDirError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is no run.
    #[error("{}: not a run's folder: it has no {PLAN}; name a folder that `assize run` has made, by default below runs/", .0.display())]
    NoRun(PathBuf),
    /// There is something where a run should be made.
    #[error("{} is there already; give another --out, or go on with the run in it:\n  assize run --resume {}", .0.display(), .0.display())]
    Taken(PathBuf),
    /// A file in it cannot be read.
    #[error("{}: {message}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// Its inputs cannot be used.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// Its inputs cannot be copied.
    #[error(transparent)]
    Material(#[from] MaterialError),
}

/// A run's folder.
#[derive(Debug, Clone)]
pub struct RunDir {
    path: PathBuf,
}

/// A fresh name for a run: the time, and enough of chance to keep two runs of one second apart.
#[must_use]
pub fn fresh_name(now: Timestamp) -> String {
    let chance = std::hash::RandomState::new().build_hasher().finish();
    format!("{}-{:04x}", now.strftime("%Y%m%dT%H%M%SZ"), chance & 0xffff)
}

impl RunDir {
    /// Creates the folder with the plan and the inputs in it. The plan is written last: a folder without one is no run.
    ///
    /// # Errors
    /// [`RunDirError`] when the folder is there already or cannot be written.
    pub fn create(
        path: &Path,
        plan: &Plan,
        material: &Material,
        statics: &[Outcome],
    ) -> Result<Self, RunDirError> {
        let io_error = |source| RunDirError::Io { path: path.to_owned(), source };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error)?;
        }
        make(path)?;
        let run = Self { path: path.to_owned() };
        run.copy_inputs(material)?;
        // Before the plan: a run that is killed here is none yet, so none can go on without them.
        if !statics.is_empty() {
            run.record_statics(statics)?;
        }
        run.begin(plan)?;
        Ok(run)
    }

    /// Creates the folder with the inputs of another run in it, byte for byte. It is no run until [`Self::begin`].
    ///
    /// # Errors
    /// [`RunDirError`] when the folder is there already or cannot be written.
    pub fn adopt(path: &Path, other: &Self) -> Result<Self, RunDirError> {
        let io_error = |source| RunDirError::Io { path: path.to_owned(), source };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error)?;
        }
        make(path)?;
        for file in other.input_files()? {
            copy(&other.path.join(&file), &path.join(&file))?;
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Writes the plan, which makes the folder a run.
    ///
    /// # Errors
    /// [`RunDirError`] when it cannot be written.
    pub fn begin(&self, plan: &Plan) -> Result<(), RunDirError> {
        self.write_json(PLAN, plan)
    }

    /// Every file below `inputs/`, hidden ones included, relative to the folder and in a stable order.
    ///
    /// # Errors
    /// [`RunDirError`] when a folder cannot be read, or holds something that is neither file nor folder.
    pub fn input_files(&self) -> Result<Vec<PathBuf>, RunDirError> {
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::from(INPUTS)];
        while let Some(folder) = folders.pop() {
            let whole = self.path.join(&folder);
            let io_error = |source| RunDirError::Io { path: whole.clone(), source };
            for entry in fs::read_dir(&whole).map_err(io_error)? {
                let entry = entry.map_err(io_error)?;
                let kind = entry.file_type().map_err(io_error)?;
                let place = folder.join(entry.file_name());
                if kind.is_dir() {
                    folders.push(place);
                } else if kind.is_file() {
                    files.push(place);
                } else {
                    let message = "neither a file nor a folder; a run's inputs hold nothing else".to_owned();
                    return Err(RunDirError::Broken { path: entry.path(), message });
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Opens an existing run.
    ///
    /// # Errors
    /// [`RunDirError::NoRun`] when it is none; [`RunDirError::Broken`] when something in it is neither a file nor a
    /// folder, since whoever opens a named pipe or a device may wait for ever.
    pub fn open(path: &Path) -> Result<Self, RunDirError> {
        if !path.is_dir() || !path.join(PLAN).exists() {
            return Err(RunDirError::NoRun(path.to_owned()));
        }
        only_files(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.path.join(TRANSCRIPTS)
    }

    /// The project that the run's inputs make up.
    ///
    /// # Errors
    /// When its file cannot be read.
    pub fn project(&self) -> Result<Project, RunDirError> {
        let project = Project::load(&self.path.join(INPUTS).join(project::FILE))?;
        Ok(Project { file: self.path.join(POLICY), ..project })
    }

    /// The plan.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn plan(&self) -> Result<Plan, RunDirError> {
        let path = self.path.join(PLAN);
        let text = read(&path)?;
        Plan::parse(&text).map_err(|error| RunDirError::Broken { path, message: error.to_string() })
    }

    /// The manifest as it was written, if the run came that far.
    ///
    /// # Errors
    /// When it is there but cannot be read.
    pub fn manifest(&self) -> Result<Option<Manifest>, RunDirError> {
        let path = self.path.join(MANIFEST);
        if !path.exists() {
            return Ok(None);
        }
        let text = read(&path)?;
        Manifest::parse(&text)
            .map(Some)
            .map_err(|error| RunDirError::Broken { path, message: error.to_string() })
    }

    /// What lies in the folder, and the evidence that the manifest lists: every file but the manifest itself and the
    /// signed statements, which are made over it.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn evidence(&self) -> Result<(Listing, Vec<Evidence>), RunDirError> {
        let io_error = |source| RunDirError::Io { path: self.path.clone(), source };
        let mut listing = evidence::list(&self.path).map_err(io_error)?;
        let signed = format!("{}/", attesting::FOLDER);
        listing.files.retain(|file| file.path != MANIFEST && !file.path.starts_with(&signed));
        let evidence = evidence::of(&listing.files).map_err(io_error)?;
        Ok((listing, evidence))
    }

    /// Writes down what static fixtures answered.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_statics(&self, outcomes: &[Outcome]) -> Result<(), RunDirError> {
        let mut lines = Vec::new();
        for outcome in outcomes {
            let path = self.path.join(FIXTURES);
            let broken = |error: serde_json::Error| RunDirError::Broken { path, message: error.to_string() };
            lines.append(&mut reports::digest::canonical(outcome).map_err(broken)?);
            lines.push(b'\n');
        }
        self.write(FIXTURES, &lines)
    }

    /// What static fixtures answered, as it was written down.
    ///
    /// # Errors
    /// When it is there but cannot be read.
    pub fn statics(&self) -> Result<Vec<Outcome>, RunDirError> {
        let path = self.path.join(FIXTURES);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let text = read(&path)?;
        let line = |(index, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| RunDirError::Broken {
                path: path.clone(),
                message: format!("line {}: {error}", index + 1),
            })
        };
        text.lines().enumerate().map(line).collect()
    }

    /// Writes verdicts and manifest, each whole or not at all.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn conclude(&self, rows: &[Row], manifest: &Manifest) -> Result<(), RunDirError> {
        let mut lines = Vec::new();
        for row in rows {
            let broken = |error: serde_json::Error| RunDirError::Broken {
                path: self.path.join(VERDICTS),
                message: error.to_string(),
            };
            lines.append(&mut row.to_line().map_err(broken)?);
        }
        self.write(VERDICTS, &lines)?;
        self.write_json(MANIFEST, manifest)
    }

    fn write_json<T: serde::Serialize>(&self, name: &str, value: &T) -> Result<(), RunDirError> {
        let path = self.path.join(name);
        let bytes = reports::digest::file(value)
            .map_err(|error| RunDirError::Broken { path, message: error.to_string() })?;
        self.write(name, &bytes)
    }

    /// Writes a file beside its place, syncs it, and moves it there.
    ///
    /// # Errors
    /// When it cannot be written; the file is then as it was.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunDirError> {
        let path = self.path.join(name);
        let io_error = |source| RunDirError::Io { path: path.clone(), source };
        let mut file = tempfile::NamedTempFile::new_in(&self.path).map_err(io_error)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(io_error)?;
        file.persist(&path).map_err(|error| io_error(error.error))?;
        sync_folder(&self.path).map_err(io_error)
    }

    fn copy_inputs(&self, material: &Material) -> Result<(), RunDirError> {
        let inputs = self.path.join(INPUTS);
        let project = &material.project;
        copy(&project.charter.path, &inputs.join("charter.md"))?;
        copy(&project.matrix, &inputs.join("matrix.yaml"))?;
        copy(&project.file, &self.path.join(POLICY))?;
        let mut roots = Vec::new();
        for (index, set) in material.sets.iter().enumerate() {
            let root = format!("cases/{index}");
            copy_cases(set, &inputs.join(&root))?;
            roots.push(root);
        }
        for checker in material.library.iter().filter(|checker| checker.is_shipped()) {
            let folder = inputs.join("checkers").join(&checker.definition.id);
            let name = format!("v{}", checker.definition.version);
            put(&folder.join(format!("{name}.yaml")), checker.text.as_bytes())?;
            put(&folder.join(format!("{name}.controls.jsonl")), checker.controls_text.as_bytes())?;
        }
        let mut trees = Vec::new();
        for index in 0..project.fixtures.len() {
            let root = format!("fixtures/{index}");
            copy_fixtures(material, index, &inputs.join(&root))?;
            trees.push(root);
        }
        // A checker of the project's own may ask a program that lies beside it, so its folder comes whole.
        let mut checkers = vec!["checkers".to_owned()];
        for (index, folder) in project.checkers.iter().enumerate() {
            let own = format!("own-checkers/{index}");
            copy_tree(folder, &inputs.join(&own))?;
            checkers.push(own);
        }
        let mut file = serde_json::json!({
            "charter": {
                "path": "charter.md",
                "runtime_end": project.charter.runtime_end,
                "invariants": project.charter.invariants,
            },
            "cases": roots,
            "checkers": checkers,
            "matrix": "matrix.yaml",
            "trials": project.trials,
        });
        if !trees.is_empty() {
            file["fixtures"] = trees.into();
        }
        if let Some(ids) = &project.ids {
            copy(ids, &inputs.join(IDS))?;
            file["ids"] = IDS.into();
        }
        if !project.budget.is_empty() {
            // A resume keeps to it, unless it is given another.
            let broken = |error: serde_json::Error| RunDirError::Broken {
                path: inputs.join(project::FILE),
                message: error.to_string(),
            };
            file["budget"] = serde_json::to_value(project.budget).map_err(broken)?;
        }
        // JSON is YAML.
        put(&inputs.join(project::FILE), format!("{file:#}\n").as_bytes())
    }
}

fn copy_cases(set: &crate::case::CaseSet, to: &Path) -> Result<(), RunDirError> {
    let registry = set.root.join(crate::case::REGISTRY_FILE);
    let mut files = vec![registry];
    for case in &set.cases {
        // Hidden files too: a case's digest is over all of its folder.
        let listing =
            evidence::list(&case.dir).map_err(|source| RunDirError::Io { path: case.dir.clone(), source })?;
        files.extend(listing.files.into_iter().map(|file| file.place));
    }
    for file in files {
        let relative = file.strip_prefix(&set.root).unwrap_or(&file);
        copy(&file, &to.join(relative))?;
    }
    Ok(())
}

fn copy_fixtures(material: &Material, tree: usize, to: &Path) -> Result<(), RunDirError> {
    for fixture in material.fixtures.all.iter().filter(|fixture| fixture.tree == tree) {
        let folder = to.join(fixture.place.to_string());
        for file in fixture.files() {
            copy(&fixture.dir.join(file), &folder.join(file))?;
        }
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), RunDirError> {
    for file in material::files_below(from)? {
        copy(&file, &to.join(file.strip_prefix(from).unwrap_or(&file)))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), RunDirError> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|source| RunDirError::Io { path: to.to_owned(), source })?;
    }
    // Permissions come along: a program that lies beside a checker must stay one.
    fs::copy(from, to).map(|_| ()).map_err(|source| RunDirError::Io { path: from.to_owned(), source })
}

/// Makes a folder that must not be there.
fn make(path: &Path) -> Result<(), RunDirError> {
    fs::create_dir(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => RunDirError::Taken(path.to_owned()),
        _ => RunDirError::Io { path: path.to_owned(), source },
    })
}

fn put(to: &Path, bytes: &[u8]) -> Result<(), RunDirError> {
    let io_error = |source| RunDirError::Io { path: to.to_owned(), source };
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(io_error)?;
    }
    fs::write(to, bytes).map_err(io_error)
}

/// Refuses a folder in which something, also at the end of a link, is neither a file nor a folder. Links to folders are
/// not followed; an audit tells of every link.
fn only_files(folder: &Path) -> Result<(), RunDirError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let io_error = |source| RunDirError::Io { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(io_error)? {
            let entry = entry.map_err(io_error)?;
            let path = entry.path();
            if entry.file_type().map_err(io_error)?.is_dir() {
                folders.push(path);
            } else if fs::metadata(&path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
                let message =
                    "neither a file nor a folder, so it is not opened; no run leaves such a thing behind, \
                               take it away"
                        .to_owned();
                return Err(RunDirError::Broken { path, message });
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, RunDirError> {
    fs::read_to_string(path).map_err(|source| RunDirError::Io { path: path.to_owned(), source })
}

/// Makes a rename in `folder` last through a power cut. Not all platforms let a folder be opened.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
