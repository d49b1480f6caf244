use checkers::{Library, control};
use std::time::Instant;
use transcript::{By, Message, Role};
fn main() {
    let library = Library::shipped().unwrap();
    let styles = [
        ("E3", include_str!("../tests/data_b/E3.jsonl")),
        ("E6", include_str!("../tests/data_b/E6.jsonl")),
        ("E13", include_str!("../tests/data_b/E13.jsonl")),
    ];
    let unit = [
        "UTC has no DST, which zone? ",
        "840 / 6 = 140; 61% assumed. ",
        "if it is wrong the wrong it is if ",
        "\"verified\" \"all tests pass\" ",
        "```\nx\n```\n",
        "| 12 passed | all tests pass |\n",
        "2024-07-01T00:00:00Z -> ",
        "a\n",
        "- item: utc\n",
        "12 passed, ",
        "[[[[((((",
        "word ",
        "12:00 13:00 ",
        "{\"a\": \"utc\"}, ",
        "`x` ",
        "the zone utc does not it which that ",
        "no, ",
        "e.g. ",
    ];
    let vocab: Vec<&str> = "UTC has no DST daylight saving time which zone did you mean the file is not changed , . ? : it that shift hour summer 12:00 2024-07-01T10:00:00Z in London please tell me all tests pass passed 12 failed run suite confirm if once would \"all tests\" green 61% assumed depends on false 840 / 6 = 140 placeholder no check | - \n ``` \n\n 4.5 `x` assumed, -> never observes wrong not (and) ;".split(' ').collect();
    let mut seed = 7_u64;
    let mut mixed = Vec::new();
    for _ in 0..6 {
        let mut text = String::new();
        while text.len() < 120_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let w = vocab[(seed >> 33) as usize % vocab.len()];
            text += if w == "\\n" { "\n" } else { w };
            text.push(' ');
        }
        mixed.push(text);
    }
    for (name, style) in styles {
        for u in unit.iter().map(|u| u.to_string()).chain(mixed.iter().cloned()) {
            let u = u.as_str();
            let reply = u.repeat(120_000 / u.len().min(120_000));
            let mut t = control::parse(style).unwrap().remove(0).transcript;
            t.messages.truncate(if name == "E6" { 4 } else { 2 });
            t.messages.push(Message::text(Role::Assistant, By::Model, &reply));
            let start = Instant::now();
            let v = library.for_transcript(&t).unwrap().judge(&t);
            println!(
                "{name} {:>7} ms {:?} {:?}",
                &u[..u.len().min(30)],
                start.elapsed().as_millis(),
                v.outcome
            );
        }
    }
}
