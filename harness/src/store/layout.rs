//! Which objects a run is made of in a store, and what may become of each.
//!
//! What a run begins with (its inputs, its plan, what static fixtures answered) is created once, and [`INDEX`], which
//! lists it, last: a place without an index holds no run. The journal is a row of pieces, each named by the byte at which
//! it begins, created and never changed. What is derived, and the record of sittings, is written anew when it changes.

use reports::manifest::Evidence;
use reports::{Plan, digest};
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::case::clean_path;
use crate::sitting::rundir::{FIXTURES, INPUTS, MANIFEST, PLAN, RunDir, VERDICTS};
use crate::sitting::{attesting, evidence, sittings};

/// The object that makes a place a run's.
pub(super) const INDEX: &str = "store.json";
/// The pieces of the journal lie below this.
pub(super) const PIECES: &str = "transcripts";
/// What a killed process left of a line.
const TORN: &str = "transcripts.torn";
/// The version of [`Index`].
const FORMAT: u32 = 1;

/// What a run begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Index {
    format: u32,
    /// The digest of the plan, at which the journal begins.
    pub(super) plan_sha256: String,
    /// The files, in the order of their paths. A store keeps no modes, so who may be executed stands here.
    pub(super) files: Vec<Evidence>,
}

impl Index {
    /// The index of a run's folder.
    pub(super) fn of(run: &RunDir, plan: &Plan) -> Result<Self, StoreError> {
        let listing = evidence::list(run.path()).map_err(StoreError::io(run.path()))?;
        // Odd things are named where they matter.
        run.input_files()?;
        let mut files = listing.files;
        files.retain(|file| is_first(&file.path));
        let files = evidence::of(&files).map_err(StoreError::io(run.path()))?;
        Ok(Self { format: FORMAT, plan_sha256: plan.digest()?, files })
    }

    /// Reads an index. It may come from anyone, so no path in it leads out of a run's folder.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let index: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if index.format != FORMAT {
            return Err(format!("its format is {}, and this program reads {FORMAT}", index.format));
        }
        for file in &index.files {
            if !clean_path(&file.path).is_ok_and(|clean| clean == file.path) || !is_first(&file.path) {
                return Err(format!("`{}` is no file that a run begins with", file.path));
            }
        }
        Ok(index)
    }

    pub(super) fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        Ok(digest::file(self)?)
    }
}

/// Whether a run begins with this file.
fn is_first(path: &str) -> bool {
    path == PLAN || path == FIXTURES || path.strip_prefix(INPUTS).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether this file of a run is written anew when it changes.
pub(super) fn changes(path: &str) -> bool {
    let signed = path.strip_prefix(attesting::FOLDER).and_then(|rest| rest.strip_prefix('/'));
    [sittings::FILE, TORN, VERDICTS, MANIFEST].contains(&path)
        || signed.is_some_and(|name| !name.contains('/'))
}

/// The object of a piece of the journal.
pub(super) fn piece(start: u64) -> String {
    format!("{PIECES}/{start:016}.jsonl")
}

/// Where the piece begins that lies in the object `name`.
pub(super) fn start_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(PIECES)?.strip_prefix('/')?.strip_suffix(".jsonl")?;
    (digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_found_by_its_name() {
        assert_eq!(start_of(&piece(0)), Some(0));
        assert_eq!(start_of(&piece(123_456)), Some(123_456));
        for name in
            ["transcripts/1.jsonl", "transcripts/+000000000000001.jsonl", "plan.json", "transcripts.torn"]
        {
            assert_eq!(start_of(name), None, "{name}");
        }
    }

    #[test]
    fn what_may_change_is_not_what_a_run_begins_with() {
        for path in ["inputs/charter.md", "plan.json", "fixtures.jsonl"] {
            assert!(is_first(path) && !changes(path), "{path}");
        }
        for path in ["sittings.jsonl", "verdicts.jsonl", "manifest.json", "attestations/a.json"] {
            assert!(!is_first(path) && changes(path), "{path}");
        }
        for path in ["transcripts.jsonl", "store.json", "other", "inputs", "attestations/a/b"] {
            assert!(!is_first(path) && !changes(path), "{path}");
        }
    }

    #[test]
    fn an_index_leads_nowhere_else() {
        let index = |path: &str| {
            format!(
                r#"{{"format":1,"plan_sha256":"x","files":[{{"path":"{path}","size":1,"sha256":"y","executable":false}}]}}"#
            )
        };
        Index::parse(index("inputs/a/b.md").as_bytes()).unwrap();
        for path in ["inputs/../../etc/x", "/inputs/x", "transcripts.jsonl", "inputs//x", ""] {
            Index::parse(index(path).as_bytes()).unwrap_err();
        }
        let newer = index("plan.json").replace("\"format\":1", "\"format\":2");
        assert!(Index::parse(newer.as_bytes()).unwrap_err().contains("format is 2"));
    }
}
