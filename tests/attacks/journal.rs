//! The journal and the verdicts on it.

use serde_json::{Value, json};

use super::{Attack, JOURNAL, VERDICTS, attack, zeros};

pub(super) const LINES: &[Attack] = &[
    attack(
        "the last line torn",
        |run| {
            let text = run.read(JOURNAL);
            run.write(JOURNAL, &text[..text.len() - 40]);
        },
        "line",
        "transcripts.jsonl:6",
        "ends in the middle",
    ),
    attack(
        "the last line taken out",
        |run| {
            run.lines(JOURNAL, |lines| {
                lines.pop();
            });
        },
        "line",
        "transcripts.jsonl:6",
        "edited or taken out",
    ),
    attack(
        "the first line taken out",
        |run| {
            run.lines(JOURNAL, |lines| {
                lines.remove(0);
            });
        },
        "chain",
        "transcripts.jsonl:1",
        "lines before it are gone",
    ),
    attack(
        "a line taken out of the middle",
        |run| {
            run.lines(JOURNAL, |lines| {
                lines.remove(2);
            });
        },
        "chain",
        "transcripts.jsonl:3",
        "taken out",
    ),
    attack(
        "lines that moved",
        |run| run.lines(JOURNAL, |lines| lines.swap(1, 3)),
        "line",
        "transcripts.jsonl:2",
        "stands at line 4 now",
    ),
    attack(
        "lines that moved break the chain",
        |run| run.lines(JOURNAL, |lines| lines.swap(1, 3)),
        "chain",
        "transcripts.jsonl:2",
        "moved",
    ),
    attack(
        "a line twice",
        |run| run.lines(JOURNAL, |lines| lines.push(lines[5].clone())),
        "attempt",
        "transcripts.jsonl:7",
        "after it had an answer",
    ),
    attack(
        "an answer edited",
        |run| run.line(2, |line| line["messages"][2]["content"] = json!("a piano")),
        "line",
        "transcripts.jsonl:2",
        "edited or taken out",
    ),
    attack(
        "an answer edited breaks the chain",
        |run| run.line(2, |line| line["messages"][2]["content"] = json!("a piano")),
        "chain",
        "transcripts.jsonl:3",
        "edited",
    ),
    attack(
        "a question edited",
        |run| run.line(2, |line| line["messages"][1]["content"] = json!("Say piano.")),
        "line",
        "transcripts.jsonl:2",
        "message 1",
    ),
    attack(
        "a turn more",
        |run| {
            run.line(1, |line| {
                let turn = line["messages"][2].clone();
                line["messages"].as_array_mut().unwrap().push(turn);
            });
        },
        "line",
        "transcripts.jsonl:1",
        "4 messages",
    ),
    attack(
        "a turn said to be the script's",
        |run| run.line(1, |line| line["messages"][2]["by"] = json!("script")),
        "line",
        "transcripts.jsonl:1",
        "more replies than",
    ),
    attack(
        "other parameters",
        |run| run.line(1, |line| line["params"]["word"] = json!("organ")),
        "line",
        "transcripts.jsonl:1",
        "parameters",
    ),
    attack(
        "other sampling",
        |run| run.line(1, |line| line["decoding"] = json!({ "temperature": 0 })),
        "line",
        "transcripts.jsonl:1",
        "sampled",
    ),
    attack(
        "other tools",
        |run| run.line(1, |line| line["tools"] = json!(["deploy"])),
        "line",
        "transcripts.jsonl:1",
        "tools offered",
    ),
    attack(
        "another charter",
        |run| run.line(1, |line| line["charter_sha256"] = zeros()),
        "line",
        "transcripts.jsonl:1",
        "another charter",
    ),
    attack(
        "another case",
        |run| run.line(1, |line| line["case_sha256"] = zeros()),
        "line",
        "transcripts.jsonl:1",
        "another case",
    ),
    attack(
        "another checker",
        |run| run.line(1, |line| line["checker"] = json!("percentage-trap@1")),
        "line",
        "transcripts.jsonl:1",
        "another checker",
    ),
    attack(
        "another trial's name",
        |run| run.line(1, |line| line["id"] = json!("W1/r1/m1/t9")),
        "line",
        "transcripts.jsonl:1",
        "holds the trial",
    ),
    attack(
        "a trial that is not owed",
        |run| {
            run.line(1, |line| {
                line["id"] = json!(format!("W1/r1/{}/t9", line["model"].as_str().unwrap()));
                line["trial"] = json!(9);
            });
        },
        "stranger",
        JOURNAL,
        "/t9 was played but is not owed",
    ),
    attack(
        "two cells' transcripts swapped",
        |run| {
            run.lines(JOURNAL, |lines| {
                let (at, of) = (
                    lines.iter().position(|line| line.contains("W1/r1/m1/t1")).unwrap(),
                    lines.iter().position(|line| line.contains("W1/r1/m2/t1")).unwrap(),
                );
                let (one, two) = (lines[at].clone(), lines[of].clone());
                let swap = |line: &str, from: &str, to: &str| {
                    line.replace(&format!("/{from}/"), &format!("/{to}/"))
                        .replace(&format!("\"model\":\"{from}\""), &format!("\"model\":\"{to}\""))
                };
                lines[of] = swap(&one, "m1", "m2");
                lines[at] = swap(&two, "m2", "m1");
            });
        },
        "pin-drift",
        JOURNAL,
        "test-model-",
    ),
    attack(
        "an attempt number that skips one",
        |run| run.line(1, |line| line["attempt"] = json!(2)),
        "attempt",
        "transcripts.jsonl:1",
        "it should be attempt 1",
    ),
    attack(
        "an attempt without a number",
        |run| {
            run.line(1, |line| {
                line.as_object_mut().unwrap().remove("attempt");
            });
        },
        "attempt",
        "transcripts.jsonl:1",
        "none",
    ),
    attack(
        "no word of the line before",
        |run| {
            run.line(3, |line| {
                line.as_object_mut().unwrap().remove("prev");
            });
        },
        "chain",
        "transcripts.jsonl:3",
        "nothing",
    ),
    attack(
        "another model answered",
        |run| run.line(1, |line| line["served"][0]["model"] = json!("a-better-model")),
        "pin-drift",
        "transcripts.jsonl:1",
        "a-better-model",
    ),
    attack(
        "one answer for two trials",
        |run| {
            let id =
                serde_json::from_str::<Value>(run.read(JOURNAL).lines().next().unwrap()).unwrap()["served"]
                    [0]["response_id"]
                    .clone();
            run.line(2, |line| line["served"][0]["response_id"] = id);
        },
        "reused",
        "transcripts.jsonl:2",
        "one answer serves as two",
    ),
    attack(
        "a failure called an error",
        |run| run.line(1, |line| line["error"] = json!({ "kind": "timeout", "message": "60 s" })),
        "no-verdict",
        "transcripts.jsonl:1",
        "60 s",
    ),
    attack(
        "a key twice in a line",
        |run| run.lines(JOURNAL, |lines| lines[0] = lines[0].replacen('{', "{\"extra\":1,\"extra\":2,", 1)),
        "duplicate-key",
        "transcripts.jsonl:1",
        "`extra` occurs twice",
    ),
    attack(
        "a line that is no JSON",
        |run| run.lines(JOURNAL, |lines| lines[3] = "not JSON".to_owned()),
        "unreadable",
        "transcripts.jsonl:4",
        "expected",
    ),
    attack(
        "a line that is no transcript",
        |run| run.lines(JOURNAL, |lines| lines[3] = "{}".to_owned()),
        "unreadable",
        "transcripts.jsonl:4",
        "missing field",
    ),
    attack(
        "a line that is no text",
        |run| {
            let mut bytes = run.read(JOURNAL).into_bytes();
            bytes[10] = 0xff;
            run.write(JOURNAL, bytes);
        },
        "unreadable",
        JOURNAL,
        "UTF-8",
    ),
    attack(
        "line ends of another system",
        |run| {
            let text = run.read(JOURNAL).replace('\n', "\r\n");
            run.write(JOURNAL, text);
        },
        "file-changed",
        JOURNAL,
        "bytes",
    ),
    attack(
        "an empty line at the end",
        |run| {
            let text = run.read(JOURNAL) + "\n";
            run.write(JOURNAL, text);
        },
        "file-changed",
        JOURNAL,
        "bytes",
    ),
];

pub(super) const VERDICT_ROWS: &[Attack] = &[
    attack(
        "a verdict turned",
        |run| run.swap(VERDICTS, "\"verdict\":\"pass\"", "\"verdict\":\"fail\""),
        "verdict",
        "verdicts.jsonl:1",
        "says-the-word@1",
    ),
    attack(
        "a clause turned",
        |run| run.swap(VERDICTS, "\"passed\":true", "\"passed\":false"),
        "verdict",
        "verdicts.jsonl:1",
        "W1/r1/m1/t1",
    ),
    attack(
        "a verdict taken out",
        |run| {
            run.lines(VERDICTS, |lines| {
                lines.remove(1);
            });
        },
        "verdict",
        "verdicts.jsonl:2",
        "W1/r1/m1/t2",
    ),
    attack(
        "a verdict more",
        |run| run.lines(VERDICTS, |lines| lines.push(lines[0].clone())),
        "verdict",
        "verdicts.jsonl:7",
        "no transcript",
    ),
    attack(
        "verdicts that moved",
        |run| run.lines(VERDICTS, |lines| lines.swap(0, 5)),
        "verdict",
        "verdicts.jsonl:1",
        "W1/r1/m2/t3",
    ),
    attack(
        "a verdict of another checker",
        |run| run.swap(VERDICTS, "says-the-word@1", "says-the-word@2"),
        "verdict",
        "verdicts.jsonl:1",
        "says-the-word@1",
    ),
];
