use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;
use transcript::{Change, ToolCall};

use super::*;
use crate::tools::ToolDecl;

fn user(text: &str) -> PlayStep {
    PlayStep::Say { message: Message::text(Role::User, By::Script, text), omitted: false }
}

fn turn(max_steps: u32) -> PlayStep {
    PlayStep::Reply { max_steps }
}

fn reply(text: &str, stop: StopReason, calls: &[(&str, &str, Value)]) -> Reply {
    let mut message = Message::text(Role::Assistant, By::Script, text);
    message.tool_calls = calls
        .iter()
        .map(|(id, name, arguments)| ToolCall {
            id: (*id).to_owned(),
            name: (*name).to_owned(),
            arguments: arguments.clone(),
        })
        .collect();
    let usage = Some(Usage { input: 10, output: 2, ..Usage::default() });
    let served = Served { model: Some("m".to_owned()), ..Served::default() };
    Reply { message, stop, usage, served, retries: 1, fault: None }
}

fn said(text: &str) -> Reply {
    reply(text, StopReason::Stop, &[])
}

/// Plays against fixed answers; also returns how many messages each request held.
fn run(steps: &[PlayStep], answers: Vec<Result<Reply, Failure>>) -> (Transcript, Vec<usize>) {
    let decls = ["read_file", "edit_file"].map(|name| ToolDecl::Standard(name.to_owned()));
    let tools = ToolSet::new(&decls).unwrap();
    let base = [("a".to_owned(), Arc::from(&b"one two"[..]))].into_iter().collect();
    let mut answers = VecDeque::from(answers);
    let mut lengths = Vec::new();
    let ask = |messages: &[Message], turn: usize| {
        assert_eq!(turn, lengths.len());
        lengths.push(messages.len());
        answers.pop_front().expect("the script asks no more than it has answers for")
    };
    let workspace = Workspace::new(Arc::new(base));
    let played = play(Transcript::new("t", "X"), steps, &tools, workspace, ask);
    let transcript = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(played);
    (transcript, lengths)
}

fn error_kind(transcript: &Transcript) -> Option<&str> {
    transcript.error.as_ref().map(|error| error.kind.as_str())
}

#[test]
fn calls_run_in_order_and_their_results_go_back() {
    let steps = [user("rename"), turn(5), user("thanks"), turn(1)];
    let edit = |old: &str, new: &str| json!({ "path": "a", "old": old, "new": new });
    let (transcript, lengths) = run(
        &steps,
        vec![
            Ok(reply(
                "",
                StopReason::ToolCalls,
                &[("1", "edit_file", edit("one", "two")), ("", "edit_file", edit("two", "three"))],
            )),
            Ok(reply(
                "",
                StopReason::Stop,
                &[
                    ("3", "read_file", json!({ "path": "a" })),
                    ("4", "nothing", json!("{")),
                    ("5", "read_file", json!("{")),
                ],
            )),
            Ok(said("done")),
            Ok(said("welcome")),
        ],
    );
    assert_eq!(transcript.error, None);
    assert_eq!(lengths, [1, 4, 8, 10]);
    let results: Vec<_> = transcript.messages.iter().filter(|message| message.role == Role::Tool).collect();
    let shown: Vec<_> = results
        .iter()
        .map(|message| (message.tool_call_id.as_deref().unwrap(), message.content.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("1", "edited a (1 replacement)"),
            ("call-1-2", "edited a (2 replacements)"),
            ("3", "three three"),
            ("4", "error: unknown tool: nothing; available: read_file, edit_file"),
            ("5", "error: arguments are not a JSON object: {"),
        ]
    );
    assert!(
        transcript.messages.iter().all(|message| message.role != Role::Assistant || message.by == By::Model)
    );
    let changes = transcript.workspace.as_ref().unwrap();
    assert_eq!((changes[0].path.as_str(), changes[0].change), ("a", Change::Modified));
    assert_eq!(transcript.usage, Some(Usage { input: 40, output: 8, ..Usage::default() }));
    assert_eq!(
        (transcript.served.len(), transcript.retries, transcript.stop),
        (4, Some(4), Some(StopReason::Stop))
    );
    assert_eq!(transcript.tools, [json!("read_file"), json!("edit_file")]);
}

#[test]
fn a_loop_without_end_is_an_error_and_stays_well_formed() {
    let again = || Ok(reply("", StopReason::ToolCalls, &[("1", "read_file", json!({ "path": "a" }))]));
    let (transcript, lengths) = run(&[user("go"), turn(2), user("more"), turn(2)], vec![again(), again()]);
    assert_eq!(error_kind(&transcript), Some("step-limit"));
    assert_eq!(transcript.stop, Some(StopReason::StepLimit));
    assert_eq!(lengths, [1, 3]);
    assert_eq!(transcript.messages.last().unwrap().role, Role::Tool, "the last call has its result");
}

#[test]
fn what_is_no_answer_ends_the_trial_and_is_kept() {
    let call = [("1", "edit_file", json!({ "path": "a", "old": "one", "new": "x" }))];
    for (answer, kind) in [
        (reply("half a sent", StopReason::Length, &[]), "reply-cut"),
        (reply("", StopReason::Length, &call), "reply-cut"),
        (reply("", StopReason::ContentFilter, &[]), "content-filter"),
        (reply(" \n", StopReason::Stop, &[]), "bad-reply"),
        (reply("text", StopReason::ToolCalls, &[]), "bad-reply"),
    ] {
        let (transcript, _) = run(&[user("go"), turn(3), user("more"), turn(3)], vec![Ok(answer.clone())]);
        assert_eq!(error_kind(&transcript), Some(kind));
        assert_eq!(transcript.stop, Some(answer.stop));
        assert_eq!(transcript.messages.len(), 2, "the reply is kept, and nothing follows it");
        assert_eq!(transcript.messages[1].content, answer.message.content);
        assert_eq!(transcript.workspace, Some(Vec::new()), "a call that was cut is not run");
    }
}

#[test]
fn a_refusal_is_an_answer() {
    let (transcript, _) = run(&[user("go"), turn(3)], vec![Ok(reply("", StopReason::Refusal, &[]))]);
    assert_eq!((error_kind(&transcript), transcript.stop), (None, Some(StopReason::Refusal)));
}

#[test]
fn a_failure_keeps_what_was_said_before() {
    let failure = Failure { error: error("timeout", "no answer in 60 s".to_owned()), retries: 3 };
    let (transcript, _) =
        run(&[user("a"), turn(1), user("b"), turn(1), user("c")], vec![Ok(said("hello")), Err(failure)]);
    assert_eq!(error_kind(&transcript), Some("timeout"));
    assert_eq!(transcript.messages.len(), 3);
    assert_eq!(transcript.retries, Some(4));
}

#[test]
fn omitted_turns_are_recorded_but_never_submitted() {
    let hidden = PlayStep::Say { message: Message::text(Role::User, By::Script, "the task"), omitted: true };
    let (transcript, lengths) = run(&[hidden, user("go on"), turn(1)], vec![Ok(said("with what?"))]);
    assert_eq!(lengths, [1]);
    assert!(transcript.messages.iter().all(|message| message.content != "the task"));
    assert_eq!(transcript.extra[OMITTED][0]["content"], "the task");
    let mut line = Vec::new();
    transcript::jsonl::write(&mut line, &transcript).unwrap();
    let line = transcript::jsonl::Lines::new(&line[..]).next().unwrap().unwrap();
    assert_eq!(transcript::jsonl::parse(&line).unwrap(), transcript);
}

#[test]
fn a_trial_can_be_spawned() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let trial = async {
        let tools = ToolSet::default();
        let ask = |messages: &[Message], _: usize| Ok(said(&messages[0].content));
        play(Transcript::new("t", "X"), &[user("echo"), turn(1)], &tools, Workspace::new(Arc::default()), ask)
            .await
    };
    let transcript = runtime.block_on(runtime.spawn(trial)).unwrap();
    assert_eq!(transcript.messages[1].content, "echo");
}
