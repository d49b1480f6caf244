//! `assize pack`: a run as one file.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use harness::pack;
use harness::sitting::rundir::RunDir;

use super::exit::Exit;
use super::fetched::Fetched;
use super::say;

/// Put a run's folder into one file
///
/// The archive has the same bytes for the same folder, wherever it is packed. `audit`, `gate`, `report` and `explain`
/// read it as they read the folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The run's folder, or its place in a store
    #[arg(value_name = "RUN|URL")]
    run: PathBuf,
    /// The archive; RUN.tar.zst when not given
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let fetched = Fetched::one(&arguments.run)?;
    let run = RunDir::open(fetched.path())?;
    anyhow::ensure!(
        run.manifest()?.is_some(),
        "{}: there is no manifest: the run was not concluded; resume it",
        run.path().display()
    );
    let out = match &arguments.out {
        Some(path) => path.clone(),
        None if fetched.is_passing() => {
            anyhow::bail!("{} is in a store: name the archive with --out", arguments.run.display())
        }
        None => beside(run.path())?,
    };
    let size = pack::pack(run.path(), &out)?;
    let mut data = say::data();
    writeln!(data, "{}", out.display())?;
    data.flush()?;
    say::note(&format!("{size} bytes"));
    Ok(Exit::Holds)
}

/// The archive's path when none is given: beside the folder, called as it is.
fn beside(run: &Path) -> anyhow::Result<PathBuf> {
    let whole = run.canonicalize()?;
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(whole.with_file_name(format!("{name}.{}", pack::EXTENSION)))
}
