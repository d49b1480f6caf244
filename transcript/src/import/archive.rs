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
                let which = format!("packed with {other:?}, not with store, deflate or zstd");
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::import::inspect::import_eval;
    use crate::import::{Format, ImportAs, import};

    const SAMPLE: &[u8] =
        br#"{"id": "a", "epoch": 1, "messages": [{"role": "assistant", "content": "Eight lamps."}]}"#;

    fn zip(members: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut out);
        for (name, method, bytes) in members {
            let (mut entry, config) = archive.new_file(*name).compression_method(*method).start().unwrap();
            let packed = match *method {
                CompressionMethod::DEFLATE => {
                    let mut encoder =
                        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                    encoder.write_all(bytes).unwrap();
                    encoder.finish().unwrap()
                }
                CompressionMethod::ZSTD => {
                    let (head, tail) = bytes.split_at(bytes.len() / 2);
                    let pack = |part| {
                        ruzstd::encoding::compress_to_vec(part, ruzstd::encoding::CompressionLevel::Fastest)
                    };
                    [pack(head), pack(tail)].concat()
                }
                _ => bytes.to_vec(),
            };
            entry.write_all(&packed).unwrap();
            let mut counted = config.wrap(std::io::sink());
            counted.write_all(bytes).unwrap();
            let (_, descriptor) = counted.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        out
    }

    fn what() -> ImportAs {
        ImportAs { case: Some("E1".to_owned()), id_prefix: "log".to_owned(), ..ImportAs::default() }
    }

    fn refusal(bytes: &[u8], limits: Limits) -> String {
        import_eval(bytes, &what(), limits).unwrap_err().to_string()
    }

    fn small(member_bytes: u64, total_bytes: u64, members: usize) -> Limits {
        Limits { member_bytes, total_bytes, members }
    }

    #[test]
    fn samples_are_read_whatever_packed_them() {
        for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE, CompressionMethod::ZSTD] {
            let header = br#"{"eval": {"model": "mock/heron"}}"#;
            let bytes = zip(&[("samples/a_epoch_1.json", method, SAMPLE), ("header.json", method, header)]);
            let transcripts = import(Format::Inspect, &bytes, &what()).unwrap();
            assert_eq!(transcripts[0].id, "log:a#1", "{method:?}");
            assert_eq!(transcripts[0].model.as_deref(), Some("mock/heron"));
            assert_eq!(transcripts[0].messages[0].content, "Eight lamps.");
        }
    }

    #[test]
    fn more_than_the_limits_is_refused_and_not_unpacked() {
        let zeros = vec![b' '; 100_000];
        let bomb = zip(&[("samples/a.json", CompressionMethod::ZSTD, &zeros)]);
        insta::assert_snapshot!(refusal(&bomb, small(1000, 5000, 9)), @"samples/a.json: what the member unpacks to is more than 1000 bytes");
        let store = CompressionMethod::STORE;
        let two = zip(&[("samples/a.json", store, SAMPLE), ("samples/b.json", store, SAMPLE)]);
        insta::assert_snapshot!(refusal(&two, small(100, 100, 9)), @"samples/b.json: what the archive unpacks to is more than 100 bytes");
        insta::assert_snapshot!(refusal(&two, small(100, 500, 1)), @"the archive is more than 1 members");
        assert_eq!(import_eval(&two, &what(), small(100, 500, 2)).unwrap().len(), 2);
    }

    #[test]
    fn a_damaged_or_ambiguous_archive_is_refused() {
        let store = CompressionMethod::STORE;
        let twice = zip(&[("samples/a.json", store, SAMPLE), ("samples/a.json", store, SAMPLE)]);
        insta::assert_snapshot!(refusal(&twice, Limits::default()), @"samples/a.json: the archive cannot be read: there are two members of this name");
        let mut bytes = zip(&[("samples/a.json", store, SAMPLE)]);
        let at = bytes.windows(5).position(|window| window == b"Eight").unwrap();
        bytes[at] = b'W';
        assert!(
            refusal(&bytes, Limits::default()).starts_with("samples/a.json: the archive cannot be read:")
        );
        let odd = zip(&[("samples/a.json", CompressionMethod::DEFLATE64, SAMPLE)]);
        assert!(refusal(&odd, Limits::default()).contains("not with store, deflate or zstd"));
        let empty = zip(&[("header.json", store, br#"{"eval": {}}"#)]);
        let error = import(Format::Inspect, &empty, &what()).unwrap_err();
        assert_eq!(error.to_string(), "there is no transcript in the input; is this an Inspect log?");
    }

    proptest! {
        #[test]
        fn damaged_archives_are_read_or_refused(
            packing in 0..3_usize, at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 1..9)
        ) {
            let methods = [CompressionMethod::STORE, CompressionMethod::DEFLATE, CompressionMethod::ZSTD];
            let mut archive = zip(&[("samples/a.json", methods[packing], SAMPLE)]);
            let from = at.index(archive.len());
            let to = (from + bytes.len()).min(archive.len());
            archive.splice(from..to, bytes);
            // A checksum guards the content, so what is read is what was written.
            for transcript in import(Format::Inspect, &archive, &what()).unwrap_or_default() {
                prop_assert_eq!(&transcript.messages[0].content, "Eight lamps.");
            }
        }
    }
}
