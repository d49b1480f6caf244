//! The transcript reader and the importers. Whatever the bytes are, they are transcripts or an error that says where;
//! and a transcript that was read is written and read again as itself.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use transcript::Transcript;
use transcript::import::{Format, ImportAs, import, read_params};
use transcript::jsonl::{self, Lines, ReadError};

const FORMATS: [Format; 5] =
    [Format::Openai, Format::Anthropic, Format::Inspect, Format::ClaudeCode, Format::Codex];

fuzz_target!(|data: &[u8]| {
    own_format(data);
    let what = ImportAs {
        case: Some("E9".to_owned()),
        id_prefix: "log".to_owned(),
        workspace: Some("/srv/example".to_owned()),
        ..ImportAs::default()
    };
    for format in FORMATS {
        match import(format, data, &what) {
            Ok(transcripts) => {
                assert!(!transcripts.is_empty());
                let ids: HashSet<_> = transcripts.iter().map(|one| &one.id).collect();
                assert_eq!(ids.len(), transcripts.len(), "two transcripts of one id");
                transcripts.iter().for_each(comes_back);
            }
            Err(error) => is_one_line(&error.to_string()),
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = read_params(text);
    }
});

fn own_format(data: &[u8]) {
    let rows = data.split(|&byte| byte == b'\n').count();
    let mut before = 0;
    for line in Lines::new(data).take(64) {
        let number = match line {
            Ok(line) => {
                match jsonl::parse(&line) {
                    Ok(transcript) => comes_back(&transcript),
                    Err(ReadError::Syntax { line: number, column, .. }) => {
                        assert!(number == line.number && (1..=line.text.len() + 1).contains(&column));
                    }
                    Err(error) => assert!(matches!(error, ReadError::Torn { .. }), "{error}"),
                }
                line.number
            }
            Err(ReadError::Syntax { line, .. }) => line,
            Err(error) => panic!("{error}"),
        };
        assert!(before < number && number <= rows, "line {number} of {rows}, after {before}");
        before = number;
    }
}

fn written(transcript: &Transcript) -> Vec<u8> {
    let mut bytes = Vec::new();
    jsonl::write(&mut bytes, transcript).expect("a vector takes all");
    bytes
}

fn comes_back(transcript: &Transcript) {
    let bytes = written(transcript);
    let lines: Vec<_> = Lines::new(bytes.as_slice()).collect();
    let [Ok(line)] = lines.as_slice() else { panic!("{} lines", lines.len()) };
    let again = jsonl::parse(line).unwrap_or_else(|error| panic!("{error}: {}", line.text));
    assert_eq!(&again, transcript);
    assert_eq!(written(&again), bytes);
}

/// A message to people does not take over their terminal, and does not fill it.
fn is_one_line(message: &str) {
    assert!(!message.is_empty() && message.len() < 2000, "{} bytes: {message}", message.len());
}
