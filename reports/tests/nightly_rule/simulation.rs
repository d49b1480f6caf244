//! Nights made up by chance, decided by the very rule that `assize nightly` uses.
//!
//! A world has cells with pass rates of their own: most are nearly sure, some are not. A night draws three trials a cell;
//! its baseline has been drawn from the same rates, fourteen nights of three; fresh trials come from the rates of tonight.

use std::collections::BTreeMap;

use fastrand::Rng;
use reports::nightly::rule::{self, Counts, Outcome, State};
use reports::statistics::Tally;

/// Cells of the world.
pub const CELLS: usize = 400;
/// Models that they are spread over, evenly.
pub const MODELS: usize = 4;
/// Trials a cell and night.
pub const TRIALS: usize = 3;

/// The names of the models.
const NAMES: [&str; MODELS] = ["m1", "m2", "m3", "m4"];

/// A world: the pass rate of each cell.
pub struct World {
    rates: Vec<f64>,
}

/// What tonight does to the rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shift {
    /// Nothing.
    Null,
    /// One nearly sure cell falls to this rate.
    Cell(f64),
    /// All cells of one model lose this much.
    Model(f64),
    /// All cells of all models lose this much.
    All(f64),
}

/// What was said over many nights.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tallied {
    /// Nights with a cell or model called regressed.
    pub alarms: usize,
    /// Cells called regressed that had not changed.
    pub false_cells: usize,
    /// Models called regressed that had not changed.
    pub false_models: usize,
    /// Nights in which the cell or a model that had changed was called regressed.
    pub found: usize,
    /// Suspects.
    pub suspects: usize,
    /// Alarms of the naive rule: it passed all trials on a night before and not tonight.
    pub naive: usize,
}

impl World {
    /// Rates as they are met: of ten cells seven are nearly sure, two are good, the rest are doubtful.
    pub fn new() -> Self {
        let rates = (0..CELLS).map(|cell| match cell % 50 {
            0..35 => 0.999,
            35..45 => 0.98,
            45..49 => 0.9,
            _ => 0.5,
        });
        Self { rates: rates.collect() }
    }

    fn tonight(&self, shift: Shift) -> Vec<f64> {
        let mut rates = self.rates.clone();
        match shift {
            Shift::Null => {}
            Shift::Cell(rate) => rates[0] = rate,
            Shift::Model(less) => {
                rates.iter_mut().step_by(MODELS).for_each(|rate| *rate = (*rate - less).max(0.0));
            }
            Shift::All(less) => rates.iter_mut().for_each(|rate| *rate = (*rate - less).max(0.0)),
        }
        rates
    }

    /// Plays `nights` nights, each with a baseline of its own.
    pub fn play(&self, shift: Shift, nights: usize, rng: &mut Rng) -> Tallied {
        let mut sums = Tallied::default();
        for _ in 0..nights {
            self.night(shift, rng, &mut sums);
        }
        sums
    }

    fn night(&self, shift: Shift, rng: &mut Rng, sums: &mut Tallied) {
        let tonight = self.tonight(shift);
        let mut cells = Vec::with_capacity(CELLS);
        for (before, now) in self.rates.iter().zip(&tonight) {
            let yesterday = draw(rng, *before, TRIALS);
            let baseline = yesterday + draw(rng, *before, (rule::NIGHTS - 1) * TRIALS);
            let counts = Counts { baseline, tonight: draw(rng, *now, TRIALS) };
            sums.naive += usize::from(yesterday.failed == 0 && counts.tonight.failed > 0);
            cells.push(counts);
        }
        let suspects = rule::suspects(&cells);
        sums.suspects += suspects.len();
        let fresh: BTreeMap<usize, Tally> = suspects
            .into_iter()
            .map(|cell| (cell, draw(rng, tonight[cell], rule::FRESH_TRIALS as usize)))
            .collect();
        let models: Vec<&str> = (0..CELLS).map(|cell| NAMES[cell % MODELS]).collect();
        self.count(&tonight, &rule::decide(&cells, &models, &fresh), sums);
    }

    fn count(&self, tonight: &[f64], outcome: &Outcome, sums: &mut Tallied) {
        let changed = |cell: usize| tonight[cell] != self.rates[cell];
        let (mut alarm, mut found) = (false, false);
        for (cell, decided) in outcome.cells.iter().enumerate() {
            if decided.state == State::Regressed {
                alarm = true;
                found |= changed(cell);
                sums.false_cells += usize::from(!changed(cell));
            }
        }
        for (index, name) in NAMES.iter().enumerate() {
            if outcome.models[*name].state == State::ModelRegressed {
                alarm = true;
                let changed = (index..CELLS).step_by(MODELS).any(changed);
                found |= changed;
                sums.false_models += usize::from(!changed);
            }
        }
        sums.alarms += usize::from(alarm);
        sums.found += usize::from(found);
    }
}

fn draw(rng: &mut Rng, rate: f64, n: usize) -> Tally {
    let passed = (0..n).filter(|_| rng.f64() < rate).count();
    Tally { passed, failed: n - passed }
}
