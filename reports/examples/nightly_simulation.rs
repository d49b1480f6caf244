//! False alarms and power of the rule of `assize nightly`, over many made-up nights.
//!
//!     cargo run --release -p reports --example nightly_simulation -- [NIGHTS]

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

#[path = "../tests/nightly_rule/simulation.rs"]
mod simulation;

use fastrand::Rng;
use simulation::{CELLS, MODELS, Shift, TRIALS, World};

fn main() {
    let nights = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2000);
    let world = World::new();
    let mut rng = Rng::with_seed(1);
    println!("{CELLS} cells on {MODELS} models, {TRIALS} trials a cell, {nights} nights a line\n");
    println!(
        "shift              alarms/night  found  false cells/night  false models/night  suspects/night  naive alarms/night"
    );
    let shifts = [0.3, 0.5, 0.6, 0.7, 0.8].map(Shift::Cell);
    let broad = [0.01, 0.02, 0.05, 0.1].map(Shift::Model);
    let all = [0.01, 0.02, 0.05].map(Shift::All);
    for shift in std::iter::once(Shift::Null).chain(shifts).chain(broad).chain(all) {
        let sums = world.play(shift, nights, &mut rng);
        let rate = |count: usize| count as f64 / nights as f64;
        println!(
            "{:<18} {:>12.4} {:>6.3} {:>18.4} {:>19.4} {:>15.2} {:>19.2}",
            format!("{shift:?}"),
            rate(sums.alarms),
            rate(sums.found),
            rate(sums.false_cells),
            rate(sums.false_models),
            rate(sums.suspects),
            rate(sums.naive)
        );
    }
}
