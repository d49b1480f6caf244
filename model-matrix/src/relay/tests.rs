use std::sync::Mutex as StdMutex;

use super::*;

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
    assert_eq!((seen.load(), seen.models), (Some(Load::Verified), vec!["m-1".to_owned()]));
}

#[tokio::test]
async fn every_event_of_a_stream_is_asked_who_served_it() {
    let stream = "data: {\"model\":\"m-1\"}\n\ndata: {\"model\":\"m-1\"}\n\ndata: {\"model\":\"m-2\"}\n\ndata: [DONE]\n\n";
    let (upstream, _) = endpoint(200, stream).await;
    let relay = relay(&upstream).await;
    ask(&relay, "/v1/messages", &asked(CHARTER, &json!([]))).await;
    assert_eq!(relay.seen().models, ["m-1", "m-2"]);
}

#[tokio::test]
async fn a_conversation_without_the_charter_is_missing_and_asides_do_not_count() {
    let (upstream, _) = endpoint(200, "{\"model\":\"m-2\"}").await;
    let relay = relay(&upstream).await;
    assert_eq!(relay.seen().load(), None);
    let tools = json!([{ "name": "x" }]);
    ask(&relay, "/v1", &asked("Find a title for this.", &json!([]))).await;
    ask(&relay, "/v1", &asked(CHARTER, &tools)).await;
    ask(&relay, "/v1", &json!({ "system": "count", "messages": [] })).await;
    assert_eq!(relay.seen().load(), Some(Load::Verified));
    assert_eq!(relay.seen().models, ["m-2"]);
    ask(&relay, "/v1", &asked("You are helpful.", &tools)).await;
    assert_eq!(relay.seen().load(), Some(Load::Missing));
    ask(&relay, "/v1", &json!({ "system": "CANARY-ASH-3 stands below" })).await;
    assert_eq!(relay.seen().load(), Some(Load::Leaked));
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
    assert_eq!(relay.seen().refused, Some(401));
    assert_eq!(got.lock().unwrap().len(), 1);
}
