//! One night's file: reading it with suspicion, writing it whole.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use transcript::document::{Problem, Source, read_json};

use super::{CellNight, HistoryError, ModelNight, Night};
use crate::digest::sha256_hex;
use crate::nightly::report::Answer;
use crate::whole::{self, Whole};

/// The version of the format that this build writes. A reader refuses others.
const FORMAT: u32 = 1;

const PREFIX: &str = "night-";
const SUFFIX: &str = ".jsonl";

/// A line of the file, in this order: one header, models, cells, one seal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Night(Header),
    Model(ModelNight),
    Cell(CellNight),
    Seal(Seal),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    number: u64,
    /// sha256 of the file of the night before; absent for the first.
    previous_sha256: Option<String>,
    run: String,
    planned: String,
    answer: Answer,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seal {
    /// How many lines stand before this one.
    lines: usize,
    /// sha256 of these lines with their line ends.
    sha256: String,
}

/// The nights' files by number, ascending.
pub(super) fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>, HistoryError> {
    let io_error = |source| HistoryError::Io { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(io_error)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Whatever else lies here, such as a README, is none of ours.
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        let number = rest.strip_suffix(SUFFIX).and_then(|digits| digits.parse().ok());
        match number {
            Some(number) if name_of(number) == name => files.push((number, path)),
            _ => {
                let message = format!("not a name for a night; they are like {}", name_of(1));
                return Err(HistoryError::File { path, message });
            }
        }
    }
    files.sort();
    if let Some(pair) = files.windows(2).find(|pair| pair[0].0 + 1 != pair[1].0) {
        let message = format!(
            "night {} is missing before it; only the oldest nights may be deleted, so restore {}",
            pair[0].0 + 1,
            name_of(pair[0].0 + 1)
        );
        return Err(HistoryError::File { path: pair[1].1.clone(), message });
    }
    Ok(files)
}

fn name_of(number: u64) -> String {
    format!("{PREFIX}{number:06}{SUFFIX}")
}

/// The night in a file, and the file's sha256. `previous` is that of the night before, when its file is there.
pub(super) fn read(
    path: &Path,
    number: u64,
    previous: Option<&str>,
) -> Result<(Night, String), HistoryError> {
    let bytes = fs::read(path).map_err(|source| HistoryError::Io { path: path.to_owned(), source })?;
    let source = Source::decode(path, &bytes)?;
    let (body, seal) = parted(&source)?;
    // Of the bytes, not of the text: an editor may have put a mark before it.
    let sealed = bytes.get(..bytes.len() - (source.text.len() - body.len())).unwrap_or_default();
    if seal.sha256 != sha256_hex(sealed) || seal.lines != body.lines().count() {
        let message = "was changed after it was written: its seal does not fit; restore it".to_owned();
        return Err(HistoryError::File { path: path.to_owned(), message });
    }
    let night = parse(&source, number, body, previous)?;
    Ok((night, sha256_hex(&bytes)))
}

/// The lines before the seal, and the seal.
fn parted(source: &Source) -> Result<(&str, Seal), Problem> {
    let text = &*source.text;
    let torn = || {
        let last = source.lines().last().map_or(0..0, |(_, span)| span);
        let problem = source.problem(last, "the file ends without its seal: it was cut short");
        problem.help("restore it, or delete it if it is the newest")
    };
    let whole = text.strip_suffix('\n').ok_or_else(torn)?;
    let start = whole.rfind('\n').map_or(0, |end| end + 1);
    match serde_json::from_str(&whole[start..]) {
        Ok(Line::Seal(seal)) => Ok((&text[..start], seal)),
        _ => Err(torn()),
    }
}

fn parse(source: &Source, number: u64, body: &str, previous: Option<&str>) -> Result<Night, Problem> {
    let at = |span: &Range<usize>, message: &str| source.problem(span.clone(), message);
    let mut lines = source.lines().map(|(_, span)| span).take_while(|span| span.end <= body.len());
    let read = |span: &Range<usize>| read_json::<Line>(source, span.clone());
    let first = lines.next().unwrap_or_default();
    let Line::Night(header) = read(&first)? else {
        return Err(at(&first, "a night begins with its header"));
    };
    check(&header, number, previous).map_err(|message| at(&first, &message))?;
    let mut night = Night {
        number,
        run: header.run,
        planned: header.planned,
        answer: header.answer,
        models: Vec::new(),
        cells: Vec::new(),
    };
    let mut seen = HashSet::new();
    for line in lines {
        match read(&line)? {
            Line::Model(model) => night.models.push(model),
            Line::Cell(entry) => {
                if !seen.insert(entry.cell.clone()) {
                    return Err(at(&line, &format!("{} is there twice", entry.cell)));
                }
                if entry.tally.n() > entry.owed as usize {
                    return Err(at(&line, &format!("{} has more verdicts than trials", entry.cell)));
                }
                night.cells.push(entry);
            }
            Line::Night(_) | Line::Seal(_) => return Err(at(&line, "a header or seal between other lines")),
        }
    }
    Ok(night)
}

fn check(header: &Header, number: u64, previous: Option<&str>) -> Result<(), String> {
    if header.format != FORMAT {
        return Err(format!("format {} is not the one that this program reads ({FORMAT})", header.format));
    }
    if header.number != number {
        return Err(format!("this is night {}, under the name of night {number}", header.number));
    }
    match (previous, &header.previous_sha256) {
        (Some(previous), Some(known)) if previous != known => Err(format!(
            "night {} is not the one that this night followed: it was changed or replaced",
            number.saturating_sub(1)
        )),
        (Some(_), None) => Err("says that it is the first night, and others stand before it".to_owned()),
        (None, None) if number != 1 => Err("says that it is the first night, and it is not".to_owned()),
        _ => Ok(()),
    }
}

/// Writes a night's file beside its place and moves it there; returns its path and sha256.
pub(super) fn write(
    folder: &Path,
    night: &Night,
    previous: Option<&str>,
) -> Result<(PathBuf, String), HistoryError> {
    let path = folder.join(name_of(night.number));
    let io_error = |source| HistoryError::Io { path: path.clone(), source };
    let bytes = bytes(night, previous)
        .map_err(|error| HistoryError::File { path: path.clone(), message: error.to_string() })?;
    whole::make_folders(folder).map_err(io_error)?;
    let file = Whole::begin(&path).map_err(io_error)?;
    file.file().write_all(&bytes).map_err(io_error)?;
    file.finish_new().map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => HistoryError::File {
            path: path.clone(),
            message: "another assize has written this night meanwhile; decide again with --resume".to_owned(),
        },
        _ => io_error(error),
    })?;
    Ok((path, sha256_hex(&bytes)))
}

fn bytes(night: &Night, previous: Option<&str>) -> Result<Vec<u8>, serde_json::Error> {
    let header = Header {
        format: FORMAT,
        number: night.number,
        previous_sha256: previous.map(str::to_owned),
        run: night.run.clone(),
        planned: night.planned.clone(),
        answer: night.answer,
    };
    let cells = night.cells.iter().cloned().map(Line::Cell);
    let models = night.models.iter().cloned().map(Line::Model);
    let lines: Vec<Line> = std::iter::once(Line::Night(header)).chain(models).chain(cells).collect();
    let mut bytes = Vec::new();
    for line in &lines {
        push(&mut bytes, line)?;
    }
    let seal = Seal { lines: lines.len(), sha256: sha256_hex(&bytes) };
    push(&mut bytes, &Line::Seal(seal))?;
    Ok(bytes)
}

fn push(bytes: &mut Vec<u8>, line: &Line) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *bytes, line)?;
    bytes.push(b'\n');
    Ok(())
}
