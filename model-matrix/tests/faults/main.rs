//! Endpoints that go wrong: what the user of a subject sees, and how often an endpoint is asked.

mod politeness;
mod streams;
mod support;
