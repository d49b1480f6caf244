//! `assize audit`: is a run's record what it says it is, for exactly this commit?

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use harness::audit::commit::{AtCommit, CommitError, Named};
use harness::audit::{self, AuditError, Question, Report};
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
    /// The public key that must have signed
    #[arg(long, value_name = "FILE")]
    public_key: Option<PathBuf>,
    /// The project's folder in a checkout that holds the commit; found from the current folder upwards when not given
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, project: Option<&Path>) -> anyhow::Result<Exit> {
    let key = arguments.public_key.as_deref().map(public_key).transpose()?;
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
    let question = Question { commit: commit.as_ref(), key: key.as_ref(), whole_matrix: true };
    let report = examine(&arguments.run, &question)?;
    findings.extend(report.findings);
    let answer = reports::Answer::to(&findings);
    let notes = report.manifest.as_ref().map(|manifest| notes(manifest, key.as_ref())).unwrap_or_default();
    let yes = "every verdict, count and digest follows from the transcripts and from the commit's own files";
    findings::print(&Printed { answer, yes, findings: &findings, notes }, arguments.format)
}

/// Audits a folder, a pack, or what a store keeps; a pack that is damaged is a finding.
pub(super) fn examine(path: &Path, question: &Question<'_>) -> anyhow::Result<Report> {
    let fetched = Fetched::one(path)?;
    match audit::open(fetched.path()) {
        Ok(opened) => Ok(audit::audit(&opened.run, question)?),
        Err(AuditError::Pack(error @ PackError::Damaged { .. })) => {
            Ok(Report { findings: vec![Finding::new(Rule::Pack, error.to_string())], manifest: None })
        }
        Err(error) => Err(fetched.named(error.into())),
    }
}

fn public_key(path: &Path) -> anyhow::Result<PublicKey> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    PublicKey::from_pem(&text).with_context(|| format!("{} cannot be used", path.display()))
}

/// What the answer rests on.
fn notes(manifest: &Manifest, key: Option<&PublicKey>) -> Vec<String> {
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
    notes.push(match key {
        Some(key) => format!("signatures were held against the key {}", key.keyid()),
        None => "no key was given, so it was not checked who made this record; name one with --public-key"
            .to_owned(),
    });
    notes
}

/// Enough of a digest to tell it by.
fn short(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}
