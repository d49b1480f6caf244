//! One trial: the script is played against a subject, with the tool loop inside each of its turns, and everything is recorded.
//!
//! The subject is whatever answers a list of messages, so that this room knows nothing of HTTP and is tested without it.

use serde_json::json;
use transcript::{By, Message, Role, Served, StopReason, Transcript, TrialError, Usage};

use crate::tools::ToolSet;
use crate::workspace::Workspace;

/// How many replies a turn of the subject may take when the script does not say.
pub const DEFAULT_MAX_STEPS: usize = 30;

/// The field of a transcript's `extra` that holds the turns which were not submitted.
pub const OMITTED: &str = "omitted";

/// One step of a script, with its template filled in.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayStep {
    /// Somebody says something.
    Say {
        /// What is said.
        message: Message,
        /// Whether it is kept from the subject: recorded beside the conversation, never submitted.
        omitted: bool,
    },
    /// It is the subject's turn.
    Reply {
        /// How many replies it may take, tool calls in between.
        max_steps: u32,
    },
}

/// One reply of a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it says and calls.
    pub message: Message,
    /// Why it ended.
    pub stop: StopReason,
    /// Tokens; `None` when the endpoint did not count them.
    pub usage: Option<Usage>,
    /// What the endpoint said about itself.
    pub served: Served,
    /// How often the request had to be sent again.
    pub retries: u32,
    /// Why it is no evidence of the subject: it is kept, and the trial ends with this error.
    pub fault: Option<TrialError>,
}

/// Why a subject gave no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What the transcript will say.
    pub error: TrialError,
    /// How often the request had been sent again.
    pub retries: u32,
}

/// Whoever answers a conversation: a model behind an endpoint, or a list of replies in a test.
pub trait Speaker: Send {
    /// Answers the conversation so far. `turn` counts the replies of the trial before this one.
    fn reply(
        &mut self,
        messages: &[Message],
        turn: usize,
    ) -> impl Future<Output = Result<Reply, Failure>> + Send;
}

impl<F> Speaker for F
where
    F: FnMut(&[Message], usize) -> Result<Reply, Failure> + Send,
{
    async fn reply(&mut self, messages: &[Message], turn: usize) -> Result<Reply, Failure> {
        self(messages, turn)
    }
}

impl From<TrialError> for Failure {
    fn from(error: TrialError) -> Self {
        Self { error, retries: 0 }
    }
}

/// Plays `steps` and returns `record` filled with what happened: messages, workspace diff, usage, what was served, stop reason, error.
///
/// `speaker` gets the conversation so far and the number of the request, counted from 0. Its failures, a reply that was cut and a tool loop without
/// end are errors of the trial, never verdicts: the transcript up to there is kept, and the rest of the script is not played.
pub async fn play<S: Speaker>(
    record: Transcript,
    steps: &[PlayStep],
    tools: &ToolSet,
    workspace: Workspace,
    speaker: S,
) -> Transcript {
    let mut trial = Trial { record, tools, workspace, speaker, requests: 0 };
    trial.record.tools = tools.recorded();
    let mut omitted = Vec::new();
    for step in steps {
        let result = match step {
            PlayStep::Say { message, omitted: true } => {
                omitted.push(json!(message));
                Ok(())
            }
            PlayStep::Say { message, omitted: false } => {
                trial.record.messages.push(message.clone());
                Ok(())
            }
            PlayStep::Reply { max_steps } => trial.turn(*max_steps).await,
        };
        if let Err(error) = result {
            trial.record.error = Some(error);
            break;
        }
    }
    let Trial { mut record, workspace, .. } = trial;
    if !omitted.is_empty() {
        record.extra.insert(OMITTED.to_owned(), omitted.into());
    }
    record.workspace = Some(workspace.diff());
    record
}

struct Trial<'a, S> {
    record: Transcript,
    tools: &'a ToolSet,
    workspace: Workspace,
    speaker: S,
    requests: usize,
}

impl<S: Speaker> Trial<'_, S> {
    /// The subject's turn: replies and tool results until it calls no more.
    async fn turn(&mut self, max_steps: u32) -> Result<(), TrialError> {
        for _ in 0..max_steps {
            self.request().await?;
            if !self.run_calls() {
                return Ok(());
            }
        }
        self.record.stop = Some(StopReason::StepLimit);
        Err(error("step-limit", format!("the subject still called tools after {max_steps} replies")))
    }

    async fn request(&mut self) -> Result<(), TrialError> {
        let answer = self.speaker.reply(&self.record.messages, self.requests).await;
        self.requests += 1;
        let reply = answer.map_err(|failure| {
            let Failure { error, retries } = failure;
            self.add_retries(retries);
            error
        })?;
        self.add_retries(reply.retries);
        match reply.usage {
            Some(usage) => *self.record.usage.get_or_insert_default() += usage,
            None => self.record.uncounted = self.record.uncounted.saturating_add(1),
        }
        self.record.served.push(reply.served);
        self.record.stop = Some(reply.stop);
        let message = self.attributed(reply.message);
        let result = reply.fault.map_or_else(|| check(&message, reply.stop), Err);
        self.record.messages.push(message);
        result
    }

    /// The message as the model's own, with an id for each call: a result could not name a call that has none.
    fn attributed(&self, mut message: Message) -> Message {
        message.role = Role::Assistant;
        message.by = By::Model;
        for (n, call) in message.tool_calls.iter_mut().enumerate().filter(|(_, call)| call.id.is_empty()) {
            call.id = format!("call-{}-{}", self.requests, n + 1);
        }
        message
    }

    /// Runs the calls of the last message in order; false when it makes none.
    fn run_calls(&mut self) -> bool {
        let calls = self.record.messages.last().map(|message| message.tool_calls.clone()).unwrap_or_default();
        for call in &calls {
            let outcome = self.tools.run(call, &mut self.workspace);
            self.record.messages.push(Message::tool_result(call, outcome.content, outcome.is_error));
        }
        !calls.is_empty()
    }

    fn add_retries(&mut self, retries: u32) {
        if retries > 0 {
            *self.record.retries.get_or_insert(0) += retries;
        }
    }
}

/// Whether the reply is an answer that can be judged. A refusal is one; a reply that is cut, withheld or empty is not.
pub(crate) fn check(message: &Message, stop: StopReason) -> Result<(), TrialError> {
    let is_silent = message.content.trim().is_empty();
    match stop {
        StopReason::Length => Err(error("reply-cut", "the reply was cut by a token limit".to_owned())),
        StopReason::ContentFilter => {
            Err(error("content-filter", "the provider withheld the reply".to_owned()))
        }
        StopReason::ToolCalls if message.tool_calls.is_empty() => {
            Err(error("bad-reply", "the reply ended for tool calls but makes none".to_owned()))
        }
        StopReason::Stop if is_silent && message.tool_calls.is_empty() => {
            Err(error("bad-reply", "the reply has neither text nor tool calls".to_owned()))
        }
        StopReason::Stop | StopReason::ToolCalls | StopReason::Refusal | StopReason::StepLimit => Ok(()),
    }
}

fn error(kind: &str, message: String) -> TrialError {
    TrialError { kind: kind.to_owned(), message }
}

#[cfg(test)]
mod tests;
