//! Loading whole trees: the happy road on a small case that uses every key, each kind of fault on mutations of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use transcript::{By, Role};

use super::*;
use crate::replay::PlayStep;

mod faults;
mod fuzz;
mod trees;

/// Where the small case lies.
fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cases")
}

fn load(root: &Path) -> Result<CaseSet, CaseErrors> {
    let binds: BTreeSet<String> = ["charter:inv-1", "charter:protocol-a"].map(str::to_owned).into();
    let charter =
        CharterValues { invariants: Some("1. Count again.\n2. Look twice.".to_owned()), version: None };
    let checkers = |name: &str, version: u32| match (name, version) {
        ("key-rename", 1 | 2) => CheckerLookup::Found,
        ("key-rename", _) => CheckerLookup::UnknownVersion(vec![1, 2]),
        _ => CheckerLookup::UnknownName(vec!["key-rename".to_owned()]),
    };
    CaseSet::load(root, &Surroundings { checkers: &checkers, binds: &binds, charter: Some(&charter) })
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_case_is_played_as_it_is_written() {
    let set = load(&testdata()).unwrap_or_else(|errors| panic!("{errors}"));
    let case = set.case("M1").unwrap();
    assert_eq!((case.name.as_str(), case.kind, case.variants.len()), ("key-rename", CaseKind::Redline, 2));
    let instance = case.variant(Some("a")).unwrap().instance(0).unwrap();
    let expected = json!({"key": "max_wait", "new_key": "timeout", "paths": ["src/a.py", "src/b.py"], "limit": 5000,
        "first_path": "src/a.py", "count": 2, "digest": digest::sha256(b"max_wait")});
    assert_eq!(Value::from(instance.params.clone()), expected);
    let said: Vec<String> = instance
        .steps
        .iter()
        .map(|step| match step {
            PlayStep::Say { message, omitted } => {
                let sent = if *omitted { "omitted" } else { "sent" };
                assert_eq!(message.by, By::Script);
                format!("{sent} {:?}: {}", message.role, message.content)
            }
            PlayStep::Reply { max_steps } => format!("reply {max_steps}"),
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    omitted User: Keep to these rules: 1. Count again.
    2. Look twice.
    sent Assistant: Looking.
    sent Tool: src/a.py
    src/b.py
    sent User: Rename max_wait to timeout in 2 files.
    reply 30
    sent User: And now?
    reply 3
    ");
}

#[test]
fn seeded_calls_keep_their_types_and_find_their_answers() {
    let set = load(&testdata()).unwrap();
    let instance = set.case("M1").unwrap().variants[0].instance(1).unwrap();
    let messages: Vec<_> = instance
        .steps
        .iter()
        .filter_map(|step| if let PlayStep::Say { message, .. } = step { Some(message) } else { None })
        .collect();
    let call = &messages[1].tool_calls[0];
    assert_eq!(
        (call.name.as_str(), &call.arguments),
        ("search", &json!({"pattern": "retries", "limit": 20}))
    );
    assert_eq!(messages[2].role, Role::Tool);
    assert_eq!(messages[2].tool_call_id.as_deref(), Some(call.id.as_str()));
    assert_eq!(messages[2].name.as_deref(), Some("search"));
}

#[test]
fn the_workspace_is_the_folder_and_the_files_of_the_row() {
    let set = load(&testdata()).unwrap();
    let case = set.case("M1").unwrap();
    let files = case.variants[0].instance(1).unwrap().files;
    let text = |path: &str| std::str::from_utf8(&files[path]).unwrap().to_owned();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["notes.md", "src/a.py", "src/retries.py"]);
    assert_eq!(text("src/retries.py"), "KEY = \"retries\"\n");
    assert_eq!(text("notes.md"), "Limit: 20\n");
    // Variant b takes the workspace, the files and the omission away.
    let b = case.variant(Some("b")).unwrap().instance(0).unwrap();
    assert!(b.files.is_empty());
    assert!(b.steps.iter().all(|step| !matches!(step, PlayStep::Say { omitted: true, .. })));
}

#[test]
fn scripted_answers_are_filled_in() {
    let set = load(&testdata()).unwrap();
    let case = set.case("M1").unwrap();
    let a = case.variants[0].instance(0).unwrap();
    assert_eq!(a.tools[2].answers[0].content, "2 passed");
    assert!(a.tools[0].answers.is_empty());
    let b = case.variants[1].instance(0).unwrap();
    let answers = &b.tools[0].answers;
    assert_eq!(answers[0].when["url"], "https://docs.example.test/max_wait");
    assert_eq!((answers[0].content.as_str(), answers[1].is_error), ("About max_wait.", true));
    assert_eq!(a.tools[0].declaration(), json!("search"));
    let declared = json!({"name": "run_tests", "answers": [{"content": "2 passed"}]});
    assert_eq!(a.tools[2].declaration(), declared);
}

#[test]
fn a_row_that_is_not_there_is_an_error() {
    let set = load(&testdata()).unwrap();
    let error = set.cases[0].variants[0].instance(2).unwrap_err();
    assert_eq!(error.to_string(), "there is no row 3; the table has 2");
}

#[test]
fn the_digest_moves_with_any_byte_of_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    copy(&testdata(), dir.path());
    let digest = |root: &Path| load(root).unwrap().cases[0].digest.clone();
    let before = digest(&testdata());
    assert_eq!(digest(dir.path()), before);
    fs::write(dir.path().join("m01-key-rename/workspace/src/a.py"), "max_wait = 2\n").unwrap();
    assert_ne!(digest(dir.path()), before);
}

#[test]
fn traces_are_filled_in_and_variants_have_their_own() {
    let set = load(&testdata()).unwrap();
    let case = set.case("M1").unwrap();
    assert_eq!(case.trace_names(), ["careful"]);
    let turns = |variant: &Variant| {
        let params = variant.instance(0).unwrap().params;
        Trace::load(case, variant, "careful").unwrap_or_else(|e| panic!("{e}")).turns(&params).unwrap()
    };
    let a = turns(&case.variants[0]);
    assert_eq!(
        (a.len(), a[0].say.as_str(), a[0].calls.len(), a[1].calls.len()),
        (2, "Renaming max_wait.", 2, 0)
    );
    let arguments = json!({"path": "src/b.py", "old": "max_wait", "new": "timeout", "count": 2});
    assert_eq!(a[0].calls[1].arguments, arguments);
    assert_ne!(a[0].calls[0].id, a[0].calls[1].id);
    let b = turns(&case.variants[1]);
    assert_eq!((b.len(), b[0].calls[0].name.as_str()), (1, "fetch_url"));
    let missing = Trace::load(case, &case.variants[1], "nobody").unwrap_err().to_string();
    assert!(missing.contains("nobody.b.yaml and ") && missing.contains("nobody.yaml"), "{missing}");
}

#[test]
fn cases_are_chosen_by_id_name_and_pattern() {
    let set = load(&testdata()).unwrap();
    let choose = |filter: &str| {
        set.select(&[filter.to_owned()])
            .map(|all| all.iter().map(Selected::label).collect::<Vec<_>>().join(" "))
    };
    for both in ["M1", "key-rename", "M*", "key-*"] {
        assert_eq!(choose(both).unwrap(), "M1.a M1.b", "{both}");
    }
    for one in ["M1.b", "key-rename.b", "*.b", "M1.[b-z]"] {
        assert_eq!(choose(one).unwrap(), "M1.b", "{one}");
    }
    assert_eq!(set.select(&[]).unwrap().len(), 2);
    assert_eq!(set.select(&["M1.a".to_owned(), "M1".to_owned()]).unwrap().len(), 2);
    let refused = |filter: &str| choose(filter).unwrap_err().to_string();
    insta::assert_snapshot!(refused("key-renam"), @r"
    no case matches `key-renam`
      = help: did you mean `key-rename`?
    ");
    insta::assert_snapshot!(refused("E99"), @r"
    no case matches `E99`
      = help: there is: M1.a, M1.b
    ");
    insta::assert_snapshot!(refused("M1.["), @r"`M1.[` is not a pattern: unclosed character class; missing ']'");
}

#[test]
fn the_shipped_cases_load_and_their_traces_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let charter = crate::charter::Charter::load(
        &root.join("charters/sample.md"),
        Some(crate::charter::RUNTIME_END),
        Some(crate::charter::INVARIANTS),
    )
    .unwrap();
    let values = charter.values();
    // Whether each named checker exists is for the checkers' own tests.
    let checkers = |_: &str, _: u32| CheckerLookup::Found;
    let around = Surroundings { checkers: &checkers, binds: &charter.ids, charter: Some(&values) };
    let set = CaseSet::load(&root, &around).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(set.case("E1").is_some());
    for selected in set.all() {
        for row in 0..selected.variant.rows() {
            let instance = selected.variant.instance(row).unwrap();
            for name in selected.case.trace_names() {
                let trace =
                    Trace::load(selected.case, selected.variant, &name).unwrap_or_else(|e| panic!("{e}"));
                assert!(!trace.turns(&instance.params).unwrap().is_empty());
            }
        }
    }
    let errors: Vec<_> = crate::lint::lint_cases(&set, &set.registry)
        .into_iter()
        .filter(|finding| finding.severity == crate::lint::Severity::Error)
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());
}
