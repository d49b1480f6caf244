//! How often the rule of `assize nightly` cries wolf and how often it finds one, by seeded simulation. The larger figures
//! are printed by `cargo run --release -p reports --example nightly_simulation`.

mod simulation;

use fastrand::Rng;
use simulation::{Shift, World};

#[test]
fn null_nights_are_quiet_and_shifts_are_found() {
    let world = World::new();
    let mut rng = Rng::with_seed(20_260_101);
    let mut table =
        String::from("shift            nights  alarms  false cells  false models  found  naive\n");
    for (name, shift, nights) in [
        ("null", Shift::Null, 400),
        ("one cell to .3", Shift::Cell(0.3), 200),
        ("one cell to .6", Shift::Cell(0.6), 200),
        ("one model -.02", Shift::Model(0.02), 100),
        ("one model -.10", Shift::Model(0.10), 100),
        ("all models -.02", Shift::All(0.02), 100),
    ] {
        let sums = world.play(shift, nights, &mut rng);
        table += &format!(
            "{name:<16} {nights:>6}  {:>6}  {:>11}  {:>12}  {:>5}  {:>5}\n",
            sums.alarms, sums.false_cells, sums.false_models, sums.found, sums.naive
        );
        let share = |count: usize| {
            f64::from(u32::try_from(count).unwrap()) / f64::from(u32::try_from(nights).unwrap())
        };
        match shift {
            // What the documentation promises, with room for chance in so few nights.
            Shift::Null => assert!(share(sums.alarms) <= 0.02, "{table}"),
            Shift::Cell(rate) if rate < 0.5 => assert!(share(sums.found) >= 0.9, "{table}"),
            Shift::Model(less) if less > 0.05 => assert!(share(sums.found) >= 0.95, "{table}"),
            _ => {}
        }
    }
    insta::assert_snapshot!(table);
}
