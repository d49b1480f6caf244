//! Which cases a program can play. One that it cannot is not run, and the record says why: a case that is passed over
//! silently looks like one that was passed.

use model_matrix::{Adapter, Program, Protocol};
use transcript::{By, Role};

use super::adapter;
use crate::instance::Playable;
use crate::replay::PlayStep;
use crate::tools::ToolDecl;

/// Why `program` cannot play the case, if it cannot.
#[must_use]
pub fn unsupported(program: &Program, playable: &Playable) -> Option<String> {
    script(program, &playable.steps).or_else(|| files(program, playable)).or_else(|| tools(program, playable))
}

fn script(program: &Program, steps: &[PlayStep]) -> Option<String> {
    let mut waiting = false;
    let mut turns = 0;
    for step in steps {
        match step {
            PlayStep::Say { omitted: true, .. } => {
                return Some("its script leaves turns out of the conversation".to_owned());
            }
            PlayStep::Say { message, .. } if message.role != Role::User || message.by != By::Script => {
                return Some(format!(
                    "its script puts words into the conversation that are not the user's (a turn of the {})",
                    match message.role {
                        Role::Assistant => "assistant",
                        Role::Tool => "tools",
                        Role::System | Role::User => "system",
                    }
                ));
            }
            PlayStep::Say { .. } if waiting => {
                return Some("its user speaks twice before the subject does".to_owned());
            }
            PlayStep::Say { message, .. } => {
                if program.adapter == Adapter::ClaudeCode && message.content.trim_start().starts_with('/') {
                    return Some(
                        "its user's words begin with `/`, which the program takes for a command".to_owned(),
                    );
                }
                if message.content.trim().is_empty() {
                    return Some("its user says nothing".to_owned());
                }
                waiting = true;
            }
            PlayStep::Reply { .. } if !waiting => {
                return Some("the subject is to speak without being spoken to".to_owned());
            }
            PlayStep::Reply { .. } => {
                waiting = false;
                turns += 1;
            }
        }
    }
    let forgets = program.adapter == Adapter::Command && program.protocol == Protocol::Text;
    (forgets && turns > 1).then(|| "it has more than one turn; `protocol: text` has no second one".to_owned())
}

fn files(program: &Program, playable: &Playable) -> Option<String> {
    let taken = playable.files.contains_key(&program.charter_file);
    taken.then(|| format!("it has a file {} of its own, where the charter would go", program.charter_file))
}

fn tools(program: &Program, playable: &Playable) -> Option<String> {
    if playable.declared.is_empty() {
        return None;
    }
    if program.adapter == Adapter::Command && program.protocol == Protocol::Text {
        return Some("it offers tools; with `protocol: text` no call of one would be seen".to_owned());
    }
    let own = adapter::own_tools(program);
    for tool in &playable.declared {
        let name = tool.name();
        match tool {
            ToolDecl::Standard(_) if own.contains(&name) => {}
            ToolDecl::Declared(_) if own.contains(&name) => {
                return Some(format!("it scripts what `{name}` answers, which the program does itself"));
            }
            _ if !program.mcp => {
                return Some(format!("it offers the tool `{name}`, which the program does not have"));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use transcript::Message;

    use super::*;
    use crate::tools::ToolSet;
    use crate::workspace::Tree;

    fn program(adapter: Adapter, protocol: Protocol, mcp: bool) -> Program {
        Program {
            adapter,
            run: vec!["agent".to_owned()],
            model: None,
            base_url: None,
            key_env: None,
            charter_file: "RULES.md".to_owned(),
            protocol,
            base_url_env: None,
            tools: vec!["search".to_owned()],
            mcp,
            read: Vec::new(),
        }
    }

    fn playable(steps: Vec<PlayStep>, tools: &serde_json::Value) -> Playable {
        let declared: Vec<ToolDecl> = serde_json::from_value(tools.clone()).unwrap();
        Playable {
            params: Map::new(),
            steps,
            tools: ToolSet::new(&declared).unwrap(),
            declared,
            specs: Vec::new(),
            files: std::sync::Arc::new(Tree::new()),
            checker: "x@1".to_owned(),
            case_sha256: String::new(),
        }
    }

    fn user(text: &str) -> PlayStep {
        PlayStep::Say { message: Message::text(Role::User, By::Script, text), omitted: false }
    }

    const REPLY: PlayStep = PlayStep::Reply { max_steps: 3 };

    #[test]
    fn scripts_of_users_alone_can_be_played() {
        let lines = program(Adapter::Command, Protocol::JsonLines, false);
        let why =
            |program: &Program, steps: Vec<PlayStep>| unsupported(program, &playable(steps, &json!([])));
        assert_eq!(why(&lines, vec![user("a"), REPLY, user("b"), REPLY]), None);
        let text = program(Adapter::Command, Protocol::Text, false);
        assert_eq!(why(&text, vec![user("a"), REPLY]), None);
        assert!(why(&text, vec![user("a"), REPLY, user("b"), REPLY]).unwrap().contains("more than one turn"));
        let seeded = Message::text(Role::Assistant, By::Script, "done");
        let seeded = PlayStep::Say { message: seeded, omitted: false };
        assert!(why(&lines, vec![user("a"), seeded, user("b"), REPLY]).unwrap().contains("of the assistant"));
        let omitted = PlayStep::Say { message: Message::text(Role::User, By::Script, "x"), omitted: true };
        assert!(why(&lines, vec![omitted, user("a"), REPLY]).unwrap().contains("leaves turns out"));
        assert!(why(&lines, vec![user("a"), user("b"), REPLY]).unwrap().contains("twice"));
        assert!(why(&lines, vec![REPLY]).unwrap().contains("without being spoken to"));
        let claude = program(Adapter::ClaudeCode, Protocol::Text, true);
        assert!(why(&claude, vec![user("/help me"), REPLY]).unwrap().contains("begin with `/`"));
    }

    #[test]
    fn tools_are_the_programs_own_or_can_be_offered() {
        let why = |program: &Program, tools: serde_json::Value| {
            unsupported(program, &playable(vec![user("a"), REPLY], &tools))
        };
        let lines = program(Adapter::Command, Protocol::JsonLines, false);
        assert_eq!(why(&lines, json!(["search"])), None);
        assert!(why(&lines, json!(["search", "deploy"])).unwrap().contains("`deploy`"));
        assert_eq!(
            why(&program(Adapter::Command, Protocol::JsonLines, true), json!(["search", "deploy"])),
            None
        );
        let text = program(Adapter::Command, Protocol::Text, true);
        assert!(why(&text, json!(["search"])).unwrap().contains("no call of one would be seen"));
        let codex = program(Adapter::Codex, Protocol::Text, true);
        assert_eq!(why(&codex, json!(["read_file", { "name": "run_tests", "answer": "ok" }])), None);
        let scripted = json!([{ "name": "read_file", "answer": "always this" }]);
        assert!(why(&codex, scripted).unwrap().contains("scripts what `read_file` answers"));
    }

    #[test]
    fn a_file_where_the_charter_goes_is_in_the_way() {
        let mut playable = playable(vec![user("a"), REPLY], &json!([]));
        let files = Tree::from([("RULES.md".to_owned(), b"own".as_slice().into())]);
        playable.files = std::sync::Arc::new(files);
        let lines = program(Adapter::Command, Protocol::JsonLines, false);
        assert!(unsupported(&lines, &playable).unwrap().contains("RULES.md of its own"));
    }
}
