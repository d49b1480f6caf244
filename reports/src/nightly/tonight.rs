//! A night under decision: what each cell is measured by, which cells need fresh trials, and the answer.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{Baseline, History};
use super::report::{Answer, CANNOT_SEE, CellReport, Comparisons, ModelReport, Report};
use super::rule::{self, Counts, State};
use crate::figures::{Figure, Figures, ModelFigures};
use crate::manifest::Observed;
use crate::plan::Cell;
use crate::statistics::Tally;
use crate::words::counted;

/// A night before it is decided.
#[derive(Debug)]
pub struct Tonight<'f> {
    figures: &'f Figures,
    baselines: Vec<Baseline>,
    /// Where another model answered than the one that is pinned.
    mismatches: Vec<String>,
    notes: Vec<String>,
}

impl<'f> Tonight<'f> {
    /// Looks up what each cell is measured by.
    #[must_use]
    pub fn new(figures: &'f Figures, history: &History, mismatches: Vec<String>) -> Self {
        let baselines: Vec<Baseline> =
            figures.cells.iter().map(|figure| history.baseline(&figure.cell, &figure.identity)).collect();
        let mut notes: Vec<String> =
            figures.models.iter().filter_map(|model| renamed(model, history)).collect();
        notes.extend(reset(figures, &baselines));
        notes.extend(other_models(figures, history));
        Self { figures, baselines, mismatches, notes }
    }

    /// Why there can be no statistics tonight.
    fn obstacle(&self) -> Option<Answer> {
        if !self.mismatches.is_empty() {
            Some(Answer::ChangedPin)
        } else if self.figures.cells.is_empty() || !self.figures.cells.iter().all(Figure::is_complete) {
            Some(Answer::Incomplete)
        } else {
            None
        }
    }

    fn counts(&self) -> Vec<Counts> {
        let pairs = self.figures.cells.iter().zip(&self.baselines);
        pairs.map(|(figure, baseline)| Counts { baseline: baseline.tally, tonight: figure.tally }).collect()
    }

    /// The cells that need fresh trials before there can be an answer.
    #[must_use]
    pub fn suspects(&self) -> Vec<Cell> {
        if self.obstacle().is_some() {
            return Vec::new();
        }
        let suspects = rule::suspects(&self.counts());
        suspects.into_iter().map(|index| self.figures.cells[index].cell.clone()).collect()
    }

    /// Decides. `fresh` is the run of the suspects' fresh trials; `mismatches` is where another model answered in it.
    #[must_use]
    pub fn decide(mut self, night: u64, fresh: Option<&Figures>, mismatches: Vec<String>) -> Report {
        let obstacle = self.obstacle();
        let counts = self.counts();
        let suspects = if obstacle.is_none() { rule::suspects(&counts) } else { Vec::new() };
        let second = self.second_stage(&suspects, fresh);
        let tallies: BTreeMap<usize, Tally> = second
            .iter()
            .filter(|(_, figure)| figure.is_complete() && figure.owed == rule::FRESH_TRIALS)
            .map(|(index, figure)| (*index, figure.tally))
            .collect();
        let names: Vec<&str> = self.figures.cells.iter().map(|figure| figure.cell.model.as_str()).collect();
        let outcome = obstacle.is_none().then(|| rule::decide(&counts, &names, &tallies));
        let cells = self.cell_reports(outcome.as_ref(), &second);
        let models = self.model_reports(outcome.as_ref());
        self.mismatches.extend(mismatches);
        let obstacle = self.obstacle();
        Report {
            answer: obstacle.unwrap_or_else(|| weigh(&cells, &models)),
            night,
            run: self.figures.run.clone(),
            fresh_run: fresh.map(|fresh| fresh.run.clone()),
            pin_mismatches: self.mismatches,
            notes: self.notes,
            comparisons: Comparisons {
                cells: cells.iter().filter(|cell| cell.p.is_some() && cell.baseline.nights > 0).count(),
                suspects: suspects.len(),
                models: models.iter().filter(|model| model.p.is_some() && model.baseline.n() > 0).count(),
            },
            fresh_missing: second.values().flat_map(|figure| figure.missing.clone()).collect(),
            models,
            cells,
            cannot_see: CANNOT_SEE,
        }
    }

    /// The fresh trials of each suspect, by the cell's index.
    fn second_stage<'g>(
        &self,
        suspects: &[usize],
        fresh: Option<&'g Figures>,
    ) -> BTreeMap<usize, &'g Figure> {
        let played = |index: &usize| {
            let cell = &self.figures.cells[*index].cell;
            Some((*index, fresh?.cells.iter().find(|figure| figure.cell == *cell)?))
        };
        suspects.iter().filter_map(played).collect()
    }

    fn cell_reports(
        &self,
        outcome: Option<&rule::Outcome>,
        second: &BTreeMap<usize, &Figure>,
    ) -> Vec<CellReport> {
        let measured = self.figures.cells.iter().zip(&self.baselines).enumerate();
        let report = |(index, (figure, baseline)): (usize, (&Figure, &Baseline))| {
            let outcome = outcome.map(|outcome| outcome.cells[index]);
            CellReport::new(figure, baseline, outcome, second.get(&index).copied())
        };
        measured.map(report).collect()
    }

    fn model_reports(&self, outcome: Option<&rule::Outcome>) -> Vec<ModelReport> {
        let report = |model: &ModelFigures| {
            let cells = self.figures.cells.iter().zip(&self.baselines);
            let own = cells.filter(|(figure, _)| figure.cell.model == model.id);
            let baseline = own.map(|(_, baseline)| baseline.tally).sum();
            let outcome = outcome.and_then(|outcome| outcome.models.get(&model.id));
            ModelReport::new(model, self.figures.trials, baseline, outcome)
        };
        self.figures.models.iter().map(report).collect()
    }
}

/// That cells are other experiments than before, so that their earlier nights do not count.
fn reset(figures: &Figures, baselines: &[Baseline]) -> Option<String> {
    let begun = |baseline: &Baseline| !baseline.changed.is_empty() && baseline.nights == 0;
    let changed: Vec<_> =
        figures.cells.iter().zip(baselines).filter(|(_, baseline)| begun(baseline)).collect();
    let (first, baseline) = changed.first()?;
    let parts: Vec<&str> = baseline.changed.iter().map(|part| part.name()).collect();
    let others = if changed.len() > 1 { " and others" } else { "" };
    Some(format!(
        "the baseline of {} begins anew tonight, and earlier nights do not count for it: {} changed for {}{others}",
        counted(changed.len(), "cell"),
        parts.join(" and "),
        first.cell,
    ))
}

/// That the matrix names other models than the last night's: their cells have nights of their own, or none yet.
fn other_models(figures: &Figures, history: &History) -> Option<String> {
    let last = history.nights().last()?;
    let tonight = |id: &str| figures.models.iter().any(|model| model.id == id);
    let then = |id: &str| last.models.iter().any(|model| model.id == id);
    let gone: Vec<&str> =
        last.models.iter().map(|model| model.id.as_str()).filter(|id| !tonight(id)).collect();
    let new: Vec<&str> =
        figures.models.iter().map(|model| model.id.as_str()).filter(|id| !then(id)).collect();
    let list = |what: &str, ids: &[&str]| match ids {
        [] => None,
        ids => Some(format!("{what} {}", ids.join(", "))),
    };
    let parts: Vec<String> = [list("without", &gone), list("with", &new)].into_iter().flatten().collect();
    if parts.is_empty() {
        return None;
    }
    Some(format!(
        "another matrix than in night {}: {}; each model is measured by nights of its own, and one that has none begins its \
         baseline tonight",
        last.number,
        parts.join(", ")
    ))
}

/// What an endpoint says of itself that it did not say the last time, though its pin allows it.
fn renamed(model: &ModelFigures, history: &History) -> Option<String> {
    let names = |observed: &[Observed]| -> BTreeSet<String> { observed.iter().map(Observed::name).collect() };
    let (now, before) = (names(&model.observed), names(history.observed(&model.id)?));
    if now == before || now.is_empty() || before.is_empty() {
        return None;
    }
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    Some(format!("{} answers as {}; the last time it was {}", model.id, list(&now), list(&before)))
}

/// The answer of a night without obstacles: the weightiest of its states.
fn weigh(cells: &[CellReport], models: &[ModelReport]) -> Answer {
    let cells = cells.iter().map(|cell| cell.state);
    let models = models.iter().map(|model| model.state);
    cells.chain(models).map(answer_of).min().unwrap_or(Answer::Incomplete)
}

fn answer_of(state: State) -> Answer {
    match state {
        State::Ok => Answer::Ok,
        State::New => Answer::New,
        State::Improved => Answer::Improved,
        State::Flaky => Answer::Flaky,
        State::Watch => Answer::Watch,
        State::Suspect | State::Incomplete => Answer::Incomplete,
        State::Regressed => Answer::Regressed,
        State::ModelRegressed => Answer::ModelRegressed,
    }
}
