//! One machine's part of a run: which of the trials owed it plays itself.
//!
//! A trial belongs to the shard that the digest of its key falls on, so that the parts are the same on every machine, do
//! not overlap, leave nothing out, and are mixed: no shard gets all trials of the slow model.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::plan::TrialKey;

/// Part `index` of `of`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, try_from = "Parts")]
pub struct Shard {
    /// Which part, counted from 1.
    pub index: u32,
    /// How many parts there are.
    pub of: u32,
}

/// A shard as it is written, before it is checked.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parts {
    /// Which part, counted from 1.
    index: u32,
    /// How many parts there are.
    of: u32,
}

/// The most parts of a run. A number typed wrong must be told at once, not by a merge that looks for each of the parts.
pub const MOST_SHARDS: u32 = 10_000;

/// Why something is no shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a shard is written k/n, with k from 1 to n, and n at most {MOST_SHARDS}, such as 2/5")]
pub struct ShardError;

impl Shard {
    /// Part `index` of `of`.
    ///
    /// # Errors
    /// [`ShardError`] unless `index` is at least 1 and at most `of`, which is at most [`MOST_SHARDS`].
    pub fn new(index: u32, of: u32) -> Result<Self, ShardError> {
        if (1..=of).contains(&index) && of <= MOST_SHARDS { Ok(Self { index, of }) } else { Err(ShardError) }
    }

    /// Whether the trial is this shard's: the first eight bytes of the sha256 of the key's text, as a big-endian number,
    /// modulo the number of parts.
    #[must_use]
    pub fn owns(self, key: &TrialKey) -> bool {
        let digest = Sha256::digest(key.to_string().as_bytes());
        let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        number % u64::from(self.of) == u64::from(self.index) - 1
    }
}

impl TryFrom<Parts> for Shard {
    type Error = ShardError;

    fn try_from(parts: Parts) -> Result<Self, ShardError> {
        Self::new(parts.index, parts.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (index, of) = text.split_once('/').ok_or(ShardError)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| ShardError);
        Self::new(number(index)?, number(of)?)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Cell;

    fn keys() -> Vec<TrialKey> {
        (1..=4000)
            .map(|trial| TrialKey {
                cell: Cell {
                    case: format!("E{}", trial % 13),
                    variant: None,
                    row: 1,
                    model: "m1".to_owned(),
                },
                trial,
            })
            .collect()
    }

    #[test]
    fn every_trial_is_in_exactly_one_part_and_the_parts_are_alike() {
        for of in [1, 2, 3, 7, 100] {
            let shards: Vec<Shard> = (1..=of).map(|index| Shard::new(index, of).unwrap()).collect();
            let mut sizes = vec![0_u32; of as usize];
            for key in keys() {
                let owners: Vec<&Shard> = shards.iter().filter(|shard| shard.owns(&key)).collect();
                assert_eq!(owners.len(), 1, "{key}");
                sizes[owners[0].index as usize - 1] += 1;
            }
            let even = 4000 / of;
            assert!(sizes.iter().all(|size| (even / 3..=even * 3).contains(size)), "{sizes:?}");
        }
    }

    #[test]
    fn the_partition_never_moves() {
        // Shards of one run may be played by different builds: a changed partition would leave holes.
        let shard = Shard::new(1, 4).unwrap();
        let own: Vec<u32> =
            keys().iter().take(24).filter(|key| shard.owns(key)).map(|key| key.trial).collect();
        assert_eq!(own, [2, 5, 10, 11, 17, 18, 19, 23, 24], "computed elsewhere");
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        assert_eq!("2/5".parse(), Shard::new(2, 5));
        assert!(Shard::new(1, MOST_SHARDS).is_ok());
        for bad in ["0/5", "6/5", "1/0", "2", "2/", "/5", "-1/5", "a/b", "1/5/9", "1/10001", "1/99999999999"]
        {
            assert_eq!(bad.parse::<Shard>(), Err(ShardError), "{bad}");
        }
        for bad in ["{\"index\":0,\"of\":3}", "{\"index\":1,\"of\":4000000000}"] {
            assert!(serde_json::from_str::<Shard>(bad).is_err(), "{bad}");
        }
    }
}
