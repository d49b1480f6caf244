//! `assize compare`: two runs, cell by cell.

use std::io::Write;
use std::path::{Path, PathBuf};

use harness::sitting::figures::{self, Judged};
use reports::compare::{self, Answer, Comparison, Pins, text};

use super::exit::Exit;
use super::say::{self, BOLD, DIM, GREEN, RED, RESET, YELLOW, harmless};
use super::summary;
use super::talk::Format;

/// Say what is worse in run B than in run A
///
/// Cells are paired by case digest, variant, row, parameters and model pin; charter and checker may differ. Both runs are
/// audited and judged anew. Exit code 0: nothing is worse; 1: something is; 3: not all could be compared.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The earlier run's folder
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The later run's folder
    #[arg(value_name = "B")]
    after: PathBuf,
    /// Pair models by their id in the matrix, whatever pin stands behind it
    #[arg(long)]
    across_pins: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Findings shown; the rest is counted.
const SHOWN: usize = 20;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let (before, after) = (open(&arguments.before)?, open(&arguments.after)?);
    let pins = if arguments.across_pins { Pins::Across } else { Pins::Same };
    let comparison = figures::compare(&before, &after, pins)?;
    match arguments.format {
        Format::Json => say::json(&comparison)?,
        Format::Text => {
            let mut out = say::page();
            print(&mut out, &comparison, arguments)?;
            out.flush()?;
        }
    }
    for (path, judged) in [(&arguments.before, &before), (&arguments.after, &after)] {
        if judged.manifest.reused().0 > 0
            && let Some(why) = summary::refused_by_gate(&judged.manifest)
        {
            say::note(&format!("{}: {why}", path.display()));
        }
    }
    Ok(match comparison.answer {
        Answer::NothingWorse => Exit::Holds,
        Answer::Worse => Exit::No,
        Answer::Incomplete => Exit::Incomplete,
    })
}

fn open(path: &Path) -> anyhow::Result<Judged> {
    Judged::open(path).map_err(|error| {
        let place = path.display().to_string();
        let error = anyhow::Error::from(error);
        // Most errors name the place themselves.
        if error.to_string().contains(&place) { error } else { error.context(place) }
    })
}

fn print(out: &mut impl Write, comparison: &Comparison, arguments: &Arguments) -> std::io::Result<()> {
    let (colour, answer) = match comparison.answer {
        Answer::NothingWorse => (GREEN, "✓ nothing is worse"),
        Answer::Worse => (RED, "✗ worse"),
        Answer::Incomplete => (YELLOW, "! nothing was found worse, but not all could be compared"),
    };
    writeln!(out, "{colour}{BOLD}{answer}{RESET}")?;
    writeln!(
        out,
        "A: {}, {} cells; B: {}, {} cells; {} pairs\n",
        harmless(&comparison.before.run, 100),
        comparison.before.cells,
        harmless(&comparison.after.run, 100),
        comparison.after.cells,
        comparison.pairs.len()
    )?;
    let changes = text::changes(comparison);
    for line in changes.iter().take(SHOWN) {
        writeln!(out, "{YELLOW}·{RESET} {}", harmless(line, 300))?;
    }
    if changes.len() > SHOWN {
        writeln!(out, "… and {} more", changes.len() - SHOWN)?;
    }
    if !changes.is_empty() {
        writeln!(out)?;
    }
    let width = say::columns(&std::io::stdout());
    let pairs = text::pairs(comparison);
    let left_out = comparison.pairs.len() + 1 - pairs.len();
    summary::grid(out, pairs, width)?;
    if left_out > 0 {
        writeln!(out, "… and {left_out} cells with the same rate in both")?;
    }
    writeln!(out)?;
    summary::grid(out, text::models(comparison), width)?;
    writeln!(out)?;
    failures(out, comparison, &arguments.after)?;
    writeln!(
        out,
        "{DIM}all cells: {} broke, {} mended, McNemar p = {}. 3/3 → 2/3 may well be chance; see docs/compare.md for the rule{RESET}",
        comparison.sides.broke,
        comparison.sides.mended,
        text::number(comparison.sides.p)
    )
}

/// What failed in cells that are not as before.
fn failures(out: &mut impl Write, comparison: &Comparison, run: &Path) -> std::io::Result<()> {
    let changed = comparison
        .pairs
        .iter()
        .filter(|pair| matches!(pair.change, compare::Change::Worse | compare::Change::Slipped));
    let failures: Vec<_> = changed.flat_map(|pair| &pair.failures).collect();
    for failure in failures.iter().take(SHOWN) {
        summary::failure(out, failure, run)?;
    }
    if failures.len() > SHOWN {
        writeln!(out, "… and {} more failures", failures.len() - SHOWN)?;
    }
    if !failures.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}
