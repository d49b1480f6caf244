//! A build without the feature `object-store`: there is no store, and whoever asks for one is told so. What is written for
//! stores is compiled all the same.

use std::path::Path;

use model_matrix::Secrets;

use super::{Place, StoreError};

/// A store that is never connected.
#[derive(Debug, Clone)]
pub struct Remote {
    place: Place,
}

/// An object, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    /// Its name below the place.
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
}

/// A name as a store lists it.
pub(super) fn as_listed(name: &str) -> String {
    name.to_owned()
}

impl Remote {
    /// Says that there is no store.
    ///
    /// # Errors
    /// Always.
    pub fn connect(place: &Place, _: &Secrets) -> Result<Self, StoreError> {
        Err(StoreError::NotBuilt(place.to_string()))
    }

    /// The place.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    fn none<T>(&self) -> Result<T, StoreError> {
        Err(StoreError::NotBuilt(self.place.to_string()))
    }

    pub(super) fn below(&self, name: &str) -> Self {
        Self { place: self.place.below(name) }
    }

    pub(super) fn shown(&self, name: &str) -> String {
        self.place.below(name).to_string()
    }

    pub(super) async fn get(&self, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.none()
    }

    pub(super) async fn get_file(&self, _: &Stored, _: &Path) -> Result<(), StoreError> {
        self.none()
    }

    pub(super) async fn create(&self, _: &str, _: Vec<u8>) -> Result<bool, StoreError> {
        self.none()
    }

    pub(super) async fn replace(&self, _: &str, _: &Path) -> Result<(), StoreError> {
        self.none()
    }

    pub(super) async fn list(&self, _: &str) -> Result<Vec<Stored>, StoreError> {
        self.none()
    }

    pub(super) async fn folders(&self) -> Result<Vec<String>, StoreError> {
        self.none()
    }
}
