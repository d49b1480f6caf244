//! `assize schema`: what ships fits its schemas, and what the readers refuse does not.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::schema::faults;
use crate::support::{Project, Ran, assize};

fn schema(name: &str) -> Value {
    let ran = Ran::of(&assize().args(["schema", name]).output().unwrap()).expect(0);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below `folder` whose name fits.
fn below(folder: &Path, fits: &dyn Fn(&str) -> bool, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, fits, found);
        } else if fits(path.file_name().unwrap().to_str().unwrap()) {
            found.push(path);
        }
    }
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

fn all_fit(name: &str, folder: &str, fits: &dyn Fn(&str) -> bool, least: usize) {
    let schema = schema(name);
    let mut files = Vec::new();
    below(&root().join(folder), fits, &mut files);
    assert!(files.len() >= least, "{} files in {folder}", files.len());
    for file in files {
        let found = faults(&schema, &yaml(&std::fs::read_to_string(&file).unwrap()));
        assert!(found.is_empty(), "{}: {found:#?}", file.display());
    }
}

#[test]
fn everything_that_ships_fits_its_schema() {
    all_fit("matrix", "model-matrix/matrices", &|name| name.ends_with(".yaml"), 10);
    all_fit("case", "cases", &|name| name == "case.yaml", 16);
    all_fit("checker", "checkers/definitions", &|name| name.ends_with(".yaml"), 16);
    all_fit("project", ".", &|name| name == "assize.yaml", 1);
}

#[test]
fn transcripts_fit_their_schema_and_others_do_not() {
    let schema = schema("transcript");
    let project = Project::new();
    let server = crate::support::server::Server::start(|_, _| crate::support::server::says("organ"));
    project.matrix("openai-chat", &[server.url()], "    decoding: { temperature: 0 }\n");
    project.run(&["run", "--out", "r"]).expect(1);
    let mut lines = project.lines("r/transcripts.jsonl");
    assert_eq!(lines.len(), 3);
    let mut files = Vec::new();
    below(&root().join("checkers/definitions"), &|name| name.ends_with(".controls.jsonl"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        lines.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    assert!(lines.len() > 100);
    for line in &lines {
        assert_eq!(faults(&schema, line), Vec::<String>::new(), "{}", line["id"]);
    }
    for (place, bad) in [
        ("/messages/0/role", Value::from("narrator")),
        ("/messages/0/by", Value::Null),
        ("/id", Value::from(7)),
        ("/trial", Value::from(0)),
        ("/stop", Value::from("done")),
    ] {
        let mut line = lines[0].clone();
        *line.pointer_mut(place).unwrap() = bad;
        assert!(!faults(&schema, &line).is_empty(), "{place}");
        project.write("bad.jsonl", &line.to_string());
        // What is no transcript for the reader is none for the schema either.
        let code = project.run(&["check", "bad.jsonl"]).code;
        assert!(code == 2 || place == "/trial", "{place}: {code}");
    }
}

#[test]
fn what_a_reader_refuses_fits_no_schema() {
    let project = Project::new();
    for (name, file, good, bad) in [
        ("case", "cases/w1-say-the-word/case.yaml", "kind: redline", "kind: red"),
        ("case", "cases/w1-say-the-word/case.yaml", "shows: ", "show: "),
        ("case", "cases/w1-say-the-word/case.yaml", "  - reply", "  - replay"),
        ("case", "cases/w1-say-the-word/case.yaml", "@1", "@latest"),
        ("checker", "checkers/says-the-word/v1.yaml", "matches", "match"),
        ("checker", "checkers/says-the-word/v1.yaml", "version: 1", "version: 0"),
        ("project", "assize.yaml", "trials: 3", "trials: 0"),
        ("project", "assize.yaml", "trials: 3", "budget: { max_coin: 3 }"),
        ("matrix", "matrix.yaml", "expect: pass", "expects: pass"),
        ("matrix", "matrix.yaml", "id: none", "id: None"),
    ] {
        let schema = schema(name);
        let text = project.read(file);
        assert_eq!(faults(&schema, &yaml(&text)), Vec::<String>::new(), "{file}");
        assert!(text.contains(good), "{file}");
        assert!(!faults(&schema, &yaml(&text.replace(good, bad))).is_empty(), "{bad}");
        project.write(file, &text.replace(good, bad));
        project.run(&["lint"]).expect(1);
        project.write(file, &text);
    }
}

#[test]
fn the_schema_of_checkers_knows_the_predicates_that_the_reader_knows() {
    let schema = schema("checker");
    let known = schema["$defs"]["clause"]["properties"].as_object().unwrap().keys();
    let mut known: Vec<&str> = known.map(String::as_str).collect();
    known.retain(|name| !["id", "says", "variants"].contains(name));
    known.sort_unstable();
    let project = Project::new();
    project.edit("checkers/says-the-word/v1.yaml", "matches", "no_such_predicate");
    let told = project.run(&["lint"]).expect(1).stdout;
    let (_, list) = told.split_once("known: ").unwrap();
    let list = list.lines().next().unwrap();
    let mut names: Vec<&str> =
        list.split(", ").map(|name| name.trim().trim_matches(['`', '"', '.'])).collect();
    names.sort_unstable();
    assert_eq!(known, names, "{told}");
}

#[test]
fn a_manifest_fits_its_schema_and_one_with_a_field_more_or_less_does_not() {
    let server = crate::support::server::Server::start(|request, n| match n {
        1 => crate::support::server::refuses(403, "no"),
        _ => crate::support::signed::answers(request, "piano"),
    });
    let (project, _) = crate::support::signed::committed(&[server.url()]);
    project.run(&["run", "--out", "runs/r", "--concurrency", "1", "--quiet"]).expect(3);
    let schema = schema("manifest");
    let manifest = project.json("runs/r/manifest.json");
    assert_eq!(faults(&schema, &manifest), Vec::<String>::new());
    let mut more = manifest.clone();
    more["plan"]["waiver"] = Value::Bool(true);
    assert_eq!(faults(&schema, &more).len(), 1);
    for field in manifest.as_object().unwrap().keys() {
        let mut less = manifest.clone();
        less.as_object_mut().unwrap().remove(field);
        assert!(!faults(&schema, &less).is_empty(), "{field} can be left out");
    }
}
