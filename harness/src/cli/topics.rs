//! `assize help TOPIC`: the documentation, carried in the binary, so that it is there where the binary is.

use std::io::Write as _;

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
        name: "predicates",
        about: "what a clause of a checker can ask",
        text: include_str!("../../../docs/predicates.md"),
    },
    Topic {
        name: "matrix",
        about: "models, pins, prices, budgets, keys",
        text: include_str!("../../../docs/matrix.md"),
    },
    Topic {
        name: "errors",
        about: "what it means when there is no verdict",
        text: include_str!("../../../docs/errors.md"),
    },
    Topic { name: "compare", about: "comparing two runs", text: include_str!("../../../docs/compare.md") },
    Topic {
        name: "nightly",
        about: "the nightly run, and the rule it decides by",
        text: include_str!("../../../docs/nightly.md"),
    },
    Topic {
        name: "shards",
        about: "one run on many machines",
        text: include_str!("../../../docs/shards.md"),
    },
    Topic { name: "agents", about: "trying agent programs", text: include_str!("../../../docs/agents.md") },
    Topic {
        name: "import",
        about: "judging transcripts of other tools",
        text: include_str!("../../../docs/import.md"),
    },
    Topic {
        name: "gate",
        about: "may a release or a change rest on a run",
        text: include_str!("../../../docs/gate.md"),
    },
    Topic {
        name: "audit",
        about: "deriving a record anew from a commit",
        text: include_str!("../../../docs/audit.md"),
    },
    Topic {
        name: "manifest",
        about: "what a record holds, and its signatures",
        text: include_str!("../../../docs/manifest.md"),
    },
    Topic {
        name: "reports",
        about: "how a report is read, and its forms",
        text: include_str!("../../../docs/reports.md"),
    },
    Topic {
        name: "commands",
        about: "every command and option",
        text: include_str!("../../../docs/commands.md"),
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
    let topic = TOPICS.iter().find(|topic| topic.name == subject);
    // Built, so that the usage line names the whole command.
    program.build();
    let command = program.find_subcommand_mut(subject);
    anyhow::ensure!(topic.is_some() || command.is_some(), unknown(subject));
    // Some names are those of a command and of a page.
    if let Some(command) = command {
        writeln!(out, "{}", command.render_long_help().ansi())?;
    }
    if let Some(topic) = topic {
        writeln!(out, "{}", topic.text.trim_end())?;
    }
    out.flush()?;
    Ok(Exit::Holds)
}

/// The names of all topics.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|topic| topic.name)
}

fn unknown(subject: &str) -> String {
    let command = Program::command();
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let commands = shown.map(|command| command.get_name().to_owned());
    let mut all: Vec<String> = commands.collect();
    for topic in TOPICS.iter().filter(|topic| command.find_subcommand(topic.name).is_none()) {
        all.push(topic.name.to_owned());
    }
    let near = all
        .iter()
        .map(|name| (strsim::jaro_winkler(subject, name), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let near = near.map(|(_, name)| format!("; did you mean `{name}`?")).unwrap_or_default();
    format!("there is no command and no topic `{subject}`{near}\nthere are: {}", all.join(", "))
}
