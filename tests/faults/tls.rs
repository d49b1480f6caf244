//! Endpoints that cannot be reached, or not in confidence: nothing is sent to them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection};

use crate::support::Project;

/// Runs one trial against `url`; gives the recorded error's kind, message and repeats.
fn tried(url: &str) -> (String, String, Option<u64>) {
    let project = Project::new();
    project.matrix("openai-chat", &[url.to_owned()], "    limits: { retries: 1 }\n    key_env: FAKE_KEY\n");
    let mut command = project.command(&["run", "--out", "r", "--concurrency", "1", "--trials", "1"]);
    let output = command.env("FAKE_KEY", "fake-key-0123456789").output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let line = project.lines("r/transcripts.jsonl").remove(0);
    let text = |field: &str| line["error"][field].as_str().unwrap().to_owned();
    assert!(String::from_utf8_lossy(&output.stdout).contains(&text("message")));
    (text("kind"), text("message"), line["retries"].as_u64())
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let (kind, message, retries) = tried(&url);
    assert_eq!((kind.as_str(), retries), ("connect", Some(1)));
    assert!(message.contains("cannot be reached") && message.contains("refused"), "{message}");
}

#[test]
fn plain_text_in_answer_to_tls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n");
        let mut got = Vec::new();
        let _ = stream.read_to_end(&mut got);
        got
    });
    let (kind, message, retries) = tried(&url);
    assert_eq!((kind.as_str(), retries), ("connect", None), "{message}");
    assert!(message.contains("should `base_url` start with http://?"), "{message}");
    assert!(!String::from_utf8_lossy(&server.join().unwrap()).contains("fake-key"));
}

#[test]
fn a_certificate_that_nobody_vouches_for() {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let (tell, heard) = mpsc::channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut connection = ServerConnection::new(Arc::new(config)).unwrap();
        let mut tls = rustls::Stream::new(&mut connection, &mut stream);
        let mut got = Vec::new();
        let outcome = tls.read_to_end(&mut got);
        tell.send((got, outcome.is_err())).unwrap();
    });
    let (kind, message, retries) = tried(&url);
    assert_eq!((kind.as_str(), retries), ("connect", None), "{message}");
    assert!(message.contains("must be signed by a public authority"), "{message}");
    assert_eq!(heard.recv().unwrap(), (Vec::new(), true), "not one byte of the request");
}
