//! `assize audit`: is a run's record what it says it is, for exactly this commit?

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use harness::audit::commit::{AtCommit, CommitError};
use harness::audit::{self, AuditError, Question, Report};
use harness::git::Named;
use harness::pack::PackError;
use harness::project::Project;
use reports::attestation::PublicKey;
use reports::{Finding, Manifest, Rule};

use super::exit::Exit;
use super::fetched::Fetched;
use super::findings::{self, Format, Printed};

/// Derive a run's record anew and say whether a release may rest on it
///
/// From the commit's own files: what was owed. From the run: every digest, every verdict, the controls, the counts, the
/// signature. Works offline and without the models.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The run's folder, a pack, or its place in a store
    #[arg(value_name = "RUN|PACK|URL")]
    run: PathBuf,
    /// The commit that the run must be of, by its hash
    #[arg(long, value_name = "HASH", required_unless_present = "tag", conflicts_with = "tag")]
    commit: Option<String>,
    /// The commit that the run must be of, by a tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// A public key that must have signed; given several times, each of them must have
    #[arg(long = "public-key", value_name = "FILE")]
    public_keys: Vec<PathBuf>,
    /// The project's folder in a checkout that holds the commit; found from the current folder upwards when not given
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let keys =
        arguments.public_keys.iter().map(|path| public_key(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let named = match (&arguments.commit, &arguments.tag) {
        (Some(hash), _) => Named::Hash(hash.clone()),
        (None, Some(tag)) => Named::Tag(tag.clone()),
        (None, None) => anyhow::bail!("name the commit with --commit or --tag"),
    };
    let root = match &arguments.repo {
        Some(root) => root.clone(),
        None => Project::find(project).map(|project| project.root).unwrap_or_default(),
    };
    let (commit, mut findings) = match AtCommit::read(&root, &named) {
        Ok(commit) => (Some(commit), Vec::new()),
        Err(error @ CommitError::Project { .. }) => {
            (None, vec![Finding::new(Rule::Commit, error.to_string())])
        }
        Err(error) => return Err(error.into()),
    };
    let question = Question { commit: commit.as_ref(), keys: &keys, whole_matrix: true };
    let report = examine(&arguments.run, &question)?;
    findings.extend(report.findings);
    let answer = reports::Answer::to(&findings);
    let mut notes = report.manifest.as_ref().map(notes).unwrap_or_default();
    notes.extend(held(&keys, &report.signers));
    let yes = "every verdict, count and digest follows from the transcripts and from the commit's own files";
    findings::print(&Printed { answer, yes, findings: &findings, notes }, arguments.format)
}

/// Audits a folder, a pack, or what a store keeps; a pack that is damaged is a finding.
pub(super) fn examine(path: &Path, question: &Question<'_>) -> anyhow::Result<Report> {
    let fetched = Fetched::one(path)?;
    match audit::open(fetched.path()) {
        Ok(opened) => Ok(audit::audit(&opened.run, question)?),
        Err(AuditError::Pack(error @ PackError::Damaged { .. })) => Ok(Report {
            findings: vec![Finding::new(Rule::Pack, error.to_string())],
            manifest: None,
            signers: Vec::new(),
        }),
        Err(error) => Err(fetched.named(error.into())),
    }
}

fn public_key(path: &Path) -> anyhow::Result<PublicKey> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    PublicKey::from_pem(&text).with_context(|| format!("{} cannot be used", path.display()))
}

/// What the answer rests on.
fn notes(manifest: &Manifest) -> Vec<String> {
    let plan = &manifest.plan;
    let counts = manifest.counts;
    let mut notes = vec![
        format!(
            "{} trials owed: {} passed, {} failed, {} without a verdict, {} not run",
            counts.expected, counts.passed, counts.failed, counts.error, counts.not_run
        ),
        format!(
            "charter {} {}",
            plan.charter.version.as_deref().unwrap_or("without a version"),
            plan.charter.sha256
        ),
    ];
    let judges = plan.checkers.iter().map(|checker| format!("{} {}", checker.name, short(&checker.sha256)));
    notes.push(format!("judged again by {}", judges.collect::<Vec<_>>().join(", ")));
    notes
}

/// Against which keys signatures were held, and which signers nobody held against a key.
fn held(keys: &[PublicKey], signers: &[String]) -> Vec<String> {
    let ids: Vec<String> = keys.iter().map(PublicKey::keyid).collect();
    let mut notes = vec![match ids.len() {
        0 => "no key was given, so it was not checked who made this record; name one with --public-key"
            .to_owned(),
        1 => format!("signatures were held against the key {}", ids.join(", ")),
        _ => format!("signatures were held against the keys {}", ids.join(", ")),
    }];
    let others: Vec<&str> = signers.iter().filter(|id| !ids.contains(id)).map(String::as_str).collect();
    if !others.is_empty() {
        notes.push(format!("not held against any key, though the record names them: {}", others.join(", ")));
    }
    notes
}

/// Enough of a digest to tell it by.
fn short(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}
