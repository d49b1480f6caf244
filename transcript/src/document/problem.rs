//! One thing that is wrong with a file: its place, the offending text, and what to do.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::Source;

/// The lines a problem points into, and where in them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Excerpt {
    text: String,
    line: usize,
    span: Range<usize>,
    /// Whether the line began before it.
    is_cut: bool,
}

impl Excerpt {
    /// The longest part of a line that is kept on either side of the place.
    const REACH: usize = 400;

    fn around(text: &str, span: Range<usize>, line: usize) -> Self {
        let line_start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let start = line_start.max(text.floor_char_boundary(span.start.saturating_sub(Self::REACH)));
        let end = text[span.start..].find('\n').map_or(text.len(), |newline| span.start + newline);
        let end = end.min(text.floor_char_boundary(span.start + Self::REACH));
        let inner = span.start - start..span.end.min(end).max(span.start) - start;
        Self {
            text: text[start..end].trim_end_matches('\r').to_owned(),
            line,
            span: inner,
            is_cut: start > line_start,
        }
    }
}

/// One thing that is wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1; 0 when the file as a whole is meant.
    pub line: usize,
    /// The column in characters, counted from 1; 0 when the file as a whole is meant.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    excerpt: Option<Box<Excerpt>>,
}

impl Error for Problem {}

impl Problem {
    /// A problem with a file or folder as a whole.
    pub fn whole(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into(), help: None, excerpt: None }
    }

    /// A problem at `span` in `source`.
    pub(super) fn at(source: &Source, span: Range<usize>, message: String) -> Self {
        let start = source.text.floor_char_boundary(span.start);
        let end = source.text.floor_char_boundary(span.end.max(start));
        // A block is pointed at by its first line: a snippet of fifty lines helps nobody.
        let end = source.text[start..end].find('\n').map_or(end, |newline| start + newline);
        let (line, column) = source.place(start);
        let excerpt = Some(Box::new(Excerpt::around(&source.text, start..end, line)));
        Self { file: source.path.clone(), line, column, message, help: None, excerpt }
    }

    /// The same place with another message.
    #[must_use]
    pub fn says(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The same problem with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same problem with `more` after its advice.
    #[must_use]
    pub fn more_help(self, more: &str) -> Self {
        let help = format!("{}{more}", self.help.as_deref().unwrap_or_default());
        self.help(help)
    }

    /// The same problem, with the lines it shows as `shown` gives them: a file may hold what nobody should see. The place
    /// is still marked as far as the line reaches.
    #[must_use]
    pub fn shown(mut self, shown: impl Fn(&str) -> String) -> Self {
        if let Some(excerpt) = &mut self.excerpt {
            let text = shown(&excerpt.text);
            let boundary = |at: usize| text.floor_char_boundary(at);
            excerpt.span = boundary(excerpt.span.start)..boundary(excerpt.span.end);
            excerpt.text = text;
        }
        self
    }

    /// The offending text; empty when the file as a whole is meant.
    #[must_use]
    pub fn offending(&self) -> &str {
        self.excerpt.as_ref().and_then(|excerpt| excerpt.text.get(excerpt.span.clone())).unwrap_or_default()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.file.to_string_lossy().replace('\\', "/");
        let Some(excerpt) = &self.excerpt else {
            write!(f, "error: {}\n --> {path}", self.message)?;
            return self.help.iter().try_for_each(|help| write!(f, "\n  = help: {help}"));
        };
        let end = excerpt.span.end.min(excerpt.text.len());
        let span = excerpt.span.start.min(end)..end;
        let snippet = Snippet::source(excerpt.text.as_str())
            .line_start(excerpt.line)
            .path(path.as_str())
            .annotation(AnnotationKind::Primary.span(span.clone()));
        let mut group = Level::ERROR.primary_title(self.message.as_str()).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let text = Renderer::plain().decor_style(DecorStyle::Ascii).render(&[group]);
        if !excerpt.is_cut {
            return f.write_str(&text);
        }
        // The renderer counts columns from where the excerpt begins.
        let counted = excerpt.text[..span.start].chars().count() + 1;
        let place = format!("--> {path}:{}:", self.line);
        f.write_str(&text.replacen(&format!("{place}{counted}"), &format!("{place}{}", self.column), 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_shows_its_place() {
        let source = Source::new("cases/a/case.yaml", "id: E1\nchekcer: x@1\n");
        let problem = source.problem(7..14, "unknown key `chekcer`").help("did you mean `checker`?");
        assert_eq!(problem.offending(), "chekcer");
        insta::assert_snapshot!(problem, @r"
        error: unknown key `chekcer`
         --> cases/a/case.yaml:2:1
          |
        2 | chekcer: x@1
          | ^^^^^^^
          |
          = help: did you mean `checker`?
        ");
    }

    #[test]
    fn a_long_line_is_cut_and_its_column_is_true() {
        let source = Source::new("a.jsonl", &format!("{{\"text\":\"{}\",\"odd\":1}}\n", "x".repeat(900)));
        let at = source.text.find("\"odd\"").unwrap();
        let problem = source.problem(at..at + 5, "unknown key `odd`");
        assert!(problem.to_string().contains(&format!("--> a.jsonl:1:{}\n", at + 1)), "{problem}");
        assert!(problem.to_string().len() < 500, "{problem}");
    }

    #[test]
    fn what_is_shown_can_be_held_back() {
        let source = Source::new("m.yaml", "key: fake-1\n");
        let problem = source.problem(5..11, "no").shown(|_| "key: …".to_owned()).to_string();
        assert!(!problem.contains("fake") && problem.contains("m.yaml:1:6"), "{problem}");
    }

    #[test]
    fn odd_spans_never_panic() {
        let source = Source::new("x", "é\r\n\u{1F600}tab\t\u{1b}[31m");
        for start in 0..20 {
            for end in 0..20 {
                assert!(source.problem(start..end, "m").to_string().starts_with("error: m"));
            }
        }
    }
}
