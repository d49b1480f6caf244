//! CI files: a change gate on edits of the charter, a nightly run, and an audit of releases.

use std::path::PathBuf;

use super::matrix::Provider;

/// A service that runs CI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Service {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
}

/// The files for `service`, with paths in the repository.
pub(super) fn files(service: Service, charter: &str, providers: &[&Provider]) -> Vec<(PathBuf, String)> {
    let keys: Vec<&str> = providers.iter().map(|provider| provider.key).collect();
    match service {
        Service::Github => {
            let env = if keys.is_empty() {
                "      {}   # the key variables that model-matrix.yaml names: KEY: ${{ secrets.KEY }}"
                    .to_owned()
            } else {
                let line = |key: &&str| format!("      {key}: ${{{{ secrets.{key} }}}}");
                keys.iter().map(line).collect::<Vec<_>>().join("\n")
            };
            let fill = |text: &str| text.replace("@CHARTER@", charter).replace("@ENV@", &env);
            vec![(PathBuf::from(".github/workflows/assize.yml"), fill(include_str!("github.yml")))]
        }
        Service::Gitlab => {
            let fill = |text: &str| text.replace("@CHARTER@", charter);
            vec![(PathBuf::from(".gitlab/assize.gitlab-ci.yml"), fill(include_str!("gitlab.yml")))]
        }
    }
}
