//! A streamed message, put together into the response that would have come in one piece.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Response, TokenCount, reply_of};
use crate::exchange::Reply;
use crate::sse::Event;
use crate::wire::stream::once::{self, Names};
use crate::wire::{WireError, one_line, parse, said_error, text_field};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: Value,
    },
    MessageDelta {
        delta: End,
        usage: Option<Map<String, Value>>,
    },
    MessageStop,
    Error,
    /// The API may send kinds that are not known yet, and asks to pass over them.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Start {
    id: Option<String>,
    model: Option<String>,
    usage: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct End {
    stop_reason: Option<String>,
    stop_details: Option<Value>,
}

/// The reasons for ending of a reply that is whole.
const WHOLE: [&str; 3] = ["end_turn", "stop_sequence", "tool_use"];

/// The reply as far as it has come.
#[derive(Default)]
pub(in crate::wire) struct Fold {
    started: bool,
    stopped: bool,
    id: Option<String>,
    model: Names,
    blocks: BTreeMap<u64, Block>,
    stop_reason: Option<String>,
    stop_details: Option<Value>,
    usage: Map<String, Value>,
}

/// A block as far as it has come.
struct Block {
    value: Value,
    /// The input of a call, which comes in pieces of JSON.
    input: String,
}

impl Fold {
    /// Takes the next event; says whether it was the last one.
    pub(in crate::wire) fn event(&mut self, event: &Event) -> Result<bool, WireError> {
        let said = parse::<Said>(&event.data)?;
        let says_more = matches!(said, Said::ContentBlockStart { .. } | Said::ContentBlockDelta { .. });
        if let Some(reason) = self.stop_reason.as_deref().filter(|_| says_more) {
            return Err(once::after_the_end(reason));
        }
        match said {
            Said::MessageStart { message } => {
                self.started = true;
                once::same_reply(&mut self.id, message.id)?;
                self.model.hear(message.model);
                self.count(message.usage);
            }
            Said::ContentBlockStart { index, content_block } => {
                let block = Block { value: content_block, input: String::new() };
                if self.blocks.insert(index, block).is_some() {
                    return Err(WireError::new(format!("the stream starts block {index} twice")));
                }
            }
            Said::ContentBlockDelta { index, delta } => self.delta(index, &delta)?,
            Said::MessageDelta { delta, usage } => {
                once::end(&mut self.stop_reason, delta.stop_reason, &WHOLE);
                self.stop_details = delta.stop_details.or(self.stop_details.take());
                self.count(usage);
            }
            Said::MessageStop => {
                self.stopped = true;
                return Ok(true);
            }
            Said::Error => return Err(said_error(&event.data)),
            Said::Other => {}
        }
        Ok(false)
    }

    /// Counts are totals so far, not what came since: the last one of each holds.
    fn count(&mut self, usage: Option<Map<String, Value>>) {
        let known = usage.unwrap_or_default().into_iter().filter(|(_, value)| !value.is_null());
        self.usage.extend(known);
    }

    fn delta(&mut self, index: u64, delta: &Value) -> Result<(), WireError> {
        let block = self.blocks.get_mut(&index);
        let block = block.ok_or_else(|| {
            WireError::new(format!("the stream goes on with block {index}, which never started"))
        })?;
        let part = |name: &str| text_field(delta, name);
        match part("type")? {
            "text_delta" => block.append("text", part("text")?),
            "thinking_delta" => block.append("thinking", part("thinking")?),
            "signature_delta" => block.append("signature", part("signature")?),
            "input_json_delta" => {
                block.input.push_str(part("partial_json")?);
                Ok(())
            }
            "citations_delta" => block.cite(delta),
            other => {
                Err(WireError::new(format!("a delta of type `{}` is not supported", one_line(other, 40))))
            }
        }
    }

    /// The reply, once the stream has ended.
    pub(in crate::wire) fn finish(self) -> Result<Reply, WireError> {
        if !self.started {
            return Err(WireError::new("the stream ended before it said anything"));
        }
        if !self.stopped {
            return Err(WireError::new("the stream ended without `message_stop`: the reply is not whole"));
        }
        let usage: Option<TokenCount> = (!self.usage.is_empty())
            .then(|| serde_json::from_value(Value::Object(self.usage)))
            .transpose()
            .map_err(|error| WireError::new(format!("the stream's `usage` cannot be read: {error}")))?;
        reply_of(Response {
            id: self.id,
            model: self.model.told(),
            content: Some(self.blocks.into_values().map(Block::finish).collect()),
            stop_reason: self.stop_reason,
            stop_details: self.stop_details,
            usage,
            error: Value::Null,
        })
    }
}

impl Block {
    fn append(&mut self, field: &str, part: &str) -> Result<(), WireError> {
        let fields = self.fields()?;
        match fields.entry(field).or_insert_with(|| Value::String(String::new())) {
            Value::String(text) => text.push_str(part),
            other => *other = Value::String(part.to_owned()),
        }
        Ok(())
    }

    fn cite(&mut self, delta: &Value) -> Result<(), WireError> {
        let citation = delta.get("citation").cloned().unwrap_or_default();
        match self.fields()?.entry("citations").or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(citations) => citations.push(citation),
            other => *other = Value::Array(vec![citation]),
        }
        Ok(())
    }

    fn fields(&mut self) -> Result<&mut Map<String, Value>, WireError> {
        self.value.as_object_mut().ok_or_else(|| WireError::new("a content block is no object"))
    }

    /// The block with its input read; what is no JSON stays text, which no proper input is.
    fn finish(mut self) -> Value {
        if let Some(fields) = self.value.as_object_mut()
            && !self.input.trim().is_empty()
        {
            let input = serde_json::from_str(&self.input).unwrap_or(Value::String(self.input));
            fields.insert("input".to_owned(), input);
        }
        self.value
    }
}
