//! What a run is made of: the charter, the cases, the checkers and the matrix of a project, loaded and checked.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkers::{Checker, ControlFailure, DefinitionError, Library, Lookup};
use model_matrix::Matrix;
use rayon::prelude::*;
use reports::Plan;
use transcript::document::{Problem, Source};

use crate::case::{
    Case, CaseErrors, CaseSet, CheckerLookup, CheckerRef, Drafts, Fixtures, Selected, Surroundings,
};
use crate::charter::{Charter, CharterError};
use crate::programs::Programs;
use crate::project::Project;

/// What cannot be loaded. Each part is tried, so that everything wrong is told at once.
#[derive(Debug, thiserror::Error)]
#[error("{}", list(.0))]
pub struct MaterialErrors(pub Vec<MaterialError>);

fn list(errors: &[MaterialError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")
}

impl MaterialErrors {
    /// Each thing that is wrong, one by one, as a person is told of it.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let of = |problem: &Problem| problem.to_string().trim_start_matches("error: ").to_owned();
        self.0
            .iter()
            .flat_map(|error| match error {
                MaterialError::Cases(CaseErrors(problems)) => problems.iter().map(of).collect(),
                MaterialError::Matrix(model_matrix::MatrixErrors(problems)) => {
                    problems.iter().map(of).collect()
                }
                MaterialError::Checker(DefinitionError(problem)) | MaterialError::Text(problem) => {
                    vec![of(problem)]
                }
                other => vec![other.to_string()],
            })
            .collect()
    }
}

/// One part that cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// The charter.
    #[error(transparent)]
    Charter(#[from] CharterError),
    /// The cases.
    #[error(transparent)]
    Cases(#[from] CaseErrors),
    /// A checker's definition.
    #[error(transparent)]
    Checker(#[from] DefinitionError),
    /// The matrix.
    #[error(transparent)]
    Matrix(#[from] model_matrix::MatrixErrors),
    /// A file that is no text.
    #[error(transparent)]
    Text(#[from] Problem),
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    Io {
        /// Its path.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The same case id stands in two folders of cases.
    #[error("case {id} stands in {} and again in {}; give one of them another id", first.display(), second.display())]
    TwiceCase {
        /// The id.
        id: String,
        /// Where it first stands.
        first: PathBuf,
        /// Where it stands again.
        second: PathBuf,
    },
    /// A link where a run would copy a file.
    #[error("{}: a symbolic link, which a run does not take along; put the file itself there", .0.display())]
    Link(PathBuf),
    /// A folder of checkers holds none.
    #[error("{}: no checker (a .yaml file) in this folder; `assize new case NAME` writes one, or take the folder out of `checkers` in assize.yaml", .0.display())]
    NoChecker(PathBuf),
}

/// Everything a run is made of.
#[derive(Debug)]
pub struct Material {
    /// The project it came from.
    pub project: Project,
    /// The charter.
    pub charter: Charter,
    /// The cases, all folders together.
    pub sets: Vec<CaseSet>,
    /// The fixtures of a constitution.
    pub fixtures: Fixtures,
    /// The checkers.
    pub library: Library,
    /// The matrix.
    pub matrix: Matrix,
}

/// Which checkers are at hand besides the project's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shipped {
    /// Those that ship with the program.
    Yes,
    /// None: the project holds all it needs, as the inputs of a run do.
    No,
}

impl Material {
    /// Loads the project's parts, with another charter or matrix when one is given.
    ///
    /// # Errors
    /// Everything that is wrong with any part.
    pub fn load(project: Project, shipped: Shipped) -> Result<Self, MaterialErrors> {
        let mut errors = Vec::new();
        let mut library = load_library(&project.checkers, shipped, &mut errors);
        let mut drafts = Drafts::read(&project.fixtures);
        errors.extend(drafts.add_checkers(&mut library).into_iter().map(MaterialError::from));
        let charter = Charter::load(
            &project.charter.path,
            project.charter.runtime_end.as_deref(),
            project.charter.invariants.as_deref(),
        )
        .map_err(|error| errors.push(error.into()))
        .ok();
        let matrix = Matrix::load(&project.matrix).map_err(|error| errors.push(error.into())).ok();
        let played =
            charter.as_ref().map(|charter| load_cases(&project, drafts, charter, &library, &mut errors));
        match (charter, matrix, played) {
            (Some(charter), Some(matrix), Some((sets, fixtures))) if errors.is_empty() => {
                Ok(Self { project, charter, sets, fixtures, library, matrix })
            }
            _ => Err(MaterialErrors(errors)),
        }
    }

    /// All cases, those of behaviour fixtures last.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.sets.iter().flat_map(|set| &set.cases).chain(&self.fixtures.cases)
    }

    /// All cases in all their variants.
    pub fn selected(&self) -> impl Iterator<Item = Selected<'_>> {
        self.sets.iter().flat_map(CaseSet::all).chain(self.fixtures.selected())
    }

    /// What is wrong with the controls of the checkers that a plan names; such a checker judges nothing.
    #[must_use]
    pub fn control_failures(&self, plan: &Plan) -> Vec<ControlFailure> {
        let named = |checker: &&Checker| plan.checkers.iter().any(|input| input.name == checker.label());
        failures(&self.library.iter().filter(named).collect::<Vec<_>>())
    }

    /// Tries all checkers on their controls, on all cores.
    #[must_use]
    pub fn vet(&self) -> Vec<ControlFailure> {
        failures(&self.library.iter().collect::<Vec<_>>())
    }

    /// The checker that a case names; the loader has made sure that it is there.
    #[must_use]
    pub fn checker(&self, reference: &CheckerRef) -> Option<&Checker> {
        match self.library.get(&reference.name, reference.version) {
            Lookup::Found(checker) => Some(checker),
            Lookup::UnknownName | Lookup::UnknownVersion(_) => None,
        }
    }
}

/// What is wrong with the controls of `checkers`, which are tried on all cores.
fn failures(checkers: &[&Checker]) -> Vec<ControlFailure> {
    checkers.par_iter().flat_map_iter(|checker| checker.distrust().iter().cloned()).collect()
}

/// The checkers at hand.
fn load_library(folders: &[PathBuf], shipped: Shipped, errors: &mut Vec<MaterialError>) -> Library {
    let mut library = Library::with_commands(Arc::new(Programs::of(folders.to_vec())));
    if shipped == Shipped::Yes
        && let Err(error) = library.add_shipped()
    {
        errors.push(error.into());
    }
    for folder in folders {
        if let Err(error) = add_checkers(&mut library, folder) {
            errors.push(error);
        }
    }
    library
}

/// Adds every checker below `folder`: a definition `NAME.yaml` with its controls `NAME.controls.jsonl`.
///
/// # Errors
/// When a file cannot be read or is no checker, or when there is none at all.
pub fn add_checkers(library: &mut Library, folder: &Path) -> Result<(), MaterialError> {
    let files = files_below(folder)?;
    let definitions: Vec<_> = files
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "yaml" || extension == "yml"))
        .collect();
    if definitions.is_empty() {
        return Err(MaterialError::NoChecker(folder.to_owned()));
    }
    for file in definitions {
        let controls = file.with_extension("controls.jsonl");
        if controls.is_symlink() {
            return Err(MaterialError::Link(controls));
        }
        let controls = read(&controls)?;
        library.add(&file.display().to_string(), &read(file)?, &controls)?;
    }
    Ok(())
}

/// Adds the checkers that the fixtures in the trees `roots` bring along.
///
/// # Errors
/// When a fixture cannot be read, or its checker is none.
pub fn add_fixture_checkers(library: &mut Library, roots: &[PathBuf]) -> Result<(), MaterialErrors> {
    let mut drafts = Drafts::read(roots);
    let wrong = drafts.add_checkers(library);
    let mut errors: Vec<MaterialError> = wrong.into_iter().map(MaterialError::from).collect();
    errors.extend(drafts.problems().err().map(MaterialError::from));
    if errors.is_empty() { Ok(()) } else { Err(MaterialErrors(errors)) }
}

fn load_cases(
    project: &Project,
    drafts: Drafts,
    charter: &Charter,
    library: &Library,
    errors: &mut Vec<MaterialError>,
) -> (Vec<CaseSet>, Fixtures) {
    let values = charter.values();
    // Where a checker could not be read, that is told; that cases do not find it follows from it.
    let are_whole = errors.is_empty();
    let checkers = |name: &str, version: u32| match library.get(name, version) {
        _ if !are_whole => CheckerLookup::Found,
        Lookup::Found(_) => CheckerLookup::Found,
        Lookup::UnknownVersion(versions) => CheckerLookup::UnknownVersion(versions),
        Lookup::UnknownName => {
            let names: BTreeSet<String> =
                library.iter().map(|checker| checker.definition.id.clone()).collect();
            CheckerLookup::UnknownName(names.into_iter().collect())
        }
    };
    let around = Surroundings { checkers: &checkers, binds: &charter.ids, charter: Some(&values) };
    let mut sets: Vec<CaseSet> = Vec::new();
    for root in &project.cases {
        match CaseSet::load(root, &around) {
            Ok(set) => {
                twice(&sets, &set.cases, errors);
                sets.push(set);
            }
            Err(error) => errors.push(error.into()),
        }
    }
    let repository = project.at_home.then_some(project.root.as_path());
    let fixtures = drafts.settle(project.ids.as_deref(), repository, &around).unwrap_or_else(|error| {
        errors.push(error.into());
        Fixtures::default()
    });
    twice(&sets, &fixtures.cases, errors);
    (sets, fixtures)
}

/// Tells of each of `cases` whose id is taken in `sets`.
fn twice(sets: &[CaseSet], cases: &[Case], errors: &mut Vec<MaterialError>) {
    let known = sets.iter().flat_map(|set| &set.cases);
    for (first, second) in known.flat_map(|a| cases.iter().filter(|b| b.id == a.id).map(move |b| (a, b))) {
        errors.push(MaterialError::TwiceCase {
            id: first.id.clone(),
            first: first.dir.clone(),
            second: second.dir.clone(),
        });
    }
}

/// The regular files below `folder`, in a stable order; hidden ones are passed over.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, MaterialError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let io_error = |source| MaterialError::Io { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(io_error)? {
            let entry = entry.map_err(io_error)?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let kind = entry.file_type().map_err(io_error)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<String, MaterialError> {
    let bytes = fs::read(path).map_err(|source| MaterialError::Io { path: path.to_owned(), source })?;
    // What is digested is the file as it stands; a mark at its beginning is passed over only by who reads it.
    Source::decode(path, &bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
