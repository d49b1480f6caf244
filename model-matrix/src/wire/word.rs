//! An endpoint's own word on why there is no reply, where it has already answered `200 OK`: in the midst of a stream,
//! or in a body that holds an error. Without a status, the names that it gives its errors are all there is.

use serde_json::Value;

/// What an error in place of a reply means for trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// It is too much at the moment; so many others are asking.
    Busy,
    /// The request itself is refused: it will be next time, too.
    Refused,
    /// Something broke.
    Broken,
}

/// Names by which the makers call overload and rate limits.
const BUSY: [&str; 8] = [
    "overloaded_error",
    "overloaded",
    "server_is_overloaded",
    "engine_overloaded",
    "rate_limit_error",
    "rate_limit_exceeded",
    "resource_exhausted",
    "unavailable",
];

/// Names by which they call what is wrong with a request or its sender.
const REFUSED: [&str; 12] = [
    "invalid_request_error",
    "invalid_argument",
    "authentication_error",
    "unauthenticated",
    "permission_error",
    "permission_denied",
    "not_found_error",
    "not_found",
    "request_too_large",
    "billing_error",
    "insufficient_quota",
    "context_length_exceeded",
];

impl Word {
    /// Reads an error's body. The name may be its `type`, `code` or `status`; a `code` may also be an HTTP status.
    pub(crate) fn of(body: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = value.get("error").unwrap_or(&value);
        let said: Vec<String> = ["code", "status", "type"]
            .iter()
            .filter_map(|field| match error.get(field)? {
                Value::String(name) => Some(name.to_ascii_lowercase()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            })
            .collect();
        let any = |names: &[&str]| said.iter().any(|name| names.contains(&name.as_str()));
        // What is asked for is known better by the closer name: a quota that is used up is no rate limit.
        if any(&["insufficient_quota"]) {
            Self::Refused
        } else if any(&BUSY) || any(&["429", "503", "529"]) {
            Self::Busy
        } else if any(&REFUSED) || any(&["400", "401", "402", "403", "404", "413", "422"]) {
            Self::Refused
        } else {
            Self::Broken
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_makers_names_are_known() {
        for (body, word) in [
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Word::Busy),
            (r#"{"error":{"message":"x","type":"rate_limit_error","code":null}}"#, Word::Busy),
            (r#"{"type":"error","code":"rate_limit_exceeded","message":"x"}"#, Word::Busy),
            (r#"{"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}"#, Word::Busy),
            (r#"{"error":{"code":429,"message":"x"}}"#, Word::Busy),
            (r#"{"error":{"code":"insufficient_quota","type":"rate_limit_error"}}"#, Word::Refused),
            (r#"{"error":{"type":"invalid_request_error","message":"x"}}"#, Word::Refused),
            (r#"{"error":{"code":400,"status":"INVALID_ARGUMENT"}}"#, Word::Refused),
            (r#"{"error":{"code":502,"message":"x"}}"#, Word::Broken),
            (r#"{"error":{"type":"server_error"}}"#, Word::Broken),
            (r#"{"error":"overloaded"}"#, Word::Broken),
            ("<html>", Word::Broken),
        ] {
            assert_eq!(Word::of(body.as_bytes()), word, "{body}");
        }
    }
}
