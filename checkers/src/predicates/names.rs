//! `names`: a text that depends on the parameters stands in what the subject said, as words of its own.
//!
//! # Reads
//! The replies in scope (`in`, the last reply unless said).
//!
//! # Proves
//! That `text` occurs there, letter case aside, and not inside a longer word: `10` is not named by `110`.
//!
//! # Does not prove
//! That it is claimed: presence proves little. A number that is claimed, a task that is quoted and a fact that is affirmed have
//! predicates of their own.
//!
//! # Example
//! ```yaml
//! - id: names-it
//!   names: { text: "{{ capital }}", in: final_reply }
//! ```
//! ```yaml
//! params: { capital: Paris }
//! pass:
//!   - "It's paris."
//!   - "Not Paris."
//! fail:
//!   - "It's Lyon."
//!   - "The Parisian way."
//! ```

use serde::Deserialize;

use super::matches::Scope;
use super::{Finding, Test};
use crate::compiled::{self, Flags};
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// A text is named.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    text: Expr,
    #[serde(default, rename = "in")]
    scope: Scope,
}

impl Test for Names {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let wanted = self.text.text(&cx.params)?;
        for (at, message) in self.scope.of(cx) {
            if let Some((start, end)) = find_word(&message.content, &wanted) {
                return Ok(Finding::holds(format!("`{wanted}` is named"), vec![cx.evidence(at, start, end)]));
            }
        }
        Ok(Finding::fails(format!("`{wanted}` is not named"), Vec::new()))
    }
}

/// Where `wanted` stands in `text` as words of its own, letter case aside.
fn find_word(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let flags = Flags { ignore_case: true, multi_line: false, size_limit: 10 << 20 };
    let pattern = compiled::regex(&regex::escape(wanted), flags).ok()?;
    pattern.find_iter(text).map(|found| (found.start(), found.end())).find(|(start, end)| {
        let before = text[..*start].chars().next_back();
        let after = text[*end..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::find_word;

    #[test]
    fn words_of_their_own_only() {
        assert_eq!(find_word("It is OTTAWA.", "Ottawa"), Some((6, 12)));
        assert_eq!(find_word("$110", "10"), None);
        assert_eq!(find_word("", "10"), None);
        assert_eq!(find_word("Rio or Rio de Janeiro", "Rio de Janeiro"), Some((7, 21)));
    }
}
