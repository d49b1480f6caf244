//! From a command line to tokens, with the quoting rules of a POSIX shell. What would need a real shell is refused by name.

use super::word::Word;

/// A piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// `|`
    Pipe,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` or a line end
    End,
    /// `>` or `>>` of output (1) or errors (2), or both (0), to the file that follows
    Out {
        from: u8,
        append: bool,
    },
    /// `2>&1` or `1>&2`
    Join {
        from: u8,
        to: u8,
    },
    /// `<` from the file that follows
    In,
    /// `<<<` from the word that follows
    InWord,
    /// A here-document's text
    Text(String),
}

/// Why a command line is not run at all.
pub(super) type Refusal = String;

pub(super) fn tokens(line: &str) -> Result<Vec<Token>, Refusal> {
    let mut lexer = Lexer { chars: line.chars().collect(), at: 0, out: Vec::new(), pending: Vec::new() };
    while lexer.step()? {}
    lexer.here_documents()?;
    Ok(lexer.out)
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    out: Vec<Token>,
    /// Here-documents whose text starts on the next line: place in `out`, end mark, whether quoted, whether tabs are dropped.
    pending: Vec<(usize, String, bool, bool)>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn eat(&mut self, text: &str) -> bool {
        let matches = text.chars().enumerate().all(|(n, c)| self.peek(n) == Some(c));
        if matches {
            self.at += text.chars().count();
        }
        matches
    }

    fn step(&mut self) -> Result<bool, Refusal> {
        let Some(c) = self.peek(0) else { return Ok(false) };
        match c {
            '\n' => {
                self.at += 1;
                self.out.push(Token::End);
                self.here_documents()?;
            }
            ' ' | '\t' | '\r' => self.at += 1,
            '#' => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            }
            '\\' if self.peek(1) == Some('\n') => self.at += 2,
            '|' | '&' | ';' | '(' | ')' | '<' | '>' => self.operator()?,
            '1' | '2' if self.peek(1) == Some('>') => {
                self.at += 1;
                self.output(if c == '1' { 1 } else { 2 })?;
            }
            _ => {
                let word = self.word()?;
                self.out.push(Token::Word(word));
            }
        }
        Ok(true)
    }

    fn operator(&mut self) -> Result<(), Refusal> {
        let token = if self.eat("&&") {
            Token::And
        } else if self.eat("||") {
            Token::Or
        } else if self.eat("&>") {
            self.at -= 1;
            return self.output(0);
        } else if self.peek(0) == Some('>') {
            return self.output(1);
        } else if self.eat("<<<") {
            Token::InWord
        } else if self.eat("<<") {
            return self.here_mark();
        } else if self.eat("|&")
            || self.eat("&")
            || self.eat("(")
            || self.eat(")")
            || self.eat("<(")
            || self.eat(";;")
        {
            return Err("background jobs, subshells and process substitution".to_owned());
        } else if self.eat("|") {
            Token::Pipe
        } else if self.eat("<") {
            Token::In
        } else {
            self.at += 1;
            Token::End
        };
        self.out.push(token);
        Ok(())
    }

    /// At a `>`.
    fn output(&mut self, from: u8) -> Result<(), Refusal> {
        self.at += 1;
        let token = if self.eat(">") {
            Token::Out { from, append: true }
        } else if self.eat("&1") {
            Token::Join { from, to: 1 }
        } else if self.eat("&2") {
            Token::Join { from, to: 2 }
        } else if matches!(self.peek(0), Some('&' | '(')) {
            return Err("this kind of redirection".to_owned());
        } else {
            self.eat("|");
            Token::Out { from, append: false }
        };
        self.out.push(token);
        Ok(())
    }

    fn here_mark(&mut self) -> Result<(), Refusal> {
        let drop_tabs = self.eat("-");
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let start = self.at;
        let mark = self.word()?.text();
        let quoted = self.chars[start..self.at].iter().any(|c| matches!(c, '\'' | '"' | '\\'));
        if mark.is_empty() {
            return Err("a here-document without an end mark".to_owned());
        }
        self.pending.push((self.out.len(), mark, quoted, drop_tabs));
        self.out.push(Token::Text(String::new()));
        Ok(())
    }

    /// The texts of the here-documents that were announced on the line before.
    fn here_documents(&mut self) -> Result<(), Refusal> {
        for (place, mark, quoted, drop_tabs) in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            while self.at < self.chars.len() {
                let end = self.chars[self.at..]
                    .iter()
                    .position(|c| *c == '\n')
                    .map_or(self.chars.len(), |n| self.at + n);
                let line: String = self.chars[self.at..end].iter().collect();
                self.at = (end + 1).min(self.chars.len());
                let line = if drop_tabs { line.trim_start_matches('\t') } else { &line };
                if line == mark {
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            if !quoted {
                text = unquoted_text(&text)?;
            }
            self.out[place] = Token::Text(text);
        }
        Ok(())
    }

    fn word(&mut self) -> Result<Word, Refusal> {
        let mut word = Word::default();
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' | '|' | '&' | ';' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.at += 1;
                    loop {
                        match self.peek(0) {
                            Some('\'') => break,
                            Some(c) => word.literal(c),
                            None => return Err("a quote that is not closed".to_owned()),
                        }
                        self.at += 1;
                    }
                    word.quoted = true;
                }
                '"' => self.double_quoted(&mut word)?,
                '\\' => {
                    self.at += 1;
                    match self.peek(0) {
                        Some('\n') => {}
                        Some(c) => word.literal(c),
                        // The line ends here, and so does the word.
                        None => break,
                    }
                }
                '$' | '`' if starts_expansion(c, self.peek(1)) => return Err(EXPANSION.to_owned()),
                c => word.plain(c),
            }
            self.at += 1;
        }
        Ok(word)
    }

    /// At the opening quote; ends at the closing one.
    fn double_quoted(&mut self, word: &mut Word) -> Result<(), Refusal> {
        word.quoted = true;
        loop {
            self.at += 1;
            match self.peek(0) {
                Some('"') => return Ok(()),
                Some('\\') if matches!(self.peek(1), Some('$' | '`' | '"' | '\\' | '\n')) => {
                    self.at += 1;
                    if let Some(c) = self.peek(0).filter(|c| *c != '\n') {
                        word.literal(c);
                    }
                }
                Some(c) if starts_expansion(c, self.peek(1)) => return Err(EXPANSION.to_owned()),
                Some(c) => word.literal(c),
                None => return Err("a quote that is not closed".to_owned()),
            }
        }
    }
}

const EXPANSION: &str = "variables and command substitution";

fn starts_expansion(c: char, next: Option<char>) -> bool {
    c == '`'
        || c == '$' && next.is_some_and(|next| next.is_ascii_alphanumeric() || "_{(?#@*!$-'".contains(next))
}

/// The text of a here-document whose end mark is not quoted.
fn unquoted_text(text: &str) -> Result<String, Refusal> {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek().is_some_and(|next| matches!(next, '$' | '`' | '\\')) => {
                out.extend(chars.next());
            }
            c if starts_expansion(c, chars.peek().copied()) => return Err(EXPANSION.to_owned()),
            c => out.push(c),
        }
    }
    Ok(out)
}
