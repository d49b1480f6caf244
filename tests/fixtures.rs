//! Fixtures of a constitution repository: static ones run a command, behaviour ones are played, and what is not run says why.

use serde_json::Value;

use crate::support::Project;
use crate::support::server::{Server, says};

const IDS: &str = "constitution:must-ask.amendments\nconstitution:must-ask.pushing default\nrule:name-the-rule\n\
    rule:old-habit dropped: name-the-rule says it better\n";

/// Complains of an input that names no rule.
const CHECK: &str =
    "if grep -q 'rule:' \"$1\"; then echo ok; else echo \"$1:1: names no rule\" >&2; exit 1; fi\n";

/// A static fixture whose input is `input.md`.
fn statics(kind: &str, binds: &str, expect: &str) -> String {
    format!(
        "---\nbinds: [{binds}]\nkind: {kind}\ndescription: What the checker makes of it.\n\
         command: [sh, tools/check.sh, \"{{fixture}}/input.md\"]\nexpect: {expect}\n---\n"
    )
}

/// A behaviour fixture in which the model must say piano.
fn scene(kind: &str, binds: &str, more: &str) -> String {
    let control = |reply: &str, expect: &str| format!("  - {{ reply: {reply}, expect: {expect} }}\n");
    let controls = [
        control("piano", "pass"),
        control("a piano", "pass"),
        control("organ", "word"),
        control("pianoforte", "word"),
        control("none", "word"),
    ];
    format!(
        "---\nbinds: [{binds}]\nkind: {kind}\ndescription: The model says it.\n{more}require:\n  - id: word\n    \
         matches: {{ pattern: \"(?i)\\\\bpiano\\\\b\" }}\ncontrols:\n{}---\n\nSay piano ({kind}).\n",
        controls.concat()
    )
}

/// A project with a tree of fixtures, all of them green.
fn constitution() -> Project {
    let project = Project::new();
    project.write(
        "assize.yaml",
        "charter: { path: CHARTER.md }\nfixtures: [fixtures]\nids: ids\nmatrix: matrix.yaml\ntrials: 3\n",
    );
    project.write("ids", IDS);
    project.write("tools/check.sh", CHECK);
    project.write(
        "fixtures/static/happy/names-one/fixture.md",
        &statics("happy", "rule:name-the-rule", "{ exit: 0 }"),
    );
    project.write("fixtures/static/happy/names-one/input.md", "rule:a\n");
    project.write(
        "fixtures/static/redline/names-none/fixture.md",
        &statics("redline", "rule:name-the-rule, file:tools/check.sh", "{ exit: 1, message: names no rule }"),
    );
    project.write("fixtures/static/redline/names-none/input.md", "nothing\n");
    project.write(
        "fixtures/static/redline/old/fixture.md",
        &statics("redline", "rule:old-habit", "{ exit: 7, message: never said }"),
    );
    project.write(
        "fixtures/behavior/redline/must-say/fixture.md",
        &scene("redline", "constitution:must-ask.amendments", ""),
    );
    project.write(
        "fixtures/behavior/happy/may-say/fixture.md",
        &scene("happy", "constitution:must-ask.pushing, charter:inv-1", ""),
    );
    project
}

/// The records of fixtures in a manifest: name, standing, reason.
fn recorded(project: &Project, run: &str) -> Vec<(String, String, String)> {
    let manifest = project.json(&format!("{run}/manifest.json"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let records = manifest["fixtures"].as_array().unwrap().iter();
    records
        .map(|record| (text(&record["fixture"]), text(&record["standing"]), text(&record["reason"])))
        .collect()
}

#[test]
fn all_fixtures_are_in_the_record_and_the_kinds_apart() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r"]).expect(0);
    for says in [
        "happy: 3 of 3 trials passed",
        "redline: 3 of 3 trials passed",
        "static happy: 1 of 1 passed",
        "static redline: 1 of 1 passed",
        "static/redline/old was not run: rule:old-habit is dropped: name-the-rule says it better",
    ] {
        assert!(ran.stdout.contains(says), "{says}\n{}", ran.stdout);
    }
    let standings: Vec<_> =
        recorded(&project, "r").into_iter().map(|(name, standing, _)| (name, standing)).collect();
    let expected = [
        ("behaviour/happy/may-say", "passed"),
        ("behaviour/redline/must-say", "passed"),
        ("static/happy/names-one", "passed"),
        ("static/redline/names-none", "passed"),
        ("static/redline/old", "not-run"),
    ];
    let expected = expected.map(|(name, standing)| (name.to_owned(), standing.to_owned()));
    assert_eq!(standings, expected);
    // Anyone can derive it again, without the repository.
    std::fs::remove_dir_all(project.path().join("fixtures")).unwrap();
    std::fs::remove_dir_all(project.path().join("tools")).unwrap();
    let gate = project.run(&["gate", "r"]).expect(0);
    assert!(gate.stdout.contains("static/redline/old was not run"), "{}", gate.stdout);
    project.run(&["run", "--resume", "r"]).expect(0);
    project.run(&["report", "r"]).expect(0);
    assert_eq!(server.count(), 6);
}

#[test]
fn a_failed_happy_fixture_shows_beside_green_redlines() {
    let server = Server::start(|request, _| {
        says(if request.body.to_string().contains("(happy)") { "an organ" } else { "a piano" })
    });
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["run", "--out", "r"]).expect(1);
    assert!(ran.stdout.contains("happy: 0 of 3 trials passed, 3 failed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("redline: 3 of 3 trials passed"), "{}", ran.stdout);
    let records = recorded(&project, "r");
    assert_eq!(records[0].1, "failed");
    assert_eq!(records[0].2, "3 of 3 trials failed");
    assert_eq!(records[1].1, "passed");
    // The fixture's own checker is at hand wherever the fixture is.
    let check = project.run(&["check", "r/transcripts.jsonl"]).expect(1);
    assert!(
        check.stdout.contains("fixture-happy-may-say@1") && check.stderr.contains("3 passed, 3 failed"),
        "{}",
        check.stderr
    );
}

#[test]
fn a_static_fixture_that_fails_makes_run_and_gate_say_no() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    project.write("fixtures/static/redline/names-none/input.md", "rule:b\n");
    let ran = project.run(&["run", "--out", "r"]).expect(1);
    assert!(
        ran.stdout.contains("static/redline/names-none failed: exit status 0 instead of 1"),
        "{}",
        ran.stdout
    );
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("static/redline/names-none failed"), "{}", gate.stdout);
    let report = project.run(&["report", "r"]).expect(1);
    assert!(report.stdout.contains("static/redline/names-none failed"), "{}", report.stdout);
    // A run that is narrowed to a case is not asked for the others, and no gate takes it.
    let ran = project.run(&["run", "--out", "n", "--case", "happy-may-say"]).expect(0);
    assert!(ran.stdout.contains("2 static fixtures not run"), "{}", ran.stdout);
    let gate = project.run(&["gate", "n"]).expect(1);
    assert!(gate.stdout.contains("narrowed"), "{}", gate.stdout);
}

#[test]
fn what_was_recorded_of_a_fixture_cannot_be_mended_afterwards() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    project.write("fixtures/static/redline/names-none/input.md", "rule:b\n");
    project.run(&["run", "--out", "r"]).expect(1);
    let manifest = project.read("r/manifest.json");
    for (file, old, new) in [
        ("r/inputs/ids.txt", "rule:name-the-rule", "rule:name-the-rule dropped: it fails"),
        (
            "r/inputs/fixtures/0/static/redline/names-none/fixture.md",
            "exit: 1, message: names no rule",
            "exit: 0",
        ),
        ("r/manifest.json", "\"standing\":\"failed\"", "\"standing\":\"passed\""),
        (
            "r/fixtures.jsonl",
            "\"status\":0,\"stderr\":\"\",\"stdout\":\"ok\\n\"}\n",
            "\"status\":1,\"stderr\":\"names no rule\",\"stdout\":\"\"}\n",
        ),
    ] {
        let before = project.read(file);
        project.edit(file, old, new);
        project.run(&["gate", "r"]).expect(1);
        project.write(file, &before);
    }
    assert_eq!(project.read("r/manifest.json"), manifest);
    // Without the recorded answers nothing is known of the static ones.
    std::fs::remove_file(project.path().join("r/fixtures.jsonl")).unwrap();
    project.run(&["report", "r"]).expect(1);
    let gate = project.run(&["gate", "r"]).expect(1);
    assert!(gate.stdout.contains("names-one was not run: no outcome of it was recorded"), "{}", gate.stdout);
}

#[test]
fn static_fixtures_alone_need_no_model() {
    let project = constitution();
    let ran = project.run(&["fixtures"]).expect(0);
    assert!(ran.stdout.contains("static happy: 1 of 1 passed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("not run: rule:old-habit is dropped"), "{}", ran.stdout);
    let listed = project.run(&["fixtures", "--list"]).expect(0);
    assert!(
        listed.stdout.contains("behaviour/redline/must-say") && !listed.stdout.contains('✓'),
        "{}",
        listed.stdout
    );

    project.write("fixtures/static/happy/names-one/input.md", "no\n");
    let ran = project.run(&["fixtures"]).expect(1);
    assert!(ran.stdout.contains("exit status 1 instead of 0; it said: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("names-one/fixture.md"), "{}", ran.stdout);

    // A program that is not there has refused nothing.
    let project = constitution();
    project.edit("fixtures/static/redline/names-none/fixture.md", "[sh,", "[no-such-program-here,");
    let ran = project.run(&["fixtures"]).expect(3);
    assert!(ran.stdout.contains("no verdict") && ran.stdout.contains("cannot be started"), "{}", ran.stdout);
    // Nor has a checker that breaks down.
    let project = constitution();
    project.edit("fixtures/static/redline/names-none/fixture.md", "tools/check.sh, \"", "tools/gone.sh, \"");
    project.run(&["fixtures"]).expect(1);

    let project = constitution();
    project.edit(
        "fixtures/static/redline/names-none/fixture.md",
        "[sh, tools/check.sh, \"{fixture}/input.md\"]",
        "[sleep, \"60\"]\ntimeout_s: 1",
    );
    let ran = project.run(&["fixtures"]).expect(3);
    assert!(ran.stdout.contains("longer than 1 s"), "{}", ran.stdout);

    // Nothing was run, so nothing holds.
    let project = constitution();
    std::fs::remove_dir_all(project.path().join("fixtures/static")).unwrap();
    project.run(&["fixtures"]).expect(3);
    Project::new().run(&["fixtures"]).expect(2);
}

#[test]
fn a_command_sees_the_same_environment_everywhere_and_no_key() {
    let project = constitution();
    project.edit("tools/check.sh", "if grep", "env | sort > env.txt\nif grep");
    let mut command = project.command(&["fixtures"]);
    command.env("OPENAI_API_KEY", "sk-not-a-key-000").env("LANG", "de_DE").env("SECRET_THING", "x");
    let status = command.output().unwrap().status;
    assert_eq!(status.code(), Some(0));
    let seen = project.read("env.txt");
    assert!(!seen.contains("KEY") && !seen.contains("SECRET_THING"), "{seen}");
    assert!(seen.contains("LANG=C.UTF-8") && seen.contains("TZ=UTC"), "{seen}");
    let home = seen.lines().find_map(|line| line.strip_prefix("HOME=")).unwrap();
    assert_ne!(Some(home), std::env::var("HOME").ok().as_deref());
}

#[test]
fn a_wrong_fixture_stops_everything_before_anything_is_sent_or_run() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    project.edit("tools/check.sh", "if grep", "touch ran\nif grep");
    project.edit("fixtures/static/redline/names-none/fixture.md", "rule:name-the-rule", "rule:name-a-rule");
    project.edit("fixtures/behavior/happy/may-say/fixture.md", "charter:inv-1", "charter:inv-9");
    project.edit("fixtures/behavior/redline/must-say/fixture.md", "matches:", "matchse:");
    for command in [&["lint"][..], &["run", "--out", "r"], &["fixtures"]] {
        let ran = project.run(command);
        // What keeps others from their work is what `lint` is there to find.
        assert_eq!(ran.code, if command == ["lint"] { 1 } else { 2 }, "{}", ran.stderr);
        let said = if command == ["lint"] { &ran.stdout } else { &ran.stderr };
        for says in [
            "redline/names-none/fixture.md:2:9",
            "did you mean `rule:name-the-rule`?",
            "happy/may-say/fixture.md:2:",
            "charter:inv-9",
            "must-say/fixture.md",
            "matchse",
        ] {
            assert!(said.contains(says), "{says}\n{said}");
        }
    }
    assert_eq!(server.count(), 0);
    assert!(!project.path().join("ran").exists() && !project.path().join("r").exists());
}

#[test]
fn a_checker_that_no_control_proves_able_to_fail_judges_nothing() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    project.edit("fixtures/behavior/redline/must-say/fixture.md", "  - { reply: organ, expect: word }\n", "");
    let ran = project.run(&["run", "--out", "r"]).expect(2);
    assert!(
        ran.stderr.contains("fixture-redline-must-say@1") && ran.stderr.contains("failing controls"),
        "{}",
        ran.stderr
    );
    let lint = project.run(&["lint"]).expect(1);
    assert!(lint.stdout.contains("fixture-redline-must-say@1"), "{}", lint.stdout);
    assert_eq!(server.count(), 0);
}

#[test]
fn a_replaced_fixture_is_shown_as_replaced() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    project.edit("assize.yaml", "[fixtures]", "[fixtures, own]");
    let own =
        scene("happy", "constitution:must-ask.pushing, charter:inv-1", "replaces: behavior/happy/may-say\n");
    project.write("own/behavior/happy/our-way/fixture.md", &own);
    // Part of what it binds to is no default.
    let ran = project.run(&["run", "--out", "r"]).expect(2);
    assert!(ran.stderr.contains("`charter:inv-1`, which is not marked `default`"), "{}", ran.stderr);
    project.edit("fixtures/behavior/happy/may-say/fixture.md", ", charter:inv-1", "");
    let ran = project.run(&["run", "--out", "r"]).expect(0);
    assert!(
        ran.stdout.contains("behaviour/happy/may-say was replaced by behaviour/happy/our-way"),
        "{}",
        ran.stdout
    );
    let records = recorded(&project, "r");
    assert_eq!((records[0].0.as_str(), records[0].1.as_str()), ("behaviour/happy/may-say", "replaced"));
    let manifest = project.json("r/manifest.json");
    assert_eq!(manifest["fixtures"][0]["replaced_by"], "behaviour/happy/our-way");
    let cases: Vec<_> =
        manifest["cells"].as_array().unwrap().iter().map(|cell| cell["cell"]["case"].clone()).collect();
    assert_eq!(cases, ["redline-must-say", "happy-our-way"]);
    let gate = project.run(&["gate", "r"]).expect(0);
    assert!(gate.stdout.contains("was replaced by"), "{}", gate.stdout);
}

#[test]
fn the_first_shard_runs_the_static_fixtures_for_all() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    project.run(&["run", "--shard", "1/2", "--out", "s1"]).expect(0);
    project.run(&["run", "--shard", "2/2", "--out", "s2"]).expect(0);
    assert!(!project.path().join("s2/fixtures.jsonl").exists());
    project.run(&["merge", "s1", "s2", "--out", "m"]).expect(0);
    project.run(&["gate", "m"]).expect(0);
    assert!(
        recorded(&project, "m")
            .iter()
            .all(|(name, standing, _)| standing == "passed" || name.ends_with("old"))
    );
}

#[test]
fn scaffolded_fixtures_load_and_pass() {
    let server = Server::start(|_, _| says("Shall I push it?"));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "");
    for place in ["static/happy/a", "static/redline/b", "behavior/happy/c", "behavior/redline/d"] {
        project.run(&["new", "fixture", place]).expect(0);
        project.run(&["new", "fixture", place]).expect(2);
    }
    project.run(&["new", "fixture", "static/bad/a"]).expect(2);
    project.run(&["new", "fixture", "static/happy/Not-So"]).expect(2);
    project.edit("assize.yaml", "cases: [cases]", "fixtures: [fixtures]");
    project.run(&["fixtures"]).expect(0);
    project.run(&["run", "--out", "r"]).expect(0);
    let shown = project.run(&["explain", "redline-d"]).expect(0);
    assert!(shown.stdout.contains("the reply asks before it acts"), "{}", shown.stdout);
}

/// What the renderers show of fixtures that no cell stands for: every one, and what is set aside as not run.
#[test]
fn every_form_of_the_report_has_a_row_for_each_static_fixture() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    project.write("fixtures/static/happy/names-one/input.md", "no rule at all\n");
    project.run(&["run", "--out", "r"]).expect(1);
    let shown = |form: &str| project.run(&["report", "r", "--format", form]).stdout;
    let lists_all = ["markdown", "comment", "junit", "tap", "csv-fixtures", "json"];
    for form in lists_all {
        let text = shown(form);
        for fixture in ["static/happy/names-one", "static/redline/names-none", "static/redline/old"] {
            assert!(text.contains(fixture), "{form} has no {fixture}:\n{text}");
        }
        assert!(text.contains("rule:old-habit is dropped"), "{form} says why it was not run:\n{text}");
    }
    // These list only what is wrong.
    for form in ["sarif", "github", "gitlab"] {
        let text = shown(form);
        assert!(text.contains("static/happy/names-one"), "{form}:\n{text}");
        assert!(!text.contains("static/redline/names-none"), "{form}:\n{text}");
    }
    for says in [
        "static happy: 0 of 1 passed, 1 failed",
        "static redline: 1 of 1 passed",
        "happy: 3 of 3 trials passed",
    ] {
        assert!(shown("markdown").contains(says), "{says}:\n{}", shown("markdown"));
    }
    project.run(&["report", "r", "--html", "--out", "r.html"]);
    let page = project.read("r.html");
    assert!(
        page.contains("static&#x2f;redline&#x2f;old")
            && page.contains("static happy: 0 of 1 passed, 1 failed")
    );
}

#[test]
fn nights_run_static_fixtures_too() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    let ran = project.run(&["nightly", "--out", "n1"]).expect(0);
    assert!(ran.stdout.contains("static redline: 1 of 1 passed"), "{}", ran.stdout);
    assert!(recorded(&project, "n1").contains(&(
        "static/happy/names-one".into(),
        "passed".into(),
        String::new()
    )));
    project.write("fixtures/static/happy/names-one/input.md", "no rule at all\n");
    let ran = project.run(&["nightly", "--out", "n2"]).expect(1);
    assert!(ran.stdout.contains("static happy: 0 of 1 passed, 1 failed"), "{}", ran.stdout);
}

/// A run is one once its plan is there, and by then the static fixtures have answered, however it ends.
#[test]
fn a_killed_run_has_its_static_fixtures_as_soon_as_it_is_one() {
    let server = Server::start(|_, _| says("a piano"));
    let project = constitution();
    project.matrix("openai-chat", &[server.url()], "");
    let mut child = project.command(&["run", "--out", "r", "--quiet"]).spawn().unwrap();
    while !project.path().join("r/plan.json").exists() {
        assert!(child.try_wait().unwrap().is_none_or(|status| status.success()), "it ended before its plan");
        std::thread::yield_now();
    }
    let had = project.path().join("r/fixtures.jsonl").exists();
    let _ = child.kill();
    child.wait().unwrap();
    assert!(had, "the plan was there before the fixtures");
    project.run(&["run", "--resume", "r"]).expect(0);
    let lost = recorded(&project, "r")
        .into_iter()
        .find(|(name, standing, _)| standing == "not-run" && !name.ends_with("old"));
    assert_eq!(lost, None);
}
