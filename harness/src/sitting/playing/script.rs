//! What is played in a trial: the charter, then the case's script. In a transcript a placeholder stands for the charter.

use model_matrix::Model;
use transcript::{By, Message, Role, Transcript};

use crate::instance::Playable;
use crate::replay;

/// What stands in a transcript for the charter, which is the same in all of a run and kept among its inputs.
pub const CHARTER_PLACEHOLDER: &str = "<charter>";

/// What is played: the charter first, then the case's script, each turn of the subject for no more replies than the
/// matrix allows.
pub(crate) fn steps(charter: &str, playable: &Playable, model: &Model) -> Vec<replay::PlayStep> {
    let charter = Message::text(Role::System, By::Script, charter);
    let charter = replay::PlayStep::Say { message: charter, omitted: false };
    let most = model.limits.max_steps.unwrap_or(u32::MAX);
    let script = playable.steps.iter().map(|step| match step {
        replay::PlayStep::Reply { max_steps } => replay::PlayStep::Reply { max_steps: most.min(*max_steps) },
        said => said.clone(),
    });
    std::iter::once(charter).chain(script).collect()
}

/// Puts the placeholder where the charter stands: it is the first message, and the same in every trial.
pub(crate) fn hide_charter(transcript: &mut Transcript) {
    if let Some(first) = transcript.messages.first_mut().filter(|message| message.role == Role::System) {
        CHARTER_PLACEHOLDER.clone_into(&mut first.content);
    }
}

/// As [`hide_charter`], before anything is played.
pub(crate) fn hide_charter_in(steps: &mut [replay::PlayStep]) {
    if let Some(replay::PlayStep::Say { message, .. }) = steps.first_mut() {
        CHARTER_PLACEHOLDER.clone_into(&mut message.content);
    }
}
