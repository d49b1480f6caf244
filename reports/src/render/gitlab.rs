//! GitLab code quality: an issue for each cell that is not as it should be. GitLab stops at the first entry it cannot
//! read and lets the last of equal fingerprints win, so every entry is complete and fingerprints are of the cell.

use serde_json::json;

use super::{RenderError, text};
use crate::digest::sha256_hex;
use crate::report::{Report, Tone};

/// Writes the issues, indented, with a line end.
///
/// # Errors
/// [`RenderError::Json`].
pub fn render(report: &Report) -> Result<String, RenderError> {
    let troubled = report.cells().filter(|view| view.tone != Tone::Good);
    let faults = report.faults();
    let faults = faults.iter().map(|fault| {
        json!({
            "description": text::line(fault, 1000),
            "check_name": "assize",
            "fingerprint": sha256_hex(fault.as_bytes()),
            "severity": "blocker",
            "location": { "path": "assize.yaml", "lines": { "begin": 1 } },
        })
    });
    let cells = troubled.map(|view| {
        let path = report.case(view.cell()).map_or("assize.yaml", |case| case.path.as_str());
        json!({
            "description": format!("{}\n{}", text::headline(&view), text::troubles(&view)),
            "check_name": view.record.checker,
            "fingerprint": sha256_hex(view.key.as_bytes()),
            "severity": if view.tone == Tone::Bad { "critical" } else { "major" },
            "location": { "path": path, "lines": { "begin": 1 } },
        })
    });
    let fixtures = report.fixtures();
    let troubled = fixtures.iter().filter(|view| matches!(view.tone, Some(Tone::Bad | Tone::Open)));
    let fixtures = troubled.map(|view| {
        json!({
            "description": text::fixture(view),
            "check_name": "assize fixture",
            "fingerprint": sha256_hex(view.record.fixture.as_bytes()),
            "severity": if view.tone == Some(Tone::Bad) { "critical" } else { "major" },
            "location": { "path": view.path(), "lines": { "begin": 1 } },
        })
    });
    let issues: Vec<_> = faults.chain(fixtures).chain(cells).collect();
    Ok(serde_json::to_string_pretty(&issues)? + "\n")
}
