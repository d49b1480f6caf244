//! A trial played once more, with the model's own words from the record.
//!
//! A verdict rests on parameters, on what the script said and on what tools answered. All of it can be derived again,
//! save for the model's own words: so it is, and a record that says otherwise is not believed.

use std::sync::Arc;

use reports::{Cell, LoadRecord, LoadVerdict, Plan};
use transcript::{Message, StopReason, Transcript, TrialError, Usage};

use super::instances::{Instance, Instances};
use crate::agent::retrace;
use crate::replay::{self, Failure, Reply};
use crate::sitting::material::Material;
use crate::workspace::Workspace;

/// Why `transcript` cannot have come from playing its trial, if it cannot.
pub(super) fn contradiction(
    transcript: &Transcript,
    plan: &Plan,
    material: &Material,
    instances: &Instances,
) -> Option<String> {
    let (row, model) = (transcript.row?, transcript.model.clone()?);
    let cell = Cell { case: transcript.case.clone(), variant: transcript.variant.clone(), row, model };
    // One that is not owed is a stranger, and the manifest lists it.
    plan.model(&cell.model)?;
    let Some(model) = material.matrix.get(&cell.model) else {
        return Some("its model is not in the matrix".to_owned());
    };
    if !same(&Some(&model.decoding), &transcript.decoding.as_ref()) {
        return Some("it was sampled with other parameters than the matrix's".to_owned());
    }
    let Some(instance) = instances.get(material, &cell, model) else {
        return Some("its instance cannot be made from the inputs".to_owned());
    };
    let playable = &instance.playable;
    if transcript.case_sha256.as_deref() != Some(playable.case_sha256.as_str()) {
        return Some("it was played on another case than the inputs'".to_owned());
    }
    if !same(&playable.params, &transcript.params) {
        return Some("its parameters are not those of the case's row".to_owned());
    }
    if transcript.error.is_some() {
        return None;
    }
    if model.provider.program().is_some() {
        let charter = &material.charter.runtime;
        return retrace::difference(transcript, playable, model, charter, &instance.steps);
    }
    let load = LoadRecord::of(transcript);
    if plan.format >= 2 && load.is_none_or(|load| load.verdict != LoadVerdict::Verified) {
        return Some("it has a verdict, but its charter was not verified".to_owned());
    }
    let Some(again) = super::instances::block_on(play_again(transcript, &instance)) else {
        return Some("it cannot be played again: the system lets no thread wait".to_owned());
    };
    difference(&again, transcript).or_else(|| unserved(transcript))
}

/// Replies of which nobody said who gave them, or words on replies that are not there.
fn unserved(transcript: &Transcript) -> Option<String> {
    let replies = transcript.messages.iter().filter(|message| message.is_models_own()).count();
    let served = transcript.served.len();
    (served != replies).then(|| format!("{replies} replies and {served} words on who served them"))
}

/// Plays the trial once more, with the model's own words from the record.
async fn play_again(transcript: &Transcript, instance: &Instance) -> Transcript {
    let mut own: Vec<Message> =
        transcript.messages.iter().filter(|message| message.is_models_own()).cloned().collect();
    own.reverse();
    let last = transcript.stop.unwrap_or(StopReason::Stop);
    let speaker = move |_: &[Message], _: usize| {
        let Some(message) = own.pop() else {
            let message = "the script asks for more replies than the record holds".to_owned();
            return Err(Failure::from(TrialError { kind: "audit".to_owned(), message }));
        };
        // Only the last reply's reason is on record; the others went on, whatever theirs was.
        let stop = if own.is_empty() { last } else { StopReason::Refusal };
        Ok(Reply {
            message,
            stop,
            usage: Some(Usage::default()),
            served: transcript::Served::default(),
            retries: 0,
            fault: None,
        })
    };
    let record = Transcript::new(transcript.id.clone(), transcript.case.clone());
    let workspace = Workspace::new(Arc::clone(&instance.playable.files));
    replay::play(record, &instance.steps, &instance.playable.tools, workspace, speaker).await
}

/// The first part in which the record differs from the trial played again.
fn difference(again: &Transcript, recorded: &Transcript) -> Option<String> {
    if let Some(error) = &again.error {
        return Some(format!(
            "by its messages it ends in an error ({}), by its record it does not",
            error.message
        ));
    }
    if !same(&again.tools, &recorded.tools) {
        return Some("the tools offered are not the case's".to_owned());
    }
    let pairs = again.messages.iter().zip(&recorded.messages);
    if let Some(index) = pairs.clone().position(|(a, b)| !same(a, b)) {
        return Some(format!("message {index} is not what the case's script or its tools say there"));
    }
    if again.messages.len() != recorded.messages.len() {
        return Some(format!(
            "it has {} messages; the case's script makes {} of them",
            recorded.messages.len(),
            again.messages.len()
        ));
    }
    if !same(&again.workspace, &recorded.workspace) {
        return Some("the workspace is not what the calls make of it".to_owned());
    }
    if again.extra.get(replay::OMITTED) != recorded.extra.get(replay::OMITTED) {
        return Some("the turns left out are not the script's".to_owned());
    }
    None
}

/// Equal once both have been through JSON: what is on disk has been. What is equal before is so after.
fn same<T: serde::Serialize + PartialEq>(left: &T, right: &T) -> bool {
    if left == right {
        return true;
    }
    let through = |text: Result<String, serde_json::Error>| -> Option<serde_json::Value> {
        serde_json::from_str(&text.ok()?).ok()
    };
    let (left, right) = (through(serde_json::to_string(left)), through(serde_json::to_string(right)));
    left.is_some() && left == right
}
