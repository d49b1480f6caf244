//! The records that are rewritten: the labelled corpus and the checkers' own controls.

use std::fs;
use std::path::Path;

use checkers::{Library, Verdict, control};
use transcript::Transcript;
use transcript::document::Source;
use transcript::jsonl::{self, Lines};

/// Transcripts and the checkers that judge them.
pub struct Records {
    library: Library,
    transcripts: Vec<Transcript>,
}

impl Records {
    /// Every record of the corpus and every control, in a fixed order.
    pub fn all() -> Self {
        let library = Library::shipped().unwrap();
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        let mut files: Vec<_> = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        let mut transcripts = Vec::new();
        for file in files {
            for line in Lines::new(fs::read(&file).unwrap().as_slice()) {
                transcripts.push(jsonl::parse(&line.unwrap()).unwrap());
            }
        }
        for checker in library.iter() {
            for control in &checker.controls {
                let mut transcript = control.transcript.clone();
                transcript.id = format!("{}/{}", checker.definition.id, transcript.id);
                transcripts.push(transcript);
            }
        }
        Self { library, transcripts }
    }

    /// These, and the many styles of replies about numbers.
    pub fn with_styles(mut self) -> Self {
        for case in ["E1", "E2", "E4"] {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/styles/{case}.jsonl"));
            for control in
                control::parse(&Source::new("controls", &fs::read_to_string(file).unwrap())).unwrap()
            {
                let mut transcript = control.transcript;
                transcript.id = format!("{case} {}", transcript.id);
                self.transcripts.push(transcript);
            }
        }
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &Transcript> {
        self.transcripts.iter()
    }

    pub fn judge(&self, transcript: &Transcript) -> Verdict {
        self.library.for_transcript(transcript).unwrap().judge(transcript)
    }
}

/// A number that differs from record to record and never changes for one: a seed for what is varied.
pub fn seed(transcript: &Transcript) -> usize {
    transcript.id.bytes().fold(7, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000_003)
}
