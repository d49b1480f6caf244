//! Exchanges that the makers' own Python clients had with real servers, replayed: what they sent is what is sent
//! here, and what they made of each answer is what is made of it here, but for the differences that are named.
//!
//! `captures/*.jsonl` holds one exchange a line: the wire format, the request's body, the response (`null` when the
//! server hung up) and, where a client was asked, what it returned or raised. The servers are llmock 0.2, aimock 1.43,
//! litellm's proxy and llama.cpp's own; the clients are openai 3.57 and anthropic 2.14. Texts and names are rewritten,
//! ids, counts, reasons, the cutting into events and the order of fields are as they came.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod capture;
mod replies;
mod requests;
