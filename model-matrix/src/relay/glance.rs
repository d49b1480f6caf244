//! Which model answered: read off a reply while it passes by, be it a stream of events or one JSON document.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use serde_json::Value;

use super::Chunk;

/// How much of a reply is looked at: the model is named at its start, or in a document of ordinary size.
const LOOKED_AT: usize = 1 << 20;

/// A reply that passes by.
pub(super) struct Glance {
    inner: Pin<Box<dyn Stream<Item = Chunk> + Send>>,
    tell: Box<dyn Fn(String) + Send>,
    looked: Vec<u8>,
    /// How many bytes of `looked` are lines that were read.
    read: usize,
    done: bool,
}

impl Glance {
    pub(super) fn new(
        inner: impl Stream<Item = Chunk> + Send + 'static,
        tell: impl Fn(String) + Send + 'static,
    ) -> Self {
        Self { inner: Box::pin(inner), tell: Box::new(tell), looked: Vec::new(), read: 0, done: false }
    }

    fn look(&mut self, chunk: &[u8]) {
        let room = LOOKED_AT - self.looked.len();
        self.looked.extend_from_slice(&chunk[..chunk.len().min(room)]);
        while let Some(end) = self.looked[self.read..].iter().position(|byte| *byte == b'\n') {
            let line = &self.looked[self.read..self.read + end];
            self.read += end + 1;
            let event = line.strip_prefix(b"data:").and_then(|data| serde_json::from_slice(data).ok());
            if let Some(model) = event.as_ref().and_then(model_of) {
                self.found(model);
                return;
            }
        }
        self.done = self.looked.len() == LOOKED_AT;
    }

    fn ended(&mut self) {
        let document: Option<Value> = serde_json::from_slice(&self.looked).ok();
        if let Some(model) = document.as_ref().and_then(model_of) {
            self.found(model);
        }
        self.done = true;
    }

    fn found(&mut self, model: String) {
        (self.tell)(model);
        self.done = true;
        self.looked = Vec::new();
    }
}

impl Stream for Glance {
    type Item = Chunk;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Chunk>> {
        let next = self.inner.as_mut().poll_next(cx);
        if !self.done {
            match &next {
                Poll::Ready(Some(Ok(chunk))) => {
                    let chunk = chunk.clone();
                    self.look(&chunk);
                }
                Poll::Ready(None) => self.ended(),
                Poll::Ready(Some(Err(_))) | Poll::Pending => {}
            }
        }
        next
    }
}

/// The model's name: in a document, in an event, or in the message or response that an event opens.
fn model_of(value: &Value) -> Option<String> {
    let places = [value.get("model"), value.pointer("/message/model"), value.pointer("/response/model")];
    let named = places.into_iter().flatten().find_map(Value::as_str);
    named.filter(|name| !name.is_empty()).map(str::to_owned)
}
