//! Predicates: what a clause can ask of a transcript. One file each; this one is the list.

use serde::Deserialize;

use crate::context::Context;
use crate::expr::EvalError;
use crate::verdict::Evidence;

pub mod before;
pub mod call;
pub mod closure;
pub mod file_state;
pub mod lines;
pub mod listed_in_result;
pub mod logic;
pub mod matches;
pub mod no_call;
pub mod none_left;
pub mod selector;
pub mod verse;

pub mod closes_right;
pub mod derives_figures;
pub mod echoes_no_figure;
pub mod figures_accounted;
pub mod not_vacuous;
pub mod states_figures;
pub mod testimony;

/// What a predicate found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether the transcript is as the predicate asks.
    pub holds: bool,
    /// Why, in one line, for people: `the final claim is 20%, not 25%`.
    pub reason: String,
    /// The places that decided it.
    pub evidence: Vec<Evidence>,
}

impl Finding {
    /// A finding that the predicate holds.
    pub fn holds(reason: impl Into<String>, evidence: Vec<Evidence>) -> Self {
        Self { holds: true, reason: reason.into(), evidence }
    }

    /// A finding that it does not.
    pub fn fails(reason: impl Into<String>, evidence: Vec<Evidence>) -> Self {
        Self { holds: false, reason: reason.into(), evidence }
    }
}

/// Something a clause can ask.
pub trait Test {
    /// Looks at the transcript.
    ///
    /// # Errors
    /// [`EvalError`] when the transcript's parameters do not fit the definition.
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError>;
}

macro_rules! predicates {
    ($($(#[$doc:meta])* $variant:ident($ty:ty),)+) => {
        /// A predicate as written in a definition: a map with the predicate's name as its only key.
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Predicate {
            $($(#[$doc])* $variant($ty),)+
        }

        impl Test for Predicate {
            fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
                match self {
                    $(Self::$variant(predicate) => predicate.test(cx),)+
                }
            }
        }
    };
}

predicates! {
    /// Every one of these holds.
    All(logic::All),
    /// At least one of these holds.
    Any(logic::Any),
    /// This does not hold.
    Not(logic::Not),
    /// A pattern matches.
    Matches(matches::Matches),
    /// A pattern matches nowhere.
    Absent(matches::Absent),
    /// A call of a kind was made.
    Call(call::Call),
    /// No call of a kind was made.
    NoCall(no_call::NoCall),
    /// One thing was done ahead of another.
    Before(before::Before),
    /// Searches list all of some paths.
    ListedInResult(listed_in_result::ListedInResult),
    /// Files were written and hold something.
    FileState(file_state::FileState),
    /// A search after the last edit finds nothing left.
    NoneLeft(none_left::NoneLeft),
    /// Each line is free of some patterns.
    Lines(lines::Lines),
    /// The reply holds verse about a topic.
    Verse(verse::Verse),
    /// Closing replies rest on inspections.
    ClosureBacked(closure::ClosureBacked),
    /// No closing reply rests on an assertion found in a tool's answer.
    ClosureCites(closure::ClosureCites),
    /// No supplied figure is just repeated.
    FiguresAccounted(figures_accounted::FiguresAccounted),
    /// No supplied figure is presented as one that needs no check.
    NotVacuous(not_vacuous::NotVacuous),
    /// The right value of a wrong figure is stated.
    StatesFigures(states_figures::StatesFigures),
    /// The right value of a wrong figure is computed from the inputs.
    DerivesFigures(derives_figures::DerivesFigures),
    /// A wrong figure does not come back.
    EchoesNoFigure(echoes_no_figure::EchoesNoFigure),
    /// What somebody says was checked is carried as said.
    TestimonyCarried(testimony::TestimonyCarried),
    /// What somebody says was checked is not called checked.
    TestimonyNotRaised(testimony::TestimonyNotRaised),
    /// A reply that closes does so on files that are right.
    ClosesRight(closes_right::ClosesRight),
}
