//! What is wrong with case files: every problem with its place and the offending text, and all of them at once.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// A text file as it was read, with the name it is shown under.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
}

impl Source {
    pub(crate) fn new(path: impl Into<PathBuf>, text: &str) -> Self {
        Self { path: path.into(), text: text.strip_prefix('\u{feff}').unwrap_or(text).into() }
    }

    /// Line and column (in characters) of a byte, both counted from 1.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..self.boundary(at)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The character at a line and column, both counted from 1.
    pub(crate) fn byte_at(&self, line: u64, column: u64) -> Range<usize> {
        let index = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let mut start = 0;
        let Some(text) = self.text.split_inclusive('\n').nth(index(line)).inspect(|text| {
            start = text.as_ptr().addr() - self.text.as_ptr().addr();
        }) else {
            return self.text.len()..self.text.len();
        };
        let mut characters = text.char_indices().skip(index(column));
        let at = characters.next().map_or(text.len(), |(at, _)| at);
        start += at;
        start..start + characters.next().map_or(0, |(next, _)| next - at)
    }

    /// A problem at `span`.
    pub(crate) fn problem(&self, span: Range<usize>, message: impl Into<String>) -> Problem {
        let start = self.boundary(span.start);
        let end = self.boundary(span.end.max(start));
        // A block is pointed at by its first line: a snippet of fifty lines helps nobody.
        let end = self.text[start..end].find('\n').map_or(end, |newline| start + newline);
        let (line, column) = self.place(start);
        Problem {
            file: self.path.clone(),
            line,
            column,
            message: message.into(),
            help: None,
            excerpt: Some(Excerpt::around(&self.text, start..end, line)),
        }
    }

    fn boundary(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }
}

/// The lines a problem points into, and where in them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Excerpt {
    text: String,
    first_line: usize,
    span: Range<usize>,
}

impl Excerpt {
    /// The longest part of a line that is kept on either side of the place.
    const REACH: usize = 400;

    fn around(text: &str, span: Range<usize>, line: usize) -> Self {
        let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let start = start.max(text.floor_char_boundary(span.start.saturating_sub(Self::REACH)));
        let end = text[span.start..].find('\n').map_or(text.len(), |newline| span.start + newline);
        let end = end.min(text.floor_char_boundary(span.start + Self::REACH));
        let inner = span.start - start..span.end.min(end).max(span.start) - start;
        Self { text: text[start..end].trim_end_matches('\r').to_owned(), first_line: line, span: inner }
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
    excerpt: Option<Excerpt>,
}

impl Problem {
    /// A problem with a file or folder as a whole.
    pub(crate) fn whole(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into(), help: None, excerpt: None }
    }

    /// The same place with another message.
    #[must_use]
    pub(crate) fn says(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The same problem with advice.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same problem with `more` after its advice.
    #[must_use]
    pub(crate) fn more_help(self, more: &str) -> Self {
        let help = format!("{}{more}", self.help.as_deref().unwrap_or_default());
        self.help(help)
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
            .line_start(excerpt.first_line)
            .path(path)
            .annotation(AnnotationKind::Primary.span(span));
        let mut group = Level::ERROR.primary_title(self.message.as_str()).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        f.write_str(&Renderer::plain().decor_style(DecorStyle::Ascii).render(&[group]))
    }
}

/// Everything that is wrong with a tree of case files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseErrors(pub Vec<Problem>);

impl std::error::Error for CaseErrors {}

impl fmt::Display for CaseErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.0 {
            write!(f, "{problem}\n\n")?;
        }
        match self.0.as_slice() {
            [_] => f.write_str("1 problem"),
            problems => write!(f, "{} problems", problems.len()),
        }
    }
}

/// Where problems are gathered while reading goes on.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    all: Vec<Problem>,
    told: usize,
}

impl Problems {
    pub(crate) fn add(&mut self, problem: Problem) {
        self.told += 1;
        // What variants share is read once for each; its faults are shown once.
        if !self.all.contains(&problem) {
            self.all.push(problem);
        }
    }

    /// How often a problem was told, repetitions included: whoever reads something compares before and after.
    pub(crate) fn told(&self) -> usize {
        self.told
    }

    /// `value`, unless there were problems.
    pub(crate) fn settle<T>(mut self, value: Option<T>) -> Result<T, CaseErrors> {
        self.all.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        match value {
            Some(value) if self.all.is_empty() => Ok(value),
            _ => Err(CaseErrors(self.all)),
        }
    }
}

/// The one of `known` that `wrong` is most likely a slip for.
pub(crate) fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= (name.chars().count().max(wrong.chars().count()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// "did you mean …", or the list of what there is.
pub(crate) fn suggestion<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(wrong, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let known: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
            if known.is_empty() { "there is none".to_owned() } else { format!("known: {}", known.join(", ")) }
        }
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
    fn odd_spans_never_panic() {
        let source = Source::new("x", "é\r\n\u{1F600}tab\t\u{1b}[31m");
        for start in 0..20 {
            for end in 0..20 {
                assert!(source.problem(start..end, "m").to_string().starts_with("error: m"));
            }
        }
    }

    #[test]
    fn a_slip_is_guessed_and_nonsense_is_not() {
        assert_eq!(nearest("chekcer", ["checker", "params"]), Some("checker"));
        assert_eq!(nearest("zzz", ["checker", "params"]), None);
        assert_eq!(suggestion("zzz", ["a-long-one", "b-long-one"]), "known: `a-long-one`, `b-long-one`");
    }
}
