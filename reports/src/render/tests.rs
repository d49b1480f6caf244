//! One small run with everything in it, in every form: snapshots of what users see, and hostile text in every place
//! where model text can stand.

use std::collections::BTreeMap;

use checkers::{ClauseResult, Evidence, Outcome};
use transcript::{Served, Usage};

use super::{Form, render};
use crate::fixture::{FixtureRecord, FixtureStanding, Form as By, Kind};
use crate::manifest::Manifest;
use crate::plan::{
    CasePin, Cell, CharterPin, CheckerPin, Expectation, FORMAT, Input, JudgedBy, ModelPin, Plan, TrialKey,
};
use crate::report::{CaseFacts, Report};
use crate::row::{Row, Rows};

/// What a model may say to hurt whoever reads the report.
pub(super) const HOSTILE: &str = "::error file=x::owned\n</code></details><script>alert(1)</script> ]]> @everyone [x](javascript:1) `a``b` \u{1b}[2J\u{202e}|\0 =cmd";

fn cell(case: &str, variant: Option<&str>, model: &str) -> Cell {
    Cell { case: case.to_owned(), variant: variant.map(str::to_owned), row: 1, model: model.to_owned() }
}

fn pin(id: &str, role: &str, expect: Expectation) -> ModelPin {
    ModelPin {
        id: id.to_owned(),
        role: role.to_owned(),
        provider: "openai-chat".to_owned(),
        requested: Some(format!("{id}-2026-01-01")),
        endpoint: Some("https://api.example.test/v1".to_owned()),
        replay: false,
        expect,
        prices: None,
    }
}

fn plan(cells: Vec<Cell>) -> Plan {
    let input = |name: &str| Input { name: name.to_owned(), sha256: "0".repeat(64) };
    let case = |name: &str, variant: Option<&str>| CasePin {
        name: name.to_owned(),
        sha256: "0".repeat(64),
        judged_by: vec![JudgedBy {
            variant: variant.map(str::to_owned),
            checker: "percentage-trap@1".to_owned(),
        }],
    };
    Plan {
        format: FORMAT,
        run: "20260102T030405Z-beef".to_owned(),
        planned: "2026-01-02T03:04:05Z".to_owned(),
        assize: "0.1.0".to_owned(),
        binary_sha256: None,
        source: None,
        charter: CharterPin {
            path: "CHARTER.md".to_owned(),
            version: Some("1.2.3".to_owned()),
            sha256: "a".repeat(64),
            runtime_sha256: "b".repeat(64),
        },
        policy: input("assize.yaml"),
        matrix: input("matrix.yaml"),
        models: vec![
            pin("large", "frontier-reference", Expectation::Pass),
            pin("small", "weakest-deployed", Expectation::Pass),
            pin("naive", "control", Expectation::Fail),
        ],
        cases: vec![case("E1", None), case("E6", Some("i"))],
        checkers: vec![CheckerPin {
            name: "percentage-trap@1".to_owned(),
            sha256: "0".repeat(64),
            controls_sha256: "1".repeat(64),
        }],
        checker_folders: Vec::new(),
        fixtures: Vec::new(),
        narrowed: Vec::new(),
        shard: None,
        trials: 2,
        expected_sha256: Plan::digest_of(&cells, 2).unwrap(),
        cells,
    }
}

fn row(cell: &Cell, trial: u32, attempt: u32, verdict: Outcome, line: usize) -> Row {
    let clause = |id: &str, passed: bool, reason: &str| ClauseResult {
        id: id.to_owned(),
        passed,
        reason: reason.to_owned(),
        evidence: vec![Evidence {
            message: 2,
            start: 0,
            end: HOSTILE.len(),
            text: HOSTILE.to_owned(),
            call: None,
        }],
    };
    let failed = format!("the final claim is `{HOSTILE}`");
    Row {
        id: TrialKey { cell: cell.clone(), trial }.to_string(),
        attempt,
        verdict,
        checker: "percentage-trap@1".to_owned(),
        checker_sha256: "c".repeat(64),
        clauses: match verdict {
            Outcome::Pass => vec![clause("final-figure", true, "the final claim is 25%")],
            Outcome::Fail => vec![clause("final-figure", false, &failed)],
            Outcome::Error => Vec::new(),
        },
        reason: (verdict == Outcome::Error).then(|| format!("the endpoint answered 500: {HOSTILE}")),
        transcript_sha256: "d".repeat(64),
        line,
        served: vec![Served { model: Some("small-2026-01-01".to_owned()), ..Served::default() }],
        usage: Some(Usage { input: 120, output: 30, cached: 10, reasoning: 0 }),
        uncounted: None,
        retries: 1,
        started: Some("2026-01-02T03:04:06Z".to_owned()),
        elapsed_ms: Some(1234),
        reused_from: None,
        load: None,
        program: None,
    }
}

/// A static fixture of every standing.
fn fixtures() -> Vec<FixtureRecord> {
    let record = |fixture: &str, kind, standing, reason: Option<&str>| FixtureRecord {
        fixture: fixture.to_owned(),
        form: By::Static,
        kind,
        binds: vec!["rule:small-steps".to_owned()],
        case: None,
        standing,
        reason: reason.map(str::to_owned),
        dropped: Vec::new(),
        replaced_by: None,
    };
    let why = "rule:old is dropped: no use";
    let aside = record("static/redline/old", Kind::Redline, FixtureStanding::NotRun, Some(why));
    let said = format!("it said: {HOSTILE}");
    let lost = "no outcome of it was recorded";
    vec![
        record("static/happy/plain", Kind::Happy, FixtureStanding::Passed, None),
        record("static/redline/strict", Kind::Redline, FixtureStanding::Failed, Some(&said)),
        record("static/redline/stuck", Kind::Redline, FixtureStanding::Error, Some("took longer than 60 s")),
        record("static/redline/lost", Kind::Redline, FixtureStanding::NotRun, Some(lost)),
        FixtureRecord { dropped: vec!["rule:old".to_owned()], ..aside },
    ]
}

pub(super) fn report() -> Report {
    let cells = vec![
        cell("E1", None, "large"),
        cell("E1", None, "small"),
        cell("E1", None, "naive"),
        cell("E6", Some("i"), "large"),
        cell("E6", Some("i"), "small"),
        cell("E6", Some("i"), "naive"),
    ];
    let rows = vec![
        row(&cells[0], 1, 1, Outcome::Pass, 1),
        row(&cells[0], 2, 1, Outcome::Error, 2),
        row(&cells[0], 2, 2, Outcome::Pass, 9),
        row(&cells[1], 1, 1, Outcome::Pass, 3),
        row(&cells[1], 2, 1, Outcome::Fail, 4),
        row(&cells[2], 1, 1, Outcome::Fail, 5),
        row(&cells[2], 2, 1, Outcome::Fail, 6),
        row(&cells[3], 1, 1, Outcome::Error, 7),
        row(&cells[3], 2, 1, Outcome::Pass, 8),
        row(&cells[5], 1, 1, Outcome::Pass, 10),
        row(&cells[5], 2, 1, Outcome::Fail, 11),
    ];
    let mut manifest = Manifest::new(plan(cells), &Rows::new(&rows), Vec::new(), Vec::new());
    manifest.fixtures = fixtures();
    let facts = |name: &str, path: &str| CaseFacts {
        name: name.to_owned(),
        kind: "redline".to_owned(),
        shows: "a supplied figure is recomputed, not repeated".to_owned(),
        binds: vec!["charter:inv-1".to_owned()],
        failure_modes: vec!["percentage-base-error".to_owned()],
        path: path.to_owned(),
    };
    let cases = BTreeMap::from([
        ("E1".to_owned(), facts("percentage-trap", "cases/charter/e01 trap/case.yaml")),
        ("E6".to_owned(), facts("fabrication", "cases/charter/e06/case.yaml")),
    ]);
    Report::new(manifest, rows, cases, BTreeMap::new())
}

fn shown(form: Form) -> String {
    render(&report(), form).unwrap()
}

#[test]
fn what_users_see() {
    insta::assert_snapshot!("markdown", shown(Form::Markdown));
    insta::assert_snapshot!("junit", shown(Form::Junit));
    insta::assert_snapshot!("tap", shown(Form::Tap));
    insta::assert_snapshot!("csv-cells", shown(Form::CsvCells));
    insta::assert_snapshot!("csv-attempts", shown(Form::CsvAttempts));
    insta::assert_snapshot!("csv-clauses", shown(Form::CsvClauses));
    insta::assert_snapshot!("csv-fixtures", shown(Form::CsvFixtures));
    insta::assert_snapshot!("json", shown(Form::Json));
    insta::assert_snapshot!("github", shown(Form::Github));
    insta::assert_snapshot!("gitlab", shown(Form::Gitlab));
    insta::assert_snapshot!("sarif", shown(Form::Sarif));
}

#[test]
fn no_form_lets_control_characters_through() {
    let forms = [
        Form::Markdown,
        Form::Comment,
        Form::Junit,
        Form::Sarif,
        Form::Tap,
        Form::CsvCells,
        Form::CsvAttempts,
        Form::CsvClauses,
        Form::CsvFixtures,
        Form::Github,
        Form::Gitlab,
    ];
    for form in forms {
        let text = shown(form);
        let bad =
            text.chars().find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(bad, None, "{form:?}");
    }
}

/// In Markdown, model text is code and nothing else: the only markup is the page's own.
#[test]
fn markdown_holds_its_own_markup_only() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let text = shown(Form::Markdown);
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let own = ["<details>", "</details>", "<sub>", "</sub>"];
                assert!(own.iter().any(|tag| html.starts_with(tag)), "{html}");
                assert!(!html.contains("<script"), "{html}");
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic!("a link in {text}"),
            Event::Text(text) => assert!(!text.contains('@') && !text.contains("javascript"), "{text}"),
            _ => {}
        }
    }
}

/// A line that begins with a command would be run by the workflow that prints it.
#[test]
fn github_output_holds_its_own_commands_only() {
    for line in shown(Form::Github).lines() {
        assert!(
            ["::error file=", "::warning file="].iter().any(|command| {
                line.strip_prefix(command)
                    .is_some_and(|rest| rest.starts_with("cases/") || rest.starts_with("fixtures/"))
            }),
            "{line}"
        );
    }
}

#[test]
fn a_page_that_is_too_long_says_what_it_left_out() {
    let text = super::markdown::render(&report(), 2_600);
    assert!(text.len() <= 2_600, "{}", text.len());
    assert!(text.contains("did not fit here"), "{text}");
    let lines = |tag: &str| text.lines().filter(|line| line.starts_with(tag)).count();
    assert_eq!(lines("<details>"), lines("</details>"));
}

#[test]
fn nothing_owed_is_green_in_no_form() {
    let mut plan = plan(Vec::new());
    plan.models.clear();
    let manifest = Manifest::new(plan, &Rows::default(), Vec::new(), Vec::new());
    let report = Report::new(manifest, Vec::new(), BTreeMap::new(), BTreeMap::new());
    assert!(render(&report, Form::Tap).unwrap().contains("not ok"));
    assert!(render(&report, Form::Markdown).unwrap().contains("✗ no release"));
    assert!(render(&report, Form::Junit).unwrap().contains(r#"errors="1""#));
    assert!(render(&report, Form::Github).unwrap().contains("::error"));
    assert_ne!(render(&report, Form::Gitlab).unwrap().trim(), "[]");
    assert!(render(&report, Form::Sarif).unwrap().contains(r#""level": "error""#));
}
