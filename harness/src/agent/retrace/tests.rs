use serde_json::json;
use transcript::ToolCall;

use super::*;
use crate::tools::ToolDecl;

fn say(role: Role, by: By, text: &str) -> Message {
    Message::text(role, by, text)
}

fn script() -> Vec<PlayStep> {
    let user = |text: &str| PlayStep::Say { message: say(Role::User, By::Script, text), omitted: false };
    vec![user("one"), PlayStep::Reply { max_steps: 9 }, user("two"), PlayStep::Reply { max_steps: 9 }]
}

#[test]
fn the_script_is_found_with_the_programs_words_between() {
    let user = |text: &str| say(Role::User, By::Script, text);
    let model = |text: &str| say(Role::Assistant, By::Model, text);
    let tool = say(Role::Tool, By::Tool, "out");
    let good = [user("one"), model("a"), tool.clone(), model("b"), user("two"), model("c")];
    assert_eq!(conversation(&good, &script()), None);
    let faults = [
        (vec![user("other"), model("a"), user("two"), model("c")], "message 0 is not what"),
        (vec![user("one"), model("a"), user("more"), user("two"), model("c")], "message 2 is not what"),
        (vec![user("one"), tool, user("two"), model("c")], "a turn of the subject is missing"),
        (vec![user("one"), model("a")], "ends before"),
        (vec![user("one"), model("a"), user("two"), model("c"), user("three")], "message 4 is not in"),
    ];
    for (messages, expected) in faults {
        let found = conversation(&messages, &script()).unwrap_or_default();
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn what_the_cases_tools_answered_is_derived_again() {
    let decls: Vec<ToolDecl> =
        serde_json::from_value(json!([{ "name": "run_tests", "answer": "4 passed" }])).unwrap();
    let tools = ToolSet::new(&decls).unwrap();
    let call = |name: &str| ToolCall { id: "c".to_owned(), name: name.to_owned(), arguments: json!({}) };
    let called = |name: &str, answer: &str, is_error: bool| {
        let mut message = say(Role::Assistant, By::Model, "");
        message.tool_calls.push(call(name));
        [message, Message::tool_result(&call(name), answer, is_error)]
    };
    assert_eq!(answers(&called("run_tests", "4 passed\n", false), &tools), None);
    assert_eq!(answers(&called("run_command", "anything", false), &tools), None);
    assert_eq!(answers(&called("run_tests", "the user refused", true), &tools), None);
    let found = answers(&called("run_tests", "5 passed", false), &tools).unwrap();
    assert!(found.contains("message 1 is not what the case's tool `run_tests` answers"), "{found}");
}
