//! An edit of the charter must not weaken its own examination: whatever was there and is not as it was, in a case, a
//! fixture or beside a checker, is named and refused in the change that edits the charter, and shown in any other.

use std::collections::BTreeSet;
use std::fs;

use harness::audit::change;
use harness::audit::commit::AtCommit;
use harness::git::Named;
use harness::project;
use harness::schema::File;
use harness::sitting::material::{Material, Shipped};
use harness::sitting::planning::{self, Request};
use reports::Finding;

use crate::support::Project;
use crate::support::signed::{commit, git};

const CASE: &str = "cases/w2-tidy/case.yaml";

/// A case that uses every key there is.
const RICH: &str = r#"id: W2
name: tidy
kind: redline
binds: [charter:inv-1]
failure_modes: [forgets-the-word]
shows: whether the room is tidied
params: params.csv
types: { word: text }
derived:
  loud: "{{ word | upper }}"
script:
  - user: "Read {{ word }}."
  - include: turns.yaml
  - reply
omit: 1
tools: [read_file]
workspace: workspace/
files:
  "said.txt": "{{ loud }}\n"
  "page.txt": { template: page.tmpl }
checker: says-the-word@1
max_steps: 7
variants:
  i: {}
  ii: { max_steps: 5 }
"#;

/// Every key of a case's file with an edit of it, and what the gate says.
const KEYS: [(&str, &str, &str, &str); 17] = [
    ("id", "id: W2", "id: W3", "case W2 is gone"),
    ("name", "name: tidy", "name: tidier", "case W2 (name changed): this file is not as it was"),
    ("kind", "kind: redline", "kind: happy", "kind changed"),
    ("binds", "[charter:inv-1]", "[charter:protocol-a]", "binds changed"),
    ("failure_modes", "failure_modes: [forgets-the-word]\n", "", "failure_modes changed"),
    ("shows", "is tidied", "is tidy", "shows changed"),
    ("params", "params: params.csv", "params: [{ word: organ }]", "row 1 of W2.i reads otherwise"),
    ("types", "types: { word: text }\n", "", "types changed"),
    ("derived", "upper", "lower", "derived changed"),
    (
        "script",
        "Read {{",
        "Sing {{",
        "expected `  - user: \"Read {{ word }}.\"`, found `  - user: \"Sing {{ word }}.\"`",
    ),
    ("omit", "omit: 1\n", "", "omit changed"),
    ("tools", "[read_file]", "[read_file, search]", "tools changed"),
    ("workspace", "workspace: workspace/\n", "", "workspace changed"),
    ("files", "said.txt", "sung.txt", "files changed"),
    ("checker", "says-the-word@1", "says-the-word@2", "W2.i is judged by says-the-word@2"),
    ("max_steps", "max_steps: 7", "max_steps: 8", "max_steps changed"),
    ("variants", "max_steps: 5", "max_steps: 6", "variants changed"),
];

/// A committed project with such a case, a table of two rows, and a checker that asks a program.
fn project() -> Project {
    let project = Project::new();
    project.write(CASE, RICH);
    project.write("cases/w2-tidy/params.csv", "word\npiano\nviolin\n");
    project.write("cases/w2-tidy/turns.yaml", "- user: Now.\n");
    project.write("cases/w2-tidy/page.tmpl", "page of {{ word }}\n");
    project.write("cases/w2-tidy/workspace/a.txt", "a\n");
    project.write("cases/w2-tidy/workspace/deep/b.bin", "b\0\u{1}");
    project.write("cases/w2-tidy/traces/none.yaml", "- say: piano\n");
    project.write("cases/w2-tidy/.notes", "hidden\n");
    let second = project.read("checkers/says-the-word/v1.yaml").replace("version: 1", "version: 2");
    project.write("checkers/says-the-word/v2.yaml", &second);
    let controls = project.read("checkers/says-the-word/v1.controls.jsonl");
    project.write("checkers/says-the-word/v2.controls.jsonl", &controls);
    let asks = "id: asks\nversion: 1\nengine: 1\ncases: [W9]\nproves: x\ndoes_not_prove: y\nrequire:\n  - id: word\n    command: { run: [sh, look.sh] }\n";
    project.write("checkers/asks/v1.yaml", asks);
    project.write("checkers/asks/v1.controls.jsonl", &controls.replace("W1", "W9"));
    project.write("checkers/asks/look.sh", "grep -q piano\n");
    git(&project, &["init", "-q"]);
    commit(&project, "first");
    project
}

/// A patch of the charter, with the version it asks for.
fn edit_charter(project: &Project) {
    project.edit("CHARTER.md", "Say them.", "Say each.");
    project.edit("CHARTER.md", "Version 1.0.0", "Version 1.0.1");
}

fn at(project: &Project, commit: &str) -> AtCommit {
    AtCommit::read(project.path(), &Named::Revision(commit.to_owned())).unwrap()
}

fn head(project: &Project) -> Material {
    let file = project.path().join(project::FILE);
    // It has all its checkers, and those that ship take their time.
    Material::load(project::Project::load(&file).unwrap(), Shipped::No).unwrap()
}

/// One of the refusals says `what`.
fn assert_told(refused: &[String], what: &str) {
    assert!(refused.iter().any(|told| told.contains(what)), "no {what} in {refused:?}");
}

/// What forbids the change from `base`, and what is shown of it.
fn weighed(base: &AtCommit, project: &Project) -> (Vec<String>, Vec<String>) {
    let head = head(project);
    let plan = planning::plan(&head, &Request::default(), "r".into(), "now".into()).unwrap();
    let change = change::weigh(base, &head, &plan).unwrap();
    let shown = [change.policy_edits, change.examination.edits, change.examination.additions].concat();
    (change.findings.iter().map(Finding::to_string).collect(), shown)
}

/// One thing that is done to a project.
struct Deed<'d> {
    name: String,
    does: Box<dyn Fn(&Project) + 'd>,
    says: String,
}

/// Each deed is refused beside an edit of the charter, and only shown without one.
fn each_is_named(project: &Project, deeds: &[Deed<'_>]) {
    let base = at(project, "HEAD");
    let mut unnamed = Vec::new();
    for charter in [false, true] {
        for deed in deeds {
            (deed.does)(project);
            if charter {
                edit_charter(project);
            }
            let (refused, shown) = weighed(&base, project);
            let (told, silent) = if charter { (&refused, &shown) } else { (&shown, &refused) };
            // A case by another id is a new one too, which asks for a step of the charter's version.
            let silent: Vec<_> = silent
                .iter()
                .filter(|told| !told.contains("version does") && !told.contains("no row of"))
                .collect();
            if !told.iter().any(|told| told.contains(&deed.says)) || (!charter && !silent.is_empty()) {
                unnamed.push(format!(
                    "{} (charter {charter}): wanted {:?}\n  {refused:?}\n  {shown:?}",
                    deed.name, deed.says
                ));
            }
            git(project, &["checkout", "-q", "."]);
            git(project, &["clean", "-qfdx"]);
        }
    }
    assert!(unnamed.is_empty(), "{} are not named:\n{}", unnamed.len(), unnamed.join("\n"));
}

#[test]
fn every_key_of_a_case_is_part_of_the_examination() {
    let schema = File::Case.schema().unwrap();
    let known: BTreeSet<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(known, KEYS.iter().map(|(key, ..)| *key).collect(), "each key of a case has an edit here");
    let deeds: Vec<Deed<'_>> = KEYS
        .iter()
        .map(|(key, old, new, says)| Deed {
            name: (*key).to_owned(),
            does: Box::new(move |project: &Project| project.edit(CASE, old, new)),
            says: (*says).to_owned(),
        })
        .collect();
    each_is_named(&project(), &deeds);
}

#[test]
fn every_file_of_a_case_is_part_of_the_examination() {
    let project = project();
    let folder = project.path().join("cases/w2-tidy");
    let files: Vec<String> = project
        .files()
        .iter()
        .filter_map(|file| Some(file.strip_prefix(&folder).ok()?.to_str()?.to_owned()))
        .collect();
    assert!(files.len() >= 7, "{files:?}");
    let mut deeds = Vec::new();
    for file in files.iter().filter(|file| *file != "case.yaml") {
        let path = format!("cases/w2-tidy/{file}");
        let is_table = file == "params.csv";
        let changed = path.clone();
        deeds.push(Deed {
            name: format!("{file} edited"),
            does: Box::new(move |project: &Project| {
                let text = fs::read_to_string(project.path().join(&changed)).unwrap();
                let text = if is_table { text.replace("violin", "organ") } else { format!("{text} ") };
                project.write(&changed, &text);
            }),
            says: format!("{path}:"),
        });
        // Without its template, its turns or its table the case cannot be loaded at all.
        if [".notes", "workspace/a.txt", "workspace/deep/b.bin", "traces/none.yaml"].contains(&file.as_str())
        {
            let gone = path.clone();
            deeds.push(Deed {
                name: format!("{file} taken away"),
                does: Box::new(move |project: &Project| fs::remove_file(project.path().join(&gone)).unwrap()),
                says: format!("{path}: case W2: this file is gone"),
            });
        }
    }
    for new in ["workspace/c.txt", "traces/other.yaml", "more.txt"] {
        deeds.push(Deed {
            name: format!("{new} added"),
            does: Box::new(move |project: &Project| {
                project.write(&format!("cases/w2-tidy/{new}"), "- say: x\n");
            }),
            says: format!("cases/w2-tidy/{new}: case W2: this file is new"),
        });
    }
    each_is_named(&project, &deeds);
}

#[test]
fn what_a_checker_may_ask_is_part_of_the_examination() {
    let deed = |name: &str, does: fn(&Project), says: &str| Deed {
        name: name.to_owned(),
        does: Box::new(does),
        says: says.to_owned(),
    };
    let deeds = [
        deed(
            "a program edited",
            |project| project.edit("checkers/asks/look.sh", "piano", "p"),
            "checkers/asks/look.sh:1: what a checker may ask: this file is not as it was",
        ),
        deed(
            "a program beside it",
            |project| project.write("checkers/asks/grep", "true\n"),
            "checkers/asks/grep: what a checker may ask: this file is new",
        ),
    ];
    each_is_named(&project(), &deeds);
    // Under the same name at another place a checker is another one, with or without an edit of the charter.
    let project = project();
    let base = at(&project, "HEAD");
    let softer = project.read("checkers/says-the-word/v2.yaml").replace("piano", "(?:piano|organ)");
    project.write("others/v2.yaml", &softer);
    project.write("others/v2.controls.jsonl", &project.read("checkers/says-the-word/v2.controls.jsonl"));
    project.write("others/v1.yaml", &project.read("checkers/says-the-word/v1.yaml"));
    project.write("others/v1.controls.jsonl", &project.read("checkers/says-the-word/v1.controls.jsonl"));
    project.edit("assize.yaml", "[checkers]", "[others]");
    let (refused, _) = weighed(&base, &project);
    assert_told(&refused, "others/v2.yaml: says-the-word@2 is another checker");
}

#[test]
fn what_only_adds_may_come_with_an_edit_of_the_charter() {
    type Deed = fn(&Project);
    let deeds: [(&str, Deed, &str); 5] = [
        (
            "rows",
            |project| project.write("cases/w2-tidy/params.csv", "word\npiano\nviolin\nflute\n"),
            "case W2: 1 new row of variant i, 1 new row of variant ii",
        ),
        (
            "the same rows elsewhere, and one more",
            |project| {
                project.edit(
                    CASE,
                    "params: params.csv",
                    "params: [{ word: piano }, { word: violin }, { word: organ }]",
                );
            },
            "1 new row",
        ),
        ("a remark", |project| project.edit(CASE, "tools:", "# a remark\ntools:"), ""),
        (
            "controls",
            |project| {
                let path = "checkers/says-the-word/v1.controls.jsonl";
                let controls = project.read(path);
                let more = controls.lines().last().unwrap().replace("\"c5\"", "\"c6\"");
                project.write(path, &format!("{controls}{more}\n"));
            },
            "",
        ),
        (
            "its folder moved",
            |project| {
                let cases = project.path().join("cases");
                fs::rename(cases.join("w2-tidy"), cases.join("w2-moved")).unwrap();
            },
            "",
        ),
    ];
    let project = project();
    let base = at(&project, "HEAD");
    for (name, does, says) in deeds {
        does(&project);
        edit_charter(&project);
        let (refused, shown) = weighed(&base, &project);
        assert!(refused.is_empty(), "{name}: {refused:?}");
        assert!(says.is_empty() || shown.iter().any(|told| told.contains(says)), "{name}: {shown:?}");
        git(&project, &["checkout", "-q", "."]);
        git(&project, &["clean", "-qfdx"]);
    }
}

#[test]
fn a_table_that_is_also_played_is_no_place_for_rows() {
    let project = project();
    project.edit(CASE, "template: page.tmpl", "template: params.csv");
    commit(&project, "the table is a page");
    let base = at(&project, "HEAD");
    project.write("cases/w2-tidy/params.csv", "word\npiano\nviolin\nflute\n");
    edit_charter(&project);
    let (refused, _) = weighed(&base, &project);
    assert_told(&refused, "params.csv:4: case W2: this file is not as it was");
}

#[test]
fn fixtures_are_part_of_the_examination() {
    let project = project();
    let fixture = "---\nbinds: [charter:inv-1]\nkind: redline\ndescription: no word is lost\ncommand: [sh, -c, \"echo lost; exit 1\"]\nexpect: { exit: 1, message: lost }\n---\n";
    project.write("fixtures/static/redline/no-word-lost/fixture.md", fixture);
    project.write("fixtures/static/redline/no-word-lost/input.md", "x\n");
    let scene = "---\nbinds: [charter:inv-1]\nkind: redline\ndescription: whether it is said\nchecker: says-the-word@1\n---\n\nSay piano.\n";
    project.write("fixtures/behavior/redline/says-it/fixture.md", scene);
    project.edit("assize.yaml", "cases: [cases]", "cases: [cases]\nfixtures: [fixtures]");
    commit(&project, "a fixture");
    let deed = |name: &str, does: fn(&Project), says: &str| Deed {
        name: name.to_owned(),
        does: Box::new(does),
        says: says.to_owned(),
    };
    let deeds = [
        deed(
            "its command",
            |project| {
                project.edit(
                    "fixtures/static/redline/no-word-lost/fixture.md",
                    "echo lost",
                    "echo it is lost",
                );
            },
            "no-word-lost/fixture.md:5: fixture static/redline/no-word-lost: this file is not as it was",
        ),
        deed(
            "its input",
            |project| project.edit("fixtures/static/redline/no-word-lost/input.md", "x", "y"),
            "no-word-lost/input.md:1:",
        ),
        deed(
            "a scene",
            |project| project.edit("fixtures/behavior/redline/says-it/fixture.md", "Say piano", "Sing piano"),
            "says-it/fixture.md:8: case redline-says-it (script, the body changed): this file is not as it was",
        ),
        deed(
            "another in its place",
            |project| {
                let folder = project.path().join("fixtures/static/redline");
                fs::rename(folder.join("no-word-lost"), folder.join("some-word-lost")).unwrap();
            },
            "fixture static/redline/no-word-lost is gone",
        ),
    ];
    each_is_named(&project, &deeds);
}
