//! Every kind of fault, as its author sees it.

use super::*;

/// The small case with `edits` applied to its files, as the errors it is refused with.
pub(super) fn told(edits: &[(&str, &str, &str)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    copy(&testdata(), dir.path());
    for (file, from, to) in edits {
        let path = dir.path().join("m01-key-rename").join(file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.contains(from), "{file} does not hold {from:?}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
    }
    match load(dir.path()) {
        Ok(_) => "loaded without a problem".to_owned(),
        Err(errors) => errors.to_string().replace(&*dir.path().to_string_lossy(), "cases"),
    }
}

pub(super) fn case(from: &str, to: &str) -> String {
    told(&[("case.yaml", from, to)])
}

#[test]
fn unknown_and_duplicate_keys() {
    insta::assert_snapshot!(case("checker:", "chekcer:"), @r"
    error: the case has no checker
     --> cases/m01-key-rename/case.yaml:1:1
      |
    1 | id: M1
      | ^^
      |
      = help: `checker: name@1`; a case that nobody judges would always be green

    error: unknown key `chekcer` in a case
      --> cases/m01-key-rename/case.yaml:29:1
       |
    29 | chekcer: key-rename@1
       | ^^^^^^^
       |
       = help: did you mean `checker`?

    2 problems
    ");
    insta::assert_snapshot!(case("id: M1", "id: M1\nid: M2"), @r"
    error: the key `id` occurs twice
     --> cases/m01-key-rename/case.yaml:2:1
      |
    2 | id: M2
      | ^^
      |
      = help: it is first set in line 1; remove one of the two

    1 problem
    ");
    insta::assert_snapshot!(case("- reply: { max_steps: 3 }", "- reply: { max_step: 3 }"), @r"
    error: unknown key `max_step` in `reply`
      --> cases/m01-key-rename/case.yaml:21:14
       |
    21 |   - reply: { max_step: 3 }
       |              ^^^^^^^^
       |
       = help: did you mean `max_steps`?

    1 problem
    ");
    insta::assert_snapshot!(case("- user: And now?", "- usr: And now?"), @r"
    error: unknown key `usr` in a step
      --> cases/m01-key-rename/case.yaml:20:5
       |
    20 |   - usr: And now?
       |     ^^^
       |
       = help: did you mean `user`?

    1 problem
    ");
}

#[test]
fn templates_that_cannot_be_filled_in() {
    insta::assert_snapshot!(told(&[("turns.yaml", "{{ new_key }}", "{{ newkey }}")]), @r"
    error: in a template: `newkey` is not defined
     --> cases/m01-key-rename/turns.yaml:1:32
      |
    1 | - user: Rename {{ key }} to {{ newkey }} in {{ count }} files.
      |                                ^^^^^^
      |
      = help: did you mean `new_key`?

    1 problem
    ");
    insta::assert_snapshot!(told(&[("notes.tmpl", "limit | thousands", "key | thousands")]), @r"
    error: in a template: `thousands` needs a number, not string `max_wait`
     --> cases/m01-key-rename/notes.tmpl:1:17
      |
    1 | Limit: {{ key | thousands }}
      |                 ^^^^^^^^^
      |
      = help: with the parameters of line 2

    1 problem
    ");
    insta::assert_snapshot!(case("KEY = \"{{ key }}\"", "A = 1\n    KEY = \"{{ nothing_of_the_kind }}\""), @r#"
    error: in a template: `nothing_of_the_kind` is not defined
      --> cases/m01-key-rename/case.yaml:28:15
       |
    28 |     KEY = "{{ nothing_of_the_kind }}"
       |               ^^^^^^^^^^^^^^^^^^^
       |
       = help: the parameters are: key, new_key, paths, limit, first_path, count, digest

    1 problem
    "#);
    insta::assert_snapshot!(case("{{ paths[0] }}", "{{ paths[ }}"), @r#"
    error: in a template: syntax error: unexpected `}`
      --> cases/m01-key-rename/case.yaml:10:26
       |
    10 |   first_path: "{{ paths[ }}"
       |                          ^

    1 problem
    "#);
    insta::assert_snapshot!(told(&[("turns.yaml", "{{ count }}", "{{ count")]), @r"
    error: in a template: syntax error: unexpected identifier, expected end of variable block
     --> cases/m01-key-rename/turns.yaml:1:55
      |
    1 | - user: Rename {{ key }} to {{ new_key }} in {{ count files.
      |                                                       ^^^^^

    1 problem
    ");
    insta::assert_snapshot!(case("src/{{ key }}.py", "../{{ key }}.py"), @r#"
    error: the workspace path `../max_wait.py` leaves the folder
      --> cases/m01-key-rename/case.yaml:26:3
       |
    26 |   "../{{ key }}.py": |
       |   ^^^^^^^^^^^^^^^^^

    1 problem
    "#);
    insta::assert_snapshot!(case("{{ charter.invariants }}", "{{ charter.purpose }}"), @r#"
    error: in a template: `charter.purpose` is not defined
      --> cases/m01-key-rename/case.yaml:14:36
       |
    14 |   - user: "Keep to these rules: {{ charter.purpose }}"
       |                                    ^^^^^^^^^^^^^^^
       |
       = help: the parameters are: key, new_key, paths, limit, first_path, count, digest

    1 problem
    "#);
}

#[test]
fn unknown_tools_checkers_clauses_and_modes() {
    insta::assert_snapshot!(case("tools: [search, edit_file", "tools: [serach, edit_file"), @r#"
    error: unknown tool `serach`
      --> cases/m01-key-rename/case.yaml:23:9
       |
    23 | tools: [serach, edit_file, { name: run_tests, answer: "{{ count }} passed" }]
       |         ^^^^^^
       |
       = help: did you mean `search`?

    1 problem
    "#);
    insta::assert_snapshot!(case("calls: [{ tool: search", "calls: [{ tool: grep"), @r#"
    error: unknown tool `grep`
      --> cases/m01-key-rename/case.yaml:16:21
       |
    16 |     calls: [{ tool: grep, arguments: { pattern: "{{ key }}", limit: "{{ limit }}" } }]
       |                     ^^^^
       |
       = help: known: `list_files`, `read_file`, `search`, `write_file`, `edit_file`, `delete_file`, `run_tests`, `fetch_url`, `run_command`, `deploy`

    1 problem
    "#);
    insta::assert_snapshot!(case("key-rename@1", "key-rname@1"), @r"
    error: there is no checker `key-rname`
      --> cases/m01-key-rename/case.yaml:29:10
       |
    29 | checker: key-rname@1
       |          ^^^^^^^^^^^
       |
       = help: did you mean `key-rename`?

    1 problem
    ");
    insta::assert_snapshot!(case("key-rename@1", "key-rename@7"), @r"
    error: the checker `key-rename` has no version 7
      --> cases/m01-key-rename/case.yaml:29:10
       |
    29 | checker: key-rename@7
       |          ^^^^^^^^^^^^
       |
       = help: known: `key-rename@1`, `key-rename@2`

    1 problem
    ");
    insta::assert_snapshot!(case("key-rename@1", "key-rename"), @r"
    error: `key-rename` is not a checker and its version
      --> cases/m01-key-rename/case.yaml:29:10
       |
    29 | checker: key-rename
       |          ^^^^^^^^^^
       |
       = help: write `name@version`, such as `percentage-trap@1`

    1 problem
    ");
    assert!(case("key-rename@1", "key-rename@01").contains("is not a checker and its version"));
    insta::assert_snapshot!(case("charter:inv-1", "charter:inv-9"), @r"
    error: `charter:inv-9` is no clause of the charter
     --> cases/m01-key-rename/case.yaml:4:9
      |
    4 | binds: [charter:inv-9]
      |         ^^^^^^^^^^^^^
      |
      = help: did you mean `charter:inv-1`?

    1 problem
    ");
    insta::assert_snapshot!(case("half-a-rename", "half-rename"), @r"
    error: unknown failure mode `half-rename`
     --> cases/m01-key-rename/case.yaml:5:17
      |
    5 | failure_modes: [half-rename]
      |                 ^^^^^^^^^^^
      |
      = help: did you mean `half-a-rename`?

    1 problem
    ");
}

#[test]
fn tools_of_the_cases_own() {
    let tool = |text: &str| case("{ name: run_tests, answer: \"{{ count }} passed\" }", text);
    let own = "{ name: page_team, description: Pages the team., effect: external, answer: paged }";
    assert_eq!(tool(own), "loaded without a problem");
    insta::assert_snapshot!(tool("{ name: page_team, answer: paged }"), @r"
    error: unknown tool `page_team`
      --> cases/m01-key-rename/case.yaml:23:36
       |
    23 | tools: [search, edit_file, { name: page_team, answer: paged }]
       |                                    ^^^^^^^^^
       |
       = help: known: `list_files`, `read_file`, `search`, `write_file`, `edit_file`, `delete_file`, `run_tests`, `fetch_url`, `run_command`, `deploy`; a tool of the case's own needs `description`, `effect` and answers

    1 problem
    ");
    insta::assert_snapshot!(tool("{ name: page_team, description: x, effect: exteral, answer: paged }"), @r"
    error: unknown effect `exteral`
      --> cases/m01-key-rename/case.yaml:23:71
       |
    23 | tools: [search, edit_file, { name: page_team, description: x, effect: exteral, answer: paged }]
       |                                                                       ^^^^^^^
       |
       = help: did you mean `external`?

    1 problem
    ");
    insta::assert_snapshot!(tool("{ name: run_tests }"), @r"
    error: the scripted tool `run_tests` needs answers
      --> cases/m01-key-rename/case.yaml:23:30
       |
    23 | tools: [search, edit_file, { name: run_tests }]
       |                              ^^^^
       |
       = help: either `answer: …` for every call or `answers: [{ when: {…}, content: … }]`

    1 problem
    ");
    assert!(tool("search").contains("the tool `search` is offered twice"));
}

#[test]
fn a_variant_cannot_do_without_a_checker() {
    insta::assert_snapshot!(case("  a: {}", "  a: { max_steps: 5, checker: }"), @r"
    error: the case has no checker
      --> cases/m01-key-rename/case.yaml:31:8
       |
    31 |   a: { max_steps: 5, checker: }
       |        ^^^^^^^^^
       |
       = help: `checker: name@1`; a case that nobody judges would always be green

    1 problem
    ");
}

#[test]
fn what_is_missing() {
    insta::assert_snapshot!(case("checker: key-rename@1", "checker:"), @r"
    error: the case has no checker
     --> cases/m01-key-rename/case.yaml:1:1
      |
    1 | id: M1
      | ^^
      |
      = help: `checker: name@1`; a case that nobody judges would always be green

    1 problem
    ");
    assert!(
        case("shows: A small case that uses every key once.", "").starts_with("error: `shows` is missing")
    );
    assert_eq!(case("id: M1\n", "").lines().next(), Some("error: `id` is missing"));
    insta::assert_snapshot!(case("params: params.csv", "params: parms.csv"), @r"
    error: `params`: `parms.csv` is not in the case's folder
     --> cases/m01-key-rename/case.yaml:7:9
      |
    7 | params: parms.csv
      |         ^^^^^^^^^

    1 problem
    ");
    insta::assert_snapshot!(case("include: turns.yaml", "include: ../turns.yaml"), @r"
    error: `include`: `../turns.yaml` leaves the folder
      --> cases/m01-key-rename/case.yaml:18:14
       |
    18 |   - include: ../turns.yaml
       |              ^^^^^^^^^^^^^

    1 problem
    ");
    assert!(case("include: turns.yaml", "include: /etc/hosts").contains("is an absolute path"));
    insta::assert_snapshot!(case("workspace: workspace/", "workspace: worksapce/"), @r"
    error: `workspace`: `worksapce/` is not a folder with files in the case's folder
      --> cases/m01-key-rename/case.yaml:24:12
       |
    24 | workspace: worksapce/
       |            ^^^^^^^^^^

    1 problem
    ");
}

#[test]
fn a_script_without_a_reply_judges_nothing() {
    let edits = [("case.yaml", "  - reply\n", ""), ("case.yaml", "  - reply: { max_steps: 3 }\n", "")];
    insta::assert_snapshot!(told(&edits), @r#"
    error: the script has no `reply` step
      --> cases/m01-key-rename/case.yaml:14:3
       |
    14 |   - user: "Keep to these rules: {{ charter.invariants }}"
       |   ^
       |
       = help: without one the subject never speaks and nothing can be judged

    1 problem
    "#);
}

#[test]
fn tables_of_the_wrong_shape_or_type() {
    insta::assert_snapshot!(told(&[("params.csv", "5000", "\"5,000\"")]), @r#"
    error: column `limit`: `5,000` is not an integer
     --> cases/m01-key-rename/params.csv:2:49
      |
    2 | max_wait,timeout,"[""src/a.py"", ""src/b.py""]","5,000"
      |                                                 ^^^^^^^
      |
      = help: write it without thousands separators: 5000

    1 problem
    "#);
    insta::assert_snapshot!(told(&[("params.csv", ",20", "")]), @r#"
    error: the row has 3 cells, the header 4
     --> cases/m01-key-rename/params.csv:3:1
      |
    3 | retries,attempts,"[""src/b.py""]"
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: a cell that holds a comma or a quote goes in double quotes

    1 problem
    "#);
    insta::assert_snapshot!(case("limit: integer", "limit: integr"), @r"
    error: unknown type `integr`
     --> cases/m01-key-rename/case.yaml:8:56
      |
    8 | types: { key: text, new_key: text, paths: list, limit: integr }
      |                                                        ^^^^^^
      |
      = help: did you mean `integer`?

    1 problem
    ");
    insta::assert_snapshot!(case("limit: integer", "limits: integer"), @r"
    error: the table has no column `limits`
     --> cases/m01-key-rename/case.yaml:8:49
      |
    8 | types: { key: text, new_key: text, paths: list, limits: integer }
      |                                                 ^^^^^^
      |
      = help: did you mean `limit`?

    1 problem
    ");
    let rows =
        "params:\n  - { key: a, new_key: b, paths: [x], limit: 1 }\n  - { key: 5, new_key: b, paths: [x] }";
    insta::assert_snapshot!(case("params: params.csv", rows), @r"
    error: this row lacks `limit`
     --> cases/m01-key-rename/case.yaml:9:7
      |
    9 |   - { key: 5, new_key: b, paths: [x] }
      |       ^^^
      |
      = help: every row has the parameters of the first

    error: `key` must be a text, not the number 5
     --> cases/m01-key-rename/case.yaml:9:12
      |
    9 |   - { key: 5, new_key: b, paths: [x] }
      |            ^

    2 problems
    ");
    assert!(case("params: params.csv", "params: []").contains("the table has no rows"));
}

#[test]
fn scripts_that_no_api_would_accept() {
    insta::assert_snapshot!(case("  - tool: { content: \"{{ paths | join('\\n') }}\" }\n", ""), @r"
    error: the user speaks while a seeded call of `search` has no answer
     --> cases/m01-key-rename/turns.yaml:1:3
      |
    1 | - user: Rename {{ key }} to {{ new_key }} in {{ count }} files.
      |   ^^^^
      |
      = help: add a `tool: { content: … }` step for each call

    1 problem
    ");
    insta::assert_snapshot!(case("  - user: And now?", "  - tool: { content: x }"), @r"
    error: a tool's answer without a call
      --> cases/m01-key-rename/case.yaml:20:5
       |
    20 |   - tool: { content: x }
       |     ^^^^
       |
       = help: an `assistant` step before it must make the call: `calls: [{ tool: …, arguments: {…} }]`

    1 problem
    ");
    insta::assert_snapshot!(case("tool: { content:", "tool: { name: read_file, content:"), @r#"
    error: an answer of `read_file`, but the oldest open call is of `search`
      --> cases/m01-key-rename/case.yaml:17:19
       |
    17 |   - tool: { name: read_file, content: "{{ paths | join('\n') }}" }
       |                   ^^^^^^^^^

    1 problem
    "#);
    insta::assert_snapshot!(case("omit: 1", "omit: [2, 9, 3-1]"), @r#"
    error: turn 3 answers a call of turn 2; omit both or neither
      --> cases/m01-key-rename/case.yaml:17:5
       |
    17 |   - tool: { content: "{{ paths | join('\n') }}" }
       |     ^^^^

    error: `omit`: there is no turn 9, the script has 5
      --> cases/m01-key-rename/case.yaml:22:11
       |
    22 | omit: [2, 9, 3-1]
       |           ^
       |
       = help: turns are counted from 1: `omit: 1-10` or `omit: [1-10, 12]`

    error: `omit`: `3-1` is not a range of turns
      --> cases/m01-key-rename/case.yaml:22:14
       |
    22 | omit: [2, 9, 3-1]
       |              ^^^
       |
       = help: turns are counted from 1: `omit: 1-10` or `omit: [1-10, 12]`

    3 problems
    "#);
    insta::assert_snapshot!(told(&[("turns.yaml", "- user", "- include: turns.yaml\n- user")]), @r"
    error: an included file cannot include another
     --> cases/m01-key-rename/turns.yaml:1:3
      |
    1 | - include: turns.yaml
      |   ^^^^^^^

    1 problem
    ");
}
