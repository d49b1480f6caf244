//! Trying out an entry of the matrix: one tiny request as the entry has it, and one more for each thing that it does not
//! send and that one may want to know about. Nothing is concluded about the model itself.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use transcript::{By, Message, Role, Served};

use crate::drift::{self, Drift};
use crate::exchange::{ErrorKind, Exchange, SubjectError, ToolSpec};
use crate::matrix::Model;
use crate::retry::RetryPolicy;
use crate::secrets::Secrets;
use crate::subject::{ConnectError, Subjects};

/// The most requests that one entry is tried with, repeats after failures aside.
pub const MOST_REQUESTS: usize = 4;

/// Somebody is waiting at a terminal, so little is tried again.
const RETRY: RetryPolicy = RetryPolicy {
    max_retries: 1,
    max_bad_replies: 0,
    first_delay: Duration::from_millis(500),
    longest_delay: Duration::from_secs(1),
    longest_asked: Duration::from_secs(5),
};

/// What came of the attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It answered.
    Answered(Box<Answered>),
    /// It refused, or what it sent was no reply.
    Failed(String),
    /// Nobody answered, or nobody had time.
    Unreachable(String),
}

/// An endpoint that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// How long the first reply took.
    pub latency: Duration,
    /// What it said of itself.
    pub served: Served,
    /// How that compares with the pin.
    pub drift: Drift,
    /// Whether a trial would end with a pin drift.
    pub breaks_pin: bool,
    /// Whether `temperature` is taken.
    pub temperature: Support,
    /// Whether `seed` is taken.
    pub seed: Support,
    /// Whether tools are taken.
    pub tools: Support,
}

/// Whether a part of a request is taken. Taken is not obeyed: that cannot be seen from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// The matrix sends it, and the request was answered.
    Sent,
    /// The matrix does not send it; a request with it was answered.
    Accepted,
    /// A request with it was refused.
    Refused(String),
    /// There was no answer to tell by.
    Unknown(String),
}

impl Outcome {
    /// Whether trials could be played on it as the matrix has it.
    #[must_use]
    pub fn holds(&self) -> bool {
        matches!(self, Self::Answered(answered) if !answered.breaks_pin)
    }
}

/// Tries the entry `model`. `env` looks up environment variables, for its key; whatever is returned is masked.
///
/// # Errors
/// When its key is missing.
pub async fn probe(model: &Model, env: impl Fn(&str) -> Option<String>) -> Result<Outcome, ConnectError> {
    let variants = [model.clone(), with(model, "temperature", json!(0)), with(model, "seed", json!(1))];
    let subjects = Subjects::connect(&variants, env, None, RETRY)?;
    let attempt = Attempt { subjects: &subjects };
    let start = Instant::now();
    let reply = match attempt.ask(0, &[]).await {
        Ok(served) => served,
        Err(error) if is_unreachable(&error) => return Ok(Outcome::Unreachable(error.message)),
        Err(error) => return Ok(Outcome::Failed(error.message)),
    };
    let latency = start.elapsed();
    Ok(Outcome::Answered(Box::new(Answered {
        latency,
        drift: drift::compare(&model.pin, &reply),
        breaks_pin: drift::fault(model, &reply).is_some(),
        served: masked(reply, subjects.secrets()),
        temperature: attempt.parameter(model, "temperature", 1).await,
        seed: attempt.parameter(model, "seed", 2).await,
        tools: attempt.support(0, &[tool()]).await,
    })))
}

struct Attempt<'s> {
    subjects: &'s Subjects,
}

impl Attempt<'_> {
    /// Asks the variant of this number.
    async fn ask(&self, variant: usize, tools: &[ToolSpec]) -> Result<Served, SubjectError> {
        let messages = [Message::text(Role::User, By::Script, "Reply with the word OK.")];
        let exchange = Exchange { messages: &messages, tools, trial: "probe", turn: 0 };
        let Some(subject) = self.subjects.iter().nth(variant) else {
            return Err(SubjectError::new(ErrorKind::BadRequest, "there is no such variant"));
        };
        subject.reply(&exchange).await.map(|reply| reply.served)
    }

    async fn parameter(&self, model: &Model, name: &str, variant: usize) -> Support {
        if model.decoding.contains_key(name) {
            return Support::Sent;
        }
        self.support(variant, &[]).await
    }

    async fn support(&self, variant: usize, tools: &[ToolSpec]) -> Support {
        match self.ask(variant, tools).await {
            Ok(_) => Support::Accepted,
            Err(error) if matches!(error.status, Some(400..=499)) && error.status != Some(429) => {
                Support::Refused(error.message)
            }
            Err(error) => Support::Unknown(error.message),
        }
    }
}

/// The entry with one more sampling parameter.
fn with(model: &Model, name: &str, value: Value) -> Model {
    let mut model = model.clone();
    model.decoding.entry(name).or_insert(value);
    model
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "noop".to_owned(),
        description: "Does nothing.".to_owned(),
        parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
    }
}

/// Whether nobody was there to answer, or nobody had time: it says nothing against the entry.
fn is_unreachable(error: &SubjectError) -> bool {
    matches!(
        error.kind,
        ErrorKind::Connect
            | ErrorKind::Connection
            | ErrorKind::Timeout
            | ErrorKind::Stalled
            | ErrorKind::RateLimited
    ) || matches!(error.status, Some(500..))
}

fn masked(served: Served, secrets: &Secrets) -> Served {
    let mask = |text: Option<String>| text.map(|text| secrets.mask(&text).into_owned());
    Served {
        response_id: mask(served.response_id),
        model: mask(served.model),
        fingerprint: mask(served.fingerprint),
        tier: mask(served.tier),
    }
}
