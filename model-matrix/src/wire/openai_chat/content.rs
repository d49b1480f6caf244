//! The content of a message: a text, nothing, or a list of parts.

use serde_json::Value;

use super::super::{WireError, kind, one_line};

/// What a content comes to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) text: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) reasoning: Option<String>,
}

impl Content {
    /// Reads a content. A part of an unknown kind is refused, as by the other formats: whoever judged the rest would judge
    /// something else than what was said.
    pub(super) fn of(content: Value) -> Result<Self, WireError> {
        let mut read = Self::default();
        match content {
            Value::Null => {}
            Value::String(text) => read.text = Some(text),
            Value::Array(parts) => parts.iter().try_for_each(|part| read.part(part))?,
            other => return Err(WireError::new(format!("`content` is {}", kind(&other)))),
        }
        Ok(read)
    }

    fn part(&mut self, part: &Value) -> Result<(), WireError> {
        let text = |field: &str| part.get(field).and_then(Value::as_str).map(str::to_owned);
        let named = part.get("type").and_then(Value::as_str);
        let (whole, more) = match named {
            Some("text") | None => (&mut self.text, text("text")),
            Some("refusal") => (&mut self.refusal, text("refusal")),
            // What a model thinks may stand in parts of its own.
            Some("thinking") => (&mut self.reasoning, part.get("thinking").and_then(thought)),
            Some(other) => {
                let other = one_line(other, 40);
                return Err(WireError::new(format!(
                    "a part of the content of type `{other}` is not supported"
                )));
            }
        };
        let Some(more) = more else {
            let named = one_line(named.unwrap_or("none"), 40);
            return Err(WireError::new(format!("a part of the content of type `{named}` holds no text")));
        };
        whole.get_or_insert_default().push_str(&more);
        Ok(())
    }
}

/// A thought: a text, or parts that hold texts.
fn thought(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use transcript::StopReason;

    use super::super::reply;
    use super::*;

    fn said(content: &Value) -> Result<crate::exchange::Reply, String> {
        let choice = json!({"message": {"role": "assistant", "content": content}, "finish_reason": "stop"});
        reply(json!({"id": "r", "model": "m", "choices": [choice]}).to_string().as_bytes())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn texts_refusals_and_thoughts_are_each_what_they_are() {
        let parts = json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
            {"type": "text", "text": "A pi"}, {"text": "ano."}
        ]);
        let reply = said(&parts).unwrap();
        assert_eq!(
            (reply.message.content.as_str(), &reply.message.extra["reasoning"]),
            ("A piano.", &json!("Hm."))
        );
        let reply = said(&json!([{"type": "refusal", "refusal": "I will not."}])).unwrap();
        assert_eq!((reply.message.content.as_str(), reply.stop), ("I will not.", StopReason::Refusal));
    }

    #[test]
    fn no_part_is_passed_over() {
        for (part, told) in [
            (
                json!({"type": "image_url", "image_url": {"url": "data:"}}),
                "a part of the content of type `image_url` is not supported",
            ),
            (json!({"type": "text"}), "a part of the content of type `text` holds no text"),
            (json!("loose"), "a part of the content of type `none` holds no text"),
        ] {
            assert_eq!(said(&json!([{"type": "text", "text": "A piano."}, part])).unwrap_err(), told);
        }
        assert_eq!(said(&json!(7)).unwrap_err(), "`content` is a number");
    }
}
