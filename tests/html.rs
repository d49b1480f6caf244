//! `assize report --html`: one file that stands alone, whatever a model says in it.

use crate::support::server::{Server, says};
use crate::support::shifting::{Does, Shifting};
use crate::support::{Project, Ran};

/// What a model may say to break out of the page, with the case's word in it so that it is also evidence.
const ATTACK: &str = "A piano.</script></style><script>alert(1)</script><img src=\"//x.example.test/a\" onerror=alert(1)>\u{202e} 𝄞";

fn attacked(answer: &'static str) -> (Server, Project) {
    let server = Server::start(move |_, number| says(if number == 1 { "An <b>organ</b>." } else { answer }));
    let project = Project::new();
    project.matrix("openai-chat", &[server.url()], "    limits: { in_flight: 1 }\n");
    project.run(&["run", "--out", "r"]).expect(1);
    (server, project)
}

/// What stands between the first `open` and the `close` after it.
fn between<'p>(page: &'p str, open: &str, close: &str) -> &'p str {
    let from = page.find(open).unwrap() + open.len();
    &page[from..from + page[from..].find(close).unwrap()]
}

#[test]
fn the_page_stands_alone_and_holds_hostile_text_as_text() {
    let (_server, project) = attacked(ATTACK);
    let ran = project.run(&["report", "r", "--html"]).expect(1);
    assert_eq!(ran.stdout, "", "a page of megabytes is no text for a terminal");
    assert!(ran.stderr.contains("r.html is written"), "{}", ran.stderr);
    let page = project.read("r.html");
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    for (name, text) in [
        ("style-src", between(&page, "<style>", "</style>")),
        ("script-src", between(&page, "<script>", "</script>")),
    ] {
        let digest = <sha2::Sha256 as sha2::Digest>::digest(text.as_bytes());
        let digest = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, digest);
        assert!(policy.contains(&format!("{name} 'sha256-{digest}'")), "{name} in {policy}");
    }
    let (style, script) = (between(&page, "<style>", "</style>"), between(&page, "<script>", "</script>"));
    let markup = page.replacen(style, "", 1).replacen(script, "", 1);
    for loads in
        [" src=", "<link", "<img", "<iframe", "<object", "url(", "@import", "alert(1)<", " onerror=alert(1)>"]
    {
        assert!(!markup.contains(loads), "{loads}");
    }
    let links: Vec<&str> = markup.split("href=\"").skip(1).collect();
    assert!(links.iter().all(|link| link.starts_with('#')), "every link stays in the page");
    assert!(
        links.iter().any(|link| link.starts_with("#trial=W1&#x2f;r1&#x2f;m1&#x2f;t2\"")),
        "the failure is linked"
    );
    assert!(markup.contains("✗</span> No release") && markup.contains("2&#x2f;3"));
}

#[test]
fn a_page_is_written_whole_or_not_at_all() {
    let (_server, project) = attacked("A piano.");
    let gate = project.run(&["gate", "r"]).expect(1).stdout;
    project.run(&["report", "r", "--html"]).expect(1);
    assert_eq!(project.run(&["gate", "r"]).expect(1).stdout, gate, "a page is not among the run's evidence");
    project.run(&["report", "r", "--html", "-o", "page.html"]).expect(1);
    assert_eq!(project.read("page.html"), project.read("r.html"));
    let page = project.read("page.html");
    project.run(&["report", "r", "--html", "-o", "page.html"]).expect(1);
    assert_eq!(project.read("page.html"), page, "the same run gives the same bytes");
    project.run(&["report", "r", "--html", "-o", "nowhere/page.html"]).expect(2);
    project.run(&["report", "r", "--html", "--format", "tap"]).expect(2);
    project.run(&["report", "r", "--baseline", "r"]).expect(2);
    // A record that was changed has a page too, which is red and says what is gone.
    std::fs::write(project.path().join("r/transcripts.jsonl"), "").unwrap();
    project.run(&["report", "r", "--html", "-o", "page.html"]).expect(1);
    let page = project.read("page.html");
    assert!(page.contains("No release") && page.contains("3 not run"));
    assert!(page.contains("this file is not the one that the manifest records"));
}

#[test]
fn a_baseline_and_nights_are_drawn_beside_the_run() {
    let model = Shifting::start();
    let project = model.project(1);
    project.run(&["nightly", "--quiet", "--history", "nights", "--out", "before"]).expect(0);
    model.becomes(|_, _| Does::Fails);
    project.run(&["run", "--quiet", "--out", "after"]).expect(1);
    let report = ["report", "after", "--html", "--baseline", "before", "--history", "nights"];
    let Ran { stderr, .. } = project.run(&report).expect(1);
    let page = project.read("after.html");
    assert!(page.contains("Compared with before") && page.contains("</span> worse</td>"), "{stderr}");
    assert!(page.contains("class=\"spark\"") && page.contains("1 night, 100% on average"), "{stderr}");
    let ran = project.run(&["report", "after", "--html", "--history", "nowhere"]).expect(2);
    assert!(ran.stderr.contains("nowhere holds no nights"), "{}", ran.stderr);
}
