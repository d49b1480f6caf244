//! From tokens to pipelines.

use super::lex::{Refusal, Token};
use super::word::Word;

/// Words that start what only a real shell can run.
const KEYWORDS: [&str; 19] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "{", "}", "[[", "time", "eval",
];

/// When a pipeline runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    AfterSuccess,
    AfterFailure,
}

/// Commands, each reading what the one before it writes.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) when: When,
    pub(super) negated: bool,
    pub(super) commands: Vec<Command>,
}

/// One command.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

/// Where a command's input comes from or its output goes.
#[derive(Debug)]
pub(super) enum Redirect {
    Out { from: u8, append: bool, to: Word },
    Join { from: u8, to: u8 },
    In(Word),
    Text(String),
}

pub(super) fn parse(tokens: Vec<Token>) -> Result<Vec<Pipeline>, Refusal> {
    let mut list = Vec::new();
    let mut pipeline = Pipeline { when: When::Always, negated: false, commands: Vec::new() };
    let mut command = Command::default();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let mut file = || match tokens.next_if(|next| matches!(next, Token::Word(_))) {
            Some(Token::Word(word)) => Ok(word),
            _ => Err("a redirection without a file".to_owned()),
        };
        match token {
            Token::Word(word) => add_word(&mut pipeline, &mut command, word)?,
            Token::Out { from, append } => {
                command.redirects.push(Redirect::Out { from, append, to: file()? });
            }
            Token::Join { from, to } => command.redirects.push(Redirect::Join { from, to }),
            Token::In => command.redirects.push(Redirect::In(file()?)),
            Token::InWord => command.redirects.push(Redirect::Text(file()?.text() + "\n")),
            Token::Text(text) => command.redirects.push(Redirect::Text(text)),
            Token::Pipe => {
                if !command.is_something() {
                    return Err("a pipe without a command".to_owned());
                }
                pipeline.commands.push(std::mem::take(&mut command));
                while tokens.next_if_eq(&Token::End).is_some() {}
            }
            Token::And | Token::Or | Token::End => {
                let when = match token {
                    Token::And => When::AfterSuccess,
                    Token::Or => When::AfterFailure,
                    _ => When::Always,
                };
                let is_empty = !command.is_something() && pipeline.commands.is_empty();
                if is_empty && (when != When::Always || pipeline.when != When::Always) {
                    // A line may end after `&&`; nothing else may be missing there.
                    if when == When::Always && tokens.peek().is_some() {
                        continue;
                    }
                    return Err("an operator without a command".to_owned());
                }
                finish(&mut list, &mut pipeline, &mut command, when)?;
            }
        }
    }
    let dangling = pipeline.when != When::Always && !command.is_something() && pipeline.commands.is_empty();
    if dangling {
        return Err("an operator without a command".to_owned());
    }
    finish(&mut list, &mut pipeline, &mut command, When::Always)?;
    Ok(list)
}

fn add_word(pipeline: &mut Pipeline, command: &mut Command, word: Word) -> Result<(), Refusal> {
    if command.words.is_empty() && !word.quoted {
        let text = word.text();
        if text == "!" && pipeline.commands.is_empty() {
            pipeline.negated = !pipeline.negated;
            return Ok(());
        }
        if KEYWORDS.contains(&text.as_str()) {
            return Err(format!("`{text}`"));
        }
        // With no variables there is nothing to set one for.
        if let Some((name, _)) = text.split_once('=')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            return Ok(());
        }
    }
    command.words.push(word);
    Ok(())
}

fn finish(
    list: &mut Vec<Pipeline>,
    pipeline: &mut Pipeline,
    command: &mut Command,
    next: When,
) -> Result<(), Refusal> {
    if command.is_something() {
        pipeline.commands.push(std::mem::take(command));
    } else if !pipeline.commands.is_empty() {
        return Err("a pipe without a command".to_owned());
    }
    let done = std::mem::replace(pipeline, Pipeline { when: next, negated: false, commands: Vec::new() });
    if !done.commands.is_empty() {
        list.push(done);
    }
    Ok(())
}

impl Command {
    fn is_something(&self) -> bool {
        !self.words.is_empty() || !self.redirects.is_empty()
    }
}
