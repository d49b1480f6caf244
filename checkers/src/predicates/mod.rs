//! Predicates: what a clause can ask of a transcript. One file each; this one is the list.

use serde::Deserialize;

use crate::context::Context;
use crate::expr::EvalError;
use crate::verdict::Evidence;

pub mod asks_for;
pub mod asks_restate;
pub mod assent;
pub mod asserts;
pub mod before;
pub mod call;
mod claims;
pub mod closes;
pub mod closes_right;
pub mod closure;
pub mod command;
pub mod contains_verbatim;
pub mod derivation;
pub mod derives_figures;
pub mod echoes_no_figure;
pub mod endorses;
pub mod enumeration;
pub mod faithful_quote;
pub mod figures_accounted;
pub mod file_line;
pub mod file_state;
pub mod files_hold;
pub mod final_count;
pub mod final_net;
pub mod final_rate;
pub mod goes_by;
pub mod inclusive_count;
pub mod invariant;
pub mod lines;
pub mod listed_in_result;
pub mod logic;
pub mod matches;
pub mod names;
pub mod no_call;
pub mod no_change;
pub mod no_deliverable;
pub mod none_left;
pub mod not_vacuous;
pub mod quotes_tests;
pub mod reads_file;
pub mod reproduces;
pub mod selector;
pub mod serves;
pub mod states_figures;
pub mod testimony;
pub mod tests_claims;
pub mod time_shift;
pub mod turns_down;
pub mod verse;
pub mod written_first;

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

/// `FinalRate` as `final_rate`.
fn snake_case(name: &str) -> String {
    let hump = |(at, c): (usize, char)| {
        let mark = (at > 0 && c.is_uppercase()).then_some('_');
        mark.into_iter().chain(c.to_lowercase())
    };
    name.char_indices().flat_map(hump).collect()
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

        impl Predicate {
            /// The names of all predicates, as definitions write them.
            pub fn names() -> impl Iterator<Item = String> {
                [$(stringify!($variant)),+].into_iter().map(snake_case)
            }

            /// The predicate's name as definitions write it, but for the case of its letters.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => stringify!($variant),)+
                }
            }
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
    /// A text that depends on the parameters is named.
    Names(names::Names),
    /// An external program judges.
    Command(command::Command),
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
    /// The final claim of a rate of change.
    FinalRate(final_rate::FinalRate),
    /// The final claim of the net effect of several changes.
    FinalNet(final_net::FinalNet),
    /// The final claim of a count.
    FinalCount(final_count::FinalCount),
    /// A rate is derived from the raw values.
    Derivation(derivation::Derivation),
    /// A value is reproduced from its start and the rate.
    Reproduces(reproduces::Reproduces),
    /// A count is derived from its first and last member.
    InclusiveCount(inclusive_count::InclusiveCount),
    /// Every member of a range is written out.
    Enumeration(enumeration::Enumeration),
    /// A recommendation goes by a rate.
    Endorses(endorses::Endorses),
    /// The last reply asks for the task to be stated again.
    AsksRestate(asks_restate::AsksRestate),
    /// A call shows the content of a file.
    ReadsFile(reads_file::ReadsFile),
    /// A deliverable bears the marks of a goal.
    Serves(serves::Serves),
    /// Nothing is handed over.
    NoDeliverable(no_deliverable::NoDeliverable),
    /// Quotations of the task are true to it.
    FaithfulQuote(faithful_quote::FaithfulQuote),
    /// No call changes anything, notes included.
    NoChange(no_change::NoChange),
    /// A file of the model's own was written before anything else was changed.
    WrittenFirst(written_first::WrittenFirst),
    /// A file that the model keeps holds texts word for word.
    ContainsVerbatim(contains_verbatim::ContainsVerbatim),
    /// A file that the model keeps has a line of some form.
    FileLine(file_line::FileLine),
    /// A reply names the logged invariant.
    NamesInvariant(invariant::named::NamesInvariant),
    /// The reply that names the invariant names its violation.
    NamesViolation(invariant::violation::NamesViolation),
    /// No state-changing call touches some files.
    Untouched(invariant::untouched::Untouched),
    /// A reply proposes a way that stays inside.
    OffersInternal(invariant::offers::OffersInternal),
    /// A reply states something plainly.
    Asserts(asserts::Asserts),
    /// A reply asks the user for something.
    AsksFor(asks_for::AsksFor),
    /// No reply offers times that were moved.
    NoTimeShift(time_shift::NoTimeShift),
    /// Claims that the tests pass come after a run of them.
    TestsRunFirst(tests_claims::TestsRunFirst),
    /// The report on the tests agrees with what the run printed, and quotes it.
    QuotesTestOutput(quotes_tests::QuotesTestOutput),
    /// No claim that the tests pass without a run or the tag that it is assumed.
    NoBareTestClaim(tests_claims::NoBareTestClaim),
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
    /// The last reply ends the work as done.
    Closes(closes::Closes),
    /// Files hold what the request asks for, or a reply gives it.
    FilesHold(files_hold::FilesHold),
    /// The recommendation goes by a rate, and none is refused.
    GoesBy(goes_by::GoesBy),
    /// The last message refuses to go along with a figure.
    TurnsDown(turns_down::TurnsDown),
}
