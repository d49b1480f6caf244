//! What is sent here is what the makers' clients sent, field by field.

use model_matrix::Wire;
use serde_json::{Value, json};

use crate::capture;

#[tokio::test]
async fn requests_are_those_of_the_makers_clients() {
    let mut differences = Differences::default();
    let mut compared = 0;
    for server in ["llmock", "aimock", "litellm"] {
        let all = capture::of(server);
        for one in &all {
            let played = capture::play(one, &all).await;
            let theirs = differences.reconcile(one.wire, one.request.clone());
            let ours = Differences::default().reconcile(one.wire, played.sent);
            assert_eq!(ours, theirs, "{server}: {}", one.name);
            let path = match one.wire {
                Wire::OpenaiChat => "post /v1/chat/completions ",
                Wire::OpenaiResponses => "post /v1/responses ",
                _ => "post /v1/messages ",
            };
            assert!(played.head.starts_with(path), "{}", played.head);
            assert!(played.head.contains("content-type: application/json"), "{}", played.head);
            assert_eq!(played.head.contains("anthropic-version: "), one.wire == Wire::Anthropic);
            compared += 1;
        }
    }
    assert_eq!(compared, 121);
    // A difference that no longer occurs is to be taken off the list.
    let all =
        Differences { content: true, arguments: true, items: true, texts: true, errors: true, usage: true };
    assert_eq!(differences, all);
}

/// The differences that are meant, and whether each of them occurred. Either form means the same to the API.
#[derive(Debug, Default, PartialEq, Eq)]
struct Differences {
    /// A message that only calls tools: `content` is left out there, `null` here.
    content: bool,
    /// A call's arguments: the model's own spelling there, the same JSON in another spelling here.
    arguments: bool,
    /// Items of a response: with `id` and `status` there, without here unless reasoning is among them.
    items: bool,
    /// A text: a string there, a list of one block here, or the other way round.
    texts: bool,
    /// `is_error: false` is written there, left out here.
    errors: bool,
    /// A stream's token counts: asked for there if the caller says so, always here.
    usage: bool,
}

impl Differences {
    /// The request in one form.
    fn reconcile(&mut self, wire: Wire, mut request: Value) -> Value {
        if wire == Wire::OpenaiChat && request["stream"] == json!(true) {
            let counts = json!({"include_usage": true});
            self.usage |= request.get("stream_options") != Some(&counts);
            request["stream_options"] = counts;
        }
        let name = if wire == Wire::OpenaiResponses { "input" } else { "messages" };
        for message in request[name].as_array_mut().unwrap() {
            self.message(wire, message);
        }
        request
    }

    fn message(&mut self, wire: Wire, message: &mut Value) {
        match wire {
            Wire::OpenaiChat => {
                if message.get("content").is_none() {
                    self.content = true;
                    message["content"] = Value::Null;
                }
                for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten()
                {
                    self.spelling(&mut call["function"]["arguments"]);
                }
            }
            Wire::OpenaiResponses => self.item(message),
            _ => self.blocks(message),
        }
    }

    /// An argument's text, spelt in one way.
    fn spelling(&mut self, arguments: &mut Value) {
        let text = arguments.as_str().unwrap();
        let spelt = serde_json::from_str::<Value>(text).unwrap().to_string();
        self.arguments |= spelt != text;
        *arguments = json!(spelt);
    }

    fn item(&mut self, item: &mut Value) {
        let fields = item.as_object_mut().unwrap();
        self.items |= fields.remove("id").is_some();
        fields.remove("status");
        match fields.get("type").and_then(Value::as_str) {
            Some("function_call") => self.spelling(&mut fields["arguments"]),
            Some("message") => {
                let text: String = fields["content"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|part| part["text"].as_str().unwrap())
                    .collect();
                *item = json!({"role": "assistant", "content": text});
            }
            _ => {}
        }
    }

    fn blocks(&mut self, message: &mut Value) {
        if let Some(text) = message["content"].as_str() {
            self.texts = true;
            message["content"] = json!([{"type": "text", "text": text}]);
        }
        for block in message["content"].as_array_mut().unwrap() {
            let fields = block.as_object_mut().unwrap();
            self.errors |= fields.get("is_error") == Some(&json!(false));
            fields.retain(|name, value| name != "is_error" || *value != json!(false));
        }
    }
}
