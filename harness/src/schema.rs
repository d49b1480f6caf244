//! The JSON Schema of each file that people write or read, for editors and for programs of others.
//!
//! The matrix's is made from the types that read it. Cases, checkers and projects are read by hand for the sake of their
//! error messages, so their schemas are written by hand too, and tests hold both sides together.

use serde_json::Value;

/// A file that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    /// The model matrix.
    Matrix,
    /// `case.yaml`.
    Case,
    /// A checker's definition.
    Checker,
    /// `assize.yaml`.
    Project,
    /// `manifest.json`.
    Manifest,
}

impl File {
    /// The schema.
    ///
    /// # Errors
    /// Never in practice: the schemas are part of the program and tried by its tests.
    pub fn schema(self) -> Result<Value, serde_json::Error> {
        match self {
            Self::Matrix => Ok(model_matrix::matrix::schema()),
            Self::Manifest => Ok(reports::manifest::schema().to_value()),
            Self::Case => serde_json::from_str(include_str!("../schemas/case.json")),
            Self::Checker => serde_json::from_str(include_str!("../schemas/checker.json")),
            Self::Project => serde_json::from_str(include_str!("../schemas/project.json")),
        }
    }
}
