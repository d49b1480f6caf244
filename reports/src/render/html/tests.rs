//! The page as a whole: what it holds, that its policy fits it, and that hostile text stays text.

use std::convert::Infallible;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use transcript::{By, Message, Role, ToolCall, Transcript};

use super::{Extras, HtmlError, Past, Played, write};
use crate::manifest::Cost;
use crate::render::tests::{HOSTILE, report};
use crate::report::Report;

/// The transcript of each row of the report, with hostile text wherever a model can write.
fn journal(report: &Report) -> Vec<Played> {
    let mut lines: Vec<Played> = report
        .rows
        .iter()
        .map(|row| {
            let mut transcript = Transcript::new(&row.id, "E1");
            transcript.messages = vec![
                Message::text(Role::System, By::Script, "<charter>"),
                Message::text(Role::User, By::Script, "Costs went from 4 to 5."),
                Message::text(Role::Assistant, By::Model, HOSTILE),
            ];
            transcript.messages[2].tool_calls = vec![ToolCall {
                id: "c1".to_owned(),
                name: HOSTILE.to_owned(),
                arguments: serde_json::json!({ HOSTILE: HOSTILE }),
            }];
            Played { line: row.line, sha256: row.transcript_sha256.clone(), transcript }
        })
        .collect();
    lines.sort_by_key(|played| played.line);
    lines
}

fn page(report: &Report, extras: &Extras) -> String {
    let mut out = Vec::new();
    write(report, extras, journal(report).into_iter().map(Ok::<_, Infallible>), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What stands between the first `open` and the `close` after it.
fn between<'p>(page: &'p str, open: &str, close: &str) -> &'p str {
    let from = page.find(open).unwrap() + open.len();
    &page[from..from + page[from..].find(close).unwrap()]
}

fn unpacked(page: &str, id: &str) -> serde_json::Value {
    let text = between(page, &format!(r#"<script type="application/x-gzip-base64" id="{id}">"#), "</script>");
    let bytes = STANDARD.decode(text).unwrap();
    let mut json = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut json).unwrap();
    serde_json::from_str(&json).unwrap()
}

#[test]
fn the_policy_names_the_one_style_and_the_one_script() {
    let page = page(&report(), &Extras::default());
    let policy = between(&page, r#"http-equiv="Content-Security-Policy" content=""#, "\"");
    let digest = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    assert_eq!(page.matches("<style").count(), 1);
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(
        policy.contains(&format!("style-src {};", digest(between(&page, "<style>", "</style>")))),
        "{policy}"
    );
    assert!(
        policy.contains(&format!("script-src {};", digest(between(&page, "<script>", "</script>")))),
        "{policy}"
    );
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
}

#[test]
fn hostile_text_is_never_markup() {
    let page = page(&report(), &Extras::default());
    assert!(!page.contains("<script>alert"));
    assert!(!page.contains("</details><script"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;"), "it is shown, as text");
    let visible = page.split("<script").next().unwrap();
    let hidden =
        visible.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c));
    assert_eq!(hidden, None);
    for word in [" style=", " onclick", " onload", " onerror", "javascript:1)\"", " src="] {
        assert!(!visible.contains(word), "{word}");
    }
}

#[test]
fn transcripts_come_back_from_the_page_with_their_evidence() {
    let report = report();
    let page = page(&report, &Extras::default());
    let entries = unpacked(&page, "block-0");
    let index = unpacked(&page, "index");
    assert_eq!(index["blocks"], 1);
    assert_eq!(entries.as_array().unwrap().len(), report.rows.len());
    // The second trial of the first cell: an error, then a pass, in two attempts.
    assert_eq!(index["attempts"][1], 2);
    let first = entries[index["slot"][1].as_u64().unwrap() as usize].clone();
    let second = entries[index["slot"][2].as_u64().unwrap() as usize].clone();
    assert_eq!((first["verdict"].as_str(), second["verdict"].as_str()), (Some("error"), Some("pass")));
    assert_eq!(
        (&first["id"], &first["attempt"], &second["attempt"]),
        (&"E1/r1/large/t2".into(), &1.into(), &2.into())
    );
    let message = &second["messages"][2];
    assert_eq!(message["text"], HOSTILE);
    assert_eq!(message["marks"][0]["end"], HOSTILE.encode_utf16().count());
    assert_eq!(message["calls"][0]["arguments"][HOSTILE], HOSTILE);
}

#[test]
fn what_can_be_read_without_a_script() {
    let extras = Extras {
        past: Some(Past {
            models: [("small".to_owned(), vec![Some(1.0), None, Some(0.5)])].into(),
            cells: [(("E1".to_owned(), "small".to_owned()), vec![Some(1.0), None, Some(0.5)])].into(),
        }),
        comparison: None,
    };
    let page = page(&report(), &extras);
    let main = between(&page, "<main", "</main>");
    insta::assert_snapshot!("html", main);
}

#[test]
fn a_cost_is_there_where_the_matrix_has_prices() {
    let mut report = report();
    assert!(!page(&report, &Extras::default()).contains(">cost<"));
    report.manifest.models[0].cost = Some(Cost { currency: "EUR".to_owned(), micros: 1_250_000 });
    report.manifest.models[1].cost = Some(Cost { currency: "EUR".to_owned(), micros: 500_000 });
    let page = page(&report, &Extras::default());
    let tile = between(&page, "<dt>cost</dt><dd><b>", "</b>");
    assert!(tile.starts_with("1.75") && tile.ends_with("EUR"), "{tile}");
    assert!(page.contains(r#"<td class="n">1.25"#), "each model has its own");
}

/// A transcript that is not the one that was judged, or that is gone, must not be shown or passed over.
#[test]
fn a_journal_that_changed_is_refused() {
    let report = report();
    let refused = |lines: Vec<Played>| {
        write(&report, &Extras::default(), lines.into_iter().map(Ok::<_, Infallible>), Vec::new())
            .unwrap_err()
    };
    let mut edited = journal(&report);
    edited[2].sha256 = "f".repeat(64);
    assert!(matches!(refused(edited), HtmlError::Changed { line: 3 }));
    let mut cut = journal(&report);
    cut.pop();
    assert!(matches!(refused(cut), HtmlError::Changed { line: 11 }));
}
