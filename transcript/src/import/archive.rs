//! Reading zip archives that may be anything: what unpacks to more than the limits is refused, not read.

use std::collections::HashSet;
use std::io::Read;

use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use ruzstd::decoding::StreamingDecoder;

use super::error::{Fault, ImportError, Place, cut};

/// The most that one member may unpack to.
pub const MAX_MEMBER_BYTES: u64 = 256 << 20;
/// The most that all members read from an archive may unpack to.
pub const MAX_TOTAL_BYTES: u64 = 2 << 30;
/// The most members that an archive may have.
pub const MAX_MEMBERS: usize = 100_000;

/// What an archive may unpack to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) member_bytes: u64,
    pub(super) total_bytes: u64,
    pub(super) members: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { member_bytes: MAX_MEMBER_BYTES, total_bytes: MAX_TOTAL_BYTES, members: MAX_MEMBERS }
    }
}

/// A member of an archive, not yet unpacked.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
    encrypted: bool,
}

/// A zip archive in memory.
pub(super) struct Archive<'b> {
    zip: ZipSliceArchive<&'b [u8]>,
    limits: Limits,
    unpacked: u64,
}

impl<'b> Archive<'b> {
    pub(super) fn open(bytes: &'b [u8], limits: Limits) -> Result<Self, ImportError> {
        let zip = ZipArchive::from_slice(bytes).map_err(|error| broken(None, &error))?;
        Ok(Self { zip, limits, unpacked: 0 })
    }

    /// The members, folders left out, in the order of the archive's directory.
    pub(super) fn members(&self) -> Result<Vec<Member>, ImportError> {
        let mut members = Vec::new();
        let mut names = HashSet::new();
        let mut entries = self.zip.entries();
        while let Some(entry) = entries.next_entry().map_err(|error| broken(None, &error))? {
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            if !names.insert(name.clone()) {
                return Err(broken(Some(&name), "there are two members of this name"));
            }
            if names.len() > self.limits.members {
                let limit = format!("{} members", self.limits.members);
                return Err(ImportError::new(
                    Place::default(),
                    Fault::TooLarge { what: "the archive", limit },
                ));
            }
            if !entry.is_dir() {
                let (method, place) = (entry.compression_method(), entry.wayfinder());
                members.push(Member { name, method, place, encrypted: entry.flags().is_encrypted() });
            }
        }
        Ok(members)
    }

    /// Unpacks a member; its size and checksum must be as the directory says.
    pub(super) fn unpack(&mut self, member: &Member) -> Result<Vec<u8>, ImportError> {
        let name = Some(member.name.as_str());
        if member.encrypted {
            return Err(broken(name, "the member is encrypted"));
        }
        let entry = self.zip.get_entry(member.place).map_err(|error| broken(name, &error))?;
        let data = entry.data();
        let unpacker: Box<dyn Read> = match member.method {
            CompressionMethod::STORE => Box::new(data),
            CompressionMethod::DEFLATE => Box::new(flate2::bufread::DeflateDecoder::new(data)),
            CompressionMethod::ZSTD | CompressionMethod::ZSTD_DEPRECATED => {
                Box::new(Frames { rest: data, frame: None })
            }
            other => {
                let which = format!("compression method {other:?} is none of store, deflate and zstd");
                return Err(broken(name, &which));
            }
        };
        let left = self.limits.total_bytes.saturating_sub(self.unpacked);
        let limit = self.limits.member_bytes.min(left);
        let mut bytes = Vec::new();
        let mut bounded = entry.verifying_reader(unpacker).take(limit.saturating_add(1));
        bounded.read_to_end(&mut bytes).map_err(|error| broken(name, &error))?;
        let size = bytes.len() as u64;
        if size > limit {
            let (what, limit) = if limit < self.limits.member_bytes {
                ("what the archive unpacks to", self.limits.total_bytes)
            } else {
                ("what the member unpacks to", self.limits.member_bytes)
            };
            let limit = format!("{limit} bytes");
            return Err(ImportError::new(place(name), Fault::TooLarge { what, limit }));
        }
        self.unpacked = self.unpacked.saturating_add(size);
        Ok(bytes)
    }
}

/// One zstd frame after the other: the format lets a stream have several.
struct Frames<'b> {
    rest: &'b [u8],
    frame: Option<StreamingDecoder<&'b [u8], ruzstd::decoding::FrameDecoder>>,
}

impl Read for Frames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(mut frame) = self.frame.take() {
                let read = frame.read(buffer)?;
                if read > 0 {
                    self.frame = Some(frame);
                    return Ok(read);
                }
                self.rest = frame.into_inner();
            }
            if self.rest.is_empty() {
                return Ok(0);
            }
            let frame = StreamingDecoder::new(self.rest);
            self.frame =
                Some(frame.map_err(|error| {
                    std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())
                })?);
        }
    }
}

fn place(member: Option<&str>) -> Place {
    Place { member: member.map(cut), ..Place::default() }
}

fn broken(member: Option<&str>, why: &(impl ToString + ?Sized)) -> ImportError {
    ImportError::new(place(member), Fault::Archive(cut(&why.to_string())))
}
