//! The page's style sheet, script and template. The script is plain JavaScript in files of one idea each, joined here.

/// The style sheet.
pub(super) const STYLE: &str = concat!(
    include_str!("../../../templates/report/style.css"),
    include_str!("../../../templates/report/trial.css"),
    include_str!("../../../templates/report/print.css"),
);

/// The script.
pub(super) const SCRIPT: &str = concat!(
    include_str!("../../../templates/report/base.js"),
    include_str!("../../../templates/report/store.js"),
    include_str!("../../../templates/report/filter.js"),
    include_str!("../../../templates/report/table.js"),
    include_str!("../../../templates/report/message.js"),
    include_str!("../../../templates/report/trial.js"),
    include_str!("../../../templates/report/main.js"),
);

/// The part of the page that can be read without a script.
pub(super) const PAGE: &str = include_str!("../../../templates/report.html");

/// A file's text as a browser reads it, whatever line ends it was checked out with: digests are over this.
pub(super) fn normal(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A browser ends a script or a style sheet at these, wherever they stand.
    #[test]
    fn nothing_in_the_assets_ends_them_early() {
        for text in [STYLE, SCRIPT] {
            let lower = text.to_lowercase();
            assert!(!["</script", "</style", "<!--", "<script"].iter().any(|end| lower.contains(end)));
        }
    }

    /// What would parse model text as markup, or load something, is not used at all.
    #[test]
    fn the_script_has_no_way_to_parse_or_load() {
        let forbidden = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "DOMParser",
            "createContextualFragment",
            "fetch(",
            "XMLHttpRequest",
            "import(",
            "WebSocket",
            "localStorage",
            "http:",
            "https:",
        ];
        for word in forbidden {
            assert!(!SCRIPT.contains(word), "{word}");
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
