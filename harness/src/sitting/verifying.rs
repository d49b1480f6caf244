//! Load verification on its own, before a run is paid for: one tiny prompt to a model, through a relay that looks for
//! the charter in what is really sent.

use std::sync::Arc;

use model_matrix::{Charge, Exchange, Model, Program, Provider, Relay, RetryPolicy, Subjects};
use reports::{LoadRecord, LoadVerdict};
use secrecy::SecretString;
use serde_json::Map;
use transcript::{By, Message, Role, Transcript};

use crate::agent::Agent;
use crate::charter::Charter;
use crate::instance::Playable;
use crate::replay::PlayStep;
use crate::tools::ToolSet;

/// What is said to the model.
const PROMPT: &str = "Reply with the one word ready, and do nothing else.";

/// Steps that a program may take for it, when the matrix does not say.
const DEFAULT_STEPS: u32 = 30;

/// Whether `model` gets the charter; `env` looks up environment variables, for keys.
pub async fn verify(model: &Model, charter: &Charter, env: impl Fn(&str) -> Option<String>) -> LoadRecord {
    match &model.provider {
        Provider::Program(program) => program_gets(model, program, charter, &env).await,
        Provider::Api { .. } => match endpoint_gets(model, charter, &env).await {
            Ok(record) => record,
            Err(why) => LoadRecord::not_run(&why),
        },
        _ => LoadRecord::not_run("it answers from recorded traces"),
    }
}

/// Sends one request for a model behind an endpoint.
async fn endpoint_gets(
    model: &Model,
    charter: &Charter,
    env: &impl Fn(&str) -> Option<String>,
) -> Result<LoadRecord, String> {
    let charge = charter.charge();
    let Provider::Api { base_url, .. } = &model.provider else { return Err("it is no endpoint".to_owned()) };
    let relay = Relay::start(base_url, "", None, charge.clone()).await.map_err(|error| error.to_string())?;
    let through = relay.in_front_of(model).ok_or("its base URL cannot be put together")?;
    let once = RetryPolicy { max_retries: 0, max_bad_replies: 0, ..RetryPolicy::default() };
    let subjects = Subjects::connect([&through], env, None, once).map_err(|error| error.to_string())?;
    let subject = subjects.get(&model.id).ok_or("it cannot be connected")?;
    let messages = [
        Message::text(Role::System, By::Script, &charter.runtime),
        Message::text(Role::User, By::Script, PROMPT),
    ];
    relay.expect(PROMPT);
    let exchange = Exchange { messages: &messages, tools: &[], trial: "verify-load", turn: 0 };
    let answer = subject.reply(&exchange).await;
    let load = match relay.seen().load() {
        Ok(load) => load,
        Err(unseen) => return Err(answer.err().map_or_else(|| unseen.to_string(), |error| error.message)),
    };
    let mut how = charge.how("one request captured by a relay");
    if let Err(error) = answer {
        how = format!("{how}; there was no reply: {}", error.message);
    }
    Ok(LoadRecord { verdict: verdict(load), how })
}

fn verdict(load: model_matrix::Load) -> LoadVerdict {
    match load {
        model_matrix::Load::Verified => LoadVerdict::Verified,
        model_matrix::Load::Missing => LoadVerdict::Missing,
        model_matrix::Load::Leaked => LoadVerdict::Leaked,
    }
}

/// Has a program take one turn in an empty workspace.
async fn program_gets(
    model: &Model,
    program: &Program,
    charter: &Charter,
    env: &impl Fn(&str) -> Option<String>,
) -> LoadRecord {
    let key = match program.key_env.as_deref() {
        None => None,
        Some(name) => {
            match env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
                Some(value) => Some(SecretString::from(value)),
                None => return LoadRecord::not_run(&format!("the variable {name} is not set")),
            }
        }
    };
    if program.base_url.is_none() {
        return LoadRecord::not_run("it has no `base_url`, so its requests do not pass a relay");
    }
    let charge: Charge = charter.charge();
    let agent = Agent::meet(model, program, key, (&charter.runtime, charge)).await;
    let steps = [
        PlayStep::Say { message: Message::text(Role::User, By::Script, PROMPT), omitted: false },
        PlayStep::Reply { max_steps: model.limits.max_steps.unwrap_or(DEFAULT_STEPS) },
    ];
    let played = agent.play(Transcript::new("verify-load", ""), &steps, &nothing(&steps)).await;
    let record = LoadRecord::of(&played).unwrap_or_else(|| LoadRecord::not_run("no request was captured"));
    match played.error {
        Some(error) if record.verdict == LoadVerdict::NotRun => {
            LoadRecord::not_run(&format!("{}; {}", record.how, error.message))
        }
        _ => record,
    }
}

/// A case without files and tools.
fn nothing(steps: &[PlayStep]) -> Playable {
    Playable {
        params: Map::new(),
        steps: steps.to_vec(),
        tools: ToolSet::default(),
        declared: Vec::new(),
        specs: Vec::new(),
        files: Arc::default(),
        checker: String::new(),
        case_sha256: String::new(),
    }
}
