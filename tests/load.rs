//! Load verification: whether the subject had the charter, and nothing from below its marker.

use serde_json::Value;

use crate::support::Project;
use crate::support::server::{Server, refuses, says};

#[test]
fn a_model_behind_an_endpoint_is_verified_from_the_requests_as_sent() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r"]).expect(0);
    assert!(ran.stdout.contains("charter loaded: verified (requests as sent: every line of the charter, which has no digest line; canary from below the marker absent)"), "{}", ran.stdout);
    assert_eq!(project.json("r/manifest.json")["models"][0]["load"]["verdict"], "verified");
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.0.0\n\nCharter digest: 0f3a");
    let ran = project.run(&["run", "--out", "digest"]).expect(0);
    assert!(ran.stdout.contains("digest line and every line of the charter; canary"), "{}", ran.stdout);
}

#[test]
fn a_request_with_text_from_below_the_marker_is_never_sent() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.edit("cases/w1-say-the-word/case.yaml", "please.", "CANARY-BELOW-THE-MARKER.");
    let ran = project.run(&["run", "--out", "r", "--trials", "1"]).expect(3);
    assert_eq!(server.count(), 0);
    assert!(ran.stdout.contains("charter loaded: leaked"), "{}", ran.stdout);
    assert_eq!(project.lines("r/transcripts.jsonl")[0]["error"]["kind"], "load");
    assert_eq!(project.lines("r/verdicts.jsonl")[0]["verdict"], "error");
}

#[test]
fn a_verdict_without_the_charter_is_not_believed() {
    let server = Server::start(|_, _| says("piano"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--out", "r", "--trials", "1"]).expect(0);
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    project.edit("r/transcripts.jsonl", "\"verdict\":\"verified\"", "\"verdict\":\"not-run\"");
    let ran = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(ran.stderr.contains("its charter was not verified"), "{}", ran.stderr);
}

#[test]
fn verify_load_says_for_each_model_what_arrives() {
    let (good, bad) = (Server::start(|_, _| says("ready")), Server::start(|_, _| refuses(401, "bad key")));
    let project = Project::new();
    project.matrix("openai-chat", &[good.url(), bad.url()], "");
    let ran = project.run(&["verify-load"]).expect(0);
    assert!(ran.stdout.contains("m1: verified (one request captured by a relay"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("m2: verified") && ran.stdout.contains("there was no reply: "),
        "{}",
        ran.stdout
    );
    let sent = &good.seen()[0];
    assert_eq!(sent.path, "/v1/chat/completions");
    assert!(sent.body["messages"][0]["content"].as_str().unwrap().starts_with("# Test charter"));
    let unknown = project.run(&["verify-load", "--model", "m9"]).expect(2);
    assert!(unknown.stderr.contains("m9 matches no model"), "{}", unknown.stderr);
    let project = Project::new();
    let ran = project.run(&["verify-load"]).expect(3);
    assert!(ran.stdout.contains("none: not run (it answers from recorded traces)"), "{}", ran.stdout);
}

/// An agent that asks its endpoint: `ask.sh FILE`, with what stands in FILE as the system's words.
#[cfg(unix)]
const ASKS: &str = r##"
case "$*" in *--version*) echo "asks 1"; exit 0;; esac
prompt=$(cat)
esc() { sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s\\n", $0 }'; }
[ "$1" = nobody ] && { echo piano; exit 0; }
[ -f "$1" ] && system=$(esc < "$1")
body='{"tools":[{"name":"x"}],"messages":[{"role":"system","content":"'"$system"'"},{"role":"user","content":"'"$prompt"'"}]}'
printf '%s' "$body" | curl -sS --max-time 20 -H "authorization: Bearer $ASKS_KEY" -H 'content-type: application/json' \
  --data-binary @- "$ASKS_URL/chat/completions" > answer.json || exit 4
rm answer.json
echo "piano, with $ASKS_KEY"
"##;

#[cfg(unix)]
fn asking(server: &Server, reads: &str) -> Project {
    let project = Project::new();
    let folder = project.path().canonicalize().unwrap();
    let folder = folder.display();
    project.write("agent/ask.sh", ASKS);
    project.write(
        "matrix.yaml",
        &format!(
            "models:\n  - id: m1\n    role: frontier-reference\n    provider: command\n    base_url: {}\n    key_env: ASKS_KEY\n    program: {{ run: [sh, {folder}/agent/ask.sh, {reads}], read: [{folder}/agent, {folder}/CHARTER.md], charter_file: RULES.md, base_url_env: ASKS_URL }}\n",
            server.url()
        ),
    );
    project
}

#[cfg(unix)]
fn first(project: &Project) -> Value {
    project.lines("r/transcripts.jsonl")[0].clone()
}

#[cfg(unix)]
#[test]
fn a_program_is_verified_from_what_passes_the_relay_and_never_has_the_key() {
    let server = Server::start(|_, _| says("piano"));
    let project = asking(&server, "RULES.md");
    let mut run = project.command(&["run", "--out", "r", "--trials", "1"]);
    let ran = crate::support::Ran::of(&run.env("ASKS_KEY", "sk-fake-998877").output().unwrap()).expect(0);
    assert!(
        ran.stdout.contains("charter loaded: verified (requests captured by the relay"),
        "{}",
        ran.stdout
    );
    assert_eq!(server.seen()[0].headers["authorization"], "Bearer sk-fake-998877");
    let transcript = first(&project);
    assert!(
        transcript["messages"][2]["content"].as_str().unwrap().contains("with sk-stand-in-"),
        "{transcript}"
    );
    assert_eq!(transcript["load"]["verdict"], "verified");
    for file in project.files() {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        assert!(!text.contains("998877"));
        assert!(!text.contains("stream_options"), "a captured request is never kept");
    }
    let mut verify = project.command(&["verify-load"]);
    let ran = crate::support::Ran::of(&verify.env("ASKS_KEY", "sk-fake-998877").output().unwrap()).expect(0);
    assert!(ran.stdout.contains("m1: verified (requests captured by the relay"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_program_that_reads_no_charter_or_too_much_of_it_is_an_error() {
    for (reads, verdict, words) in [
        ("nothing.md", "missing", "the subject did not have the charter: it stands in RULES.md"),
        ("$CHARTER", "leaked", "the subject had more than the charter"),
        (
            "nobody",
            "not run",
            "whether the subject had the charter is not known: no request came to the relay",
        ),
    ] {
        let server = Server::start(|_, _| says("piano"));
        let project = asking(&server, reads);
        let whole = project.path().canonicalize().unwrap().join("CHARTER.md");
        project.write(
            "matrix.yaml",
            &project.read("matrix.yaml").replace("$CHARTER", &whole.display().to_string()),
        );
        let mut run = project.command(&["run", "--out", "r", "--trials", "1"]);
        let ran = crate::support::Ran::of(&run.env("ASKS_KEY", "sk-fake-998877").output().unwrap()).expect(3);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert!(ran.stdout.contains(&format!("charter loaded: {verdict}")), "{}", ran.stdout);
        assert_eq!(first(&project)["error"]["kind"], "load");
        let mut verify = project.command(&["verify-load"]);
        let ran = crate::support::Ran::of(&verify.env("ASKS_KEY", "sk-fake-998877").output().unwrap());
        assert_eq!(ran.code, if verdict == "not run" { 3 } else { 1 }, "{}", ran.stdout);
        assert!(ran.stdout.contains(&format!("m1: {verdict}")), "{}", ran.stdout);
    }
}

/// An agent of several turns that asks its endpoint in one of two bad manners: `turns.sh late` has the charter from its
/// second turn on only, `turns.sh packed` sends a second request that cannot be read.
#[cfg(unix)]
const TURNS: &str = r##"
case "$*" in *--version*) echo "turns 1"; exit 0;; esac
read -r line
turn=$(printf '%s' "$line" | sed 's/.*"turn":\([0-9]*\).*/\1/')
text=$(printf '%s' "$line" | sed 's/.*"text":"\([^"]*\)".*/\1/')
esc() { sed 's/\\/\\\\/g; s/"/\\"/g' | awk '{ printf "%s\\n", $0 }'; }
ask() {
  printf '%s' '{"tools":['"$2"'],"messages":[{"role":"system","content":"'"$1"'"},{"role":"user","content":"'"$text"'"}]}' |
    curl -sS --max-time 20 -H "authorization: Bearer $ASKS_KEY" -H "content-encoding: ${3:-identity}" \
      --data-binary @- "$ASKS_URL/chat/completions" > "$HOME/answer.json" || exit 4
}
case $1$turn in
  late1) ask "" "";;
  packed2) ask "$(esc < RULES.md)" '{"name":"x"}'; ask "" '{"name":"x"}' zstd;;
  *) ask "$(esc < RULES.md)" '{"name":"x"}';;
esac
printf '{"text":"piano"}\n'
"##;

#[cfg(unix)]
#[test]
fn no_turn_vouches_for_another_and_what_cannot_be_read_is_not_taken_for_an_aside() {
    for (manner, verdict, words) in [
        ("good", "verified", "charter loaded: verified"),
        ("late", "missing", "the subject did not have the charter"),
        ("packed", "not-run", "1 of 3 requests to the relay could not be read"),
    ] {
        let server = Server::start(|_, _| says("piano"));
        let project = asking(&server, "RULES.md");
        project.write("agent/turns.sh", TURNS);
        project.edit("matrix.yaml", "agent/ask.sh, RULES.md]", &format!("agent/turns.sh, {manner}]"));
        project.edit("matrix.yaml", "charter_file", "protocol: json-lines, charter_file");
        let reply = "please.\"\n  - reply\n";
        project.edit(
            "cases/w1-say-the-word/case.yaml",
            reply,
            &format!("{reply}  - user: Once more.\n  - reply\n"),
        );
        let mut run = project.command(&["run", "--out", "r", "--trials", "1"]);
        let ran = crate::support::Ran::of(&run.env("ASKS_KEY", "sk-fake-998877").output().unwrap());
        let ran = ran.expect(if verdict == "verified" { 0 } else { 3 });
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert_eq!(first(&project)["load"]["verdict"], verdict);
    }
}
