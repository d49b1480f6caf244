//! The shell's words: enough of its grammar to see which programs a command line runs, on what, and where their
//! output goes. Never fails: what is not understood stays in the words, and the judge then takes the worst.

use std::ops::Range;

/// How a command hangs on the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// First, or after `;`, `&` or a line end.
    Then,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
    /// Reads what the one before it writes.
    Pipe,
}

/// Where a redirect leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Redirect {
    /// `> file`.
    Out(String),
    /// `>> file`.
    Append(String),
    /// `< file`.
    In(String),
    /// A here-document's or here-string's text.
    Here(String),
}

impl Redirect {
    fn text(&self) -> &String {
        let (Self::Out(text) | Self::Append(text) | Self::In(text) | Self::Here(text)) = self;
        text
    }

    fn map(&self, change: impl Fn(&String) -> String) -> Self {
        match self {
            Self::Out(text) => Self::Out(change(text)),
            Self::Append(text) => Self::Append(change(text)),
            Self::In(text) => Self::In(change(text)),
            Self::Here(text) => Self::Here(change(text)),
        }
    }
}

/// One command with its words, quotes resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) link: Link,
    pub(super) words: Vec<String>,
    pub(super) redirects: Vec<Redirect>,
    /// The command lines inside `$(…)`, backquotes and `<(…)`.
    pub(super) inner: Vec<String>,
}

impl Simple {
    fn new(link: Link) -> Self {
        Self { link, words: Vec::new(), redirects: Vec::new(), inner: Vec::new() }
    }

    /// Whether a variable stands in it, in a command substitution as well.
    pub(super) fn names(&self, variable: &str) -> bool {
        let redirects = self.redirects.iter().map(Redirect::text);
        self.words
            .iter()
            .chain(&self.inner)
            .chain(redirects)
            .any(|text| uses(text, variable).next().is_some())
    }

    /// The same with a value in the variable's place.
    pub(super) fn with(&self, variable: &str, value: &str) -> Self {
        let put = |text: &String| {
            let (mut out, mut done) = (String::new(), 0);
            for place in uses(text, variable) {
                out.push_str(&text[done..place.start]);
                out.push_str(value);
                done = place.end;
            }
            out + &text[done..]
        };
        Self {
            link: self.link,
            words: self.words.iter().map(put).collect(),
            redirects: self.redirects.iter().map(|redirect| redirect.map(put)).collect(),
            inner: self.inner.iter().map(put).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.redirects.is_empty() && self.inner.is_empty()
    }
}

/// Where `$variable` and `${variable}` stand in a text; `$variables` is another one.
fn uses<'t>(text: &'t str, variable: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    text.match_indices('$').filter_map(move |(at, _)| {
        let rest = &text[at + 1..];
        if let Some(braced) = rest.strip_prefix('{') {
            return braced.strip_prefix(variable)?.starts_with('}').then(|| at..at + variable.len() + 3);
        }
        let after = rest.strip_prefix(variable)?;
        let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        (!variable.is_empty() && !goes_on).then(|| at..at + 1 + variable.len())
    })
}

/// Splits a command line.
pub(super) fn lex(text: &str) -> Vec<Simple> {
    let mut lexer = Lexer {
        text: text.chars().collect(),
        at: 0,
        done: Vec::new(),
        current: Simple::new(Link::Then),
        waiting: Vec::new(),
    };
    lexer.run();
    lexer.done
}

struct Lexer {
    text: Vec<char>,
    at: usize,
    done: Vec<Simple>,
    current: Simple,
    /// Here-documents announced on this line: command, redirect, end mark, whether tabs are stripped.
    waiting: Vec<(usize, usize, String, bool)>,
}

impl Lexer {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, expected: char) -> bool {
        let there = self.peek() == Some(expected);
        self.at += usize::from(there);
        there
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '\n' => {
                    self.at += 1;
                    self.close(Link::Then);
                    self.here_documents();
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '#' => self.skip_line(),
                ';' | '(' | ')' => {
                    self.at += 1;
                    self.close(Link::Then);
                }
                '&' => self.ampersand(),
                '|' => {
                    self.at += 1;
                    let link = if self.eat('|') { Link::Or } else { Link::Pipe };
                    self.eat('&');
                    self.close(link);
                }
                '<' | '>' => self.redirect(),
                _ => self.plain_word(),
            }
        }
        self.close(Link::Then);
        self.here_documents();
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn close(&mut self, next: Link) {
        let finished = std::mem::replace(&mut self.current, Simple::new(next));
        if finished.is_empty() {
            // `a && (b)`: the bracket must not forget how the group hangs on what was before.
            if next == Link::Then && finished.link != Link::Then && self.peek() != Some('\n') {
                self.current.link = finished.link;
            }
        } else {
            self.done.push(finished);
        }
    }

    fn ampersand(&mut self) {
        self.at += 1;
        if self.eat('&') {
            self.close(Link::And);
        } else if self.peek() == Some('>') {
            self.redirect();
        } else {
            self.close(Link::Then);
        }
    }

    fn plain_word(&mut self) {
        let start = self.at;
        let word = self.word();
        let descriptor = self.text[start..self.at].iter().all(char::is_ascii_digit)
            && matches!(self.peek(), Some('<' | '>'));
        if descriptor {
            let before = self.current.redirects.len();
            self.redirect();
            // Complaints that are thrown away: the answer itself is still shown.
            let thrown_away = Redirect::Out("/dev/null".to_owned());
            if word == "2"
                && self.current.redirects.len() > before
                && self.current.redirects.last() == Some(&thrown_away)
            {
                self.current.redirects.pop();
            }
        } else {
            self.current.words.push(word);
        }
    }

    fn redirect(&mut self) {
        let out = self.eat('>');
        if !out {
            self.at += 1;
            if self.eat('(') {
                let inner = self.until_closed();
                self.current.inner.push(inner);
                self.current.words.push("<(…)".to_owned());
                return;
            }
            if self.eat('<') {
                return self.here();
            }
        }
        let append = out && self.eat('>');
        self.eat('|');
        if self.eat('&') {
            // `2>&1` copies a descriptor; `>&file` is rare enough to be read as a file.
            let target = self.blank_then_word();
            let number = target.chars().all(|c| c.is_ascii_digit() || c == '-');
            if !number {
                self.current.redirects.push(Redirect::Out(target));
            }
            return;
        }
        let target = self.blank_then_word();
        self.current.redirects.push(match (out, append) {
            (true, true) => Redirect::Append(target),
            (true, false) => Redirect::Out(target),
            (false, _) => Redirect::In(target),
        });
    }

    fn here(&mut self) {
        if self.eat('<') {
            let text = self.blank_then_word();
            self.current.redirects.push(Redirect::Here(text));
            return;
        }
        let strip = self.eat('-');
        let mark = self.blank_then_word();
        self.current.redirects.push(Redirect::Here(String::new()));
        self.waiting.push((self.done.len(), self.current.redirects.len() - 1, mark, strip));
    }

    fn here_documents(&mut self) {
        for (command, redirect, mark, strip) in std::mem::take(&mut self.waiting) {
            let mut body = String::new();
            while self.at < self.text.len() {
                let end = self.text[self.at..].iter().position(|c| *c == '\n').map(|n| self.at + n);
                let line: String = self.text[self.at..end.unwrap_or(self.text.len())].iter().collect();
                self.at = end.map_or(self.text.len(), |end| end + 1);
                let line = if strip { line.trim_start_matches('\t') } else { &line };
                if line.trim_end() == mark {
                    break;
                }
                body += line;
                body.push('\n');
            }
            if let Some(Redirect::Here(text)) =
                self.done.get_mut(command).and_then(|simple| simple.redirects.get_mut(redirect))
            {
                *text = body;
            }
        }
    }

    fn blank_then_word(&mut self) -> String {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        self.word()
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.at += 1;
                    self.single(&mut word);
                }
                '"' => {
                    self.at += 1;
                    self.double(&mut word);
                }
                '\\' => {
                    self.at += 1;
                    if let Some(escaped) = self.peek() {
                        self.at += 1;
                        if escaped != '\n' {
                            word.push(escaped);
                        }
                    }
                }
                '$' | '`' => self.expansion(&mut word),
                _ => {
                    self.at += 1;
                    word.push(c);
                }
            }
        }
        word
    }

    fn single(&mut self, word: &mut String) {
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == '\'' {
                break;
            }
            word.push(c);
        }
    }

    fn double(&mut self, word: &mut String) {
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.at += 1;
                    break;
                }
                '\\' => {
                    self.at += 1;
                    if let Some(escaped) = self.peek() {
                        self.at += 1;
                        if !matches!(escaped, '"' | '\\' | '$' | '`' | '\n') {
                            word.push('\\');
                        }
                        if escaped != '\n' {
                            word.push(escaped);
                        }
                    }
                }
                '$' | '`' => self.expansion(word),
                _ => {
                    self.at += 1;
                    word.push(c);
                }
            }
        }
    }

    /// `$(…)`, `` `…` ``, `$'…'`, `$name`: only commands inside are looked at, values are not known here.
    fn expansion(&mut self, word: &mut String) {
        if self.eat('`') {
            let mut inner = String::new();
            while let Some(c) = self.peek() {
                self.at += 1;
                if c == '`' {
                    break;
                }
                inner.push(c);
            }
            self.current.inner.push(inner);
            word.push_str("$()");
            return;
        }
        self.at += 1;
        if self.eat('(') {
            let inner = self.until_closed();
            self.current.inner.push(inner);
            word.push_str("$()");
        } else if self.eat('\'') {
            let mut quoted = String::new();
            self.single(&mut quoted);
            word.push_str(&quoted.replace("\\n", "\n").replace("\\t", "\t"));
        } else {
            word.push('$');
        }
    }

    /// The text up to the bracket that closes the one just read.
    fn until_closed(&mut self) -> String {
        let mut depth = 1usize;
        let mut quote = None;
        let mut inner = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            inner.push(c);
        }
        inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        lex(text).into_iter().map(|simple| simple.words).collect()
    }

    #[test]
    fn quotes_operators_and_descriptors() {
        assert_eq!(
            words(r#"A=1 grep -rn "max conns" . 2>/dev/null | sort && echo 'it''s' || true"#),
            [vec!["A=1", "grep", "-rn", "max conns", "."], vec!["sort"], vec!["echo", "its"], vec!["true"]]
        );
    }

    #[test]
    fn a_here_document_belongs_to_its_command() {
        let lexed = lex("cat > a.txt <<'EOF' && ls\none\ntwo\nEOF\npwd\n");
        assert_eq!(
            lexed[0].redirects,
            [Redirect::Out("a.txt".to_owned()), Redirect::Here("one\ntwo\n".to_owned())]
        );
        assert_eq!(lexed[1].words, ["ls"]);
        assert_eq!(lexed[2].words, ["pwd"]);
    }

    #[test]
    fn command_substitutions_are_kept_apart() {
        let lexed = lex("sed -i s/a/b/ $(grep -rl 'a)' .) `ls`");
        assert_eq!(lexed[0].inner, ["grep -rl 'a)' .", "ls"]);
        assert_eq!(lexed[0].words, ["sed", "-i", "s/a/b/", "$()", "$()"]);
    }
}
