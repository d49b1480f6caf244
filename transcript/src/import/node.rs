//! A value within a document that knows where it stands, so that every complaint can say so.

use serde_json::{Map, Value};

use super::error::{Fault, ImportError, Place, cut};
use super::json::Document;

/// A JSON value and the way to it.
#[derive(Debug, Clone)]
pub(super) struct Node<'v> {
    value: &'v Value,
    document: &'v Document,
    pointer: String,
}

impl<'v> Node<'v> {
    /// The whole of `document`.
    pub(super) fn root(document: &'v Document) -> Self {
        Self { value: &document.value, document, pointer: String::new() }
    }

    pub(super) fn value(&self) -> &'v Value {
        self.value
    }

    /// An error about this value.
    pub(super) fn fault(&self, fault: Fault) -> ImportError {
        let Document { member, line, .. } = self.document;
        let pointer = Some(self.pointer.clone());
        ImportError::new(Place { member: member.clone(), line: *line, column: None, pointer }, fault)
    }

    /// The error that this value is something else than `wanted`.
    pub(super) fn unexpected(&self, wanted: &'static str) -> ImportError {
        self.fault(Fault::Unexpected { wanted, found: shown(self.value) })
    }

    pub(super) fn is_array(&self) -> bool {
        self.value.is_array()
    }

    /// The fields of an object.
    pub(super) fn object(&self) -> Result<&'v Map<String, Value>, ImportError> {
        self.value.as_object().ok_or_else(|| self.unexpected("an object"))
    }

    /// The field `key`; `None` when it is absent or null.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        let escaped = key.replace('~', "~0").replace('/', "~1");
        Some(Self { value, document: self.document, pointer: format!("{}/{escaped}", self.pointer) })
    }

    /// The field `key`, which must be there.
    pub(super) fn need(&self, key: &'static str) -> Result<Self, ImportError> {
        self.object()?;
        self.get(key).ok_or_else(|| self.fault(Fault::Missing { field: key, found: shown(self.value) }))
    }

    /// The items of an array.
    pub(super) fn items(&self) -> Result<impl Iterator<Item = Self> + use<'v>, ImportError> {
        let items = self.value.as_array().ok_or_else(|| self.unexpected("an array"))?;
        let (document, pointer) = (self.document, self.pointer.clone());
        let nodes = items.iter().enumerate();
        Ok(nodes.map(move |(index, value)| Self { value, document, pointer: format!("{pointer}/{index}") }))
    }

    /// The items of the array `key`; none when it is absent or null.
    pub(super) fn list(&self, key: &str) -> Result<Vec<Self>, ImportError> {
        Ok(match self.get(key) {
            Some(list) => list.items()?.collect(),
            None => Vec::new(),
        })
    }

    /// This value as text.
    pub(super) fn str(&self) -> Result<&'v str, ImportError> {
        self.value.as_str().ok_or_else(|| self.unexpected("a text"))
    }

    /// The text `key`; `None` when it is absent or null, an error when it is something else.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'v str>, ImportError> {
        match self.value.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.get(key).map(|node| node.str()).transpose(),
        }
    }

    /// The text `key`, which must be there.
    pub(super) fn need_text(&self, key: &'static str) -> Result<&'v str, ImportError> {
        match self.text(key)? {
            Some(text) => Ok(text),
            None => self.need(key)?.str(),
        }
    }

    /// The truth value `key`; false when it is absent or null, an error when it is something else.
    pub(super) fn flag(&self, key: &str) -> Result<bool, ImportError> {
        match self.get(key) {
            None => Ok(false),
            Some(node) => node.value.as_bool().ok_or_else(|| node.unexpected("true or false")),
        }
    }

    /// The whole number `key`; 0 when it is absent or is none: only counts of tokens are read so.
    pub(super) fn count(&self, key: &str) -> u64 {
        self.value.get(key).and_then(Value::as_u64).unwrap_or(0)
    }
}

/// A value on one line, cut: arrays and objects can be megabytes, so only their beginning is written out.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => match items.first() {
            Some(first) => cut(&format!("[{}, …]", shown(first))),
            None => "[]".to_owned(),
        },
        Value::Object(fields) => {
            let keys: Vec<&str> = fields.keys().take(8).map(String::as_str).collect();
            cut(&format!("{{{}}}", keys.join(", ")))
        }
        Value::String(text) => cut(text),
        other => other.to_string(),
    }
}
