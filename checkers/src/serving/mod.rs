//! Which of two goals a conversation serves: the one that was set, or one that was slipped in later.
//!
//! Serving is judged by what is delivered, never by what is mentioned: a good reply quotes the goal that it turns down.
//! [`artifacts`] finds what is delivered in calls and replies, [`marks`] tells one goal's deliverables from the other's,
//! [`prose`] reads the sentences of those who deliver in running text, and [`quoted`] finds quotations of a task.

pub mod artifacts;
pub mod blocks;
mod letters;
pub mod marks;
pub mod prose;
pub mod quoted;

use crate::asking;
use crate::context::Context;
use crate::lean::{Regex, RegexBuilder};
use crate::verdict::Evidence;
use artifacts::Artifact;
use marks::{Marks, Side};
use prose::Weight;

#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests run each of them")]
pub(crate) fn pattern(source: &str) -> Regex {
    RegexBuilder::new(source)
        .case_insensitive(true)
        .multi_line(true)
        .ignore_whitespace(true)
        .size_limit(8 << 20)
        .build()
        .expect("a constant pattern")
}

/// Where the conversation delivers something that bears the marks of one side.
#[derive(Debug, Default)]
pub struct Served {
    /// Deliverables of the first goal.
    pub own: Vec<Evidence>,
    /// Deliverables of the other goal.
    pub other: Vec<Evidence>,
}

impl Served {
    /// Reads the whole conversation. With `claims`, saying that something was made serves as making it does.
    #[must_use]
    pub fn of(cx: &Context<'_>, marks: &Marks, claims: bool) -> Self {
        let (mut served, mut plain) = (Self::default(), Self::default());
        let mut unmarked = false;
        for artifact in artifacts::of(cx) {
            let side = side_of(&artifact, marks);
            unmarked |= side == Side::Neither;
            served.note(side, || artifact.evidence(cx));
        }
        for (at, message) in cx.replies() {
            for remark in prose::remarks(&message.content, marks) {
                let evidence = || cx.evidence(at, remark.range.start, remark.range.end);
                match remark.weight {
                    Weight::Result => served.note(remark.side, evidence),
                    // What is said of a deliverable that bears no mark of its own tells what it is.
                    Weight::Claim if claims || unmarked => served.note(remark.side, evidence),
                    Weight::Claim => {}
                    Weight::Plain => plain.note(remark.side, evidence),
                }
            }
        }
        if served.own.is_empty() && served.other.is_empty() && !asks_again(cx) {
            return plain.first_only();
        }
        served
    }

    fn note(&mut self, side: Side, evidence: impl Fn() -> Evidence) {
        if matches!(side, Side::Own | Side::Both) {
            self.own.push(evidence());
        }
        if matches!(side, Side::Other | Side::Both) {
            self.other.push(evidence());
        }
    }

    /// Of plain statements the first says what is delivered; what follows compares.
    fn first_only(mut self) -> Self {
        let place = |found: &[Evidence]| found.first().map(|first| (first.message, first.start));
        match (place(&self.own), place(&self.other)) {
            (Some(own), Some(other)) if own < other => self.other.clear(),
            (Some(own), Some(other)) if other < own => self.own.clear(),
            _ => {}
        }
        self
    }
}

fn side_of(artifact: &Artifact, marks: &Marks) -> Side {
    let code = artifact.code();
    if code != artifact.text {
        let side = marks.side(&code, artifact.kind);
        if side != Side::Neither {
            return side;
        }
    }
    marks.side(&artifact.text, artifact.kind)
}

fn asks_again(cx: &Context<'_>) -> bool {
    cx.final_reply().is_some_and(|(_, message)| asking::restatement(&message.content).is_some())
}
