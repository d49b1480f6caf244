//! What a handful of trials proves, and what it does not. Small counts need exact methods: nothing here rests on the
//! normal approximation but Wilson's interval, which is made for small counts.
//!
//! - [`Tally`]: passes and failures, the only input there is
//! - [`interval`]: what rate a tally is compatible with
//! - [`repeats`]: pass^k and pass@k, and the refusal to reckon with trials that are missing or told twice
//! - [`fisher`]: whether one tally is worse than another (Fisher's exact test, one-sided)
//! - [`stratified`]: the same over many cells at once
//! - [`paired`]: cells that changed sides between two runs (McNemar's exact test)
//! - [`multiplicity`]: many comparisons at once (Holm, Benjamini–Hochberg)
//! - [`clustered`]: a mean over cells that are related, and its standard error

mod beta;
pub mod clustered;
mod discrete;
pub mod fisher;
pub mod interval;
pub mod multiplicity;
pub mod paired;
pub mod repeats;
pub mod stratified;
mod tally;
#[cfg(test)]
mod tests;

pub use interval::{all_passed_proves, wilson};
pub use repeats::{pass_at_k, pass_hat_k};
pub use tally::Tally;

/// A count as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "trial counts are far below 2^52")]
fn real(count: usize) -> f64 {
    count as f64
}
