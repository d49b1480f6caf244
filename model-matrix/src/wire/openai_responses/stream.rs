//! A streamed response. Its last event holds all of it; what came before is only needed where that is left out.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Response, reply_of};
use crate::exchange::Reply;
use crate::sse::Event;
use crate::wire::stream::once::{self, Names};
use crate::wire::stream::said;
use crate::wire::{WireError, said_error};

#[derive(Deserialize)]
struct Said {
    r#type: String,
    #[serde(default)]
    response: Value,
    #[serde(default)]
    item: Value,
    #[serde(default)]
    delta: Value,
    #[serde(default)]
    error: Value,
}

/// The reply as far as it has come.
#[derive(Default)]
pub(in crate::wire) struct Fold {
    started: bool,
    id: Option<String>,
    model: Names,
    text: String,
    items: Vec<Value>,
    last: Option<Response>,
}

impl Fold {
    /// Takes the next event; says whether it was the last one.
    pub(in crate::wire) fn event(&mut self, event: &Event) -> Result<bool, WireError> {
        let Some(said) = said::<Said>(event)? else { return Ok(true) };
        self.started = true;
        let named = |name: &str| said.response.get(name).and_then(Value::as_str).map(str::to_owned);
        once::same_reply(&mut self.id, named("id"))?;
        self.model.hear(named("model"));
        match said.r#type.as_str() {
            "response.output_text.delta" => self.text.push_str(said.delta.as_str().unwrap_or_default()),
            "response.output_item.done" => self.items.push(said.item),
            "response.completed" | "response.incomplete" | "response.failed" => {
                let last = serde_json::from_value(said.response);
                let last = last
                    .map_err(|error| WireError::new(format!("the last event holds no response: {error}")))?;
                self.last = Some(last);
                return Ok(true);
            }
            "error" => return Err(said_error(&event.data)),
            _ if !said.error.is_null() => return Err(said_error(&event.data)),
            _ => {}
        }
        Ok(false)
    }

    /// The reply, once the stream has ended.
    pub(in crate::wire) fn finish(self) -> Result<Reply, WireError> {
        let Some(mut response) = self.last else {
            let problem = match self.started {
                true => "the stream ended without `response.completed`: the reply is not whole",
                false => "the stream ended before it said anything",
            };
            return Err(WireError::new(problem));
        };
        if response.output.as_ref().is_none_or(Vec::is_empty) {
            let mut items = self.items;
            if items.is_empty() && !self.text.is_empty() {
                items.push(
                    json!({"type": "message", "content": [{"type": "output_text", "text": self.text}]}),
                );
            }
            response.output = Some(items);
        }
        response.model = self.model.told();
        reply_of(response)
    }
}
