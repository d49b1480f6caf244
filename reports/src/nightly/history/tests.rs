//! What comes back from a folder of nights, and what is refused.

use std::fs;

use super::*;

fn identity(checker: &str) -> Identity {
    let part = |name: &str| crate::digest::sha256_hex(name.as_bytes());
    Identity {
        case_sha256: part("case"),
        params_sha256: part("params"),
        pin_sha256: part("pin"),
        charter_sha256: part("charter"),
        checker: format!("{checker}@1"),
        checker_sha256: part(checker),
    }
}

fn cell() -> Cell {
    Cell { case: "W1".to_owned(), variant: None, row: 1, model: "m1".to_owned() }
}

fn night(number: u64, passed: usize, state: State) -> Night {
    Night {
        number,
        run: format!("run-{number}"),
        planned: "2026-01-01T00:00:00Z".to_owned(),
        answer: Answer::Ok,
        models: vec![ModelNight { id: "m1".to_owned(), state: State::Ok, observed: Vec::new() }],
        cells: vec![CellNight {
            cell: cell(),
            identity: identity("word"),
            tally: Tally::of(passed, 3).unwrap(),
            owed: 3,
            state,
        }],
    }
}

fn folder_of(nights: impl IntoIterator<Item = Night>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(folder.path()).unwrap();
    for night in nights {
        history.append(night).unwrap();
    }
    folder
}

fn baseline(nights: impl IntoIterator<Item = Night>) -> Baseline {
    let folder = folder_of(nights);
    History::open(folder.path()).unwrap().baseline(&cell(), &identity("word"))
}

#[test]
fn nights_come_back_as_they_were_written() {
    let nights: Vec<Night> = (1..=3).map(|number| night(number, 2, State::Flaky)).collect();
    let folder = folder_of(nights.clone());
    let history = History::open(folder.path()).unwrap();
    assert_eq!(history.nights(), nights);
    assert_eq!(history.next_number(), 4);
    assert_eq!(history.concluded("run-2"), Some(2));
    assert_eq!(History::open(&folder.path().join("nowhere")).unwrap().next_number(), 1);
}

#[test]
fn the_newest_fourteen_nights_are_pooled() {
    let nights = (1..=20).map(|number| night(number, if number <= 6 { 0 } else { 3 }, State::Ok));
    let got = baseline(nights);
    assert_eq!((got.tally, got.nights), (Tally::of(42, 42).unwrap(), 14));
}

#[test]
fn any_change_of_the_cell_ends_the_baseline() {
    let mut changed = night(2, 3, State::Ok);
    changed.cells[0].identity = identity("other");
    let got = baseline([night(1, 3, State::Ok), changed, night(3, 2, State::Ok)]);
    assert_eq!((got.tally, got.nights), (Tally::of(2, 3).unwrap(), 1));
    assert_eq!(got.changed, [Part::Checker]);
}

#[test]
fn incomplete_and_regressed_nights_are_passed_over() {
    // Its own trials are all there; another cell's were not, or the fresh ones.
    let mut incomplete = night(2, 0, State::Suspect);
    incomplete.answer = Answer::Incomplete;
    let mut drifted = night(3, 0, State::Incomplete);
    drifted.answer = Answer::ChangedPin;
    let mut broad = night(4, 0, State::Watch);
    broad.models[0].state = State::ModelRegressed;
    let mut elsewhere = night(5, 0, State::Ok);
    elsewhere.cells.clear();
    let nights =
        [night(1, 3, State::Ok), incomplete, drifted, broad, elsewhere, night(6, 0, State::Regressed)];
    let got = baseline(nights);
    assert_eq!((got.tally, got.nights), (Tally::of(3, 3).unwrap(), 1));
}

#[test]
fn the_oldest_may_go_and_no_other() {
    let folder = folder_of((1..=4).map(|number| night(number, 3, State::Ok)));
    fs::remove_file(folder.path().join("night-000001.jsonl")).unwrap();
    assert_eq!(History::open(folder.path()).unwrap().nights().len(), 3);
    fs::remove_file(folder.path().join("night-000003.jsonl")).unwrap();
    refused(folder.path(), &["night-000004.jsonl", "night 3 is missing"]);
}

fn refused(folder: &Path, says: &[&str]) {
    let error = History::open(folder).unwrap_err().to_string();
    for part in says {
        assert!(error.contains(part), "{error} does not say {part}");
    }
}

#[test]
fn any_changed_byte_of_any_night_is_refused() {
    let folder = folder_of((1..=2).map(|number| night(number, 3, State::Ok)));
    for name in ["night-000001.jsonl", "night-000002.jsonl"] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            assert!(History::open(folder.path()).is_err(), "byte {at} of {name}");
        }
        for cut in (0..whole.len()).step_by(5) {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(History::open(folder.path()).is_err(), "{name} cut at {cut}");
        }
        fs::write(&path, &whole).unwrap();
    }
    History::open(folder.path()).unwrap();
}

#[test]
fn torn_edited_doubled_and_misplaced_nights_are_told_with_their_place() {
    let folder = folder_of((1..=3).map(|number| night(number, 3, State::Ok)));
    let path = |number: u64| folder.path().join(format!("night-{number:06}.jsonl"));
    let whole = fs::read_to_string(path(2)).unwrap();

    fs::write(path(2), whole.lines().take(2).collect::<Vec<_>>().join("\n") + "\n").unwrap();
    refused(folder.path(), &["night-000002.jsonl:2", "cut short"]);

    fs::write(path(2), whole.replace("\"passed\":3", "\"passed\":2")).unwrap();
    refused(folder.path(), &["night-000002.jsonl", "its seal does not fit"]);

    // Sealed anew by whoever edited it: the next night knows it otherwise.
    fs::write(
        path(2),
        resealed(&whole.replace("\"failed\":0", "\"failed\":1").replace("\"owed\":3", "\"owed\":4")),
    )
    .unwrap();
    refused(folder.path(), &["night-000003.jsonl:1", "night 2 is not the one that this night followed"]);

    fs::write(path(2), &whole).unwrap();
    fs::copy(path(3), path(4)).unwrap();
    refused(folder.path(), &["night-000004.jsonl:1", "night 3, under the name of night 4"]);
    fs::remove_file(path(4)).unwrap();

    fs::write(folder.path().join("night-3.jsonl"), "").unwrap();
    refused(folder.path(), &["night-3.jsonl", "not a name for a night"]);
    fs::remove_file(folder.path().join("night-3.jsonl")).unwrap();

    // Other files are none of its business.
    fs::write(folder.path().join("README.md"), "Nights.").unwrap();
    History::open(folder.path()).unwrap();

    let newest = fs::read_to_string(path(3)).unwrap();
    fs::write(path(3), resealed(&newest.replace("run-3", "run-1"))).unwrap();
    refused(folder.path(), &["night-000003.jsonl", "run run-1 is night 1 already"]);

    let line = newest.lines().nth(2).unwrap();
    fs::write(path(3), resealed(&newest.replace(line, &format!("{line}\n{line}")))).unwrap();
    refused(folder.path(), &["night-000003.jsonl:4", "W1/r1/m1 is there twice"]);
}

#[test]
fn faults_in_a_night_are_told_in_plain_words() {
    let folder = folder_of((1..=2).map(|number| night(number, 3, State::Ok)));
    let path = folder.path().join("night-000002.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    for (old, new, says) in [
        ("\"owed\":3", "\"owde\":3", "unknown key `owde`"),
        ("\"owed\":3", "\"owde\":3", "did you mean `owed`?"),
        ("\"owed\":3", "\"owed\":\"three\"", "a whole number from 0 must stand here, not a text"),
        ("\"owed\":3", "\"owed\":3,\"owed\":3", "the key `owed` occurs twice"),
    ] {
        assert!(whole.contains(old), "{whole}");
        fs::write(&path, resealed(&whole.replace(old, new))).unwrap();
        refused(folder.path(), &["night-000002.jsonl:", says]);
    }
    fs::write(&path, "").unwrap();
    refused(folder.path(), &["night-000002.jsonl:1:1", "ends without its seal"]);
    fs::write(&path, [b"\xff", whole.as_bytes()].concat()).unwrap();
    refused(folder.path(), &["night-000002.jsonl:1:1", "not UTF-8: the byte 0xff"]);
    // A night is refused with a mark before it, too: its bytes are sealed.
    fs::write(&path, format!("\u{feff}{whole}")).unwrap();
    refused(folder.path(), &["night-000002.jsonl", "its seal does not fit"]);
}

/// The text with a seal that fits.
fn resealed(text: &str) -> String {
    let body: String =
        text.lines().filter(|line| !line.contains("\"seal\"")).map(|line| format!("{line}\n")).collect();
    let (lines, sha256) = (body.lines().count(), crate::digest::sha256_hex(body.as_bytes()));
    format!("{body}{{\"seal\":{{\"lines\":{lines},\"sha256\":\"{sha256}\"}}}}\n")
}

#[test]
fn an_incomplete_run_may_be_recorded_again_and_a_night_is_never_written_over() {
    let mut first = night(1, 3, State::Incomplete);
    first.answer = Answer::Incomplete;
    let mut again = night(2, 3, State::Ok);
    again.run.clone_from(&first.run);
    let folder = folder_of([first, again]);
    let mut history = History::open(folder.path()).unwrap();
    assert_eq!(history.concluded("run-1"), Some(2));
    let mut other = History::open(folder.path()).unwrap();
    other.append(night(3, 3, State::Ok)).unwrap();
    let error = history.append(night(3, 0, State::Ok)).unwrap_err().to_string();
    assert!(error.contains("meanwhile"), "{error}");
    assert_eq!(History::open(folder.path()).unwrap().nights()[2].cells[0].tally.passed, 3);
}

/// It may be the run that is decided now: what it did, and as whom it answered, is told again when it is completed.
#[test]
fn an_incomplete_night_is_no_measure_of_anything() {
    let seen = |name: &str| Observed { model: Some(name.to_owned()), fingerprint: None, replies: 3 };
    let mut before = night(1, 3, State::Ok);
    before.models[0].observed = vec![seen("one")];
    let mut incomplete = night(2, 0, State::Suspect);
    incomplete.answer = Answer::Incomplete;
    incomplete.models[0].observed = vec![seen("other")];
    incomplete.cells[0].identity = identity("other");
    let folder = folder_of([before, incomplete]);
    let history = History::open(folder.path()).unwrap();
    assert_eq!(history.observed("m1"), Some(&[seen("one")][..]));
    let baseline = history.baseline(&cell(), &identity("word"));
    assert_eq!((baseline.nights, baseline.changed), (1, Vec::new()));
    // A change since the last night that counts is told, though the incomplete one had it already.
    assert_eq!(history.baseline(&cell(), &identity("other")).changed, [Part::Checker]);
}
