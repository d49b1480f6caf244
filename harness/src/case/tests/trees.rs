//! Faults between cases, of whole trees, and of traces.

use super::faults::{case, told};
use super::*;

#[test]
fn two_cases_cannot_share_an_id() {
    let dir = tempfile::tempdir().unwrap();
    copy(&testdata(), dir.path());
    copy(&testdata().join("m01-key-rename"), &dir.path().join("zz-copy"));
    let errors = load(dir.path()).unwrap_err().to_string();
    insta::assert_snapshot!(errors.replace(&*dir.path().to_string_lossy(), "cases"), @r"
    error: another case has the id `M1`
     --> cases/zz-copy/case.yaml:1:5
      |
    1 | id: M1
      |     ^^
      |
      = help: it is first used in cases/m01-key-rename/case.yaml:1

    error: another case has the name `key-rename`
     --> cases/zz-copy/case.yaml:2:7
      |
    2 | name: key-rename
      |       ^^^^^^^^^^
      |
      = help: it is first used in cases/m01-key-rename/case.yaml:2

    2 problems
    ");
}

#[test]
fn cases_come_in_the_order_of_their_ids() {
    let dir = tempfile::tempdir().unwrap();
    copy(&testdata(), dir.path());
    for (folder, id) in [("a-tenth", "M10"), ("z-second", "M2")] {
        let to = dir.path().join(folder);
        copy(&testdata().join("m01-key-rename"), &to);
        let text = fs::read_to_string(to.join("case.yaml")).unwrap();
        let text =
            text.replace("id: M1\n", &format!("id: {id}\n")).replace("key-rename\n", &format!("{folder}\n"));
        fs::write(to.join("case.yaml"), text).unwrap();
    }
    let set = load(dir.path()).unwrap_or_else(|errors| panic!("{errors}"));
    let ids: Vec<&str> = set.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["M1", "M2", "M10"]);
}

#[test]
fn an_empty_tree_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let errors = load(dir.path()).unwrap_err().to_string();
    assert!(errors.contains("there is no `case.yaml` under this folder"), "{errors}");
    assert!(errors.contains("the registry cannot be read"), "{errors}");
}

#[test]
fn a_derived_parameter_that_fails_is_told_once() {
    let derived = "count: \"{{ paths | length }}\"";
    insta::assert_snapshot!(case(derived, "count: \"{{ pahts | length }}\""), @r#"
    error: in a template: `pahts` is not defined
      --> cases/m01-key-rename/case.yaml:11:14
       |
    11 |   count: "{{ pahts | length }}"
       |              ^^^^^
       |
       = help: did you mean `paths`?

    1 problem
    "#);
    // One can only use those above it.
    let early = "first_path: \"{{ count }}\"\n  count: \"{{ paths | length }}\"\n  rest: \"";
    insta::assert_snapshot!(case("first_path: \"{{ paths[0] }}\"\n  count: \"", early), @r#"
    error: in a template: `count` is not defined
      --> cases/m01-key-rename/case.yaml:10:19
       |
    10 |   first_path: "{{ count }}"
       |                   ^^^^^
       |
       = help: a derived parameter can only use those above it

    1 problem
    "#);
}

#[test]
fn no_case_is_passed_over_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    copy(&testdata(), dir.path());
    copy(&testdata().join("m01-key-rename"), &dir.path().join("m02"));
    fs::rename(dir.path().join("m02/case.yaml"), dir.path().join("m02/case.yml")).unwrap();
    let errors = load(dir.path()).unwrap_err().to_string();
    assert!(
        errors.contains("m02/case.yml") && errors.contains("a case's file is called `case.yaml`"),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    copy(&testdata(), dir.path());
    std::os::unix::fs::symlink("/etc/hosts", dir.path().join("m01-key-rename/workspace/hosts")).unwrap();
    assert!(load(dir.path()).unwrap_err().to_string().contains("a symbolic link in a case folder"));
}

#[test]
fn all_faults_of_a_tree_are_told_in_one_go() {
    let edits = [
        ("case.yaml", "id: M1", "id: 1 1"),
        ("case.yaml", "kind: redline", "kind: redlin"),
        ("case.yaml", "checker:", "chekcer:"),
        ("turns.yaml", "{{ key }}", "{{ kye }}"),
        ("params.csv", ",20", ",many"),
    ];
    let errors = told(&edits);
    let titles: Vec<_> = errors.lines().filter(|line| line.starts_with("error: ")).collect();
    insta::assert_snapshot!(titles.join("\n"), @r"
    error: the case has no checker
    error: `1 1` cannot be a case's id
    error: unknown kind `redlin`
    error: unknown key `chekcer` in a case
    error: column `limit`: `many` is not an integer
    error: in a template: `kye` is not defined
    ");
}

#[test]
fn traces_are_checked_like_cases() {
    let trace = |text: &str| {
        let dir = tempfile::tempdir().unwrap();
        copy(&testdata(), dir.path());
        fs::write(dir.path().join("m01-key-rename/traces/careful.yaml"), text).unwrap();
        let set = load(dir.path()).unwrap();
        let case = set.case("M1").unwrap();
        let errors = Trace::load(case, &case.variants[0], "careful").unwrap_err().to_string();
        errors.replace(&*dir.path().to_string_lossy(), "cases")
    };
    insta::assert_snapshot!(trace("- sya: x\n- say: '{{ kee }}'\n"), @r"
    error: unknown key `sya` in a turn
     --> cases/m01-key-rename/traces/careful.yaml:1:3
      |
    1 | - sya: x
      |   ^^^
      |
      = help: did you mean `say`?

    error: a turn that neither says nor calls anything
     --> cases/m01-key-rename/traces/careful.yaml:1:3
      |
    1 | - sya: x
      |   ^^^

    error: in a template: `kee` is not defined
     --> cases/m01-key-rename/traces/careful.yaml:2:12
      |
    2 | - say: '{{ kee }}'
      |            ^^^
      |
      = help: did you mean `key`?

    3 problems
    ");
    insta::assert_snapshot!(trace("- call: [{ tool: deploy }, { tool: search, each: key, arguments: { a: '{{ item }}' } }]\n"), @r#"
    error: the case does not offer the tool `deploy`
     --> cases/m01-key-rename/traces/careful.yaml:1:18
      |
    1 | - call: [{ tool: deploy }, { tool: search, each: key, arguments: { a: '{{ item }}' } }]
      |                  ^^^^^^
      |
      = help: known: `search`, `edit_file`, `run_tests`

    error: must give a list, not `"max_wait"`
     --> cases/m01-key-rename/traces/careful.yaml:1:50
      |
    1 | - call: [{ tool: deploy }, { tool: search, each: key, arguments: { a: '{{ item }}' } }]
      |                                                  ^^^

    2 problems
    "#);
    insta::assert_snapshot!(trace("- call: [{ tool: search, each: paths, arguments: { a: '{{ itme }}' } }]\n"), @r"
    error: in a template: `itme` is not defined
     --> cases/m01-key-rename/traces/careful.yaml:1:59
      |
    1 | - call: [{ tool: search, each: paths, arguments: { a: '{{ itme }}' } }]
      |                                                           ^^^^
      |
      = help: the parameters are: key, new_key, paths, limit, first_path, count, digest

    1 problem
    ");
    assert!(trace("[]\n").contains("the trace has no turns"));
}
