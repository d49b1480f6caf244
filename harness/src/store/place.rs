//! How a place in a store is written: `s3://bucket/prefix`, `gs://…`, `az://container/prefix`, `file:///folder`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::StoreError;

/// Which kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scheme {
    S3,
    Google,
    Azure,
    Folder,
}

/// A place in a store, at which a run or the parts of one lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub(super) scheme: Scheme,
    /// The bucket or container; empty for a folder.
    pub(super) bucket: String,
    /// Without slashes at its ends.
    pub(super) prefix: String,
}

impl Place {
    /// The place that a path names, when it is written as a URL.
    ///
    /// # Errors
    /// When it is written as one, but is no place in a store.
    pub fn in_path(path: &Path) -> Result<Option<Self>, StoreError> {
        match path.to_str() {
            Some(text) if text.contains("://") => text.parse().map(Some),
            _ => Ok(None),
        }
    }

    /// The place below this one.
    #[must_use]
    pub fn below(&self, name: &str) -> Self {
        let prefix = if self.prefix.is_empty() { name.to_owned() } else { format!("{}/{name}", self.prefix) };
        Self { prefix, ..self.clone() }
    }

    /// The last part of it, to call a folder by.
    #[must_use]
    pub fn name(&self) -> &str {
        self.prefix.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&self.bucket)
    }
}

impl FromStr for Place {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        // What was given may hold a key, so it is never repeated.
        let wrong = |why: &str| {
            StoreError::Place(format!(
                "no place in a store: {why}; such places are written s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, \
                 az://CONTAINER/PREFIX, file:///FOLDER"
            ))
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("it has no `://`"))?;
        let scheme = match scheme {
            "s3" => Scheme::S3,
            "gs" => Scheme::Google,
            "az" => Scheme::Azure,
            "file" => Scheme::Folder,
            _ => return Err(wrong("what stands before `://` is not known")),
        };
        if rest.contains(['?', '#', '@']) {
            return Err(wrong("a key has no place in it: credentials are taken from the environment"));
        }
        if rest.contains(['%', '\\', '*', '"', '<', '>', '|']) || rest.contains(char::is_control) {
            return Err(wrong("it holds a character that not every store can write"));
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_end_matches('/');
        match scheme {
            Scheme::Folder if !bucket.is_empty() => {
                return Err(wrong("after `file://` stands an absolute path"));
            }
            Scheme::Folder if prefix.is_empty() => return Err(wrong("it names no folder")),
            Scheme::Folder => {}
            _ if bucket.is_empty() => return Err(wrong("it names no bucket")),
            _ => {}
        }
        if !prefix.is_empty() && prefix.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(wrong("a part of it is empty, `.` or `..`"));
        }
        Ok(Self { scheme, bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::S3 => "s3",
            Scheme::Google => "gs",
            Scheme::Azure => "az",
            Scheme::Folder => "file",
        };
        write!(f, "{scheme}://{}", self.bucket)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(f, "/{}", self.prefix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_they_were_read() {
        for (text, shown) in [
            ("s3://bucket/a/b/", "s3://bucket/a/b"),
            ("s3://bucket", "s3://bucket"),
            ("gs://bucket/run-3", "gs://bucket/run-3"),
            ("az://container/x", "az://container/x"),
            ("file:///tmp/x y/1", "file:///tmp/x y/1"),
        ] {
            let place: Place = text.parse().unwrap();
            assert_eq!(place.to_string(), shown);
            assert_eq!(place.below("k").to_string(), format!("{shown}/k"));
        }
        assert_eq!("s3://bucket/a/b".parse::<Place>().unwrap().name(), "b");
        assert_eq!("s3://bucket".parse::<Place>().unwrap().name(), "bucket");
        assert_eq!(Place::in_path(Path::new("runs/a:b")).unwrap(), None);
    }

    #[test]
    fn what_is_no_place_is_refused_and_never_repeated() {
        for text in [
            "s3:///prefix",
            "s3://id:fake-key@bucket/x",
            "s3://bucket/x?sig=fake-key",
            "https://bucket.example.test/fake-key",
            "file://fake-key/x",
            "file:///",
            "s3://bucket/a//fake-key",
            "s3://bucket/../fake-key",
            "s3://bucket/%66ake-key",
        ] {
            let error = Place::in_path(Path::new(text)).unwrap_err().to_string();
            assert!(error.contains("s3://BUCKET/PREFIX") && !error.contains("fake-key"), "{text}: {error}");
        }
    }
}
