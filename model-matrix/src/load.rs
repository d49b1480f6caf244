//! Load verification: whether what goes to a model holds the charter, and nothing from below its marker.
//!
//! A run on a charter that never arrived looks like any other. So there are two arms. The positive one: every line of
//! the runtime part, its digest line among them where it has one, is found in the request, in order. The control arm:
//! a line from below the marker, the canary, is not; were it found too, the whole file had been loaded, and a search
//! that finds everything would prove nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a line begins with that states the charter's digest, in lower case.
const DIGEST_LINE: &str = "charter digest";

/// A canary has at least this many characters: shorter lines turn up by chance.
const SHORTEST_CANARY: usize = 12;

/// What came of looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    /// The charter is there, and nothing from below its marker is.
    Verified,
    /// The charter, or a part of it, is not there.
    Missing,
    /// Text from below the marker is there.
    Leaked,
}

/// What a request must hold and what it must not.
#[derive(Debug, Clone)]
pub struct Charge {
    /// The runtime part as it stands inside a JSON string, for a quick look.
    escaped: String,
    /// Its lines, without blank ones and block comments, which some programs take out.
    lines: Vec<String>,
    digest_line: Option<String>,
    canary: Option<String>,
}

impl Charge {
    /// From the charter's two parts; `below` is what stands below the marker.
    #[must_use]
    pub fn new(runtime: &str, below: &str) -> Self {
        let lines: Vec<String> = without_comments(runtime)
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect();
        let digest_line = lines.iter().find(|line| states_digest(line)).cloned();
        let escaped = escaped(runtime.trim());
        Self { escaped, digest_line, canary: canary(runtime, below), lines }
    }

    /// The line that states the charter's digest, if it has one.
    #[must_use]
    pub fn digest_line(&self) -> Option<&str> {
        self.digest_line.as_deref()
    }

    /// The line that must not be found, if anything below the marker can serve as one.
    #[must_use]
    pub fn canary(&self) -> Option<&str> {
        self.canary.as_deref()
    }

    /// How it is verified, for the record.
    #[must_use]
    pub fn how(&self, source: &str) -> String {
        let positive = match &self.digest_line {
            Some(_) => "digest line and every line of the charter",
            None => "every line of the charter, which has no digest line",
        };
        let control = match &self.canary {
            Some(_) => "canary from below the marker absent",
            None => "no canary: nothing below the marker can serve as one",
        };
        format!("{source}: {positive}; {control}")
    }

    /// Looks at a request's body.
    #[must_use]
    pub fn look(&self, body: &[u8]) -> Load {
        // The charter stands in a body as one piece, as a rule: then there is nothing to parse.
        if let Ok(text) = std::str::from_utf8(body)
            && text.contains(&self.escaped)
            && self.canary.as_deref().is_none_or(|canary| !text.contains(&escaped(canary)))
        {
            return Load::Verified;
        }
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => self.look_at(&value),
            Err(_) => self.look_in(&String::from_utf8_lossy(body)),
        }
    }

    /// Looks at a request that is parsed already.
    #[must_use]
    pub fn look_at(&self, body: &Value) -> Load {
        let mut text = String::new();
        gather(body, &mut text);
        self.look_in(&text)
    }

    fn look_in(&self, text: &str) -> Load {
        if self.canary.as_deref().is_some_and(|canary| text.contains(canary)) {
            return Load::Leaked;
        }
        let mut rest = text;
        for line in &self.lines {
            match rest.find(line.as_str()) {
                Some(at) => rest = &rest[at + line.len()..],
                None => return Load::Missing,
            }
        }
        Load::Verified
    }
}

/// All strings of a request, in order.
pub(crate) fn gather(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, out)),
        Value::Object(fields) => fields.values().for_each(|field| gather(field, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `text` as it stands between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn states_digest(line: &str) -> bool {
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    bare.starts_with(DIGEST_LINE)
}

/// The line that must not be found: one that calls itself a canary, else the longest that only stands below.
fn canary(runtime: &str, below: &str) -> Option<String> {
    let usable = |line: &&str| line.chars().count() >= SHORTEST_CANARY && !runtime.contains(*line);
    // The marker's own line may be quoted in the part above it.
    let lines = || below.lines().skip(1).map(str::trim).filter(usable);
    let named = lines().find(|line| line.to_lowercase().contains("canary"));
    named.or_else(|| lines().max_by_key(|line| line.len())).map(str::to_owned)
}

/// Without block comments; an unclosed one is text.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        let Some((_, after)) = comment.split_once("-->") else { break };
        out.push_str(before);
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ABOVE: &str = "# Charter\n\nCharter digest: 12ab\n<!-- for editors -->\n\n1. Say \"the\" word.\n";
    const BELOW: &str =
        "Runtime load ends here\n\nFor maintainers: a longer line than the other has\nCANARY-ELM-7\n";

    fn look(body: &Value) -> Load {
        Charge::new(ABOVE, BELOW).look(body.to_string().as_bytes())
    }

    #[test]
    fn the_whole_charter_is_verified_in_one_piece_or_in_several() {
        assert_eq!(look(&json!({ "messages": [{ "content": ABOVE }] })), Load::Verified);
        let stripped = ABOVE.replace("<!-- for editors -->", "").replace("\n\n", "\n");
        assert_eq!(look(&json!({ "system": [{ "text": format!("Before\n{stripped}") }] })), Load::Verified);
        let parts: Vec<&str> = ABOVE.lines().filter(|line| !line.starts_with('<')).collect();
        assert_eq!(look(&json!(parts)), Load::Verified);
    }

    #[test]
    fn a_charter_that_is_cut_turned_round_or_not_there_is_missing() {
        assert_eq!(look(&json!({ "messages": [] })), Load::Missing);
        assert_eq!(look(&json!(ABOVE.replace("12ab", "12ac"))), Load::Missing);
        assert_eq!(look(&json!(ABOVE.replace("1. Say \"the\" word.", ""))), Load::Missing);
        assert_eq!(
            look(&json!(["1. Say \"the\" word.", "# Charter", "Charter digest: 12ab"])),
            Load::Missing
        );
        assert_eq!(Charge::new(ABOVE, BELOW).look(b"\xff not JSON"), Load::Missing);
    }

    #[test]
    fn text_from_below_is_a_leak_whatever_else_is_there() {
        assert_eq!(look(&json!({ "system": format!("{ABOVE}{BELOW}") })), Load::Leaked);
        assert_eq!(look(&json!({ "system": "CANARY-ELM-7" })), Load::Leaked);
    }

    #[test]
    fn the_canary_is_a_line_that_stands_below_only() {
        let canary = |below: &str| Charge::new(ABOVE, below).canary;
        assert_eq!(canary(BELOW).as_deref(), Some("CANARY-ELM-7"));
        assert_eq!(canary("End\nshort\na line of some length\n").as_deref(), Some("a line of some length"));
        assert_eq!(canary("End here, and this is long\n1. Say \"the\" word.\n"), None);
        let charge = Charge::new("One rule.\n", "End\n");
        assert_eq!(
            charge.how("request as sent"),
            "request as sent: every line of the charter, which has no digest line; \
             no canary: nothing below the marker can serve as one"
        );
    }
}
