//! What of a program's trial follows from its case, so that an auditor can derive it again.
//!
//! The program's words are its own, and so are the answers of its own tools: it ran them, nobody can run them again
//! without it. All else follows: what the user said and when, what the case's tools answered, that each change of the
//! workspace is the difference between the case's file and the content recorded, and that the charter was loaded.

use std::sync::Arc;

use model_matrix::Model;
use transcript::{By, Change, FileChange, Message, Role, Transcript};

use super::offer;
use super::play::{LOAD, PROGRAM};
use super::suits;
use super::tidy::is_version;
use crate::instance::Playable;
use crate::replay::PlayStep;
use crate::tools::ToolSet;
use crate::workspace::{Tree, WorkPath, Workspace};

/// The first part in which a record without an error differs from what its case makes of it.
#[must_use]
pub fn difference(
    recorded: &Transcript,
    playable: &Playable,
    model: &Model,
    charter: &str,
    steps: &[PlayStep],
) -> Option<String> {
    let program = model.provider.program()?;
    if let Some(why) = suits::unsupported(program, playable) {
        return Some(format!("the program cannot have played this case: {why}"));
    }
    let said = |key: &str, field: &str| recorded.extra.get(key)?.get(field)?.as_str();
    if program.base_url.is_some() && said(LOAD, "verdict") != Some("verified") {
        return Some("it has a verdict, but its charter was not verified".to_owned());
    }
    if let Some(pinned) = &model.pin.version
        && !said(PROGRAM, "version").is_some_and(|version| is_version(version, pinned))
    {
        return Some("it is of another version of the program than the matrix pins".to_owned());
    }
    let turns = steps.iter().filter(|step| matches!(step, PlayStep::Reply { .. })).count();
    if !model.pin.model.is_empty() && recorded.served.len() < turns {
        return Some("it does not say of each turn who served it".to_owned());
    }
    let offered = offer::offered(program, playable);
    let Ok(offered) = ToolSet::new(&offered) else {
        return Some("the case's tools cannot be made".to_owned());
    };
    conversation(&recorded.messages, steps)
        .or_else(|| answers(&recorded.messages, &offered))
        .or_else(|| changes(recorded.workspace.as_deref(), playable, &program.charter_file, charter))
}

/// The script's words stand where the script has them, and nothing stands between but the program's.
fn conversation(messages: &[Message], steps: &[PlayStep]) -> Option<String> {
    let mut rest = messages.iter().enumerate().peekable();
    for step in steps {
        match step {
            PlayStep::Say { message, .. } => match rest.next() {
                Some((_, said))
                    if said.role == message.role && said.by == By::Script && same_words(said, message) => {}
                Some((index, _)) => {
                    return Some(format!("message {index} is not what the case's script says there"));
                }
                None => return Some("it ends before the case's script does".to_owned()),
            },
            PlayStep::Reply { .. } => {
                let mut spoke = false;
                while let Some((_, message)) = rest.next_if(|(_, message)| is_programs(message)) {
                    spoke |= message.is_models_own();
                }
                if !spoke {
                    return Some("a turn of the subject is missing".to_owned());
                }
            }
        }
    }
    rest.next().map(|(index, _)| format!("message {index} is not in the case's script"))
}

fn is_programs(message: &Message) -> bool {
    match message.role {
        Role::Assistant => true,
        Role::Tool => message.by == By::Tool,
        Role::System | Role::User => false,
    }
}

/// The charter's place holds the same in all transcripts; who audits has put the placeholder there.
fn same_words(said: &Message, script: &Message) -> bool {
    said.content == script.content && said.tool_calls.is_empty() && said.extra.is_empty()
}

/// The case's own tools answered as the case says.
fn answers(messages: &[Message], offered: &ToolSet) -> Option<String> {
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    for call in calls.filter(|call| offered.effect(&call.name).is_some()) {
        let Some((index, answer)) =
            messages.iter().enumerate().find(|(_, message)| message.tool_call_id.as_ref() == Some(&call.id))
        else {
            continue;
        };
        let due = offered.run(call, &mut Workspace::new(Arc::default()));
        // A program may refuse the call itself, and then says so as an error.
        let refused = answer.is_error && !due.is_error;
        if !refused && answer.content.trim() != due.content.trim() {
            return Some(format!("message {index} is not what the case's tool `{}` answers", call.name));
        }
    }
    None
}

/// Each change follows from the file as the case has it and the content recorded.
fn changes(
    recorded: Option<&[FileChange]>,
    playable: &Playable,
    charter_file: &str,
    charter: &str,
) -> Option<String> {
    let Some(recorded) = recorded else { return Some("it has no record of the workspace".to_owned()) };
    let mut base: Tree = (*playable.files).clone();
    base.insert(charter_file.to_owned(), charter.as_bytes().into());
    let mut workspace = Workspace::new(Arc::new(base));
    for change in recorded {
        let strange = || Some(format!("the change of {} cannot have come about", change.path));
        let Ok(path) = WorkPath::parse(&change.path) else { return strange() };
        let done = match (change.change, &change.content) {
            (Change::Deleted, _) => workspace.delete(&path),
            (_, Some(content)) => workspace.write(&path, content.as_bytes()),
            // No text: there is nothing to derive.
            (_, None) => continue,
        };
        if done.is_err() {
            return strange();
        }
    }
    let texts: Vec<&FileChange> = recorded
        .iter()
        .filter(|change| change.content.is_some() || change.change == Change::Deleted)
        .collect();
    let again = workspace.diff();
    (again.iter().collect::<Vec<_>>() != texts)
        .then(|| "the changes of the workspace are not the difference to the case's files".to_owned())
}

#[cfg(test)]
mod tests;
