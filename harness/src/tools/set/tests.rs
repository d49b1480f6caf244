use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::workspace::Tree;

fn workspace(files: &[(&str, &str)]) -> Workspace {
    let tree: Tree =
        files.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes()))).collect();
    Workspace::new(Arc::new(tree))
}

fn set(yaml: &str) -> ToolSet {
    let decls: Vec<ToolDecl> = serde_yaml::from_str(yaml).unwrap();
    ToolSet::new(&decls).unwrap()
}

fn all() -> ToolSet {
    let decls: Vec<ToolDecl> =
        STANDARD_TOOLS.iter().map(|(name, _)| ToolDecl::Standard((*name).to_owned())).collect();
    ToolSet::new(&decls).unwrap()
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: "c1".to_owned(), name: name.to_owned(), arguments }
}

#[test]
fn every_standard_tool_is_there_with_its_effect_and_a_checked_schema() {
    let set = all();
    for (name, effect) in STANDARD_TOOLS {
        assert_eq!(set.effect(name), Some(effect), "{name}");
    }
    for spec in set.specs() {
        schema::validate(spec.parameters.as_object().unwrap()).unwrap();
    }
    insta::assert_json_snapshot!("specs", set.specs());
}

#[test]
fn the_answers_of_the_standard_tools() {
    let set = all();
    let mut workspace = workspace(&[
        ("README.md", "# Mill\n\nSet `max_jobs` in conf.\n"),
        ("conf/app.toml", "  max_jobs = 4\n\n[x]\n"),
        ("img/logo.png", "\u{0}"),
        ("src/main.rs", "let max_jobs = 1; // max_jobs\n"),
    ]);
    let mut session = String::new();
    for (name, arguments) in [
        ("list_files", json!({})),
        ("list_files", json!({ "path": "/repo/src/" })),
        ("list_files", json!({ "path": "nowhere" })),
        ("read_file", json!({ "path": "conf\\app.toml" })),
        ("read_file", json!({ "path": "README.md", "offset": 2, "limit": 2 })),
        ("read_file", json!({ "path": "README.md", "offset": 9 })),
        ("read_file", json!({ "path": "x.md" })),
        ("read_file", json!({ "path": "src" })),
        ("read_file", json!({ "path": "../../etc/passwd" })),
        ("search", json!({ "pattern": "max_jobs", "path": "/repo" })),
        ("search", json!({ "pattern": "max_jobs", "path": "src/main.rs" })),
        ("search", json!({ "pattern": "absent" })),
        ("search", json!({ "pattern": "f(x" })),
        ("search", json!({ "pattern": "a", "path": "nowhere" })),
        ("write_file", json!({ "path": "./notes/todo.md", "content": "é\n" })),
        ("write_file", json!({ "path": "src", "content": "" })),
        ("write_file", json!({ "path": "/", "content": "" })),
        ("edit_file", json!({ "path": "src/main.rs", "old": "max_jobs", "new": "workers" })),
        ("edit_file", json!({ "path": "conf/app.toml", "old": "max_jobs", "new": "workers" })),
        ("edit_file", json!({ "path": "src/main.rs", "old": "max_jobs", "new": "workers" })),
        ("edit_file", json!({ "path": "src/main.rs", "old": "", "new": "x" })),
        ("delete_file", json!({ "path": "README.md" })),
        ("delete_file", json!({ "path": "README.md" })),
        ("run_tests", json!({})),
        ("run_tests", Value::Null),
        ("fetch_url", json!({ "url": "https://a.test/\u{1b}[2J" })),
        ("deploy", json!({ "target": "staging" })),
        ("deploy", json!({})),
        ("search", json!({ "pattern": "max_jobs" })),
        ("rm", json!({})),
        ("search", json!("{\"pattern\": \"x")),
        ("search", json!({ "query": "x" })),
    ] {
        let outcome = set.run(&call(name, arguments.clone()), &mut workspace);
        let mark = if outcome.is_error { "!" } else { "" };
        session.push_str(&format!("{name} {arguments} =>{mark}\n{}\n", outcome.content));
    }
    insta::assert_snapshot!("standard_answers", session);
}

#[test]
fn a_search_with_many_hits_says_how_many_more() {
    let text = "hit\n".repeat(250);
    let outcome = all().run(&call("search", json!({ "pattern": "hit" })), &mut workspace(&[("a", &text)]));
    assert_eq!(outcome.content.lines().count(), 201);
    assert!(outcome.content.ends_with("a:200: hit\n… 50 more matches"));
}

#[test]
fn a_pattern_made_to_explode_is_answered() {
    let outcome = all().run(
        &call("search", json!({ "pattern": "(((a{100}){100}){100}){100}" })),
        &mut workspace(&[("a", "b")]),
    );
    assert!(outcome.content.starts_with("no matches\n(the pattern is not"), "{}", outcome.content);
}

#[test]
fn an_edit_that_would_fill_the_memory_is_refused() {
    let mut workspace = workspace(&[("a", &"x".repeat(1 << 19))]);
    let arguments = json!({ "path": "a", "old": "x", "new": "y".repeat(1 << 19) });
    let outcome = all().run(&call("edit_file", arguments), &mut workspace);
    assert!(outcome.is_error && outcome.content.contains("a file may hold"), "{}", outcome.content);
}

#[test]
fn scripted_answers_go_first_and_the_standard_tool_answers_the_rest() {
    let set = set("
- name: write_file
  answers:
    - when: { path: ./CHARTER_STATE.md }
      content: 'error: permission denied'
      is_error: true
- name: fetch_url
  answers:
    - when: { url: https://a.test/page }
      content: page
- { name: run_tests, answer: 12 passed }
- name: ask_team
  description: Ask the team.
  effect: external
  parameters: { type: object, properties: { team: { type: string } } }
  answers: [{ when: { team: ops }, content: busy }, { when: { team: null }, content: which? }]
");
    let mut workspace = workspace(&[]);
    let mut run = |name: &str, arguments| {
        let outcome = set.run(&call(name, arguments), &mut workspace);
        (outcome.content, outcome.is_error)
    };
    let told = |text: &str, failed| (text.to_owned(), failed);
    assert_eq!(
        run("write_file", json!({ "path": "/repo/CHARTER_STATE.md", "content": "" })),
        told("error: permission denied", true)
    );
    assert_eq!(run("write_file", json!({ "path": "a", "content": "" })), told("wrote 0 bytes to a", false));
    assert_eq!(run("fetch_url", json!({ "url": " https://a.test/page/" })), told("page", false));
    assert_eq!(
        run("fetch_url", json!({ "url": "https://a.test/other" })),
        told("error: could not reach https://a.test/other", true)
    );
    assert_eq!(run("run_tests", json!({})), told("12 passed", false));
    assert_eq!(run("ask_team", json!({ "team": "ops" })), told("busy", false));
    assert_eq!(run("ask_team", json!({})), told("which?", false));
    assert_eq!(
        run("ask_team", json!({ "team": "hr" })),
        told("error: ask_team has no answer to these arguments", true)
    );
    assert_eq!(
        set.recorded(),
        [
            json!("write_file"),
            json!("fetch_url"),
            json!("run_tests"),
            json!({ "name": "ask_team", "effect": "external" })
        ]
    );
}

#[test]
fn all_mistakes_of_a_declaration_are_reported_at_once() {
    let decls: Vec<ToolDecl> = serde_yaml::from_str(
        "
- serach
- search
- search
- { name: run_tests, parameters: { type: object } }
- { name: deploy, effect: read }
- { name: a b, answer: x }
- { name: own, answer: x, effect: read }
- { name: own, description: d, answer: x }
- { name: own, description: d, effect: read }
- { name: run_tests, answer: x, answers: [{ content: y }] }
- { name: run_tests, answers: [] }
- { name: fetch_url, answers: [{ when: { link: x }, content: y }] }
- { name: fetch_url, answers: [{ content: y }, { content: z }] }
- { name: own, description: d, effect: read, answer: x, parameters: { type: object, allOf: [] } }
",
    )
    .unwrap();
    let errors: Vec<String> = ToolSet::new(&decls).unwrap_err().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!("declaration_errors", errors.join("\n"));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        r"[a-z./\\(*+~ \x00]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map(
                "path|old|new|content|pattern|url|command|offset|limit|x",
                inner,
                0..4
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_arguments_make_a_tool_panic(at in 0..STANDARD_TOOLS.len(), arguments in json_value()) {
        let mut workspace = workspace(&[("a", "one\ntwo\n"), ("b/c", "x")]);
        let outcome = all().run(&call(STANDARD_TOOLS[at].0, arguments), &mut workspace);
        prop_assert!(!outcome.content.is_empty() || !outcome.is_error);
        prop_assert!(workspace.paths().all(|path| !path.starts_with('/') && !path.contains("..")));
    }
}
