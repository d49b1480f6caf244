//! What of a project goes into its runs: every file that is copied, and where to. Whoever makes a run's folder and whoever
//! searches a project for keys go by this one list, so that nothing is recorded that was not searched.

use std::path::{Path, PathBuf};

use super::evidence;
use super::material::{self, Material, MaterialError};
use super::rundir::{IDS, INPUTS, POLICY};
use crate::case::CaseSet;

/// A file on its way into a run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copied {
    /// Where it lies.
    pub(crate) from: PathBuf,
    /// Its place in the run's folder.
    pub(crate) to: PathBuf,
}

/// The place of the `index`th folder of its kind among the inputs.
pub(crate) fn place(kind: &str, index: usize) -> String {
    format!("{kind}/{index}")
}

/// The kinds of folders of which a project may have several.
pub(crate) const CASES: &str = "cases";
pub(crate) const FIXTURES: &str = "fixtures";
pub(crate) const OWN_CHECKERS: &str = "own-checkers";

/// Every file of the project that a run of it copies. Shipped checkers are not among them: they are the program's.
///
/// # Errors
/// [`MaterialError::Io`] when a folder cannot be listed.
pub(crate) fn files(material: &Material) -> Result<Vec<Copied>, MaterialError> {
    let project = &material.project;
    let inputs = Path::new(INPUTS);
    let mut list = vec![
        copied(&project.charter.path, inputs.join("charter.md")),
        copied(&project.matrix, inputs.join("matrix.yaml")),
        copied(&project.file, POLICY.into()),
    ];
    list.extend(project.ids.as_ref().map(|ids| copied(ids, inputs.join(IDS))));
    for (index, set) in material.sets.iter().enumerate() {
        cases(set, &inputs.join(place(CASES, index)), &mut list)?;
    }
    for fixture in &material.fixtures.all {
        let folder = inputs.join(place(FIXTURES, fixture.tree)).join(fixture.place.to_string());
        list.extend(fixture.files().map(|file| copied(&fixture.dir.join(file), folder.join(file))));
    }
    // A checker of the project's own may ask a program that lies beside it, so its folder comes whole.
    for (index, folder) in project.checkers.iter().enumerate() {
        let to = inputs.join(place(OWN_CHECKERS, index));
        list.extend(
            material::files_below(folder)?.iter().map(|file| copied(file, to.join(below(file, folder)))),
        );
    }
    Ok(list)
}

fn cases(set: &CaseSet, to: &Path, list: &mut Vec<Copied>) -> Result<(), MaterialError> {
    let registry = set.root.join(crate::case::REGISTRY_FILE);
    list.push(copied(&registry, to.join(below(&registry, &set.root))));
    for case in &set.cases {
        // Hidden files too: a case's digest is over all of its folder.
        let listing = evidence::list(&case.dir)
            .map_err(|source| MaterialError::Io { path: case.dir.clone(), source })?;
        let files = listing.files.into_iter().map(|file| file.place);
        list.extend(files.map(|file| copied(&file, to.join(below(&file, &set.root)))));
    }
    Ok(())
}

fn copied(from: &Path, to: PathBuf) -> Copied {
    Copied { from: from.to_owned(), to }
}

fn below<'p>(file: &'p Path, folder: &Path) -> &'p Path {
    file.strip_prefix(folder).unwrap_or(file)
}
