//! Which model answered: read off a reply while it passes by, be it a stream of events or one JSON document.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use serde_json::Value;

use super::Chunk;

/// How much of a document or of one line is looked at. Of a stream every event is: a later one may name another model.
const LOOKED_AT: usize = 1 << 20;

/// A reply that passes by.
pub(super) struct Glance {
    inner: Pin<Box<dyn Stream<Item = Chunk> + Send>>,
    tell: Box<dyn Fn(String) + Send>,
    looked: Vec<u8>,
    /// How many bytes of `looked` are lines that were read.
    read: usize,
    is_stream: bool,
    done: bool,
}

impl Glance {
    pub(super) fn new(
        inner: impl Stream<Item = Chunk> + Send + 'static,
        tell: impl Fn(String) + Send + 'static,
    ) -> Self {
        let (inner, tell) = (Box::pin(inner), Box::new(tell));
        Self { inner, tell, looked: Vec::new(), read: 0, is_stream: false, done: false }
    }

    fn look(&mut self, chunk: &[u8]) {
        self.looked.extend_from_slice(chunk);
        while let Some(end) = self.looked[self.read..].iter().position(|byte| *byte == b'\n') {
            let line = &self.looked[self.read..self.read + end];
            self.read += end + 1;
            let Some(data) = line.strip_prefix(b"data:") else { continue };
            self.is_stream = true;
            if let Some(model) = serde_json::from_slice(data).ok().as_ref().and_then(model_of) {
                (self.tell)(model);
            }
        }
        if self.is_stream {
            self.looked.drain(..self.read);
            self.read = 0;
        }
        if self.looked.len() > LOOKED_AT {
            // What is left of a stream's line names nothing; the lines after it may.
            self.done = !self.is_stream;
            self.looked.clear();
            self.read = 0;
        }
    }

    fn ended(&mut self) {
        let document: Option<Value> = serde_json::from_slice(&self.looked).ok();
        if let Some(model) = document.as_ref().and_then(model_of) {
            (self.tell)(model);
        }
        self.done = true;
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
