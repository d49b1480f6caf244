use super::*;

const CHARTER: &str = "Jump to the text\n\nRULES.md\n\n12 lines · 3 kB\nRaw\n\nHouse Rules\n\nVersion 1.2.0 — 2026-01-05\n\n\
Core Invariants\n\n  1. Count again. Never repeat a figure.\n  2. Look twice.\n\nProcedures\n\nP1 — Begin\n\n  - T0 — talk.\n\n\
A — Arithmetic. Trigger: any sum.\n\nUsage Rules\n\n  1. Load it.\n  2. Log it.\n\n\
Runtime load ends here (see the usage rules). Below is for maintainers.\n\nCANARY-7 must never be sent.\n";

fn parse(text: &str) -> Result<Charter, String> {
    Charter::parse(Path::new("CHARTER.md"), text.as_bytes(), Some(RUNTIME_END), Some(INVARIANTS))
        .map_err(|e| e.to_string())
}

#[test]
fn only_the_part_above_the_marker_is_sent() {
    let charter = parse(CHARTER).unwrap();
    assert!(charter.runtime.ends_with("2. Log it.\n\n"), "{:?}", charter.runtime);
    assert!(!charter.runtime.contains("CANARY") && !charter.runtime.contains("Runtime load"));
    assert_eq!(charter.runtime_sha256, sha256(charter.runtime.as_bytes()));
    assert_eq!(charter.whole_sha256, sha256(CHARTER.as_bytes()));
}

#[test]
fn page_debris_and_bare_headings_do_no_harm() {
    let charter = parse(CHARTER).unwrap();
    assert_eq!(
        charter.invariants.as_deref().unwrap(),
        "  1. Count again. Never repeat a figure.\n  2. Look twice."
    );
    assert_eq!(charter.version.as_deref(), Some("1.2.0"));
    let ids: Vec<_> = charter.ids.iter().map(String::as_str).collect();
    assert_eq!(
        ids,
        [
            "charter:inv-1",
            "charter:inv-2",
            "charter:p1",
            "charter:protocol-a",
            "charter:tiers",
            "charter:usage-1",
            "charter:usage-2"
        ]
    );
}

#[test]
fn markdown_headings_and_decorated_markers_are_read() {
    for marker in [
        "## Runtime load ends here",
        "<!-- Runtime load ends here -->",
        "**Runtime load ends here.** Below: notes",
        "- Runtime load ends here",
    ] {
        let text = format!(
            "# T\n\n## Core Invariants\n\n1. One.\n\n### Note\n\nstill inside\n\n## Next\n\nx\n\n{marker}\nsecret\n"
        );
        let charter = parse(&text).unwrap();
        assert_eq!(charter.invariants.as_deref().unwrap(), "1. One.\n\n### Note\n\nstill inside", "{marker}");
        assert_eq!(charter.headings, ["T", "Core Invariants", "Note", "Next"]);
        assert!(!charter.runtime.contains("secret"));
    }
}

#[test]
fn line_ends_are_kept_and_the_byte_order_mark_is_not() {
    let text = "\u{feff}## Core Invariants\r\n\r\n1. One.\r\n2. Two.\r\n\r\nRuntime load ends here\r\nx\r\n";
    let charter = parse(text).unwrap();
    assert_eq!(charter.invariants.as_deref().unwrap(), "1. One.\r\n2. Two.");
    assert!(charter.runtime.starts_with("## Core") && charter.runtime.contains("\r\n"));
}

#[test]
fn a_doubtful_marker_is_refused() {
    insta::assert_snapshot!(parse(&CHARTER.replace("Runtime load ends here", "The end")).unwrap_err(), @r"
    CHARTER.md: no line starts with `Runtime load ends here`; the charter is refused, because nobody could tell what would be sent
      = help: write `Runtime load ends here` on a line of its own, below what models must read; or say `runtime_end: null` under `charter` in assize.yaml to send the whole file
    ");
    insta::assert_snapshot!(parse(&format!("{CHARTER}\n## Runtime load ends here\n")).unwrap_err(), @r"
    CHARTER.md: 2 lines start with `Runtime load ends here`: 30, 34; the charter is refused, because nobody could tell what would be sent
      = help: keep exactly one
    ");
    insta::assert_snapshot!(parse(&CHARTER.replace("Runtime load", "runtime load")).unwrap_err(), @r"
    CHARTER.md: no line starts with `Runtime load ends here`; line 30 mentions it; the charter is refused, because nobody could tell what would be sent
      = help: write `Runtime load ends here` on a line of its own, below what models must read; or say `runtime_end: null` under `charter` in assize.yaml to send the whole file
    ");
    // In the middle of a sentence it is no marker.
    let mention = CHARTER.replace("  2. Log it.", "  2. Stop where it says Runtime load ends here.");
    assert!(parse(&mention).unwrap().runtime.contains("Stop where it says"));
}

#[test]
fn a_second_heading_of_the_invariants_is_refused_in_whatever_dress() {
    insta::assert_snapshot!(parse(&CHARTER.replace("House Rules", "Core Invariants\n\n1. Nothing.")).unwrap_err(), @r"
    CHARTER.md:14: 2 lines are the heading `Core Invariants`: 8, 14; nobody could tell which of them binds
      = help: keep exactly one above the runtime marker
    ");
    for decoy in
        ["> ## Core Invariants", "**core invariants**", "- CORE INVARIANTS", "<!-- Core Invariants -->"]
    {
        let text = CHARTER.replace("Procedures\n", &format!("{decoy}\n\nNone.\n\nProcedures\n"));
        assert!(parse(&text).unwrap_err().contains("2 lines are the heading"), "{decoy}");
    }
    // Below the marker nobody reads it, and in a sentence it is no heading.
    let text = CHARTER.replace("  2. Log it.", "  2. See the Core Invariants.");
    parse(&format!("{text}\n## Core Invariants\n")).unwrap();
}

#[test]
fn empty_and_missing_parts_are_refused() {
    insta::assert_snapshot!(parse("\n\nRuntime load ends here\nx\n").unwrap_err(), @r"
    CHARTER.md:1: nothing stands above the runtime marker
      = help: models must have something to read
    ");
    insta::assert_snapshot!(parse(&CHARTER.replace("Core Invariants", "Core Values")).unwrap_err(), @r"
    CHARTER.md:1: there is no section `Core Invariants` above the runtime marker
      = help: give it the heading `## Core Invariants`, or name its heading under `charter.invariants` (`null` when there is none)
    ");
    insta::assert_snapshot!(parse("# A\n\n## Core Invariants\n\n## B\n\nRuntime load ends here\n").unwrap_err(), @r"
    CHARTER.md:3: the section `Core Invariants` is empty
      = help: cases compare what a model copied with this text
    ");
    let bad = Charter::parse(Path::new("C"), b"a\xff", Some(RUNTIME_END), Some(INVARIANTS)).unwrap_err();
    assert_eq!(bad.to_string(), "C: not valid UTF-8 after byte 1");
    let gone = Charter::load(Path::new("/nonexistent/C"), Some(RUNTIME_END), Some(INVARIANTS)).unwrap_err();
    assert!(gone.to_string().contains("cannot be read"));
}

#[test]
fn a_charter_without_marker_and_invariants_is_sent_whole_when_the_project_says_so() {
    let text = "# Working here\n\n## Code style: ours\n\nTabs.\n";
    let path = Path::new("AGENTS.md");
    let charter = Charter::parse(path, text.as_bytes(), None, None).unwrap();
    assert_eq!((charter.runtime.as_str(), charter.invariants.as_deref()), (text, None));
    let ids: Vec<_> = charter.ids.iter().map(String::as_str).collect();
    assert_eq!(ids, ["charter:code-style-ours", "charter:working-here"]);
    assert_eq!(charter.values().invariants, None);
    assert!(
        Charter::parse(path, b" \n", None, None).unwrap_err().to_string().contains("the charter is empty")
    );
}

#[test]
fn the_shipped_sample_loads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/charters/sample.md");
    let charter = Charter::load(&path, Some(RUNTIME_END), Some(INVARIANTS)).unwrap();
    assert_eq!(charter.version.as_deref(), Some("1.0.0"));
    for clause in ["inv-1", "inv-5", "protocol-a", "protocol-e", "p1", "p3", "usage-1", "usage-5", "tiers"] {
        assert!(charter.ids.contains(&format!("charter:{clause}")), "{clause} of {:?}", charter.ids);
    }
    let whole = std::fs::read_to_string(&path).unwrap();
    assert!(whole.contains("CANARY") && !charter.runtime.contains("CANARY"));
    assert_eq!(
        charter
            .invariants
            .as_deref()
            .unwrap_or_default()
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            .count(),
        5
    );
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(Core Invariants|Runtime load ends here|\\PC|[\r\n#*é-]){0,80}") {
        if let Ok(charter) = parse(&text) {
            proptest::prop_assert!(text.contains(charter.invariants.as_deref().unwrap_or_default()) && text.contains(&charter.runtime));
        }
    }
}
