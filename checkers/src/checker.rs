//! From a definition and a transcript to a verdict.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};
use transcript::{StopReason, Transcript};

use crate::context::Context;
use crate::control::{Control, ControlFailure};
use crate::definition::{Clause, Definition};
use crate::external::Commands;
use crate::predicates::Test;
use crate::verdict::{ClauseResult, Outcome, Verdict};

/// A checker: a definition, its digest, and the controls it must get right.
#[derive(Debug)]
pub struct Checker {
    /// The definition.
    pub definition: Definition,
    /// sha256 of the definition's text, in hex.
    pub sha256: String,
    /// The controls.
    pub controls: Vec<Control>,
    /// The definition's text, kept so that a run can record what it was judged by.
    pub text: String,
    /// The controls' text.
    pub controls_text: String,
    /// The file it came from.
    pub file: String,
    /// What is wrong with its controls; they are tried once, before the first judgement.
    pub(crate) trial: OnceLock<Vec<ControlFailure>>,
    /// Starts the external programs of its clauses.
    pub(crate) commands: Arc<dyn Commands>,
}

impl Checker {
    /// `name@version`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}@{}", self.definition.id, self.definition.version)
    }

    /// Whether it ships with the program.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        crate::library::is_shipped(&self.file)
    }

    /// What is wrong with the checker's controls. They are tried once; a checker that misjudges one judges nothing.
    pub fn distrust(&self) -> &[ControlFailure] {
        self.trial.get_or_init(|| self.check_controls().err().unwrap_or_default())
    }

    /// Judges one transcript. Total: whatever the transcript holds, the answer is a verdict.
    #[must_use]
    pub fn judge(&self, transcript: &Transcript) -> Verdict {
        match self.distrust().first() {
            Some(why) => {
                Verdict::error(self.label(), format!("the checker's own controls misbehave: {}", why.message))
            }
            None => self.judge_untried(transcript),
        }
    }

    /// Judges without asking for the controls, which is how the controls themselves are judged.
    pub(crate) fn judge_untried(&self, transcript: &Transcript) -> Verdict {
        if let Some(reason) = nothing_to_judge(transcript) {
            return Verdict::error(self.label(), reason);
        }
        // A fault of ours must cost one verdict, not the run: and it must never look like a pass or a fail.
        std::panic::catch_unwind(AssertUnwindSafe(|| self.judge_clauses(transcript))).unwrap_or_else(|_| {
            Verdict::error(
                self.label(),
                "the checker broke down on this transcript: a bug in assize, please report it",
            )
        })
    }

    fn judge_clauses(&self, transcript: &Transcript) -> Verdict {
        let cx = Context::new(transcript).with_commands(&self.file, &*self.commands);
        let mut clauses = Vec::new();
        for clause in self.clauses_for(transcript) {
            match clause.predicate.test(&cx) {
                Ok(finding) => clauses.push(ClauseResult {
                    id: clause.id.clone(),
                    passed: finding.holds,
                    reason: finding.reason,
                    evidence: finding.evidence,
                }),
                Err(error) => {
                    return Verdict::error(self.label(), format!("clause `{}`: {error}", clause.id));
                }
            }
        }
        if clauses.is_empty() {
            let variant = transcript.variant.as_deref().unwrap_or("none");
            return Verdict::error(self.label(), format!("no clause is asked of variant {variant}"));
        }
        let outcome = if clauses.iter().all(|clause| clause.passed) { Outcome::Pass } else { Outcome::Fail };
        Verdict { outcome, checker: self.label(), clauses, reason: None }
    }

    fn clauses_for(&self, transcript: &Transcript) -> impl Iterator<Item = &Clause> {
        let variant = transcript.variant.clone().unwrap_or_default();
        self.definition
            .require
            .iter()
            .filter(move |clause| clause.variants.is_empty() || clause.variants.contains(&variant))
    }
}

/// Why a transcript cannot be judged at all, if it cannot.
fn nothing_to_judge(transcript: &Transcript) -> Option<String> {
    if let Some(error) = &transcript.error {
        return Some(format!("{}: {}", error.kind, error.message));
    }
    match transcript.stop {
        Some(StopReason::Length) => return Some("the last reply was cut by a token limit".to_owned()),
        Some(StopReason::ContentFilter) => return Some("the provider withheld the reply".to_owned()),
        Some(StopReason::StepLimit) => return Some("the tool loop ran to its step limit".to_owned()),
        Some(StopReason::Stop | StopReason::ToolCalls | StopReason::Refusal) | None => {}
    }
    let spoke = transcript.messages.iter().any(|message| {
        message.is_models_own() && !(message.content.trim().is_empty() && message.tool_calls.is_empty())
    });
    if spoke { None } else { Some("no message of the model's own: there is nothing to judge".to_owned()) }
}

/// sha256 of `text`, in hex.
pub(crate) fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
