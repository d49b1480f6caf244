//! Transcripts inside the page: blocks of JSON, compressed, in `<script>` elements of a type that no browser runs.
//!
//! A block is written as soon as it is full, so that neither this program nor the page ever needs more than one of them
//! decompressed: opening a trial unpacks the block that it lies in.

use std::io::{self, Write};

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::HtmlError;

/// A block is closed once its JSON holds this many bytes: quick to unpack, and large enough to compress well.
const BLOCK: usize = 256 << 10;

/// Where an entry lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Which block, counted from 0.
    pub block: u32,
    /// Which entry of the block.
    pub slot: u32,
}

/// Writes blocks.
#[derive(Debug)]
pub(super) struct Store<W: Write> {
    out: W,
    open: Vec<u8>,
    next: Place,
}

impl<W: Write> Store<W> {
    /// A store that writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, open: Vec::new(), next: Place { block: 0, slot: 0 } }
    }

    /// Adds an entry and says where it will be.
    pub fn add(&mut self, entry: &impl Serialize) -> Result<Place, HtmlError> {
        self.open.push(if self.open.is_empty() { b'[' } else { b',' });
        serde_json::to_writer(&mut self.open, entry)?;
        let place = self.next;
        self.next.slot += 1;
        if self.open.len() >= BLOCK {
            self.close()?;
        }
        Ok(place)
    }

    /// Writes what is left and gives the writer back, with the number of blocks.
    pub fn finish(mut self) -> Result<(W, u32), HtmlError> {
        if !self.open.is_empty() {
            self.close()?;
        }
        Ok((self.out, self.next.block))
    }

    fn close(&mut self) -> Result<(), HtmlError> {
        self.open.push(b']');
        packed(&mut self.out, &format!("block-{}", self.next.block), &self.open)?;
        self.open.clear();
        self.next = Place { block: self.next.block + 1, slot: 0 };
        Ok(())
    }
}

/// Writes `bytes` as a data element: gzip in base64, so that nothing within can be taken for markup.
pub(super) fn packed(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    write!(out, r#"<script type="application/x-gzip-base64" id="{id}">"#)?;
    let mut zip = GzEncoder::new(EncoderWriter::new(&mut *out, &STANDARD), Compression::default());
    zip.write_all(bytes)?;
    zip.finish()?.finish()?;
    out.write_all(b"</script>\n")
}
