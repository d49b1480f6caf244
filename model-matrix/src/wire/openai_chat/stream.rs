//! A streamed chat completion, put together into the response that would have come in one piece.

use serde::Deserialize;
use serde_json::Value;

use super::{Choice, Content, Response, Said, SaidCall, SaidFunction, TokenCount, carried, reply_of};
use crate::exchange::Reply;
use crate::sse::Event;
use crate::wire::stream::once::{self, Names};
use crate::wire::stream::said;
use crate::wire::{WireError, said_error};

/// The reasons for ending of a reply that is whole.
const WHOLE: [&str; 2] = ["stop", "tool_calls"];

#[derive(Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    system_fingerprint: Option<String>,
    service_tier: Option<String>,
    choices: Option<Vec<ChunkChoice>>,
    usage: Option<TokenCount>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct ChunkChoice {
    index: Option<u64>,
    delta: Option<Delta>,
    finish_reason: Option<String>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Value,
    refusal: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    reasoning_details: Option<Value>,
    tool_calls: Option<Vec<DeltaCall>>,
    function_call: Option<Value>,
}

#[derive(Deserialize)]
struct DeltaCall {
    index: Option<u64>,
    id: Option<String>,
    r#type: Option<String>,
    function: Option<DeltaFunction>,
    extra_content: Option<Value>,
}

#[derive(Default, Deserialize)]
struct DeltaFunction {
    name: Option<String>,
    #[serde(default)]
    arguments: Value,
}

/// The reply as far as it has come.
#[derive(Default)]
pub(in crate::wire) struct Fold {
    chunks: usize,
    id: Option<String>,
    model: Names,
    fingerprint: Names,
    tier: Option<String>,
    content: Option<String>,
    refusal: Option<String>,
    reasoning: Option<String>,
    details: Vec<Value>,
    function_call: Option<Value>,
    calls: Vec<Call>,
    finish: Option<String>,
    usage: Option<TokenCount>,
    error: Value,
}

/// A call as far as it has come.
struct Call {
    index: Option<u64>,
    id: Option<String>,
    kind: Option<String>,
    name: String,
    arguments: String,
    extra_content: Option<Value>,
}

impl Fold {
    /// Takes the next event; says whether it was the last one.
    pub(in crate::wire) fn event(&mut self, event: &Event) -> Result<bool, WireError> {
        let Some(chunk) = said::<Chunk>(event)? else { return Ok(true) };
        if !chunk.error.is_null() {
            return Err(said_error(&event.data));
        }
        self.chunks += 1;
        once::same_reply(&mut self.id, chunk.id)?;
        self.model.hear(chunk.model);
        self.fingerprint.hear(chunk.system_fingerprint);
        // Asked for as `auto`, the tier that really served may stand in the last chunk only.
        self.tier = chunk.service_tier.or(self.tier.take());
        self.usage = chunk.usage.or(self.usage.take());
        for choice in chunk.choices.unwrap_or_default() {
            self.choice(choice)?;
        }
        Ok(false)
    }

    fn choice(&mut self, choice: ChunkChoice) -> Result<(), WireError> {
        if choice.index.is_some_and(|index| index > 0) {
            return Err(WireError::new("the stream has several choices, one was asked for"));
        }
        if !choice.error.is_null() {
            self.error = choice.error;
        }
        if let Some(delta) = choice.delta {
            let content = Content::of(delta.content)?;
            let refusal = delta.refusal.or(content.refusal);
            let reasoning = delta.reasoning_content.or(delta.reasoning).or(content.reasoning);
            let texts = [&content.text, &refusal, &reasoning];
            let says_more = texts.into_iter().flatten().any(|text| !text.is_empty())
                || delta.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
            if let Some(reason) = self.finish.as_deref().filter(|_| says_more) {
                return Err(once::after_the_end(reason));
            }
            append(&mut self.content, content.text);
            append(&mut self.refusal, refusal);
            append(&mut self.reasoning, reasoning);
            carried::add(&mut self.details, delta.reasoning_details.unwrap_or_default());
            self.function_call = delta.function_call.or(self.function_call.take());
            for call in delta.tool_calls.unwrap_or_default() {
                self.call(call);
            }
        }
        once::end(&mut self.finish, choice.finish_reason, &WHOLE);
        Ok(())
    }

    fn call(&mut self, delta: DeltaCall) {
        let id = delta.id.filter(|id| !id.is_empty());
        let function = delta.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let place = match delta.index {
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None => self.calls.len().checked_sub(1),
        };
        // Some servers number every call 0, or none: another id with a name is another call.
        let place = place.filter(|place| {
            let known = &self.calls[*place].id;
            name.is_empty() || id.is_none() || known.is_none() || *known == id
        });
        // Without number and id, only the name tells: whoever gives it again starts over.
        let place = place.filter(|place| {
            let call = &self.calls[*place];
            delta.index.is_some() || id.is_some() || name.is_empty() || call.name.is_empty()
        });
        let place = place.unwrap_or_else(|| {
            self.calls.push(Call {
                index: delta.index,
                id: None,
                kind: None,
                name: String::new(),
                arguments: String::new(),
                extra_content: None,
            });
            self.calls.len() - 1
        });
        let call = &mut self.calls[place];
        keep_first(&mut call.id, id);
        keep_first(&mut call.kind, delta.r#type);
        call.extra_content = call.extra_content.take().or(delta.extra_content);
        if call.name != name {
            call.name.push_str(&name);
        }
        match function.arguments {
            Value::Null => {}
            Value::String(part) => call.arguments.push_str(&part),
            whole => call.arguments.push_str(&whole.to_string()),
        }
    }

    /// The reply, once the stream has ended.
    pub(in crate::wire) fn finish(self) -> Result<Reply, WireError> {
        if self.chunks == 0 {
            return Err(WireError::new("the stream ended before it said anything"));
        }
        let calls = self.calls.into_iter().map(|call| SaidCall {
            id: call.id,
            r#type: call.kind,
            function: Some(SaidFunction { name: call.name, arguments: Value::String(call.arguments) }),
            extra_content: call.extra_content,
        });
        let message = Said {
            content: self.content.map_or(Value::Null, Value::String),
            refusal: self.refusal,
            reasoning_content: self.reasoning,
            reasoning: None,
            reasoning_details: Some(Value::Array(self.details)),
            tool_calls: Some(calls.collect()),
            function_call: self.function_call,
        };
        reply_of(Response {
            id: self.id,
            model: self.model.told(),
            system_fingerprint: self.fingerprint.told(),
            service_tier: self.tier,
            choices: vec![Choice { message: Some(message), finish_reason: self.finish, error: self.error }],
            usage: self.usage,
            error: Value::Null,
        })
    }
}

fn keep_first(kept: &mut Option<String>, new: Option<String>) {
    if kept.is_none() {
        *kept = new.filter(|text| !text.is_empty());
    }
}

fn append(text: &mut Option<String>, part: Option<String>) {
    if let Some(part) = part {
        text.get_or_insert_default().push_str(&part);
    }
}
