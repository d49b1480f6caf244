//! `JUnit` XML as Jenkins and GitLab read it (`junit-10.xsd` of the Jenkins xUnit plugin): a suite a model, a test case
//! a cell, never one a trial, since readers drop test cases of equal names.
//!
//! What was not run is an error: a skipped test case is no failure anywhere, and an expectation that quietly was not met
//! would be green.

use std::collections::BTreeMap;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{RenderError, text};
use crate::fixture::{FixtureStanding, Kind};
use crate::report::{CellView, FixtureView, Report, State, Tone};

/// Writes the document.
///
/// # Errors
/// [`RenderError::Xml`].
pub fn render(report: &Report) -> Result<String, RenderError> {
    let mut suites: BTreeMap<usize, Vec<CellView<'_>>> = BTreeMap::new();
    for view in report.cells() {
        let models = &report.manifest.plan.models;
        let place = models.iter().position(|model| model.id == view.cell().model).unwrap_or(models.len());
        suites.entry(place).or_default().push(view);
    }
    let mut out = Writer::new_with_indent(Vec::new(), b' ', 2);
    out.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let faults = report.faults();
    let fixtures = report.fixtures();
    let mut sums = sums(suites.values().flatten());
    sums.tests += faults.len() + fixtures.len();
    sums.errors += faults.len() + count(&fixtures, Tone::Open);
    sums.failures += count(&fixtures, Tone::Bad);
    let named = out.create_element("testsuites").with_attribute(("name", "assize"));
    let element = with(named, &sums);
    element.write_inner_content(|out| {
        for suite in suites.values() {
            write_suite(out, report, suite)?;
        }
        for kind in [Kind::Happy, Kind::Redline] {
            let own: Vec<_> = fixtures.iter().filter(|view| view.record.kind == kind).copied().collect();
            write_fixtures(out, kind, &own)?;
        }
        write_faults(out, &faults)
    })?;
    let mut bytes = out.into_inner();
    bytes.push(b'\n');
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

type Out = Writer<Vec<u8>>;

fn write_suite(out: &mut Out, report: &Report, suite: &[CellView<'_>]) -> std::io::Result<()> {
    let model = suite.first().map(|view| view.cell().model.as_str()).unwrap_or_default();
    let planned = report.manifest.plan.planned.trim_end_matches('Z');
    let element = out.create_element("testsuite").with_attribute(("name", text::line(model, 200).as_str()));
    let element = with(element, &sums(suite.iter())).with_attribute(("timestamp", planned));
    element.write_inner_content(|out| {
        for view in suite {
            write_case(out, report, view)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// The fixtures of a kind that no cell stands for, as a suite of their own. What is set aside is skipped: nobody expects it.
fn write_fixtures(out: &mut Out, kind: Kind, views: &[FixtureView<'_>]) -> std::io::Result<()> {
    if views.is_empty() {
        return Ok(());
    }
    let sums = Sums {
        tests: views.len(),
        failures: count(views, Tone::Bad),
        errors: count(views, Tone::Open),
        elapsed_ms: 0,
    };
    let skipped = views.iter().filter(|view| view.tone.is_none()).count();
    let name = format!("fixtures: {kind}");
    let element = with(out.create_element("testsuite").with_attribute(("name", name.as_str())), &sums);
    element.with_attribute(("skipped", skipped.to_string().as_str())).write_inner_content(|out| {
        for view in views {
            let element = out
                .create_element("testcase")
                .with_attribute(("classname", name.as_str()))
                .with_attribute(("name", text::line(&view.record.fixture, 300).as_str()))
                .with_attribute(("time", "0.000"));
            let (tag, kind) = match (view.tone, view.record.standing) {
                (Some(Tone::Good), _) => {
                    element.write_empty()?;
                    continue;
                }
                (None, _) => ("skipped", None),
                (Some(Tone::Bad), _) => ("failure", Some("failed")),
                (Some(Tone::Open), FixtureStanding::Error) => ("error", Some("error")),
                (Some(Tone::Open), _) => ("error", Some("not-run")),
            };
            let said = text::fixture(view);
            element.write_inner_content(|out| {
                let element = out.create_element(tag);
                match kind {
                    Some(kind) => element
                        .with_attribute(("type", kind))
                        .with_attribute(("message", said.as_str()))
                        .write_text_content(BytesText::new(&said))?,
                    None => element.with_attribute(("message", said.as_str())).write_empty()?,
                };
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn count(views: &[FixtureView<'_>], tone: Tone) -> usize {
    views.iter().filter(|view| view.tone == Some(tone)).count()
}

/// What is wrong with the run as a whole, as a suite of its own.
fn write_faults(out: &mut Out, faults: &[String]) -> std::io::Result<()> {
    if faults.is_empty() {
        return Ok(());
    }
    let sums = Sums { tests: faults.len(), failures: 0, errors: faults.len(), elapsed_ms: 0 };
    let element = with(out.create_element("testsuite").with_attribute(("name", "the run")), &sums);
    element.write_inner_content(|out| {
        for fault in faults {
            let fault = text::line(fault, 300);
            let element = out.create_element("testcase").with_attribute(("classname", "the run"));
            element
                .with_attribute(("name", fault.as_str()))
                .with_attribute(("time", "0.000"))
                .write_inner_content(|out| {
                    let error = out.create_element("error").with_attribute(("type", "run"));
                    error.with_attribute(("message", fault.as_str())).write_empty()?;
                    Ok(())
                })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_case(out: &mut Out, report: &Report, view: &CellView<'_>) -> std::io::Result<()> {
    let cell = view.cell();
    let kind = report.case(cell).map_or("case", |case| case.name.as_str());
    let name = format!("{} {kind} row {}", cell.case_label(), cell.row);
    let element = out
        .create_element("testcase")
        .with_attribute(("classname", text::line(&cell.model, 200).as_str()))
        .with_attribute(("name", text::line(&name, 300).as_str()))
        .with_attribute(("time", seconds(view.elapsed_ms).as_str()));
    let (tag, kind) = match (view.tone, view.state) {
        (Tone::Good, _) => {
            element.write_empty()?;
            return Ok(());
        }
        (Tone::Bad, _) => ("failure", "failed"),
        (Tone::Open, State::Error) => ("error", "error"),
        (Tone::Open, _) => ("error", "not-run"),
    };
    element.write_inner_content(|out| {
        out.create_element(tag)
            .with_attribute(("type", kind))
            .with_attribute(("message", text::line(&text::headline(view), 300).as_str()))
            .write_text_content(BytesText::new(&text::troubles(view)))?;
        Ok(())
    })?;
    Ok(())
}

struct Sums {
    tests: usize,
    failures: usize,
    errors: usize,
    elapsed_ms: u64,
}

fn sums<'v, 'r: 'v>(views: impl Iterator<Item = &'v CellView<'r>>) -> Sums {
    let mut sums = Sums { tests: 0, failures: 0, errors: 0, elapsed_ms: 0 };
    for view in views {
        sums.tests += 1;
        sums.failures += usize::from(view.tone == Tone::Bad);
        sums.errors += usize::from(view.tone == Tone::Open);
        sums.elapsed_ms += view.elapsed_ms;
    }
    sums
}

fn with<'a>(
    element: quick_xml::writer::ElementWriter<'a, Vec<u8>>,
    sums: &Sums,
) -> quick_xml::writer::ElementWriter<'a, Vec<u8>> {
    element
        .with_attribute(("tests", sums.tests.to_string().as_str()))
        .with_attribute(("failures", sums.failures.to_string().as_str()))
        .with_attribute(("errors", sums.errors.to_string().as_str()))
        .with_attribute(("time", seconds(sums.elapsed_ms).as_str()))
}

/// Seconds with three decimals, the most that the format takes.
fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}
