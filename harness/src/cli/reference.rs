//! `docs/commands.md` is made from the command line's own definition, and every command line in the documentation is one
//! that this program takes. `UPDATE_DOCS=1` rewrites the page.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};

use super::Arguments as Program;
use super::topics;

/// The width the page is made for; a page does not know who reads it.
const COLUMNS: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn program() -> Command {
    let mut program = Program::command().term_width(COLUMNS);
    program.build();
    program
}

/// The page: what `--help` says, command by command.
fn page() -> String {
    let mut program = program();
    let mut out = String::from(
        "# Commands\n\nWhat `assize COMMAND --help` says. This page is made from the program by `cargo test`.\n",
    );
    let help = program.render_help().to_string();
    let _ = write!(out, "\n## assize\n\n```text\n{}\n```\n", help.trim_end());
    for command in program.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
        section(command, &mut out);
    }
    out
}

fn section(command: &mut Command, out: &mut String) {
    let help = command.clone().term_width(COLUMNS).render_long_help().to_string();
    let help: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
    let _ = write!(out, "\n## {name}\n\n```text\n{}\n```\n", help.join("\n"));
    for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
        section(inner, out);
    }
}

#[test]
fn the_page_of_commands_is_in_step() {
    let path = root().join("docs/commands.md");
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let differs = written.lines().zip(page.lines()).find(|(is, wanted)| is != wanted);
    assert!(
        written == page,
        "docs/commands.md is out of step at {differs:?}: run the test with UPDATE_DOCS=1 and look at what changed"
    );
}

/// The names of the pages in `docs/`, without their ending.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let names = entries.filter_map(|path| {
        path.file_name()?.to_str()?.strip_suffix(".md").filter(|name| *name != "README").map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn every_page_is_a_topic_and_in_the_index() {
    let index = fs::read_to_string(root().join("docs/README.md")).unwrap();
    let known: Vec<&str> = topics::names().collect();
    for page in pages() {
        assert!(
            known.contains(&page.as_str()),
            "docs/{page}.md is no topic: add it to harness/src/cli/topics.rs"
        );
        assert!(index.contains(&format!("({page}.md)")), "docs/{page}.md is not in docs/README.md");
    }
}

/// A command line found in the documentation.
#[derive(Debug)]
struct Found {
    place: String,
    words: Vec<String>,
    /// Whether it shows a form, with parts to be chosen, and not a command to be given.
    is_form: bool,
}

/// The command lines in the code blocks of a page.
fn command_lines(path: &Path) -> Vec<Found> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let Some(code) = line.strip_prefix("    ").or_else(|| fenced.then_some(line)) else { continue };
        let code = code.trim().trim_start_matches("- ").trim_start_matches("run: ").trim_start_matches("$ ");
        let code = code.split(" # ").next().unwrap_or_default().split("  #").next().unwrap_or_default();
        let code = code.split(" && ").find(|part| is_ours(part)).unwrap_or(code);
        let Some(rest) = ours(code) else { continue };
        let is_form = rest.contains(['[', '…', '|']);
        let rest = rest.split([';', '>']).next().unwrap_or_default();
        let rest = if is_form { rest.replace(['[', ']', '|'], " ") } else { rest.to_owned() };
        let words = rest.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
        found.push(Found { place: format!("{}:{}", path.display(), number + 1), words, is_form });
    }
    found
}

fn is_ours(text: &str) -> bool {
    ours(text).is_some()
}

/// The arguments, when the text is a command line of this program.
fn ours(text: &str) -> Option<&str> {
    let text = text.trim();
    ["assize ", "cargo run --release -- "].iter().find_map(|start| text.strip_prefix(start))
}

/// What is wrong with a command line.
fn fault(found: &Found) -> Option<String> {
    let program = program();
    if !found.is_form {
        let words = std::iter::once("assize").chain(found.words.iter().map(String::as_str));
        return program.try_get_matches_from(words).err().and_then(|error| {
            // Help and version are told as errors.
            error.use_stderr().then(|| error.to_string())
        });
    }
    let name = found.words.first()?;
    let Some(command) = program.find_subcommand(name) else { return Some(format!("no command {name}")) };
    let known: Vec<String> =
        command.get_arguments().filter_map(clap::Arg::get_long).map(|long| format!("--{long}")).collect();
    let options = found.words.iter().filter(|word| word.starts_with("--"));
    options
        .map(|option| option.split('=').next().unwrap_or_default().to_owned())
        .find(|option| !known.contains(option))
        .map(|option| format!("{name} has no {option}"))
}

#[test]
fn every_command_line_in_the_documentation_is_one_that_is_taken() {
    let mut files = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    files.extend(
        pages().iter().filter(|page| *page != "commands").map(|page| root().join(format!("docs/{page}.md"))),
    );
    let found: Vec<Found> = files.iter().flat_map(|path| command_lines(path)).collect();
    assert!(found.len() > 20, "{} command lines: has the way they are written changed?", found.len());
    let faults: Vec<String> =
        found.iter().filter_map(|line| Some(format!("{}: {}", line.place, fault(line)?))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_command_line_that_is_not_taken_is_found() {
    let found = |line: &str, is_form| Found {
        place: String::new(),
        words: line.split(' ').map(str::to_owned).collect(),
        is_form,
    };
    assert!(fault(&found("run --no-such-option", false)).is_some());
    assert!(fault(&found("gate RUN --no-such-option", true)).is_some());
    assert!(fault(&found("no-such-command", true)).is_some());
    assert!(fault(&found("run --case E1", false)).is_none());
}
