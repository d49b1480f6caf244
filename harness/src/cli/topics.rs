//! `assize help TOPIC`: the documentation, carried in the binary, so that it is there where the binary is.

use std::io::Write as _;

use anyhow::Context as _;
use clap::CommandFactory;

use super::Arguments as Program;
use super::exit::{self, Exit};
use super::say;

/// A page of documentation.
struct Topic {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

const TOPICS: &[Topic] = &[
    Topic { name: "cases", about: "how a case is written", text: include_str!("../../../docs/cases.md") },
    Topic {
        name: "checkers",
        about: "how a checker is written, and how a reply is read",
        text: include_str!("../../../docs/checkers.md"),
    },
    Topic {
        name: "import",
        about: "judging transcripts of other tools",
        text: include_str!("../../../docs/import.md"),
    },
    Topic {
        name: "reports",
        about: "how a report is read, and its forms",
        text: include_str!("../../../docs/reports.md"),
    },
    Topic { name: "exit-codes", about: "what the exit codes say", text: exit::HELP },
];

/// Explain a command or a topic
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A command, or a topic; without one, the list of both
    #[arg(value_name = "COMMAND|TOPIC")]
    subject: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut program = Program::command();
    let mut out = say::data();
    let Some(subject) = &arguments.subject else {
        write!(out, "{}", program.render_help().ansi())?;
        writeln!(out, "\nTopics, for `assize help TOPIC`:")?;
        for topic in TOPICS {
            writeln!(out, "  {:<12} {}", topic.name, topic.about)?;
        }
        out.flush()?;
        return Ok(Exit::Holds);
    };
    if let Some(topic) = TOPICS.iter().find(|topic| topic.name == subject) {
        writeln!(out, "{}", topic.text.trim_end())?;
    } else {
        // Built, so that the usage line names the whole command.
        program.build();
        let command = program.find_subcommand_mut(subject).with_context(|| unknown(subject))?;
        write!(out, "{}", command.render_long_help().ansi())?;
    }
    out.flush()?;
    Ok(Exit::Holds)
}

fn unknown(subject: &str) -> String {
    let command = Program::command();
    let commands = command.get_subcommands().map(|command| command.get_name().to_owned());
    let all: Vec<String> = commands.chain(TOPICS.iter().map(|topic| topic.name.to_owned())).collect();
    let near = all
        .iter()
        .map(|name| (strsim::jaro_winkler(subject, name), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let near = near.map(|(_, name)| format!("; did you mean `{name}`?")).unwrap_or_default();
    format!("there is no command and no topic `{subject}`{near}\nthere are: {}", all.join(", "))
}
