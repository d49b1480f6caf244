//! What is made of each answer here is what the makers' clients made of it.

use model_matrix::{ErrorKind, Reply, SubjectError, Wire};
use serde_json::{Value, json};
use transcript::StopReason;

use crate::capture::{self, Capture, Sdk};

#[tokio::test]
async fn answers_are_read_as_the_makers_clients_read_them() {
    let (mut read, mut refused, mut stricter) = (0, 0, Vec::new());
    for server in ["llmock", "aimock", "litellm"] {
        let all = capture::of(server);
        for one in &all {
            let place = format!("{server}: {}", one.name);
            let sdk = one.sdk.as_ref().unwrap();
            match capture::play(one, &all).await.outcome {
                Ok(reply) => {
                    assert!(sdk.ok, "{place}: {reply:?}");
                    assert_eq!(seen(&reply), expected(&reply, sdk), "{place}");
                    read += 1;
                }
                Err(error) if sdk.ok => {
                    assert_eq!(error.kind, ErrorKind::BadReply, "{place}: {error}");
                    stricter.push(place);
                }
                Err(error) => {
                    raised(&place, one, sdk, &error);
                    refused += 1;
                }
            }
        }
    }
    // The clients take these for replies although they have no end: a silent failure that is an error here.
    assert_eq!(
        stricter,
        [
            "llmock: oa-chat-stream-truncate",
            "llmock: an-messages-stream-truncate",
            "aimock: oa-chat-stream-malformed-please",
            "aimock: an-messages-stream-malformed-please",
        ]
    );
    assert_eq!((read, refused), (55, 62));
}

/// What a reply comes to, as the clients name it: text, calls, reason, counts.
fn seen(reply: &Reply) -> Value {
    let calls = seen_calls(reply);
    let usage = reply.usage.map(|usage| json!([usage.input, usage.output]));
    json!({
        "text": reply.message.content, "calls": calls, "stop": reply.stop,
        "usage": usage, "reasoning": reply.message.extra.get("reasoning"),
    })
}

/// The same of what the client returned. What it does not tell of is taken from the reply.
fn expected(reply: &Reply, sdk: &Sdk) -> Value {
    let view = &sdk.view;
    let choice = view.get("choices").map_or(view, |choices| &choices[0]);
    let message = choice.get("message").unwrap_or(choice);
    let blocks = message["content"].as_array();
    let calls: Vec<Value> = match (&message["tool_calls"], blocks) {
        (Value::Array(calls), _) => calls.iter().map(chat_call).collect(),
        (_, Some(blocks)) => blocks
            .iter()
            .filter(|block| block["type"] == "tool_use")
            .map(|block| json!([block["id"], block["name"], block["input"]]))
            .collect(),
        // Of the items of a response only the kinds were kept, and of a plain stream only the text.
        _ => seen_calls(reply),
    };
    let text = match (message.get("text"), blocks) {
        (Some(text), _) => text.clone(),
        (None, Some(blocks)) => {
            json!(blocks.iter().filter_map(|block| block["text"].as_str()).collect::<String>())
        }
        (None, None) => json!(message["content"].as_str().unwrap_or_default()),
    };
    let thinking = blocks.and_then(|blocks| blocks.iter().find_map(|block| block.get("thinking")));
    let reasoning = message.get("reasoning_content").or(thinking);
    let reasoning = match view.get("text") {
        Some(_) => reply.message.extra.get("reasoning").cloned(),
        None => reasoning.cloned(),
    };
    let kinds = view["output"].as_array().map(|kinds| kinds.contains(&json!("function_call")));
    let stop = choice.get("finish_reason").or_else(|| view.get("stop_reason"));
    let stop = match (stop.and_then(Value::as_str), view["status"].as_str(), kinds) {
        (Some("stop" | "end_turn"), _, _) | (None, Some("completed"), Some(false)) => StopReason::Stop,
        (Some("tool_calls" | "tool_use"), _, _) | (None, Some("completed"), Some(true)) => {
            StopReason::ToolCalls
        }
        (Some("length" | "max_tokens"), _, _) => StopReason::Length,
        other => panic!("{other:?}"),
    };
    json!({"text": text, "calls": calls, "stop": stop, "usage": counts(view, reply), "reasoning": reasoning})
}

fn seen_calls(reply: &Reply) -> Vec<Value> {
    reply.message.tool_calls.iter().map(|call| json!([call.id, call.name, call.arguments])).collect()
}

fn chat_call(call: &Value) -> Value {
    let text = call["function"]["arguments"].as_str().unwrap();
    // What is no JSON stays text.
    let arguments = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    json!([call["id"], call["function"]["name"], arguments])
}

fn counts(view: &Value, reply: &Reply) -> Value {
    let usage = &view["usage"];
    let count = |names: [&str; 2]| names.iter().find_map(|name| usage.get(name)?.as_u64());
    match (count(["prompt_tokens", "input_tokens"]), count(["completion_tokens", "output_tokens"])) {
        // Clients give what stands there; here it is taken for what it is, nobody's count.
        (Some(0), Some(0)) => Value::Null,
        (Some(input), Some(output)) => json!([input, output]),
        _ => json!(reply.usage.map(|usage| [usage.input, usage.output])),
    }
}

/// Whether an error here is what the client raised, and is repeated or not as it would be.
fn raised(place: &str, capture: &Capture, sdk: &Sdk, error: &SubjectError) {
    let status = capture.response.as_ref().map(|response| response.status);
    let (kinds, retryable): (&[ErrorKind], bool) = match sdk.raises.as_str() {
        "BadRequestError"
        | "AuthenticationError"
        | "PermissionDeniedError"
        | "NotFoundError"
        | "APIStatusError"
        | "ContentTooLargeError"
        | "UnprocessableEntityError" => (&[ErrorKind::HttpStatus], false),
        "RateLimitError" => (&[ErrorKind::RateLimited], true),
        "InternalServerError" | "ServiceUnavailableError" | "GatewayTimeoutError" | "OverloadedError" => {
            (&[ErrorKind::HttpStatus], true)
        }
        // How far a torn connection came is a matter of moments.
        "APIConnectionError" | "RemoteProtocolError" => (&[ErrorKind::Connection, ErrorKind::BadReply], true),
        "JSONDecodeError" => (&[ErrorKind::BadReply], true),
        other => panic!("{place}: {other}"),
    };
    assert!(kinds.contains(&error.kind), "{place}: {error:?}");
    assert_eq!(error.retryable, retryable, "{place}: {error:?}");
    if matches!(error.kind, ErrorKind::HttpStatus | ErrorKind::RateLimited) {
        assert_eq!(error.status, status, "{place}");
        let body = &capture.response.as_ref().unwrap().body;
        let message = body["error"]["message"].as_str().unwrap();
        assert!(error.message.contains(message), "{place}: {error}");
    }
}

#[tokio::test]
async fn answers_of_llama_cpp_are_read() {
    let all = capture::of("llama-server");
    let mut lines = Vec::new();
    for one in &all {
        let outcome = match one.play(one.opening()).await.outcome {
            Ok(reply) => {
                let usage = reply.usage.unwrap();
                let calls =
                    reply.message.tool_calls.iter().map(|call| format!(" {}{}", call.name, call.arguments));
                let calls: String = calls.collect();
                let text = &reply.message.content;
                format!(
                    "{:?} {text:?}{calls} {}+{} cached {}",
                    reply.stop, usage.input, usage.output, usage.cached
                )
            }
            Err(error) => format!(
                "{} retryable {}: {}",
                error.kind.as_str(),
                error.retryable,
                without_port(&error.message)
            ),
        };
        lines.push(format!("{} ({}): {outcome}", one.name, one.wire.name()));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// The message without the place, whose port is another each time.
fn without_port(message: &str) -> &str {
    message.split_once(" answered ").map_or(message, |(_, rest)| rest)
}

#[test]
fn the_captures_hold_every_wire_format_both_ways() {
    for server in ["llmock", "aimock", "litellm", "llama-server"] {
        let all = capture::of(server);
        for wire in [Wire::OpenaiChat, Wire::OpenaiResponses, Wire::Anthropic] {
            for streams in [false, true] {
                assert!(
                    all.iter().any(|one| one.wire == wire && one.streams() == streams),
                    "{server} {wire:?}"
                );
            }
        }
    }
}
