//! The report as JSON for other programs: the gate's answer, the counts, every cell with what is wrong with it.

use serde::Serialize;

use super::RenderError;
use crate::fixture::{FixtureRecord, KindRecord};
use crate::gate::Decision;
use crate::plan::{CharterPin, Source};
use crate::report::{Report, State, Tone, Trouble};
use crate::row::Counts;

/// The version of this form; a field is only added, never given another meaning, within one version.
pub const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'r> {
    version: u32,
    run: &'r str,
    planned: &'r str,
    assize: &'r str,
    source: Option<&'r Source>,
    charter: &'r CharterPin,
    gate: &'r Decision,
    counts: Counts,
    /// What is wrong with the run as a whole.
    faults: Vec<String>,
    models: Vec<Model<'r>>,
    cells: Vec<CellEntry<'r>>,
    /// The sums over the trials of happy and of redline cases.
    kinds: &'r [KindRecord],
    /// Every fixture; those that are cases have cells, too.
    fixtures: &'r [FixtureRecord],
}

#[derive(Serialize)]
struct Model<'r> {
    id: &'r str,
    role: &'r str,
    requested: Option<&'r str>,
    reported: Vec<Option<&'r str>>,
    counts: Counts,
}

#[derive(Serialize)]
struct CellEntry<'r> {
    key: String,
    case: &'r str,
    variant: Option<&'r str>,
    row: usize,
    model: &'r str,
    state: State,
    tone: Tone,
    counts: Counts,
    /// The Wilson interval at 95%, as shares of one.
    interval: Option<(f64, f64)>,
    checker: &'r str,
    elapsed_ms: u64,
    troubles: Vec<Trouble<'r>>,
}

/// Writes the report, indented, with a line end.
///
/// # Errors
/// [`RenderError::Json`].
pub fn render(report: &Report) -> Result<String, RenderError> {
    let manifest = &report.manifest;
    let plan = &manifest.plan;
    let views: Vec<_> = report.cells().collect();
    let document = Document {
        version: VERSION,
        run: &plan.run,
        planned: &plan.planned,
        assize: &plan.assize,
        source: plan.source.as_ref(),
        charter: &plan.charter,
        gate: &report.decision,
        counts: manifest.counts,
        faults: report.faults(),
        models: manifest.models.iter().filter_map(|record| model(report, record)).collect(),
        cells: views
            .into_iter()
            .map(|view| CellEntry {
                case: &view.record.cell.case,
                variant: view.record.cell.variant.as_deref(),
                row: view.record.cell.row,
                model: &view.record.cell.model,
                state: view.state,
                tone: view.tone,
                counts: view.counts,
                interval: view.interval,
                checker: &view.record.checker,
                elapsed_ms: view.elapsed_ms,
                key: view.key,
                troubles: view.troubles,
            })
            .collect(),
        kinds: &manifest.kinds,
        fixtures: &manifest.fixtures,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn model<'r>(report: &'r Report, record: &'r crate::manifest::ModelRecord) -> Option<Model<'r>> {
    let pin = report.manifest.plan.model(&record.id)?;
    Some(Model {
        id: &record.id,
        role: &pin.role,
        requested: pin.requested.as_deref(),
        reported: record.observed.iter().map(|observed| observed.model.as_deref()).collect(),
        counts: record.counts,
    })
}
