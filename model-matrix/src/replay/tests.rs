use std::path::Path;

use serde_json::json;
use transcript::{By, Message, Role};

use super::*;
use crate::exchange::{Exchange, Reply, SubjectError};
use crate::{ErrorKind, Matrix, RetryPolicy, Subject, Subjects};

const MATRIX: &str = "
models:
  - { id: chat, role: control, provider: replay, trace: exemplar, wire: openai-chat, expect: pass }
  - { id: messages, role: control, provider: replay, trace: naive, wire: anthropic, expect: fail }
  - { id: chat-streamed, role: control, provider: replay, trace: exemplar, wire: openai-chat, stream: true }
  - { id: messages-streamed, role: control, provider: replay, trace: naive, wire: anthropic, stream: true }
  - { id: responses, role: control, provider: replay, trace: exemplar, wire: openai-responses }
  - { id: responses-streamed, role: control, provider: replay, trace: exemplar, wire: openai-responses, stream: true }
  - { id: gemini, role: control, provider: replay, trace: exemplar, wire: gemini }
  - { id: gemini-streamed, role: control, provider: replay, trace: exemplar, wire: gemini, stream: true }
";

async fn start() -> (ReplayServer, Subjects) {
    let server = ReplayServer::start().await.unwrap();
    let matrix = Matrix::parse(Path::new("m.yaml"), MATRIX.as_bytes()).unwrap();
    let url = server.base_url();
    let subjects = Subjects::connect(&matrix.models, |_| None, Some(&url), RetryPolicy::default()).unwrap();
    (server, subjects)
}

fn says(content: &str) -> RecordedTurn {
    RecordedTurn { content: content.to_owned(), tool_calls: Vec::new(), stop: None }
}

fn calls(content: &str, arguments: &[serde_json::Value]) -> RecordedTurn {
    let call = |arguments: &serde_json::Value| ToolCall {
        id: String::new(),
        name: "search".to_owned(),
        arguments: arguments.clone(),
    };
    RecordedTurn { content: content.to_owned(), tool_calls: arguments.iter().map(call).collect(), stop: None }
}

fn user(text: &str) -> Message {
    Message::text(Role::User, By::Script, text)
}

async fn ask(
    subject: &Subject,
    trial: &str,
    turn: usize,
    messages: &[Message],
) -> Result<Reply, SubjectError> {
    subject.reply(&Exchange { messages, tools: &[], trial, turn }).await
}

async fn refusal(subject: &Subject, trial: &str, turn: usize, messages: &[Message]) -> String {
    let error = ask(subject, trial, turn, messages).await.unwrap_err();
    assert_eq!((error.kind, error.retries), (ErrorKind::HttpStatus, 0), "{error}");
    error.message
}

#[tokio::test]
async fn a_trial_with_a_tool_loop_in_all_formats() {
    let (server, subjects) = start().await;
    for subject in subjects.iter() {
        let trial = subject.model().id.as_str();
        let turns = vec![
            calls(
                "Looking.",
                &[json!({"q": "a"}), json!("{broken"), json!([7]), json!(null), json!("{\"n\": 1}")],
            ),
            says("Found."),
            says(""),
        ];
        server.register(trial, turns);
        let mut messages = vec![Message::text(Role::System, By::Script, "Be terse."), user("Find a.")];
        // A seeded reply is none of the subject's.
        messages.extend([Message::text(Role::Assistant, By::Script, "Found."), user("Again.")]);

        let first = ask(subject, trial, 0, &messages).await.unwrap();
        assert_eq!(first.stop, StopReason::ToolCalls);
        assert_eq!(first.served.model, Some(subject.model().provider.requested_model()));
        assert!(first.usage.is_some_and(|usage| usage.input > 0 && usage.output > 0));
        assert!(first.malformed.len() >= 2, "{:?}", first.malformed);
        let calls = first.message.tool_calls.clone();
        assert_eq!((calls[0].id.as_str(), &calls[1].arguments), ("call_0_0", &json!("{broken")));
        messages.push(first.message);
        messages.push(Message::tool_result(&calls[0], "a.txt:1", false));
        messages.extend(calls[1..].iter().map(|call| Message::tool_result(call, "bad arguments", true)));

        let second = ask(subject, trial, 1, &messages).await.unwrap();
        assert_eq!((second.message.content.as_str(), second.stop), ("Found.", StopReason::Stop));
        messages.extend([second.message, user("And?")]);
        let third = ask(subject, trial, 2, &messages).await.unwrap();
        assert_eq!((third.message.content.as_str(), third.stop), ("", StopReason::Stop));
        messages.extend([third.message, user("And?")]);
        assert!(
            refusal(subject, trial, 3, &messages)
                .await
                .contains("the trace has no turn 4: it ends after 3 turns")
        );
    }
    assert_eq!(server.requests(), 32);
}

#[tokio::test]
async fn a_conversation_that_is_not_the_recorded_one_is_refused() {
    let (server, subjects) = start().await;
    for subject in subjects.iter() {
        let trial = subject.model().id.as_str();
        assert!(refusal(subject, trial, 0, &[user("q")]).await.contains("no trial"));
        server.register(trial, vec![calls("Looking.", &[json!({"q": "a"})]), says("Found.")]);
        let first = ask(subject, trial, 0, &[user("q")]).await.unwrap().message;
        let result = Message::tool_result(&first.tool_calls[0], "a.txt:1", false);

        let lost = refusal(subject, trial, 1, &[user("q")]).await;
        assert!(lost.contains("does not carry the reply of turn 1"), "{lost}");
        let unanswered = refusal(subject, trial, 1, &[user("q"), first.clone()]).await;
        assert!(unanswered.contains("`call_0_0` has no result"), "{unanswered}");
        let late = [user("q"), first.clone(), user("well?"), result.clone()];
        // In the Anthropic format both are in one turn of the user's.
        if subject.model().provider.wire() == Some(Wire::OpenaiChat) {
            assert!(refusal(subject, trial, 1, &late).await.contains("has no result"));
        }
        let twice = [user("q"), first.clone(), result.clone(), result.clone()];
        assert!(refusal(subject, trial, 1, &twice).await.contains("answers no open tool call"));
        for change in [
            |message: &mut Message| message.content.push('!'),
            |message: &mut Message| message.tool_calls[0].arguments = json!({"q": "b"}),
            |message: &mut Message| message.tool_calls[0].name = "read_file".to_owned(),
        ] {
            let mut changed = first.clone();
            // Raw parts go back as they came, whatever stands beside them.
            changed.extra.clear();
            change(&mut changed);
            let changed = refusal(subject, trial, 1, &[user("q"), changed, result.clone()]).await;
            assert!(changed.contains("does not carry"), "{changed}");
        }
        assert!(ask(subject, trial, 1, &[user("q"), first, result]).await.is_ok());
        server.forget(trial);
        assert!(refusal(subject, trial, 0, &[user("q")]).await.contains("no trial"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_trials_at_once_keep_apart() {
    let (server, subjects) = start().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..200 {
        let subject = Arc::clone(subjects.iter().nth(number % 8).unwrap());
        let trial = format!("trial/é/{number}");
        server.register(&trial, vec![calls("", &[json!({"n": number})]), says(&format!("answer {number}"))]);
        tasks.spawn(async move {
            let mut messages = vec![user("q")];
            let first = ask(&subject, &trial, 0, &messages).await.unwrap().message;
            let result = Message::tool_result(&first.tool_calls[0], "ok", false);
            messages.extend([first, result]);
            let last = ask(&subject, &trial, 1, &messages).await.unwrap();
            (number, messages[1].tool_calls[0].arguments.clone(), last)
        });
    }
    let mut done = 0;
    while let Some(outcome) = tasks.join_next().await {
        let (number, arguments, last) = outcome.unwrap();
        assert_eq!(arguments, json!({"n": number}));
        assert_eq!((last.message.content, last.retries), (format!("answer {number}"), 0));
        done += 1;
    }
    assert_eq!((done, server.requests()), (200, 400));
}

#[tokio::test]
async fn a_long_conversation_is_no_problem() {
    let (server, subjects) = start().await;
    let subject = subjects.get("chat").unwrap();
    server.register("long", vec![says("ok")]);
    let long = [user(&"x".repeat(5 << 20))];
    assert_eq!(ask(subject, "long", 0, &long).await.unwrap().message.content, "ok");
}

#[tokio::test]
async fn recorded_reasons_for_ending_are_played() {
    let (server, subjects) = start().await;
    for subject in subjects.iter() {
        for stop in [StopReason::Length, StopReason::Refusal, StopReason::Stop] {
            server.register("t", vec![RecordedTurn { stop: Some(stop), ..says("Half an") }]);
            let reply = ask(subject, "t", 0, &[user("q")]).await.unwrap();
            // Gemini has no channel for refusals; what is withheld is the closest to it.
            let withheld =
                subject.model().provider.wire() == Some(Wire::Gemini) && stop == StopReason::Refusal;
            let stop = if withheld { StopReason::ContentFilter } else { stop };
            assert_eq!((reply.stop, reply.message.content.as_str()), (stop, "Half an"));
        }
    }
}

#[tokio::test]
async fn a_request_that_does_not_say_who_asks_is_refused() {
    let (server, _) = start().await;
    server.register("t", vec![says("ok")]);
    let client = crate::http::client().unwrap();
    let good = r#"{"model": "m", "messages": [{"role": "user", "content": "q"}]}"#;
    for (headers, body, problem) in [
        (vec![], good, "x-assize-trial is missing"),
        (vec![(TRIAL_HEADER, "t")], good, "x-assize-turn is missing"),
        (vec![(TRIAL_HEADER, "t"), (TURN_HEADER, "-1")], good, "x-assize-turn is missing or no number"),
        (vec![(TRIAL_HEADER, "t"), (TURN_HEADER, "0")], "{}", "missing field"),
        (vec![(TRIAL_HEADER, "t"), (TURN_HEADER, "0")], "", "the body is empty"),
    ] {
        for path in ["chat/completions", "messages"] {
            let mut request = client.post(format!("{}/{path}", server.base_url())).body(body);
            for (name, value) in &headers {
                request = request.header(*name, *value);
            }
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 400, "{problem}");
            let said = crate::wire::error_message(&response.bytes().await.unwrap());
            assert!(said.contains(problem), "{problem}: {said}");
        }
    }
}
