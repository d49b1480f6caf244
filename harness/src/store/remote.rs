//! The store itself, by way of the crate `object_store`: objects below one place, created, replaced, read and listed.
//!
//! Its requests go through a client that is built as those for models are: built-in trust anchors, no proxy, no redirect.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use model_matrix::Secrets;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{ClientConfigKey, HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::{Path as Key, PathPart};
use object_store::{
    BackoffConfig, ClientOptions, Error, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, RetryConfig,
    WriteMultipart,
};

use super::place::Scheme;
use super::{Place, StoreError, required};

/// A file is sent and had in parts of this many bytes.
const PART: usize = 8 << 20;
/// Parts on their way at the same time.
const PARTS: usize = 4;
/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long one request may take; it carries at most [`PART`] bytes.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How long a request is repeated. Whoever sends pieces comes back by himself.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most characters that are repeated of what a store says.
const LONGEST: usize = 600;

/// The objects below a place in a store.
#[derive(Debug, Clone)]
pub struct Remote {
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    place: Place,
    secrets: Secrets,
}

/// An object, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    /// Its name below the place.
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
}

/// A name as a store lists it: what not every store can write is percent-encoded.
pub(super) fn as_listed(name: &str) -> String {
    name.split('/').map(PathPart::from).collect::<Key>().to_string()
}

impl Remote {
    /// Gets ready to use a store; nothing is sent yet. Credentials come from the environment, and `secrets` are masked in
    /// whatever the store says.
    ///
    /// # Errors
    /// When there are no credentials, or they make no sense.
    pub fn connect(place: &Place, secrets: &Secrets) -> Result<Self, StoreError> {
        required::check(place, |name| std::env::var_os(name).is_some())?;
        let refused = |error: Error| failed(place.to_string(), "used", &error, secrets);
        let prefix = match place.scheme {
            Scheme::Folder => Key::from_absolute_path(format!("/{}", place.prefix)),
            _ => Key::parse(&place.prefix),
        };
        let prefix = prefix.map_err(|error| refused(error.into()))?;
        let store = match place.scheme {
            Scheme::S3 => AmazonS3Builder::from_env()
                .with_bucket_name(&place.bucket)
                .with_http_connector(Connector)
                .with_retry(retry())
                .build()
                .map(|store| Arc::new(store) as Arc<dyn ObjectStore>),
            Scheme::Google => GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(&place.bucket)
                .with_http_connector(Connector)
                .with_retry(retry())
                .build()
                .map(|store| Arc::new(store) as Arc<dyn ObjectStore>),
            Scheme::Azure => MicrosoftAzureBuilder::from_env()
                .with_container_name(&place.bucket)
                .with_http_connector(Connector)
                .with_retry(retry())
                .build()
                .map(|store| Arc::new(store) as Arc<dyn ObjectStore>),
            Scheme::Folder => Ok(Arc::new(LocalFileSystem::new().with_fsync(true)) as Arc<dyn ObjectStore>),
        };
        Ok(Self { store: store.map_err(refused)?, prefix, place: place.clone(), secrets: secrets.clone() })
    }

    /// The place.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The place of this name below this one.
    pub(super) fn below(&self, name: &str) -> Self {
        Self { prefix: self.key(name), place: self.place.below(name), ..self.clone() }
    }

    /// An object, for people.
    pub(super) fn shown(&self, name: &str) -> String {
        if name.is_empty() { self.place.to_string() } else { self.place.below(name).to_string() }
    }

    fn key(&self, name: &str) -> Key {
        let parts = name.split('/').filter(|part| !part.is_empty()).map(PathPart::from);
        self.prefix.parts().chain(parts).collect()
    }

    fn failed(&self, name: &str, what: &'static str, error: &Error) -> StoreError {
        failed(self.shown(name), what, error, &self.secrets)
    }

    /// The bytes of an object, if there is one.
    pub(super) async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let got = match self.store.get(&self.key(name)).await {
            Ok(got) => got.bytes().await,
            Err(error) => Err(error),
        };
        match got {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(name, "read", &error)),
        }
    }

    /// Puts an object into a new file, part by part.
    pub(super) async fn get_file(&self, object: &Stored, to: &Path) -> Result<(), StoreError> {
        let key = self.key(&object.name);
        let mut file = File::create_new(to).map_err(StoreError::io(to))?;
        let mut at = 0;
        while at < object.size {
            let end = object.size.min(at + PART as u64);
            let part = self.store.get_range(&key, at..end).await;
            let part = part.map_err(|error| self.failed(&object.name, "read", &error))?;
            file.write_all(&part).map_err(StoreError::io(to))?;
            at = end;
        }
        Ok(())
    }

    /// Creates an object; `false` when there is one of that name already, which then stays as it is.
    pub(super) async fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool, StoreError> {
        let key = self.key(name);
        let payload = PutPayload::from(bytes);
        match self.store.put_opts(&key, payload.clone(), PutMode::Create.into()).await {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            // A store without conditions is asked first. Between the two, another may come.
            Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => {
                match self.store.head(&key).await {
                    Ok(_) => Ok(false),
                    Err(Error::NotFound { .. }) => {
                        let put = self.store.put(&key, payload).await;
                        put.map(|_| true).map_err(|error| self.failed(name, "written", &error))
                    }
                    Err(error) => Err(self.failed(name, "read", &error)),
                }
            }
            Err(error) => Err(self.failed(name, "written", &error)),
        }
    }

    /// Writes an object anew from a file, in parts when it is large.
    pub(super) async fn replace(&self, name: &str, from: &Path) -> Result<(), StoreError> {
        let key = self.key(name);
        let at = |error: &Error| self.failed(name, "written", error);
        let mut file = File::open(from).map_err(StoreError::io(from))?;
        let mut part = read_part(&mut file).map_err(StoreError::io(from))?;
        if part.len() < PART {
            return self.store.put(&key, part.into()).await.map(drop).map_err(|error| at(&error));
        }
        let upload = self.store.put_multipart(&key).await.map_err(|error| at(&error))?;
        let mut writer = WriteMultipart::new_with_chunk_size(upload, PART);
        while !part.is_empty() {
            let room = writer.wait_for_capacity(PARTS).await;
            let next = room.map_err(|error| at(&error)).and_then(|()| {
                writer.put(part.into());
                read_part(&mut file).map_err(StoreError::io(from))
            });
            match next {
                Ok(next) => part = next,
                Err(error) => {
                    // What was sent of it is of no use; a store that keeps it all the same has rules to tidy up.
                    let _ = writer.abort().await;
                    return Err(error);
                }
            }
        }
        writer.finish().await.map(drop).map_err(|error| at(&error))
    }

    /// Every object below `under`, or of the whole place.
    pub(super) async fn list(&self, under: &str) -> Result<Vec<Stored>, StoreError> {
        let objects = self.store.list(Some(&self.key(under))).try_collect::<Vec<_>>().await;
        let objects = objects.map_err(|error| self.failed(under, "listed", &error))?;
        let mut found: Vec<Stored> = objects
            .into_iter()
            .filter_map(|object| {
                let parts = object.location.prefix_match(&self.prefix)?;
                Some(Stored { name: parts.collect::<Key>().to_string(), size: object.size })
            })
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// What lies directly below the place and has something below itself.
    pub(super) async fn folders(&self) -> Result<Vec<String>, StoreError> {
        let listed = self.store.list_with_delimiter(Some(&self.prefix)).await;
        let listed = listed.map_err(|error| self.failed("", "listed", &error))?;
        let name = |key: &Key| key.filename().map(str::to_owned);
        Ok(listed.common_prefixes.iter().filter_map(name).collect())
    }
}

/// The next part of a file; shorter at its end.
fn read_part(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut part = Vec::new();
    file.take(PART as u64).read_to_end(&mut part)?;
    Ok(part)
}

fn retry() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(200),
        max_backoff: Duration::from_secs(10),
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: 10, retry_timeout: PATIENCE }
}

/// What went wrong, in one line, with its causes and without keys.
fn failed(object: String, what: &'static str, error: &Error, secrets: &Secrets) -> StoreError {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let masked = secrets.mask(&line);
    let mut why: String = masked.chars().take(LONGEST).collect();
    if why.len() < masked.len() {
        why.push('…');
    }
    StoreError::Failed { object, what, why }
}

/// Makes the clients that requests go through.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let refused = |source| Error::Generic { store: "HTTP client", source };
        let tls = model_matrix::trust::tls().map_err(|error| refused(error.into()))?;
        let plain =
            options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|value| value == "true");
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .http1_only()
            .https_only(!plain)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .user_agent(concat!("assize/", env!("CARGO_PKG_VERSION")))
            .build();
        client.map(HttpClient::new).map_err(|error| refused(error.into()))
    }
}
