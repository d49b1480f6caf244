//! Tells running text from what a rewrite of notation must leave alone: code, quotations, formulas, paths.

use std::sync::LazyLock;

use regex::Regex;

static KEPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?sx)
        ```.*?(?:```|\z) | ~~~.*?(?:~~~|\z) | `[^`\n]*`         # code
        | "[^"]*" | “[^”]*” | (?m:^[ \t]*>[^\n]*)                # quotations
        | \$\$.*?\$\$ | \\\[.*?\\\] | \\\(.*?\\\)                # formulas
        | [\w.-]*[A-Za-z_~][\w.-]*/[\w./-]+ | [\w-]+\.[a-z]\w*   # paths
        | \b\w*_\w*\b | \b(?:INV|SHA|sha)\S*                     # names
        "#,
    )
    .unwrap()
});

/// Rewrites the running text of `text` and keeps the rest byte for byte.
pub fn outside_quotes(text: &str, rewrite: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for kept in KEPT.find_iter(text) {
        out.push_str(&rewrite(&text[from..kept.start()]));
        out.push_str(kept.as_str());
        from = kept.end();
    }
    out.push_str(&rewrite(&text[from..]));
    out
}

/// Replaces what `pattern` finds in the running text of `text`.
pub fn replace(text: &str, pattern: &str, replacement: &str) -> String {
    let pattern = Regex::new(pattern).unwrap();
    outside_quotes(text, |prose| pattern.replace_all(prose, replacement).into_owned())
}

#[test]
fn what_is_quoted_stays() {
    let text = "is 5% of `5%`, \"5%\", a/5.txt and 5%";
    let rewritten = replace(text, "5(%?)", "5 $1");
    assert_eq!(rewritten, "is 5 % of `5%`, \"5%\", a/5.txt and 5 %");
}
