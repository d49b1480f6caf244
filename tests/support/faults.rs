//! An endpoint that goes wrong on purpose, byte by byte. Tests of several crates use it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one connection, in order.
#[derive(Clone)]
pub enum Act {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Does nothing for a while.
    Wait(Duration),
    /// Ends the connection with a reset instead of a proper end.
    Reset,
}

/// Sends text.
pub fn send(text: impl Into<Vec<u8>>) -> Act {
    Act::Send(text.into())
}

/// A server with one list of acts for each connection; after the last list it goes on with that one.
#[derive(Clone)]
pub struct FaultServer {
    pub url: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl FaultServer {
    /// Starts it.
    pub async fn start(lists: Vec<Vec<Act>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = Self { url, connections: Arc::default(), requests: Arc::default() };
        let shared = server.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let index = shared.connections.fetch_add(1, Ordering::Relaxed).min(lists.len() - 1);
                let (acts, shared) = (lists[index].clone(), shared.clone());
                tokio::spawn(async move { shared.serve(stream, acts).await });
            }
        });
        server
    }

    async fn serve(&self, mut stream: TcpStream, acts: Vec<Act>) {
        let request = read_request(&mut stream).await;
        self.requests.lock().unwrap().push(request);
        for act in acts {
            match act {
                // The client may be gone already, which is its right.
                Act::Send(bytes) => drop(stream.write_all(&bytes).await),
                Act::Wait(time) => tokio::time::sleep(time).await,
                Act::Reset => stream.set_zero_linger().unwrap(),
            }
        }
    }

    /// How many requests came.
    pub fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The bodies of the requests that came.
    pub fn bodies(&self) -> Vec<serde_json::Value> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .map(|request| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap())
            .collect()
    }

    /// The heads of the requests that came, in lower case.
    pub fn heads(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests
            .iter()
            .map(|request| request.split_once("\r\n\r\n").unwrap().0.to_ascii_lowercase())
            .collect()
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return format!("{text}\r\n\r\n"),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// The head of a response whose end is the connection's.
pub fn head(status: &str, headers: &str) -> Act {
    send(format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n"))
}

/// A whole response.
pub fn response(status: &str, headers: &str, body: &str) -> Vec<Act> {
    let length = body.len();
    vec![
        head(status, &format!("content-type: application/json\r\ncontent-length: {length}\r\n{headers}")),
        send(body),
    ]
}

/// The head of a stream in chunks: without the last chunk, its end is no end.
pub fn stream_head() -> Act {
    head("200 OK", "content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n")
}

/// One chunk.
pub fn chunk(text: &str) -> Act {
    send(format!("{:x}\r\n{text}\r\n", text.len()))
}

/// The last chunk.
pub fn last_chunk() -> Act {
    send("0\r\n\r\n")
}
