//! What a case's file says, key by key, so that two versions of a case can be held against one another. Remarks and the
//! way it is written make no difference; the order does, since some keys are read in order.

use super::fields::Fields;
use super::node::{Kind, Node};

/// The key of the parameter rows, which are compared as rows wherever they stand.
const ROWS: &str = "params";
/// The key under which the others may stand again.
const VARIANTS: &str = "variants";

/// What stands for a key where a fixture's file has a body.
pub(crate) const BODY: &str = "the body";

/// The keys with their values as JSON; the parameter rows are left out.
pub(crate) fn by_key(fields: &Fields<'_>) -> Vec<(String, String)> {
    let said = fields.iter().filter(|(key, _)| key.name != ROWS);
    said.map(|(key, value)| {
        let value = if key.name == VARIANTS { without_rows(value) } else { value.clone() };
        (key.name.clone(), value.to_json().to_string())
    })
    .collect()
}

/// The variants, each without its rows.
fn without_rows(variants: &Node) -> Node {
    let Kind::Map(named) = &variants.kind else { return variants.clone() };
    let stripped = named.iter().map(|(name, variant)| {
        let Kind::Map(fields) = &variant.kind else { return (name.clone(), variant.clone()) };
        let kept = fields.iter().filter(|(key, _)| key.name != ROWS).cloned().collect();
        (name.clone(), Node { kind: Kind::Map(kept), span: variant.span.clone() })
    });
    Node { kind: Kind::Map(stripped.collect()), span: variants.span.clone() }
}
