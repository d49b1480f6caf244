//! The shapes in which people keep API conversations: bare messages, a request, or a request with its response.

use super::ImportAs;
use super::error::ImportError;
use super::json::Document;
use super::node::Node;
use super::parts::{error_message, fail};
use crate::Transcript;

/// One conversation of a file.
#[derive(Debug)]
pub(super) enum Exchange<'v> {
    /// Messages alone.
    Messages(Node<'v>),
    /// A request, the response to it, or both; either may hold the conversation.
    Record {
        /// What was sent.
        request: Option<Node<'v>>,
        /// What came back.
        response: Response<'v>,
    },
}

/// What came back.
#[derive(Debug)]
pub(super) enum Response<'v> {
    /// The record is a request or a conversation only: nothing is missing.
    NotRecorded,
    /// The record has a place for the response, and nothing is there.
    Missing,
    /// The body that came back.
    Body(Node<'v>),
}

impl<'v> Exchange<'v> {
    fn of(node: Node<'v>) -> Result<Self, ImportError> {
        if node.is_array() {
            return Ok(Self::Messages(node));
        }
        let fields = node.object()?;
        if fields.contains_key("request") || fields.contains_key("response") {
            let request = node.get("request").map(body);
            if request.is_none() && node.get("response").is_none() {
                return Err(node.unexpected("a `request`, a `response`, or both"));
            }
            let response =
                node.get("response").map_or(Response::Missing, |response| Response::Body(body(response)));
            return Ok(Self::Record { request, response });
        }
        let has = |key: &str| fields.contains_key(key);
        if !["messages", "input", "choices", "output", "content"].into_iter().any(has) {
            return Err(node.unexpected("messages, a request with `messages`, or `request` and `response`"));
        }
        let answered = has("choices") || has("output") || has("content");
        let response = if answered { Response::Body(node.clone()) } else { Response::NotRecorded };
        Ok(Self::Record { request: Some(node), response })
    }
}

/// The body of a captured request or response, or the node itself where there is nothing around it.
fn body(node: Node<'_>) -> Node<'_> {
    node.get("body").unwrap_or(node)
}

/// The conversations of a file, each with the transcript that it will fill: each line, or each item of a list of
/// conversations, is one.
pub(super) fn exchanges<'v>(
    documents: &'v [Document],
    what: &ImportAs,
) -> Result<Vec<(Transcript, Exchange<'v>)>, ImportError> {
    let mut nodes = Vec::new();
    for document in documents {
        let node = Node::root(document);
        if is_list_of_conversations(&node) {
            for item in node.items()? {
                nodes.push((nodes.len() + 1, item));
            }
        } else if node.value().as_array().is_none_or(|items| !items.is_empty()) {
            nodes.push((document.line.unwrap_or(nodes.len() + 1), node));
        }
    }
    let alone = nodes.len() == 1;
    let start = |(number, node): (usize, Node<'v>)| {
        let prefix = &what.id_prefix;
        let id = if alone { prefix.clone() } else { format!("{prefix}:{number}") };
        let transcript = what.start(id).map_err(|fault| node.fault(fault))?;
        Ok((transcript, Exchange::of(node)?))
    };
    nodes.into_iter().map(start).collect()
}

/// Messages have a `role` or a `type`; conversations are lists, or objects without either.
fn is_list_of_conversations(node: &Node<'_>) -> bool {
    let first = node.value().as_array().and_then(|items| items.first());
    first.is_some_and(|first| first.get("role").is_none() && first.get("type").is_none())
}

/// Sees to responses that are no reply: writes the error into the transcript and says that there is nothing to read.
pub(super) fn reply<'n, 'v>(
    response: &'n Response<'v>,
    transcript: &mut Transcript,
) -> Result<Option<&'n Node<'v>>, ImportError> {
    match response {
        Response::NotRecorded => Ok(None),
        Response::Missing => {
            fail(transcript, "no-reply", "the record holds a request and no response");
            Ok(None)
        }
        Response::Body(body) => {
            if body.value().is_string() {
                return Err(body.unexpected("a whole reply in JSON, not the text of a stream or of a page"));
            }
            if let Some(error) = body.get("error") {
                fail(transcript, "endpoint-error", error_message(&error));
                return Ok(None);
            }
            Ok(Some(body))
        }
    }
}
