//! The JSON Schema of each file that people write or read, for editors and for programs of others.
//!
//! The matrix's is made from the types that read it. Cases, checkers and projects are read by hand for the sake of their
//! error messages, so their schemas are written by hand too, and tests hold both sides together.

use serde_json::Value;

/// A file that has a schema. What is said of each is what the command line says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum File {
    /// The model matrix
    Matrix,
    /// A case's case.yaml
    Case,
    /// A checker's definition
    Checker,
    /// The project file assize.yaml
    Project,
    /// A run's manifest.json
    Manifest,
    /// A transcript: a line of a run's transcripts.jsonl, or of a file for `check`
    Transcript,
}

/// Where `assize init` puts them in a project.
pub const FOLDER: &str = ".assize/schema";

impl File {
    /// Every file that people write.
    pub const WRITTEN: [Self; 4] = [Self::Matrix, Self::Case, Self::Checker, Self::Project];

    /// The name of the schema's file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Matrix => "matrix.json",
            Self::Case => "case.json",
            Self::Checker => "checker.json",
            Self::Project => "project.json",
            Self::Manifest => "manifest.json",
            Self::Transcript => "transcript.json",
        }
    }

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
            Self::Transcript => serde_json::from_str(include_str!("../schemas/transcript.json")),
        }
    }
}

/// The first line by which editors check a YAML file: `file` is its place in the project, with forward slashes.
#[must_use]
pub fn first_line(kind: File, file: &str) -> String {
    let up = "../".repeat(file.matches('/').count());
    format!("# yaml-language-server: $schema={up}{FOLDER}/{}\n", kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_finds_its_schema_from_where_it_lies() {
        assert_eq!(
            first_line(File::Case, "cases/one/case.yaml"),
            "# yaml-language-server: $schema=../../.assize/schema/case.json\n"
        );
        assert_eq!(
            first_line(File::Project, "assize.yaml"),
            "# yaml-language-server: $schema=.assize/schema/project.json\n"
        );
        for file in File::WRITTEN {
            assert!(file.schema().unwrap().is_object(), "{file:?}");
        }
    }
}
