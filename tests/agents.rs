//! `assize run` with programs as subjects: small agents in the shell's language, each with a manner of its own.

#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::server::{Server, says};
use crate::support::{Project, Ran};

/// An agent: `agent.sh MANNER ARGUMENT`, JSON in, JSON out.
const AGENT: &str = r#"
case "$*" in *--version*) echo "agent 1.2.3 (test)"; exit 0;; esac
manner=$1
read -r line
turn=$(printf '%s' "$line" | sed 's/.*"turn":\([0-9]*\).*/\1/')
# The text as the inside of a JSON string.
esc() { sed 's/\\/\\\\/g; s/"/\\"/g; s/	/\\t/g' | awk '{ printf "%s\\n", $0 }'; }
say() { printf '{"text":"%s"}\n' "$1"; }
case $manner in
  good) say "A piano."; exit 0;;
  fails) say "A piano."; echo "out of luck" >&2; exit 3;;
  breaks) echo '{"text":"A pia'; exit 0;;
  empty) say ""; exit 0;;
  complains) printf '{"text":"","error":"no credit left"}\n'; exit 0;;
  hangs) sleep 71001 & sleep 71001;;
  lasts) sleep 71004 & sleep 71004;;
  floods) while :; do echo "piano piano piano piano piano piano piano"; done;;
  leaves) (setsid sleep 71002 >/dev/null 2>&1 &) ; say "A piano.";;
  breeds) for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 71003 & done; sleep 5; say "A piano.";;
  dumps) say "piano $(env | sort | tr '\n' ' ' | tr -d '"\\')";;
  strays)
    echo stray > "$2/stray.txt" && wrote=yes
    cat "$2/secret.txt" >/dev/null 2>&1 && read=yes
    curl -s --max-time 10 "$3" >/dev/null && net=yes
    echo mine > mine.txt
    say "piano wrote=${wrote:-no} read=${read:-no} net=${net:-no}";;
  remembers)
    echo "$turn" >> "$HOME/turns"
    say "piano, turn $turn of $(wc -l < "$HOME/turns" | tr -d ' ')";;
  names) [ "$turn" = 1 ] && model='"model":"tiny-1",'; printf '{%s"text":"A piano."}\n' "$model";;
  edits) mkdir src; echo two > src/new.txt; rm RULES.md; say "A piano.";;
  renames)
    before=$(grep -rn session_ttl . --exclude=RULES.md | esc)
    files=$(grep -rl session_ttl . --exclude=RULES.md)
    sed -i 's/session_ttl/session_lifetime/g' $files
    listed=$(echo $files | sed 's#\./##g')
    printf '{"model":"tiny-1","usage":{"input":100,"output":20},"calls":['
    printf '{"say":"First a search.","name":"run_command","arguments":{"command":"grep -rn session_ttl ."},"result":"%s"},' "$before"
    printf '{"name":"run_command","arguments":{"command":"sed -i s/session_ttl/session_lifetime/g %s"},"result":""},' "$listed"
    printf '{"name":"run_command","arguments":{"command":"grep -rn session_ttl ."},"result":""}],'
    printf '"text":"Done. `session_ttl` is now `session_lifetime` in %s; the last search, after the last edit, shows the old name nowhere."}\n' "$listed";;
  asks)
    server=$(sed 's/.*"command":"\([^"]*\)".*/\1/' "$ASSIZE_MCP_CONFIG")
    tools=$(sed 's/.*"args":\["[^"]*","\([^"]*\)".*/\1/' "$ASSIZE_MCP_CONFIG")
    answer=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tide","arguments":{}}}' | "$server" case-tools "$tools")
    said=$(printf '%s' "$answer" | sed 's/.*"text":"\([^"]*\)".*/\1/')
    printf '{"calls":[{"name":"tide","result":"%s"}],"text":"piano: %s"}\n' "$said" "$said";;
esac
"#;

/// A project whose only model is the agent in this manner.
fn project(manner: &str, more: &str) -> Project {
    let project = Project::new();
    let folder = project.path().canonicalize().unwrap();
    project.write("agent/agent.sh", AGENT);
    matrix(&project, &folder, manner, "protocol: json-lines", more);
    project
}

fn matrix(project: &Project, folder: &Path, manner: &str, program: &str, more: &str) {
    let folder = folder.display();
    project.write(
        "matrix.yaml",
        &format!(
            "models:\n  - id: m1\n    role: frontier-reference\n    provider: command\n    program: {{ run: [sh, {folder}/agent/agent.sh, {manner}, {folder}], read: [{folder}/agent], charter_file: RULES.md, {program} }}\n{more}"
        ),
    );
}

fn first(project: &Project) -> Value {
    project.lines("r/transcripts.jsonl")[0].clone()
}

fn play(project: &Project, code: i32) -> Ran {
    project.run(&["run", "--out", "r", "--trials", "1"]).expect(code)
}

/// Whether a process with these arguments runs, after it had time to end.
fn runs(arguments: &str) -> bool {
    let wanted = format!("{}\0", arguments.replace(' ', "\0"));
    let found = || {
        std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == wanted.as_bytes())
        })
    };
    let start = Instant::now();
    while found() {
        if start.elapsed() > Duration::from_secs(20) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn an_agent_is_judged_like_any_other_subject() {
    let project = project("good", "    pin: { version: 1.2.3 }\n");
    let ran = project.run(&["run", "--out", "r"]).expect(0);
    assert!(ran.stdout.contains("✓ 3/3"), "{}", ran.stdout);
    assert!(ran.stdout.contains("program: command agent 1.2.3 (test)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("charter loaded: not run (no request was captured)"), "{}", ran.stdout);
    let transcript = first(&project);
    assert_eq!(transcript["messages"][0]["content"], "<charter>");
    assert_eq!(transcript["messages"][2]["content"], "A piano.");
    assert_eq!(transcript["program"]["version"], "agent 1.2.3 (test)");
    assert_eq!(transcript["workspace"], json!([]));
    let record = project.json("r/manifest.json")["models"][0].clone();
    assert_eq!(record["load"]["verdict"], "not-run");
    assert_eq!(record["program"]["adapter"], "command");
    project.run(&["run", "--resume", "r"]).expect(0);
    let gate = project.run(&["gate", "r"]);
    assert!(!gate.stdout.contains("does not follow") && gate.code != 2, "{}\n{}", gate.stdout, gate.stderr);
    // Nobody saw the charter reach the model, and whoever relies on the run should know.
    let remark = "note: m1: the charter was never seen to be loaded (no request was captured)";
    assert!(gate.stdout.contains(remark), "{}", gate.stdout);
}

#[test]
fn what_the_user_said_and_what_was_changed_cannot_be_rewritten() {
    for (old, new, why) in [
        ("Say piano, please.", "Say organ, please.", "is not what the case's script says"),
        ("\"content\":\"two\\n\"", "\"content\":\"three\\n\"", "not the difference"),
        ("agent 1.2.3", "agent 1.2.30", "another version"),
    ] {
        let project = project("edits", "    pin: { version: 1.2.3 }\n");
        play(&project, 0);
        let changed = first(&project)["workspace"].clone();
        assert_eq!(changed[0]["path"], "RULES.md");
        assert_eq!((&changed[0]["change"], &changed[1]["change"]), (&json!("deleted"), &json!("created")));
        std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
        project.edit("r/transcripts.jsonl", old, new);
        let ran = project.run(&["run", "--resume", "r"]).expect(2);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn another_version_than_the_pinned_one_is_drift_and_not_played() {
    let project = project("good", "    pin: { version: 1.2 }\n");
    let ran = play(&project, 3);
    assert!(ran.stdout.contains("prints agent 1.2.3 (test), but the matrix pins 1.2;"), "{}", ran.stdout);
    assert_eq!(first(&project)["error"]["kind"], "pin-drift");
    let lint = project.run(&["lint"]);
    assert!(!lint.stdout.contains("is a program of any version"), "{}", lint.stdout);
}

/// A case of two turns.
fn two_turns(project: &Project) {
    let one = "script:\n  - user: \"Say {{ word }}, please.\"\n  - reply\n";
    let two = format!("{one}  - user: \"Once more.\"\n  - reply\n");
    project.edit("cases/w1-say-the-word/case.yaml", one, &two);
}

#[test]
fn a_pin_that_is_written_out_is_demanded_of_a_program_turn_by_turn() {
    let drifts = |manner: &str, pin: &str, words: &str| {
        let project = project(manner, pin);
        if manner == "names" {
            two_turns(&project);
        }
        let ran = play(&project, 3);
        assert_eq!(first(&project)["error"]["kind"], "pin-drift", "{}", ran.stdout);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    };
    drifts("good", "    pin: { model: tiny-1 }\n", "did not say which model served");
    drifts("names", "    pin: { model: tiny-1 }\n", "did not say which model served");
    drifts("names", "    pin: { model: tiny-2 }\n", "`tiny-1`, but the matrix pins `tiny-2`");
    // Where the entry names a model and writes no pin, silence is recorded and told.
    let silent = project("good", "    model: tiny-1\n");
    let ran = play(&silent, 0);
    assert!(ran.stdout.contains("did not say which model served 1 of 1 replies"), "{}", ran.stdout);
}

#[test]
fn a_record_of_a_program_from_which_a_drift_was_edited_away_is_not_believed() {
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 3] = [
        (|line| line["served"] = json!([{ "model": "tiny-2" }]), "but the matrix pins `tiny-1`"),
        (|line| line["served"] = json!([{}]), "did not say which model served"),
        (|line| line["served"] = json!([]), "does not say of each turn who served it"),
    ];
    for (edit, words) in edits {
        let project = project("names", "    pin: { model: tiny-1 }\n");
        play(&project, 0);
        let mut line = first(&project);
        edit(&mut line);
        project.write("r/transcripts.jsonl", &format!("{line}\n"));
        std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
        let ran = project.run(&["run", "--resume", "r"]).expect(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        let ran = project.run(&["gate", "r"]).expect(1);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
}

#[test]
fn a_program_that_fails_is_an_error_in_its_own_words_and_never_judged() {
    for (manner, kind, words) in [
        ("fails", "agent-error", "the program ended with exit code 3: out of luck"),
        ("breaks", "agent-output", "its output is not one JSON object of a turn"),
        ("empty", "bad-reply", "neither text nor tool calls"),
        ("complains", "agent-error", "no credit left"),
    ] {
        let project = project(manner, "");
        let ran = play(&project, 3);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert_eq!(first(&project)["error"]["kind"], kind);
        assert_eq!(project.lines("r/verdicts.jsonl")[0]["verdict"], "error");
        // It may be attempted again, as any trial that ended in an error.
        project.run(&["run", "--resume", "r"]).expect(3);
        assert_eq!(project.lines("r/transcripts.jsonl")[1]["attempt"], 2);
    }
}

#[test]
fn a_program_that_is_not_there_says_so() {
    let project = project("good", "");
    project.edit("matrix.yaml", "run: [sh, ", "run: [no-such-agent, ");
    let ran = play(&project, 3);
    assert!(ran.stdout.contains("`no-such-agent` cannot be started"), "{}", ran.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn limits_end_a_program_with_all_that_it_started() {
    for (manner, limits, kind, left) in [
        ("hangs", "timeout_s: 1", "timeout", "sleep 71001"),
        ("floods", "max_output_bytes: 100000", "output-limit", "floods"),
        ("breeds", "max_processes: 8", "process-limit", "sleep 71003"),
    ] {
        let project = project(manner, &format!("    limits: {{ {limits} }}\n"));
        play(&project, 3);
        let error = first(&project)["error"].clone();
        assert_eq!(error["kind"], kind);
        let name = limits.split(':').next().unwrap();
        assert!(error["message"].as_str().unwrap().contains(&format!("limits.{name}")), "{error}");
        assert!(!runs(left), "{left}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_program_leaves_running_is_ended_and_told() {
    let project = project("leaves", "");
    play(&project, 0);
    assert_eq!(first(&project)["program"]["processes_ended"], 1);
    assert!(!runs("sleep 71002"));
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_runs_on_when_the_harness_is_stopped() {
    for signal in ["-INT", "-KILL"] {
        let project = project("lasts", "");
        let mut command = project.command(&["run", "--out", "r", "--trials", "1"]);
        let mut child =
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
        let id = child.id().to_string();
        let start = Instant::now();
        while !runs_now("sleep 71004") && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(runs_now("sleep 71004"), "the agent never got going");
        while child.try_wait().unwrap().is_none() {
            std::process::Command::new("kill").args([signal, id.as_str()]).status().unwrap();
            std::thread::sleep(Duration::from_millis(200));
        }
        assert!(!runs("sleep 71004"), "after {signal}");
    }
}

#[cfg(target_os = "linux")]
fn runs_now(arguments: &str) -> bool {
    let wanted = format!("{}\0", arguments.replace(' ', "\0"));
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .any(|entry| std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == wanted.as_bytes()))
}

#[test]
fn a_program_is_kept_in_its_folders_or_the_record_says_that_it_was_not() {
    let server = Server::start(|_, _| says("piano"));
    let project = project("strays", "");
    let folder = project.path().canonicalize().unwrap().display().to_string();
    project.edit("matrix.yaml", &format!("strays, {folder}"), &format!("strays, {folder}, {}", server.url()));
    project.write("secret.txt", "not for agents\n");
    play(&project, 0);
    let transcript = first(&project);
    let said = transcript["messages"][2]["content"].as_str().unwrap().to_owned();
    let list = |key: &str| transcript["program"][key].to_string();
    let (fenced, open) = (list("fenced"), list("open"));
    if fenced.contains("writes only in its workspace") {
        let net = if fenced.contains("TCP: connects nowhere") { "no" } else { "yes" };
        assert_eq!(said, format!("piano wrote=no read=no net={net}"));
        assert_eq!(server.count(), usize::from(net == "yes"));
        assert!(!project.path().join("stray.txt").exists());
    } else {
        assert!(open.contains("no landlock"), "{open}");
        assert_eq!(said, "piano wrote=yes read=yes net=yes");
    }
    assert!(open.contains("UDP"), "what no platform fences is told: {open}");
    let changes: Vec<&Value> =
        transcript["workspace"].as_array().unwrap().iter().map(|change| &change["path"]).collect();
    assert_eq!(changes, ["mine.txt"]);
}

#[test]
fn the_environment_holds_nothing_but_what_the_entry_names() {
    let project = project("dumps", "    key_env: ASSIZE_TEST_KEY\n");
    let output = project
        .command(&["run", "--out", "r", "--trials", "1"])
        .env("ASSIZE_TEST_KEY", "sk-fake-11223344")
        .env("OTHER_TOKEN", "fake-other-5566")
        .output()
        .unwrap();
    let ran = Ran::of(&output).expect(0);
    let said = first(&project)["messages"][2]["content"].as_str().unwrap().to_owned();
    assert!(said.contains("ASSIZE_TEST_KEY=[secret ASSIZE_TEST_KEY]"), "{said}");
    let names: Vec<&str> =
        said.split(' ').filter_map(|word| word.split_once('=')).map(|(name, _)| name).collect();
    let allowed =
        ["ASSIZE_TEST_KEY", "HOME", "LANG", "NO_PROXY", "OLDPWD", "PATH", "PWD", "SHLVL", "TMPDIR", "_"];
    assert!(names.iter().all(|name| allowed.contains(name)), "{names:?}");
    for file in project.files() {
        let bytes = std::fs::read(file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("11223344") && !text.contains("5566"));
    }
    assert!(!ran.stdout.contains("11223344") && !ran.stderr.contains("11223344"));
}

#[test]
fn later_turns_find_what_earlier_ones_kept() {
    let project = project("remembers", "");
    two_turns(&project);
    play(&project, 0);
    let said: Vec<Value> = first(&project)["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].clone())
        .collect();
    assert_eq!(
        said,
        ["<charter>", "Say piano, please.", "piano, turn 1 of 1", "Once more.", "piano, turn 2 of 2"]
    );
    project.run(&["run", "--resume", "r"]).expect(0);
    // In plain text there is no second turn: the case is not played, and the record says so.
    let folder = project.path().canonicalize().unwrap();
    matrix(&project, &folder, "remembers", "protocol: text", "");
    let ran = project.run(&["run", "--out", "text"]).expect(3);
    assert!(ran.stdout.contains("unsupported: it has more than one turn"), "{}", ran.stdout);
    let trial = project.json("text/manifest.json")["cells"][0]["trials"][0].clone();
    assert_eq!(trial["standing"], "not-run");
    assert!(trial["reason"].as_str().unwrap().starts_with("unsupported: "), "{trial}");
    assert_eq!(project.lines("text/transcripts.jsonl").len(), 0);
}

#[test]
fn a_cases_own_tool_is_offered_and_its_answer_derived_again() {
    let project = project("asks", "");
    let tool =
        "tools:\n  - { name: tide, description: The tide., effect: read, answer: it is high }\nchecker";
    project.edit("cases/w1-say-the-word/case.yaml", "checker", tool);
    let ran = project.run(&["run", "--out", "without", "--trials", "1"]).expect(3);
    assert!(ran.stdout.contains("unsupported: it offers the tool `tide`"), "{}", ran.stdout);
    project.edit("matrix.yaml", "protocol: json-lines", "protocol: json-lines, mcp: true");
    play(&project, 0);
    assert_eq!(first(&project)["messages"][3]["content"], "it is high");
    project.run(&["run", "--resume", "r"]).expect(0);
    std::fs::remove_file(project.path().join("r/manifest.json")).unwrap();
    project.edit("r/transcripts.jsonl", "\"content\":\"it is high\"", "\"content\":\"it is low\"");
    let ran = project.run(&["run", "--resume", "r"]).expect(2);
    assert!(ran.stderr.contains("is not what the case's tool `tide` answers"), "{}", ran.stderr);
}

#[test]
fn a_shipped_case_is_played_on_real_files() {
    let project = project("renames", "");
    project.edit(
        "matrix.yaml",
        "json-lines",
        "json-lines, tools: [list_files, read_file, search, write_file, edit_file, run_command], mcp: true",
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let matrix = project.path().join("matrix.yaml");
    let out = project.path().join("r");
    let output = crate::support::assize()
        .current_dir(root)
        .args(["run", "--case", "E9", "--trials", "1", "--matrix"])
        .arg(&matrix)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    let ran = Ran::of(&output).expect(0);
    assert!(ran.stdout.contains("✓ 1/1"), "{}", ran.stdout);
    let transcript = first(&project);
    let changed: Vec<&str> = transcript["workspace"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        changed,
        ["app/login.py", "app/settings.py", "config/base.yaml", "deploy/values.yaml", "tests/test_login.py"]
    );
    assert_eq!(transcript["usage"], json!({ "input": 100, "output": 20 }));
    assert_eq!(transcript["served"][0]["model"], "tiny-1");
}
