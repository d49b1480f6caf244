//! Runs that a command is to read: folders, packs, and places in a store, which are brought here for as long as it reads.

use std::path::{Path, PathBuf};

use harness::store::{self, Place, Remote};
use tempfile::TempDir;

use super::kept::{Kept, runtime};

/// Runs on this machine, in the order in which they were named.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    paths: Vec<PathBuf>,
    /// Those that came from a store: where they are now, and where they came from.
    brought: Vec<(PathBuf, Place)>,
    _folder: Option<TempDir>,
}

impl Fetched {
    /// Brings what is in a store, `paths` may name; of a place with runs below it, all of them.
    pub(super) fn all(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut fetched = Self::default();
        for path in paths {
            match Place::in_path(path)? {
                Some(place) => fetched.bring(place)?,
                None => fetched.paths.push(path.clone()),
            }
        }
        Ok(fetched)
    }

    /// Brings the one run that is meant.
    pub(super) fn one(path: &Path) -> anyhow::Result<Self> {
        let fetched = Self::all(&[path.to_owned()])?;
        anyhow::ensure!(
            fetched.paths.len() == 1,
            "{} keeps {} runs; name one of them, or join them with assize merge",
            path.display(),
            fetched.paths.len()
        );
        Ok(fetched)
    }

    fn bring(&mut self, place: Place) -> anyhow::Result<()> {
        let folder = match &self._folder {
            Some(folder) => folder.path().to_owned(),
            None => {
                let folder = tempfile::Builder::new().prefix("assize-").tempdir()?;
                self._folder.insert(folder).path().to_owned()
            }
        };
        let kept = Kept::at(place);
        runtime()?.block_on(async {
            for part in store::parts(&kept.remote()?).await? {
                self.bring_part(&part, &folder).await?;
            }
            Ok(())
        })
    }

    async fn bring_part(&mut self, part: &Remote, folder: &Path) -> anyhow::Result<()> {
        // Apart by number, and called as they are in the store.
        let to = folder.join(self.paths.len().to_string()).join(part.place().name());
        store::bring(part, &to).await?;
        self.brought.push((to.clone(), part.place().clone()));
        self.paths.push(to);
        Ok(())
    }

    /// The runs.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The first one.
    pub(super) fn path(&self) -> &Path {
        self.paths.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Whether anything came from a store, and so goes when the command ends.
    pub(super) fn is_passing(&self) -> bool {
        !self.brought.is_empty()
    }

    /// What was said of a run that came from a store, by the name it has there.
    pub(super) fn named(&self, error: anyhow::Error) -> anyhow::Error {
        if !self.is_passing() {
            return error;
        }
        let text = self.brought.iter().fold(format!("{error:#}"), |text, (path, place)| {
            text.replace(&path.display().to_string(), &place.to_string())
        });
        anyhow::Error::msg(text)
    }
}
