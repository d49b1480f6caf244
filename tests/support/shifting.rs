//! A model whose behaviour shifts when the test says so, and a project with many rows to see it on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::Project;
use super::server::{Server, refuses};

/// What the model does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Says the word.
    Passes,
    /// Says another one.
    Fails,
    /// The endpoint refuses.
    Refuses,
    /// Says the word, with this fingerprint.
    PassesWith(&'static str),
    /// Says the word under another name than the pinned one.
    AnswersAs(&'static str),
}

/// The name that the matrix pins.
pub const PINNED: &str = "test-model-2026-01-01";

type Mood = Box<dyn Fn(&str, usize) -> Does + Send>;

/// A model that changes.
pub struct Shifting {
    server: Server,
    mood: Arc<Mutex<(Mood, HashMap<String, usize>)>>,
}

impl Shifting {
    /// A model that passes.
    pub fn start() -> Self {
        let passes: Mood = Box::new(|_, _| Does::Passes);
        let mood = Arc::new(Mutex::new((passes, HashMap::new())));
        let shared = Arc::clone(&mood);
        let server = Server::start(move |request, _| {
            let row = row_of(&request.body);
            let mut mood = shared.lock().unwrap();
            let asked = mood.1.entry(row.clone()).or_default();
            *asked += 1;
            let count = *asked;
            answer(mood.0(&row, count))
        });
        Self { server, mood }
    }

    /// From now on it does what `mood` says of a row's word and of how often, from now on, it has been asked for it.
    pub fn becomes(&self, mood: impl Fn(&str, usize) -> Does + Send + 'static) {
        *self.mood.lock().unwrap() = (Box::new(mood), HashMap::new());
    }

    /// How many requests came in.
    pub fn count(&self) -> usize {
        self.server.count()
    }

    /// A project whose only case has rows with the words `piano 1` to `piano N`, and whose matrix has this model.
    pub fn project(&self, rows: usize) -> Project {
        let project = Project::new();
        let words: String = (1..=rows).map(|row| format!("piano {row}\n")).collect();
        project.write("cases/w1-say-the-word/params.csv", &format!("word\n{words}"));
        self.pin(&project, PINNED);
        project
    }

    /// Writes a matrix that asks for the same model and pins it as `name`.
    pub fn pin(&self, project: &Project, name: &str) {
        project.write(
            "matrix.yaml",
            &format!(
                "models:\n  - id: m1\n    role: frontier-reference\n    provider: openai-chat\n    model: test-model\n    base_url: {}\n    pin: {{ model: {name} }}\n",
                self.server.url()
            ),
        );
    }
}

/// The word in `Say WORD, please.`
fn row_of(body: &Value) -> String {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let said = messages.last().and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned();
    let word = said.strip_prefix("Say ").and_then(|rest| rest.split(',').next());
    word.unwrap_or_default().to_owned()
}

fn answer(does: Does) -> Response {
    let (model, text, fingerprint) = match does {
        Does::Passes => (PINNED, "piano", None),
        Does::PassesWith(fingerprint) => (PINNED, "piano", Some(fingerprint)),
        Does::Fails => (PINNED, "organ", None),
        Does::AnswersAs(name) => (name, "piano", None),
        Does::Refuses => return refuses(400, "not today"),
    };
    axum::Json(json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "system_fingerprint": fingerprint,
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12 },
    }))
    .into_response()
}
