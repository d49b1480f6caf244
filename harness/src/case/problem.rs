//! What is wrong with case files: all of it at once.

use std::fmt;

pub use transcript::document::Problem;
pub(crate) use transcript::document::{Source, nearest, suggestion};

/// Everything that is wrong with a tree of case files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseErrors(pub Vec<Problem>);

impl std::error::Error for CaseErrors {}

impl fmt::Display for CaseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.0 {
            write!(f, "{problem}\n\n")?;
        }
        match self.0.as_slice() {
            [_] => f.write_str("1 problem"),
            problems => write!(f, "{} problems", problems.len()),
        }
    }
}

/// Where problems are gathered while reading goes on.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    all: Vec<Problem>,
    told: usize,
}

impl Problems {
    pub(crate) fn add(&mut self, problem: Problem) {
        self.told += 1;
        // What variants share is read once for each; its faults are shown once.
        if !self.all.contains(&problem) {
            self.all.push(problem);
        }
    }

    /// How often a problem was told, repetitions included: whoever reads something compares before and after.
    pub(crate) fn told(&self) -> usize {
        self.told
    }

    /// `value`, unless there were problems.
    pub(crate) fn settle<T>(mut self, value: Option<T>) -> Result<T, CaseErrors> {
        self.all.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        match value {
            Some(value) if self.all.is_empty() => Ok(value),
            _ => Err(CaseErrors(self.all)),
        }
    }
}
