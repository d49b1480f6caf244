//! scratch
#![allow(clippy::all, clippy::unwrap_used, clippy::print_stdout, missing_docs)]
use std::collections::HashMap;
fn main() {
    let lib = checkers::Library::shipped().unwrap();
    let mut labels: HashMap<String, (String, String, String)> = HashMap::new();
    let text = std::fs::read_to_string("/work/shared/corpus/labels.csv").unwrap();
    for l in text.lines().skip(1) { let p: Vec<&str> = l.splitn(7, ',').collect(); labels.insert(p[0].into(), (p[3].into(), p[4].into(), p[6].into())); }
    for case in std::env::args().skip(1) {
        let f = std::fs::read_to_string(format!("/work/shared/corpus/{case}.jsonl")).unwrap();
        let (mut ok, mut n) = (0, 0);
        for line in transcript::jsonl::Lines::new(f.as_bytes()) {
            let t = transcript::jsonl::parse(&line.unwrap()).unwrap();
            let Some(c) = lib.for_transcript(&t) else { continue };
            let v = c.judge(&t);
            let (want, clause, why) = &labels[&t.id];
            let got = v.outcome.as_str();
            let fc = v.first_failure().map(|c| format!("{}: {}", c.id, c.reason)).unwrap_or_default();
            n += 1;
            if got == want { ok += 1; if std::env::var("V").is_ok() || (!clause.is_empty() && !fc.starts_with(clause.as_str())) { println!("  ok {} {} [{}] {}", t.id, got, clause, fc); } }
            else { println!("BAD {} got {} want {} [{}] {} | {} {:?}", t.id, got, want, clause, why, fc, v.reason); }
        }
        println!("{case}: {ok}/{n}");
    }
}
