//! A run's folder: `runs/<utc>-<short id>/`. It holds everything the run was made of, so that it can be resumed and
//! re-derived by anyone with this folder and the program.
//!
//! `inputs/` is a project of its own: charter, cases, checkers and matrix as they were used, under an `assize.yaml`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rayon::prelude::*;
use reports::manifest::Evidence;
use reports::whole::Whole;
use reports::{Manifest, Plan, Row, whole};

use super::attesting;
use super::copied;
use super::evidence::{self, FileEntry, Listing};
use super::material::{Material, MaterialError};
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
/// The charter among the inputs, which is there first.
const CHARTER: &str = "inputs/charter.md";
/// The name of the list of ids among the inputs.
pub(crate) const IDS: &str = "ids.txt";

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
    /// There is what is left of a run that never began where a run should be made.
    #[error("{} is there already; it looks like a run that was cut off before it began, so nothing was played in it: delete it, or give another --out", .0.display())]
    Unbegun(PathBuf),
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
    /// Creates the folder with the inputs in it, and what static fixtures came to. It is no run until [`Self::begin`].
    ///
    /// # Errors
    /// [`RunDirError`] when the folder is there already or cannot be written.
    pub fn create(path: &Path, material: &Material, statics: &[Outcome]) -> Result<Self, RunDirError> {
        make(path)?;
        let run = Self { path: path.to_owned() };
        run.copy_inputs(material)?;
        if !statics.is_empty() {
            run.record_statics(statics)?;
        }
        Ok(run)
    }

    /// Creates the folder with the inputs of another run in it, byte for byte. It is no run until [`Self::begin`].
    ///
    /// # Errors
    /// [`RunDirError`] when the folder is there already or cannot be written.
    pub fn adopt(path: &Path, other: &Self) -> Result<Self, RunDirError> {
        make(path)?;
        for file in other.input_files()? {
            copy(&other.path.join(&file), &path.join(&file))?;
        }
        Ok(Self { path: path.to_owned() })
    }

    /// Writes the plan, which makes the folder a run. It comes last, and once all else in the folder is sure to outlive a
    /// power cut: what is planned and lacks an input, or something that was to be there before the first trial, could
    /// never be completed.
    ///
    /// # Errors
    /// [`RunDirError`] when it cannot be written.
    pub fn begin(&self, plan: &Plan) -> Result<(), RunDirError> {
        let io_error = |source| RunDirError::Io { path: self.path.clone(), source };
        sync_below(&self.path).map_err(io_error)?;
        self.write_json(PLAN, plan)?;
        whole::sync_folder(whole::folder_of(&self.path)).map_err(io_error)
    }

    /// Takes away a folder at `path` that was cut off between [`Self::adopt`] and [`Self::begin`]: it has no plan, and
    /// nothing but inputs, which are another run's. Anything else is left alone.
    ///
    /// # Errors
    /// [`RunDirError::Io`] when it cannot be listed or removed.
    pub fn clear_unbegun(path: &Path) -> Result<(), RunDirError> {
        let io_error = |source| RunDirError::Io { path: path.to_owned(), source };
        if !path.is_dir() || path.join(PLAN).exists() {
            return Ok(());
        }
        for entry in fs::read_dir(path).map_err(io_error)? {
            let name = entry.map_err(io_error)?.file_name();
            if name != INPUTS && !whole::is_beside(&name) {
                return Ok(());
            }
        }
        fs::remove_dir_all(path).map_err(io_error)
    }

    /// Takes away what a writer of this program that was killed has left beside the files it wrote. Whoever does it holds
    /// the journal.
    ///
    /// # Errors
    /// [`RunDirError::Io`] when something cannot be removed.
    pub fn sweep(&self) -> Result<(), RunDirError> {
        whole::sweep(&self.path).map_err(|source| RunDirError::Io { path: self.path.clone(), source })
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
        self.write_with(VERDICTS, |out| rows.iter().try_for_each(|row| out.write_all(&row.to_line()?)))?;
        self.write_with(MANIFEST, |out| manifest.write(out).map(|_| ()))
    }

    fn write_json<T: serde::Serialize>(&self, name: &str, value: &T) -> Result<(), RunDirError> {
        let path = self.path.join(name);
        let bytes = reports::digest::file(value)
            .map_err(|error| RunDirError::Broken { path, message: error.to_string() })?;
        self.write(name, &bytes)
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written; the file is then as it was.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunDirError> {
        self.write_with(name, |out| out.write_all(bytes))
    }

    /// As [`Self::write`], with what `fill` writes.
    fn write_with(
        &self,
        name: &str,
        fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<(), RunDirError> {
        let path = self.path.join(name);
        let io_error = |source| RunDirError::Io { path: path.clone(), source };
        let whole = Whole::begin(&path).map_err(io_error)?;
        let mut out = BufWriter::with_capacity(1 << 16, whole.file());
        fill(&mut out).and_then(|()| out.flush()).map_err(io_error)?;
        drop(out);
        whole.finish().map_err(io_error)
    }

    fn copy_inputs(&self, material: &Material) -> Result<(), RunDirError> {
        let inputs = self.path.join(INPUTS);
        let project = &material.project;
        for file in copied::files(material)? {
            copy(&file.from, &self.path.join(&file.to))?;
        }
        for checker in material.library.iter().filter(|checker| checker.is_shipped()) {
            let folder = inputs.join("checkers").join(&checker.definition.id);
            let name = format!("v{}", checker.definition.version);
            put(&folder.join(format!("{name}.yaml")), checker.text.as_bytes())?;
            put(&folder.join(format!("{name}.controls.jsonl")), checker.controls_text.as_bytes())?;
        }
        let places = |kind: &str, count: usize| -> Vec<String> {
            (0..count).map(|index| copied::place(kind, index)).collect()
        };
        let roots = places(copied::CASES, material.sets.len());
        let trees = places(copied::FIXTURES, project.fixtures.len());
        let mut checkers = vec!["checkers".to_owned()];
        checkers.extend(places(copied::OWN_CHECKERS, project.checkers.len()));
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
        if project.ids.is_some() {
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

fn copy(from: &Path, to: &Path) -> Result<(), RunDirError> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|source| RunDirError::Io { path: to.to_owned(), source })?;
    }
    // Permissions come along: a program that lies beside a checker must stay one.
    fs::copy(from, to).map(|_| ()).map_err(|source| RunDirError::Io { path: from.to_owned(), source })
}

/// Makes a folder that must not be there, and those above it.
fn make(path: &Path) -> Result<(), RunDirError> {
    whole::make_folders(whole::folder_of(path)).and_then(|()| fs::create_dir(path)).map_err(|source| {
        match source.kind() {
            io::ErrorKind::AlreadyExists if is_unbegun(path) => RunDirError::Unbegun(path.to_owned()),
            io::ErrorKind::AlreadyExists => RunDirError::Taken(path.to_owned()),
            _ => RunDirError::Io { path: path.to_owned(), source },
        }
    })
}

/// Whether a run was being made here that never began.
fn is_unbegun(path: &Path) -> bool {
    path.join(CHARTER).exists() && !path.join(PLAN).exists()
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

/// Makes all files below `folder` last through a power cut, and their names. Not all platforms sync what is open for
/// reading.
fn sync_below(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let listing = evidence::list(folder)?;
    // Many at a time: a disk syncs them together.
    listing.files.par_iter().try_for_each(|file| File::open(&file.place)?.sync_all())?;
    let above = |file: &FileEntry| file.place.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>();
    let folders: BTreeSet<PathBuf> = listing.files.iter().flat_map(above).collect();
    folders
        .into_par_iter()
        .filter(|above| above.starts_with(folder))
        .try_for_each(|folder| whole::sync_folder(&folder))
}
