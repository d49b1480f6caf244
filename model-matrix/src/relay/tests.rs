use std::sync::Mutex as StdMutex;

use super::*;
use crate::load::Load;

const CHARTER: &str = "# Charter\n\n1. Say the word.\n";

type Got = Arc<StdMutex<Vec<(String, HeaderMap)>>>;

/// An endpoint that answers every request with `reply` and keeps path and headers.
async fn endpoint(status: u16, reply: &'static str) -> (Url, Got) {
    let got = Got::default();
    let kept = Arc::clone(&got);
    let app = Router::new().fallback(move |request: Request| {
        kept.lock().unwrap().push((request.uri().to_string(), request.headers().clone()));
        async move { (StatusCode::from_u16(status).unwrap(), reply).into_response() }
    });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/base", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url.parse().unwrap(), got)
}

async fn relay(upstream: &Url) -> Relay {
    let charge = Charge::new(CHARTER, "End\nCANARY-ASH-3 stands below\n");
    let relay = Relay::start(upstream, "stand-in", Some("fake-key-1".into()), charge).await.unwrap();
    relay.expect("Say piano.");
    relay
}

async fn ask(relay: &Relay, path: &str, body: &Value) -> (u16, String) {
    let request = http::client().unwrap().post(format!("{}{path}", relay.base_url()));
    let response =
        request.header("authorization", "Bearer stand-in").body(body.to_string()).send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

fn asked(system: &str, tools: &Value) -> Value {
    json!({ "system": system, "messages": [{ "content": "Say piano." }], "tools": tools })
}

#[tokio::test]
async fn requests_pass_with_the_key_in_place_of_the_token_and_the_model_is_read_off() {
    let stream =
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m-1\"}}\n\n";
    let (upstream, got) = endpoint(200, stream).await;
    let relay = relay(&upstream).await;
    let answer = ask(&relay, "/v1/messages?beta=1", &asked(CHARTER, &json!([{ "name": "x" }]))).await;
    assert_eq!(answer, (200, stream.to_owned()));
    let (path, headers) = got.lock().unwrap()[0].clone();
    assert_eq!(path, "/base/v1/messages?beta=1");
    assert_eq!(headers["authorization"], "Bearer fake-key-1");
    let seen = relay.seen();
    assert_eq!((seen.load(), seen.models()), (Ok(Load::Verified), vec!["m-1".to_owned()]));
}

#[tokio::test]
async fn every_event_of_a_stream_is_asked_who_served_it() {
    let stream = "data: {\"model\":\"m-1\"}\n\ndata: {\"model\":\"m-1\"}\n\ndata: {\"model\":\"m-2\"}\n\ndata: [DONE]\n\n";
    let (upstream, _) = endpoint(200, stream).await;
    let relay = relay(&upstream).await;
    ask(&relay, "/v1/messages", &asked(CHARTER, &json!([]))).await;
    assert_eq!(relay.seen().models(), ["m-1", "m-2"]);
}

#[tokio::test]
async fn a_conversation_without_the_charter_is_missing_and_asides_do_not_count() {
    let (upstream, _) = endpoint(200, "{\"model\":\"m-2\"}").await;
    let relay = relay(&upstream).await;
    assert_eq!(relay.seen().load(), Err(Unseen::NoRequest));
    let tools = json!([{ "name": "x" }]);
    ask(&relay, "/v1", &asked("Find a title for this.", &json!([]))).await;
    ask(&relay, "/v1", &asked(CHARTER, &tools)).await;
    ask(&relay, "/v1", &json!({ "system": "count", "messages": [] })).await;
    assert_eq!(relay.seen().load(), Ok(Load::Verified));
    assert_eq!(relay.seen().models(), ["m-2"]);
    ask(&relay, "/v1", &asked("You are helpful.", &tools)).await;
    assert_eq!(relay.seen().load(), Ok(Load::Missing));
    ask(&relay, "/v1", &json!({ "system": "CANARY-ASH-3 stands below" })).await;
    assert_eq!(relay.seen().load(), Ok(Load::Leaked));
}

#[tokio::test]
async fn nobody_else_gets_through_and_refusals_are_seen() {
    let (upstream, got) = endpoint(401, "{}").await;
    let relay = relay(&upstream).await;
    let client = http::client().unwrap();
    let stranger = client.post(format!("{}/v1", relay.base_url())).header("x-api-key", "guess");
    assert_eq!(stranger.body("{}").send().await.unwrap().status(), 401);
    let elsewhere = client.get(format!("http://127.0.0.1:{}/admin", relay.port()));
    assert_eq!(elsewhere.header("x-api-key", "stand-in").send().await.unwrap().status(), 401);
    assert!(got.lock().unwrap().is_empty());
    ask(&relay, "/v1", &asked(CHARTER, &json!([]))).await;
    assert_eq!(relay.seen().refused(), Some(401));
    assert_eq!(got.lock().unwrap().len(), 1);
}

/// What the requests of a trial say: for each turn, those of its requests that are sent.
async fn load_of(turns: &[&[&Value]]) -> Result<Load, Unseen> {
    let (upstream, _) = endpoint(200, "{}").await;
    let relay = Relay::start(&upstream, "stand-in", None, Charge::new(CHARTER, "End\n")).await.unwrap();
    for requests in turns {
        relay.expect("Say piano.");
        for request in *requests {
            ask(&relay, "/v1", request).await;
        }
    }
    relay.seen().load()
}

#[tokio::test]
async fn every_turn_is_looked_at_whatever_the_others_did() {
    let (some, none) = (json!([{ "name": "x" }]), json!([]));
    let (good, bad) = (&asked(CHARTER, &some), &asked("You are helpful.", &some));
    let (plain_good, plain_bad) = (&asked(CHARTER, &none), &asked("You are helpful.", &none));
    assert_eq!(load_of(&[&[good], &[plain_good]]).await, Ok(Load::Verified));
    // Without tools it is no aside where nothing of its turn has tools.
    for [first, second] in [[plain_bad, good], [good, plain_bad], [bad, plain_good], [plain_good, bad]] {
        assert_eq!(load_of(&[&[first], &[second]]).await, Ok(Load::Missing), "{first} {second}");
    }
    // Beside one with tools it is, in whichever order they come.
    assert_eq!(load_of(&[&[plain_bad, good, plain_bad], &[good]]).await, Ok(Load::Verified));
    // Of a turn without a request that holds its words, nothing is known.
    let other = &json!({ "messages": [{ "content": "Sum it up." }] });
    assert_eq!(load_of(&[&[good], &[other]]).await, Err(Unseen::Turn(2)));
    assert_eq!(load_of(&[&[other], &[good]]).await, Err(Unseen::Turn(1)));
}

#[tokio::test]
async fn a_request_that_cannot_be_read_may_be_of_the_conversation() {
    let (upstream, _) = endpoint(200, "{}").await;
    let relay = relay(&upstream).await;
    let send = |encoding: &'static str, body: String| {
        let request = http::client().unwrap().post(format!("{}/v1", relay.base_url()));
        let request = request.header("authorization", "Bearer stand-in").header("content-encoding", encoding);
        async move { request.body(body).send().await.unwrap().status() }
    };
    let good = asked(CHARTER, &json!([]));
    send("identity", good.to_string()).await;
    assert_eq!(relay.seen().load(), Ok(Load::Verified));
    send("zstd", "(…)".to_owned()).await;
    send("identity", "--part--".to_owned()).await;
    assert_eq!(relay.seen().load(), Err(Unseen::Unreadable { unreadable: 2, requests: 3 }));
    // What is known to be bad stays so.
    send("identity", asked("You are helpful.", &json!([])).to_string()).await;
    assert_eq!(relay.seen().load(), Ok(Load::Missing));
}

#[tokio::test]
async fn who_served_an_aside_is_not_who_served_the_conversation() {
    // The reply is the request, and so names the model that was asked for.
    let app = Router::new().fallback(|body: String| async move { body });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let upstream: Url = format!("http://{}/base", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    let relay = relay(&upstream).await;
    let asking = |model: &str, tools: Value| {
        let mut body = asked(CHARTER, &tools);
        body["model"] = json!(model);
        body
    };
    ask(&relay, "/v1", &asking("m-small", json!([]))).await;
    assert_eq!(relay.seen().models(), ["m-small"]);
    ask(&relay, "/v1", &asking("m-large", json!([{ "name": "x" }]))).await;
    ask(&relay, "/v1", &asking("m-small", json!([]))).await;
    assert_eq!(relay.seen().models(), ["m-large"]);
    // A turn without tools is none the less one, and its model stays on record.
    relay.expect("Say piano.");
    ask(&relay, "/v1", &asking("m-small", json!([]))).await;
    assert_eq!(relay.seen().models(), ["m-large", "m-small"]);
}
