//! What is needed to ask an endpoint that goes wrong on purpose.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

#[path = "../../../tests/support/faults.rs"]
mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use model_matrix::{Exchange, Matrix, Reply, RetryPolicy, Subject, SubjectError, Subjects};
use transcript::{By, Message, Role};

pub use server::{Act, FaultServer, chunk, head, last_chunk, response, send, stream_head};

/// Repeats without waiting.
pub fn quick() -> RetryPolicy {
    RetryPolicy {
        first_delay: Duration::from_millis(1),
        longest_delay: Duration::from_millis(4),
        ..RetryPolicy::default()
    }
}

/// A subject at `url`; `more` are further keys of its entry.
pub fn subject(provider: &str, url: &str, more: &str) -> Arc<Subject> {
    let text = format!(
        "models:\n  - {{ id: m, role: other, provider: {provider}, model: tiny, base_url: '{url}', decoding: {{ max_tokens: 9 }}{more} }}\n"
    );
    let matrix = Matrix::parse(Path::new("m.yaml"), text.as_bytes()).unwrap();
    let subjects = Subjects::connect(&matrix.models, |_| None, None, quick()).unwrap();
    Arc::clone(subjects.get("m").unwrap())
}

/// Asks one question.
pub async fn ask(subject: &Subject) -> Result<Reply, SubjectError> {
    let messages = [Message::text(Role::User, By::Script, "q")];
    subject.reply(&Exchange { messages: &messages, tools: &[], trial: "t", turn: 0 }).await
}
