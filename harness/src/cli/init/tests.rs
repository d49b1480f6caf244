use std::fs;

use super::*;

/// Every combination of key variables gives a matrix that loads and has both roles, or only control arms.
#[test]
fn every_matrix_it_writes_can_be_used() {
    let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
    for set in 0..8_u32 {
        let is_set =
            |name: &str| keys.iter().position(|key| *key == name).is_some_and(|at| set & (1 << at) != 0);
        let text = matrix::render(&matrix::with_keys(is_set));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MATRIX);
        fs::write(&path, &text).unwrap();
        let matrix = model_matrix::Matrix::load(&path).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let models = if set == 0 { 2 } else { 2 * set.count_ones() as usize };
        assert_eq!(matrix.models.len(), models, "{text}");
        let findings = model_matrix::lint::lint(&matrix);
        let errors: Vec<_> = findings
            .iter()
            .filter(|finding| finding.severity == model_matrix::lint::Severity::Error)
            .collect();
        assert!(errors.is_empty() || set == 0, "{errors:?}");
    }
}

#[test]
fn the_charter_is_cut_where_it_says_and_sent_whole_where_it_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert!(charter::find(root, None).unwrap_err().to_string().contains("--charter FILE"));
    fs::write(root.join("AGENTS.md"), "# Working here\n\nUse tabs.\n").unwrap();
    let found = charter::find(root, None).unwrap();
    assert_eq!(
        (found.runtime_end, found.invariants, found.bind.as_str()),
        (None, None, "charter:working-here")
    );
    let whole = "# C\n\n## Core Invariants\n\n1. Count.\n\nRuntime load ends here.\n\nnotes\n";
    fs::write(root.join("CHARTER.md"), whole).unwrap();
    let found = charter::find(root, None).unwrap();
    assert_eq!(found.name, "CHARTER.md", "the more telling name comes first");
    assert_eq!(found.runtime_end.as_deref(), Some("Runtime load ends here"));
    assert_eq!(
        (found.invariants.as_deref(), found.bind.as_str()),
        (Some("Core Invariants"), "charter:inv-1")
    );
    // Two markers: nobody could tell what would be sent.
    fs::write(root.join("CHARTER.md"), format!("{whole}\nRuntime load ends here.\n")).unwrap();
    assert!(charter::find(root, None).unwrap_err().to_string().contains("2 lines start with"));
    assert_eq!(charter::find(root, Some(Path::new("AGENTS.md"))).unwrap().name, "AGENTS.md");
}

#[test]
fn ci_files_are_yaml_and_name_the_charter_and_the_keys() {
    let providers = matrix::with_keys(|name| name == "OPENAI_API_KEY");
    for service in [ci::Service::Github, ci::Service::Gitlab] {
        for (path, text) in ci::files(service, "AGENTS.md", &providers) {
            let _: serde_json::Value =
                serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(text.contains("\"AGENTS.md\""), "{text}");
            for left in ["@CHARTER@", "@ENV@"] {
                assert!(!text.contains(left), "{left} in {}", path.display());
            }
        }
    }
    let github = &ci::files(ci::Service::Github, "AGENTS.md", &providers)[0].1;
    assert!(github.contains("OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}"), "{github}");
}
