//! Endpoints that have made clear that they will not answer are not asked again and again.

use super::Endpoint;
use super::rows::GOOD;
use crate::support::Project;
use crate::support::faults::response;
use serde_json::json;

#[test]
fn an_endpoint_that_refuses_whoever_asks_is_asked_once() {
    let body = r#"{"error":{"message":"in its words"}}"#;
    for (status, headers) in [
        ("401 Unauthorized", ""),
        ("403 Forbidden", ""),
        ("404 Not Found", ""),
        ("429 Too Many Requests", "retry-after: 86400\r\n"),
    ] {
        let endpoint = Endpoint::start(vec![response(status, headers, body), response("200 OK", "", GOOD)]);
        let project = Project::new();
        project.matrix("openai-chat", std::slice::from_ref(&endpoint.server.url), "");
        let ran = project.run(&["run", "--out", "r", "--concurrency", "1", "--trials", "9"]).expect(3);
        assert_eq!(endpoint.server.count(), 1, "{status}");
        assert!(ran.stdout.contains("0 passed, 0 failed, 1 error, 8 not run"), "{}", ran.stdout);
        assert!(ran.stderr.contains("no further trials of m1 are started"), "{}", ran.stderr);
        assert!(ran.stderr.contains("in its words"), "{}", ran.stderr);
        let counts = json!({ "expected": 9, "passed": 0, "failed": 0, "error": 1, "not_run": 8 });
        assert_eq!(project.json("r/manifest.json")["counts"], counts);
        project.run(&["run", "--resume", "r"]).expect(0);
        assert_eq!(endpoint.server.count(), 10, "{status}");
    }
}

#[test]
fn one_that_has_answered_before_may_refuse_a_single_request() {
    for (status, errors, not_run) in
        [("403 Forbidden", 1, 0), ("404 Not Found", 1, 0), ("401 Unauthorized", 1, 2)]
    {
        let good = response("200 OK", "", GOOD);
        let endpoint = Endpoint::start(vec![good.clone(), response(status, "", "{}"), good]);
        let project = Project::new();
        project.matrix("openai-chat", std::slice::from_ref(&endpoint.server.url), "");
        project.run(&["run", "--out", "r", "--concurrency", "1", "--trials", "4"]).expect(3);
        let passed = 4 - errors - not_run;
        let counts =
            json!({ "expected": 4, "passed": passed, "failed": 0, "error": errors, "not_run": not_run });
        assert_eq!(project.json("r/manifest.json")["counts"], counts, "{status}");
    }
}

#[test]
fn the_others_go_on() {
    let refuses = Endpoint::start(vec![response("401 Unauthorized", "", "{}")]);
    let answers = Endpoint::start(vec![response("200 OK", "", GOOD)]);
    let project = Project::new();
    project.matrix("openai-chat", &[refuses.server.url.clone(), answers.server.url.clone()], "");
    let ran = project.run(&["run", "--out", "r", "--concurrency", "1", "--trials", "3"]).expect(3);
    assert!(ran.stdout.contains("m1: 0/3 passed") && ran.stdout.contains("m2: 3/3 passed"), "{}", ran.stdout);
    assert_eq!((refuses.server.count(), answers.server.count()), (1, 3));
}
