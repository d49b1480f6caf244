//! The rule on counts made up: where its edges are, and who pays for being many.

use super::*;

fn counts(baseline: (usize, usize), tonight: (usize, usize)) -> Counts {
    Counts {
        baseline: Tally::of(baseline.0, baseline.1).unwrap(),
        tonight: Tally::of(tonight.0, tonight.1).unwrap(),
    }
}

/// The states of cells of one model, with the fresh passes of ten for suspects.
fn states(cells: &[Counts], fresh: &[(usize, usize)]) -> Vec<State> {
    let fresh = fresh.iter().map(|(index, passed)| (*index, Tally::of(*passed, 10).unwrap())).collect();
    let models = vec!["m"; cells.len()];
    decide(cells, &models, &fresh).cells.iter().map(|cell| cell.state).collect()
}

#[test]
fn fresh_trials_decide_about_a_suspect() {
    let bad = [counts((42, 42), (0, 3))];
    assert_eq!(suspects(&bad), [0]);
    assert_eq!(states(&bad, &[]), [State::Suspect]);
    assert_eq!(states(&bad, &[(0, 0)]), [State::Regressed]);
    assert_eq!(states(&bad, &[(0, 10)]), [State::Watch]);
    let slipped = [counts((42, 42), (2, 3))];
    assert_eq!(suspects(&slipped), [0]);
    assert_eq!(states(&slipped, &[(0, 9)]), [State::Flaky]);
    assert_eq!(states(&slipped, &[(0, 3)]), [State::Regressed]);
}

#[test]
fn what_was_always_so_is_no_suspect() {
    for (cell, state) in [
        (counts((42, 42), (3, 3)), State::Ok),
        (counts((30, 42), (2, 3)), State::Flaky),
        (counts((0, 42), (0, 3)), State::Watch),
        (counts((0, 0), (3, 3)), State::New),
        (counts((0, 0), (0, 3)), State::Watch),
        (counts((0, 42), (3, 3)), State::Improved),
        // Two nights are no baseline to be sure on.
        (counts((6, 6), (2, 3)), State::Flaky),
    ] {
        assert_eq!(suspects(&[cell]), Vec::<usize>::new(), "{cell:?}");
        assert_eq!(states(&[cell], &[]), [state], "{cell:?}");
    }
}

#[test]
fn the_edge_of_suspicion_is_where_it_is_said_to_be() {
    // 3/30 is 0.10 exactly.
    assert!(counts((27, 27), (2, 3)).is_suspect());
    assert!(!counts((26, 26), (2, 3)).is_suspect());
}

#[test]
fn many_suspects_pay_for_their_number() {
    let one = [counts((42, 42), (2, 3))];
    // 8 of 10 fresh: p = 0.034; 7 of 10: 0.0054.
    assert_eq!(states(&one, &[(0, 8)]), [State::Flaky]);
    assert_eq!(states(&one, &[(0, 7)]), [State::Regressed]);
    let two = [one[0], one[0]];
    assert_eq!(states(&two, &[(0, 7), (1, 10)]), [State::Flaky, State::Flaky]);
    // A suspect whose fresh trials are missing is a comparison all the same.
    assert_eq!(states(&two, &[(0, 7)]), [State::Flaky, State::Suspect]);
}

#[test]
fn one_cell_is_never_the_models() {
    let cells = [counts((42, 42), (0, 3)), counts((42, 42), (3, 3))];
    let fresh = BTreeMap::from([(0, Tally::of(10, 10).unwrap())]);
    let decided = decide(&cells, &["m", "m"], &fresh);
    assert!(decided.models["m"].adjusted_p < 0.01);
    assert_eq!((decided.models["m"].state, decided.cells[0].state), (State::Ok, State::Watch));
}

#[test]
fn a_broad_slip_is_the_models() {
    let night = |slips: usize| -> Vec<Counts> {
        (0..20).map(|cell| counts((42, 42), (if cell < slips { 2 } else { 3 }, 3))).collect()
    };
    let outcome = |slips| decide(&night(slips), &["m"; 20], &BTreeMap::new()).models["m"];
    assert_eq!(outcome(0).state, State::Ok);
    assert_eq!(outcome(2).state, State::ModelRegressed);
    assert!((outcome(2).p - 0.004_444_44).abs() < 5e-9);
    // Two models: the same slip is not enough once it is paid for… nearly.
    let cells: Vec<Counts> = night(2).into_iter().chain(night(0)).collect();
    let models: Vec<&str> = [vec!["a"; 20], vec!["b"; 20]].concat();
    let decided = decide(&cells, &models, &BTreeMap::new());
    assert!((decided.models["a"].adjusted_p - 0.008_888_89).abs() < 5e-9);
    assert_eq!(decided.models["a"].state, State::ModelRegressed);
    assert_eq!(decided.models["b"].state, State::Ok);
}
