//! A captured exchange, and how it is played again.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use model_matrix::{Exchange, Matrix, Reply, RetryPolicy, Subject, SubjectError, Subjects, ToolSpec, Wire};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use transcript::{By, Message, Role};

#[path = "../../../tests/support/faults.rs"]
mod server;

use server::{Act, FaultServer, chunk, head, last_chunk, response, send, stream_head};

/// The keys of a request that are no decoding parameters.
const OURS: [&str; 9] =
    ["model", "messages", "input", "instructions", "system", "tools", "stream", "stream_options", "n"];

/// One exchange.
#[derive(Debug, Deserialize)]
pub struct Capture {
    pub name: String,
    pub wire: Wire,
    pub request: Value,
    pub response: Option<Response>,
    pub sdk: Option<Sdk>,
}

/// What the server answered.
#[derive(Debug, Deserialize)]
pub struct Response {
    pub status: u16,
    headers: Map<String, Value>,
    pub body: Value,
    /// Whether the body came to its end.
    whole: bool,
}

/// What the maker's client made of it.
#[derive(Debug, Deserialize)]
pub struct Sdk {
    pub ok: bool,
    #[serde(default)]
    pub view: Value,
    #[serde(default)]
    pub raises: String,
}

/// What playing a capture again came to.
pub struct Played {
    pub outcome: Result<Reply, SubjectError>,
    /// The request as it was sent here.
    pub sent: Value,
    /// Its head, in lower case.
    pub head: String,
    pub messages: Vec<Message>,
}

/// All captures of a server.
pub fn of(server: &str) -> Vec<Capture> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/wire/captures/{server}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl Capture {
    /// Whether the request asks for a stream.
    pub fn streams(&self) -> bool {
        self.request["stream"] == json!(true)
    }

    /// Plays `messages` against a server that answers as captured.
    pub async fn play(&self, messages: Vec<Message>) -> Played {
        let server = FaultServer::start(vec![self.acts()]).await;
        let tools = self.tools();
        let subject = self.subject(&server.url);
        let exchange = Exchange { messages: &messages, tools: &tools, trial: "t", turn: 0 };
        let outcome = subject.reply(&exchange).await;
        assert_eq!(server.count(), 1, "{}", self.name);
        let (sent, head) = (server.bodies().remove(0), server.heads().remove(0));
        Played { outcome, sent, head, messages }
    }

    /// The server's side, byte by byte.
    fn acts(&self) -> Vec<Act> {
        // Some of what was sent must arrive before the connection is torn down.
        let breaks = [Act::Wait(Duration::from_millis(30)), Act::Reset];
        let Some(Response { status, headers, body, whole }) = &self.response else { return breaks.into() };
        let lines = headers.iter().filter(|(name, _)| *name != "content-type");
        let lines: String =
            lines.map(|(name, value)| format!("{name}: {}\r\n", value.as_str().unwrap())).collect();
        let text = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        let is_stream = headers["content-type"].as_str().unwrap().starts_with("text/event-stream");
        match (is_stream, *whole) {
            (true, true) => vec![stream_head(), chunk(&text), last_chunk()],
            (true, false) => [vec![stream_head(), chunk(&text)], breaks.into()].concat(),
            (false, true) => response(&format!("{status} X"), &lines, &text),
            (false, false) => {
                let length = format!("content-length: {}\r\n", text.len() + 1);
                [vec![head("200 OK", &length), send(text)], breaks.into()].concat()
            }
        }
    }

    /// A subject that asks as the captured client did, and only once.
    fn subject(&self, url: &str) -> Arc<Subject> {
        let decoding = self.request.as_object().unwrap().iter();
        let decoding: Map<String, Value> = decoding
            .filter(|(key, _)| !OURS.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let entry = json!({"models": [{
            "id": "m", "role": "other", "provider": self.wire.name(), "base_url": url,
            "model": self.request["model"], "decoding": decoding, "stream": self.streams(),
        }]});
        let matrix = Matrix::parse(Path::new("m.yaml"), entry.to_string().as_bytes()).unwrap();
        let once = RetryPolicy { max_retries: 0, ..RetryPolicy::default() };
        let subjects = Subjects::connect(&matrix.models, |_| None, None, once).unwrap();
        Arc::clone(subjects.get("m").unwrap())
    }

    /// The tools that the captured client offered.
    fn tools(&self) -> Vec<ToolSpec> {
        let tools = self.request["tools"].as_array().cloned().unwrap_or_default();
        let spec = |tool: &Value| {
            let tool = tool.get("function").unwrap_or(tool);
            let parameters = tool.get("parameters").or_else(|| tool.get("input_schema"));
            ToolSpec {
                name: tool["name"].as_str().unwrap().to_owned(),
                description: tool["description"].as_str().unwrap().to_owned(),
                parameters: parameters.unwrap().clone(),
            }
        };
        tools.iter().map(spec).collect()
    }

    /// What was said before the first reply: the system's text, if any, and the user's.
    pub fn opening(&self) -> Vec<Message> {
        let said = self.request.get("messages").or_else(|| self.request.get("input")).unwrap();
        if let Some(text) = said.as_str() {
            return vec![Message::text(Role::User, By::Script, text)];
        }
        let said = said.as_array().unwrap().iter();
        let text = |role: &str| {
            said.clone().find(|message| message["role"] == role).map(|message| message["content"].clone())
        };
        let system = text("system").or_else(|| self.request.get("system").cloned());
        let system = system.or_else(|| self.request.get("instructions").cloned());
        let message = |role, text: Value| Message::text(role, By::Script, text.as_str().unwrap_or_default());
        let system = system.map(|text| message(Role::System, text));
        let user = text("user").map(|text| message(Role::User, text));
        system.into_iter().chain(user).collect()
    }

    /// What tools answered in this request, in order.
    pub fn results(&self) -> Vec<String> {
        let said = self.request.get("messages").or_else(|| self.request.get("input")).unwrap();
        let blocks = |message: &Value| match &message["content"] {
            Value::Array(blocks) => blocks.clone(),
            _ => vec![message.clone()],
        };
        let result = |block: Value| match (block["type"].as_str(), block["role"].as_str()) {
            (Some("function_call_output"), _) => Some(block["output"].clone()),
            (Some("tool_result"), _) | (_, Some("tool")) => Some(block["content"].clone()),
            _ => None,
        };
        let results = said.as_array().unwrap().iter().flat_map(blocks).filter_map(result);
        results.map(|text| text.as_str().unwrap().to_owned()).collect()
    }
}

/// Plays a capture from the start: for a second turn, on top of what the first one's answer was read as here.
pub async fn play(capture: &Capture, all: &[Capture]) -> Played {
    let Some(start) = capture.name.strip_suffix("-turn2") else {
        return capture.play(capture.opening()).await;
    };
    let first = all.iter().find(|other| other.name == format!("{start}-turn1")).unwrap();
    let first = first.play(first.opening()).await;
    let mut messages = first.messages;
    let asks = first.outcome.unwrap().message;
    let results = asks.tool_calls.iter().zip(capture.results());
    let results: Vec<_> = results.map(|(call, text)| Message::tool_result(call, text, false)).collect();
    assert_eq!(results.len(), asks.tool_calls.len(), "{}", capture.name);
    messages.push(asks);
    messages.extend(results);
    capture.play(messages).await
}
