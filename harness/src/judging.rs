//! From lines of transcripts to verdicts: in parallel, in the order of the input, in constant memory.

use std::io::BufRead;

use checkers::{Checker, Library, Unjudged, Verdict};
use rayon::prelude::*;
use transcript::Transcript;
use transcript::jsonl::{self, Line, Lines, ReadError};

/// Lines judged at one go: enough to keep all cores busy, few enough to be nothing in memory.
const BATCH: usize = 512;
/// A batch ends early once it holds this many bytes.
const BATCH_BYTES: usize = 16 << 20;

/// A line of the input, judged.
#[derive(Debug)]
pub enum Judged<'l> {
    /// A transcript and its verdict.
    Transcript {
        /// The line.
        line: Line,
        /// The transcript.
        transcript: Box<Transcript>,
        /// The verdict.
        verdict: Verdict,
        /// The checker that judged, when one is known.
        checker: Option<&'l Checker>,
    },
    /// Not a transcript.
    Unreadable(ReadError),
}

/// Judges every line of `input` and hands the results to `out` in order. Stops at the first error of `out`.
///
/// # Errors
/// What `out` returns.
pub fn judge_lines<'l, R: BufRead, E>(
    input: R,
    library: &'l Library,
    out: impl FnMut(Judged<'l>) -> Result<(), E>,
) -> Result<(), E> {
    let judge = |line| match line {
        Ok(line) => judge_line(line, library),
        Err(error) => Judged::Unreadable(error),
    };
    map_lines(input, judge, out)
}

/// Puts every line of `input` through `each`, on all cores, and hands the results to `out` in order. Stops at the first
/// error of `out`.
///
/// # Errors
/// What `out` returns.
pub fn map_lines<R: BufRead, T: Send, E>(
    input: R,
    each: impl Fn(Result<Line, ReadError>) -> T + Sync,
    mut out: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = Lines::new(input);
    let mut batch = next_batch(&mut lines);
    let mut results: Vec<T> = Vec::new();
    while !batch.is_empty() || !results.is_empty() {
        let (under_way, ready) = (std::mem::take(&mut batch), std::mem::take(&mut results));
        let lost =
            under_way.last().is_some_and(|line| matches!(line, Err(error) if !error.next_line_is_known()));
        // While all cores are busy with one batch, this thread hands on the one before it and reads the next.
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| results = under_way.into_par_iter().map(&each).collect());
            ready.into_iter().try_for_each(&mut out)?;
            if !lost {
                batch = next_batch(&mut lines);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The next lines; an error after which the place of the next line is not known comes last.
fn next_batch<R: BufRead>(lines: &mut Lines<R>) -> Vec<Result<Line, ReadError>> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    for line in lines.by_ref() {
        bytes += line.as_ref().map_or(0, |line| line.text.len());
        let lost = line.as_ref().is_err_and(|error| !error.next_line_is_known());
        batch.push(line);
        if lost || batch.len() == BATCH || bytes > BATCH_BYTES {
            break;
        }
    }
    batch
}

fn judge_line(line: Line, library: &Library) -> Judged<'_> {
    match jsonl::parse(&line) {
        Err(error) => Judged::Unreadable(error),
        Ok(transcript) => {
            let found = library.for_transcript(&transcript);
            let checker = found.as_ref().ok().copied();
            let verdict = judge(found, &transcript);
            Judged::Transcript { line, transcript: Box::new(transcript), verdict, checker }
        }
    }
}

/// Judges one transcript; without a checker the verdict is an error, never a pass.
#[must_use]
pub fn judge(checker: Result<&Checker, Unjudged>, transcript: &Transcript) -> Verdict {
    match checker {
        Ok(checker) => checker.judge(transcript),
        Err(why) => Verdict::error("none", why.to_string()),
    }
}
