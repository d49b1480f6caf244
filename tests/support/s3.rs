//! A small store that speaks as much of S3 as a run needs: put (also only if absent, also in parts), get, ranges, head,
//! list. It checks no signatures, and goes wrong when a test says so.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};

use super::{Project, Ran};

/// The keys that the store's users send; it echoes them in what it refuses.
pub const ID: &str = "FAKEID7ZQ3ACCESS";
pub const KEY: &str = "fake/7zq3+Secret/Access+Key0123456789ab";

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is refused with this status.
    Status(u16),
    /// It is done, but the connection ends before the answer.
    CutAfter,
}

type Faults = Box<dyn FnMut(&Method, &str) -> Option<Fault> + Send>;

/// The store; it ends with the test.
pub struct S3 {
    address: SocketAddr,
    shared: Arc<Shared>,
    _runtime: tokio::runtime::Runtime,
}

#[derive(Default)]
struct Shared {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    uploads: Mutex<BTreeMap<String, BTreeMap<u32, Vec<u8>>>>,
    faults: Mutex<Option<Faults>>,
    requests: Mutex<Vec<(Method, String)>>,
}

impl S3 {
    /// Starts an empty store.
    pub fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let shared = Arc::new(Shared::default());
        let app =
            Router::new().fallback(handle).layer(DefaultBodyLimit::disable()).with_state(Arc::clone(&shared));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { address, shared, _runtime: runtime }
    }

    /// From now on, requests go wrong as `faults` says of their method and path.
    pub fn fails(&self, faults: impl FnMut(&Method, &str) -> Option<Fault> + Send + 'static) {
        *self.shared.faults.lock().unwrap() = Some(Box::new(faults));
    }

    /// From now on, nothing goes wrong.
    pub fn recovers(&self) {
        *self.shared.faults.lock().unwrap() = None;
    }

    /// All objects, by bucket and name.
    pub fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        self.shared.objects.lock().unwrap().clone()
    }

    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.shared.objects.lock().unwrap().insert(name.to_owned(), bytes.to_vec());
    }

    pub fn remove(&self, name: &str) {
        assert!(self.shared.objects.lock().unwrap().remove(name).is_some(), "no {name}");
    }

    /// The requests that came, by method and path with its query.
    pub fn requests(&self) -> Vec<(Method, String)> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// The binary, with what it takes to use this store.
    pub fn command(&self, project: &Project, arguments: &[&str]) -> Command {
        let mut command = project.command(arguments);
        command
            .env("AWS_ENDPOINT_URL", format!("http://{}", self.address))
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "eu-test-1")
            .env("AWS_ACCESS_KEY_ID", ID)
            .env("AWS_SECRET_ACCESS_KEY", KEY);
        command
    }

    pub fn run(&self, project: &Project, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(project, arguments).output().unwrap())
    }
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = decoded(uri.path().trim_start_matches('/'));
    shared.requests.lock().unwrap().push((method.clone(), uri.to_string()));
    let fault = shared.faults.lock().unwrap().as_mut().and_then(|faults| faults(&method, &path));
    if let Some(Fault::Status(status)) = fault {
        let text = format!("<Error><Code>Test</Code><Message>not for {ID} with {KEY}</Message></Error>");
        return (StatusCode::from_u16(status).unwrap(), text).into_response();
    }
    let query: BTreeMap<String, String> = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect();
    let response = answer(&shared, &method, &path, &query, &headers, &body);
    if fault == Some(Fault::CutAfter) {
        // The end of the connection's task is the end of the connection.
        std::panic::resume_unwind(Box::new("cut"));
    }
    response
}

fn answer(
    shared: &Shared,
    method: &Method,
    path: &str,
    query: &BTreeMap<String, String>,
    headers: &HeaderMap,
    body: &Bytes,
) -> Response {
    let mut objects = shared.objects.lock().unwrap();
    let upload = query.get("uploadId");
    match (method.as_str(), upload) {
        ("PUT", Some(upload)) => {
            let number = query["partNumber"].parse().unwrap();
            shared.uploads.lock().unwrap().get_mut(upload).unwrap().insert(number, body.to_vec());
            ([(header::ETAG, format!("\"part-{number}\""))], "").into_response()
        }
        ("PUT", None) => {
            if headers.contains_key(header::IF_NONE_MATCH) && objects.contains_key(path) {
                return StatusCode::PRECONDITION_FAILED.into_response();
            }
            objects.insert(path.to_owned(), body.to_vec());
            ([(header::ETAG, "\"put\"")], "").into_response()
        }
        ("POST", None) => {
            let mut uploads = shared.uploads.lock().unwrap();
            let id = format!("upload-{}", uploads.len());
            uploads.insert(id.clone(), BTreeMap::new());
            xml(&format!(
                "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
            ))
        }
        ("POST", Some(upload)) => {
            let parts = shared.uploads.lock().unwrap()[upload].clone();
            objects.insert(path.to_owned(), parts.into_values().flatten().collect());
            xml("<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>")
        }
        ("DELETE", _) => StatusCode::NO_CONTENT.into_response(),
        ("GET", _) if query.contains_key("list-type") => list(&objects, path, query),
        ("GET" | "HEAD", _) => match objects.get(path) {
            Some(bytes) => get(bytes, headers),
            None => (StatusCode::NOT_FOUND, "<Error><Code>NoSuchKey</Code></Error>").into_response(),
        },
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn get(bytes: &[u8], headers: &HeaderMap) -> Response {
    let mut response = Response::builder()
        .header(header::ETAG, "\"put\"")
        .header(header::LAST_MODIFIED, "Mon, 05 Jan 2026 10:00:00 GMT");
    let range = headers.get(header::RANGE).map(|range| range.to_str().unwrap().to_owned());
    let Some(range) = range else { return response.body(Body::from(bytes.to_vec())).unwrap() };
    let (start, end) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
    let (start, end): (usize, usize) = (start.parse().unwrap(), end.parse().unwrap());
    let end = end.min(bytes.len() - 1);
    response = response
        .status(StatusCode::PARTIAL_CONTENT)
        .header(header::CONTENT_RANGE, format!("bytes {start}-{end}/{}", bytes.len()));
    response.body(Body::from(bytes[start..=end].to_vec())).unwrap()
}

/// At most three entries a page, so that whoever lists has to turn pages.
fn list(objects: &BTreeMap<String, Vec<u8>>, bucket: &str, query: &BTreeMap<String, String>) -> Response {
    let bucket = format!("{}/", bucket.trim_end_matches('/'));
    let prefix = query.get("prefix").map_or("", String::as_str);
    let after = query.get("continuation-token").map_or("", String::as_str);
    let (mut contents, mut folders) = (String::new(), Vec::new());
    let mut last = String::new();
    let mut entries = 0;
    let mut more = false;
    for (key, bytes) in objects {
        let Some(key) = key.strip_prefix(&bucket).filter(|key| key.starts_with(prefix) && *key > after)
        else {
            continue;
        };
        if entries == 3 {
            more = true;
            break;
        }
        let rest = &key[prefix.len()..];
        match query.get("delimiter").and_then(|_| rest.split_once('/')) {
            Some((folder, _)) => {
                let folder = format!("{prefix}{folder}/");
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
            None => {
                entries += 1;
                let _ = write!(
                    contents,
                    "<Contents><Key>{key}</Key><LastModified>2026-01-05T10:00:00.000Z</LastModified><ETag>\"put\"</ETag><Size>{}</Size></Contents>",
                    bytes.len()
                );
            }
        }
        last = key.to_owned();
    }
    let folders: String = folders
        .iter()
        .map(|folder| format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"))
        .collect();
    let next =
        if more { format!("<NextContinuationToken>{last}</NextContinuationToken>") } else { String::new() };
    xml(&format!("<ListBucketResult>{contents}{folders}{next}</ListBucketResult>"))
}

fn xml(text: &str) -> Response {
    ([(header::CONTENT_TYPE, "application/xml")], text.to_owned()).into_response()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = (*first == b'%').then(|| std::str::from_utf8(&after[..2]).unwrap());
        rest = match digits {
            Some(digits) => {
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
                &after[2..]
            }
            None => {
                bytes.push(*first);
                after
            }
        };
    }
    String::from_utf8(bytes).unwrap()
}
