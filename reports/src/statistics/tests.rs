//! Published vectors, and properties that hold for all counts.

use proptest::prelude::*;

use super::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

fn tally(passed: usize, n: usize) -> Tally {
    Tally::of(passed, n).unwrap()
}

fn assert_close(got: f64, expected: f64) {
    assert!(close(got, expected), "{got} is not {expected}");
}

fn assert_pair(got: Option<(f64, f64)>, expected: (f64, f64)) {
    let got = got.unwrap();
    assert!(close(got.0, expected.0) && close(got.1, expected.1), "{got:?} is not {expected:?}");
}

#[test]
fn intervals_agree_with_published_vectors() {
    assert_pair(wilson(8, 10), (0.490_162, 0.943_318));
    assert_pair(interval::clopper_pearson(tally(8, 10)), (0.443_905, 0.974_789));
    assert_pair(interval::jeffreys(tally(8, 10)), (0.497_226, 0.955_941));
    assert_close(wilson(3, 3).unwrap().0, 0.438_503);
    assert_close(interval::clopper_pearson(tally(3, 3)).unwrap().0, 0.292_402);
    // All right is not certainty: the interval of 20 of 20 has a width.
    assert!(wilson(20, 20).unwrap().0 < 0.9);
}

#[test]
fn nothing_is_concluded_from_nothing() {
    assert_eq!(wilson(0, 0), None);
    assert_eq!(wilson(2, 1), None);
    let none = Tally::default();
    assert_eq!(interval::clopper_pearson(none), None);
    assert_eq!(interval::jeffreys(none), None);
    assert_eq!(interval::proves(none, 0.95), None);
    assert_eq!(interval::proves(tally(3, 3), 1.0), None);
    assert_eq!(interval::proves(tally(3, 3), f64::NAN), None);
    assert_close(fisher::worse(tally(5, 5), none), 1.0);
    assert_close(fisher::worse(none, tally(0, 3)), 1.0);
    assert_close(stratified::worse(&[]), 1.0);
    assert_close(paired::mcnemar(0, 0), 1.0);
    assert!(clustered::mean(Vec::<(u8, f64)>::new()).is_none());
    assert!(multiplicity::holm(&[]).is_empty());
}

#[test]
fn three_of_three_proves_little() {
    assert_close(all_passed_proves(3), 0.368_403);
    assert!(all_passed_proves(29) > 0.9 && all_passed_proves(28) < 0.9);
    assert!(all_passed_proves(59) > 0.95 && all_passed_proves(58) < 0.95);
    assert!(all_passed_proves(299) > 0.99 && all_passed_proves(298) < 0.99);
    for n in [1, 3, 29, 299] {
        assert_close(interval::proves(tally(n, n), 0.95).unwrap(), all_passed_proves(n));
    }
    // 0.7^(1/…) and its like: the chance of three passes in a row.
    for (rate, all) in [(0.8_f64, 0.512), (0.9, 0.729), (0.95, 0.857), (0.99, 0.970)] {
        assert!((rate.powi(3) - all).abs() < 1e-3);
    }
}

#[test]
fn repeats_agree_with_the_formula() {
    assert_close(pass_hat_k(10, 8, 3).unwrap(), 0.466_667);
    assert_close(pass_hat_k(5, 4, 3).unwrap(), 0.4);
    assert_close(pass_hat_k(4, 3, 2).unwrap(), 0.5);
    assert_close(pass_at_k(10, 8, 3).unwrap(), 1.0);
    assert_close(pass_at_k(10, 2, 3).unwrap(), 1.0 - 56.0 / 120.0);
    for (n, passed, k) in [(2, 3, 1), (2, 2, 3)] {
        assert_eq!(pass_hat_k(n, passed, k), None);
        assert_eq!(pass_at_k(n, passed, k), None);
    }
}

#[test]
fn missing_doubled_and_strange_trials_are_refused() {
    use repeats::{TrialsError, full_set};
    let pass = Some(true);
    assert_eq!(full_set(3, &[(2, Some(false)), (1, pass), (3, pass)]), Ok(tally(2, 3)));
    assert_eq!(full_set(3, &[(1, pass), (2, pass)]), Err(TrialsError::Missing(3)));
    assert_eq!(full_set(3, &[(1, pass), (2, None), (3, pass)]), Err(TrialsError::Missing(2)));
    assert_eq!(full_set(3, &[(1, pass), (2, pass), (2, pass), (3, pass)]), Err(TrialsError::Twice(2)));
    for stranger in [0, 4] {
        let trials = [(1, pass), (2, pass), (3, pass), (stranger, pass)];
        assert_eq!(full_set(3, &trials), Err(TrialsError::Stranger(stranger)));
    }
}

#[test]
fn fishers_test_agrees_with_published_vectors() {
    for (before, after, p) in [
        ((3, 3), (0, 3), 0.05),
        ((10, 10), (6, 10), 0.043_343_65),
        ((42, 42), (2, 3), 0.066_666_67),
        ((42, 42), (1, 3), 0.003_030_30),
        ((42, 42), (0, 3), 0.000_070_47),
    ] {
        let got = fisher::worse(tally(before.0, before.1), tally(after.0, after.1));
        assert!((got - p).abs() < 5e-9, "{before:?} {after:?}: {got}");
    }
}

#[test]
fn the_stratified_test_agrees_with_published_vectors() {
    let night = |slips: usize| -> Vec<(Tally, Tally)> {
        (0..20).map(|cell| (tally(42, 42), tally(if cell < slips { 2 } else { 3 }, 3))).collect()
    };
    assert!((stratified::worse(&night(2)) - 0.004_444_44).abs() < 5e-9);
    assert!((stratified::worse(&night(4)) - 0.000_019_75).abs() < 5e-9);
    assert_close(stratified::worse(&night(0)), 1.0);
}

#[test]
fn mcnemars_test_agrees_with_published_vectors() {
    for (b, c, p) in
        [(5, 0, 0.0625), (6, 0, 0.031_25), (8, 1, 0.039_062_5), (10, 2, 0.038_574_22), (3, 3, 1.0)]
    {
        assert!((paired::mcnemar(b, c) - p).abs() < 5e-9);
        assert!((paired::mcnemar(c, b) - p).abs() < 5e-9);
    }
}

#[test]
fn adjustments_agree_with_published_vectors() {
    let p = [0.000_2, 0.004, 0.012, 0.03, 0.04, 0.2, 0.5, 0.9];
    let q = [0.001_6, 0.016, 0.032, 0.06, 0.064, 0.266_667, 0.571_429, 0.9];
    let holm = [0.001_6, 0.028, 0.072, 0.15, 0.16, 0.6, 1.0, 1.0];
    for (got, expected) in multiplicity::benjamini_hochberg(&p).into_iter().zip(q) {
        assert_close(got, expected);
    }
    for (got, expected) in multiplicity::holm(&p).into_iter().zip(holm) {
        assert_close(got, expected);
    }
    // In whatever order they come.
    let shuffled = multiplicity::holm(&[0.9, 0.000_2, 0.5, 0.004, 0.2, 0.012, 0.04, 0.03]);
    assert_close(shuffled[1], 0.001_6);
    assert_close(shuffled[7], 0.15);
}

#[test]
fn the_cluster_error_agrees_with_a_published_vector() {
    let third = 1.0 / 3.0;
    let d = [0.0, -third, 0.0, -2.0 * third, 0.0, 0.0, third, -third, 0.0, -1.0, 0.0, -third];
    let mean = clustered::mean(d.iter().enumerate().map(|(index, value)| (index / 3, *value))).unwrap();
    assert_close(mean.mean, -0.194_444);
    assert_close(mean.independent_se.unwrap(), 0.104_272);
    assert_close(mean.cluster_se.unwrap(), 0.082_168);
    assert_eq!(mean.clusters, 4);
    let single = clustered::mean([("a", 1.0), ("a", 0.0)]).unwrap();
    assert_eq!(single.cluster_se, None, "one cluster says nothing about others");
}

#[test]
fn many_cells_and_many_trials_stay_finite_and_quick() {
    let big = fisher::worse(tally(900_000, 1_000_000), tally(40, 50));
    assert!(big > 0.0 && big < 0.05, "{big}");
    let cells: Vec<_> = (0..2000).map(|_| (tally(40, 42), tally(2, 3))).collect();
    let p = stratified::worse(&cells);
    assert!((0.0..=1.0).contains(&p), "{p}");
    assert!(paired::mcnemar(100_000, 99_000).is_finite());
}

/// A tally of up to `most` trials.
fn any_tally(most: usize) -> impl Strategy<Value = Tally> {
    (0..=most).prop_flat_map(move |n| (0..=n).prop_map(move |passed| tally(passed, n)))
}

proptest! {
    #[test]
    fn intervals_hold_the_rate_and_lie_in_order(t in any_tally(400)) {
        prop_assume!(t.n() > 0);
        let rate = t.rate().unwrap();
        for (low, high) in [
            wilson(t.passed, t.n()).unwrap(),
            interval::clopper_pearson(t).unwrap(),
            interval::jeffreys(t).unwrap(),
        ] {
            prop_assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
            prop_assert!(low <= rate + 1e-9 && rate <= high + 1e-9, "{low} {rate} {high}");
        }
        let exact = interval::clopper_pearson(t).unwrap();
        let prior = interval::jeffreys(t).unwrap();
        prop_assert!(exact.0 <= prior.0 + 1e-9 && prior.1 <= exact.1 + 1e-9);
        prop_assert!(interval::proves(t, 0.95).unwrap() >= exact.0 - 1e-9);
    }

    #[test]
    fn one_more_pass_never_proves_less(passed in 0_usize..200, failed in 1_usize..200) {
        let less = tally(passed, passed + failed);
        let more = tally(passed + 1, passed + failed);
        prop_assert!(interval::proves(less, 0.95) <= interval::proves(more, 0.95));
        prop_assert!(wilson(less.passed, less.n()).unwrap().0 <= wilson(more.passed, more.n()).unwrap().0);
        prop_assert!(interval::clopper_pearson(less).unwrap().1 <= interval::clopper_pearson(more).unwrap().1 + 1e-12);
    }

    #[test]
    fn distributions_sum_to_one_and_tails_meet(before in any_tally(60), after in any_tally(60)) {
        let distribution = fisher::passes_after(before, after);
        prop_assert!((distribution.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let here = distribution.probabilities[after.passed - distribution.first];
        let tails = fisher::worse(before, after) + fisher::better(before, after);
        prop_assert!((tails - 1.0 - here).abs() < 1e-9, "{tails} {here}");
    }

    #[test]
    fn a_worse_night_never_has_a_greater_p(before in any_tally(60), n in 1_usize..40, at in 0_usize..39) {
        prop_assume!(at < n);
        prop_assert!(fisher::worse(before, tally(at, n)) <= fisher::worse(before, tally(at + 1, n)) + 1e-12);
    }

    #[test]
    fn the_stratified_test_of_one_cell_is_fishers(before in any_tally(60), after in any_tally(20)) {
        prop_assert!((stratified::worse(&[(before, after)]) - fisher::worse(before, after)).abs() < 1e-9);
        prop_assert!((stratified::better(&[(before, after)]) - fisher::better(before, after)).abs() < 1e-9);
    }

    #[test]
    fn cells_without_any_failure_change_nothing(cells in prop::collection::vec((any_tally(30), any_tally(5)), 0..8)) {
        let mut more = cells.clone();
        more.insert(cells.len() / 2, (tally(42, 42), tally(3, 3)));
        prop_assert!((stratified::worse(&cells) - stratified::worse(&more)).abs() < 1e-9);
    }

    #[test]
    fn pass_hat_k_falls_and_pass_at_k_rises_with_k(t in any_tally(60), k in 1_usize..60) {
        prop_assume!(k < t.n());
        let (n, c) = (t.n(), t.passed);
        prop_assert!(pass_hat_k(n, c, k + 1).unwrap() <= pass_hat_k(n, c, k).unwrap() + 1e-12);
        prop_assert!(pass_at_k(n, c, k + 1).unwrap() + 1e-12 >= pass_at_k(n, c, k).unwrap());
        prop_assert!(pass_hat_k(n, c, 1).unwrap() <= pass_at_k(n, c, k).unwrap() + 1e-12);
    }

    #[test]
    fn adjustments_never_lower_a_p_and_keep_the_order(p in prop::collection::vec(0.0_f64..=1.0, 0..40)) {
        let (holm, q) = (multiplicity::holm(&p), multiplicity::benjamini_hochberg(&p));
        for i in 0..p.len() {
            prop_assert!(holm[i] >= p[i] && q[i] >= p[i] - 1e-15 && holm[i] >= q[i] - 1e-12 && holm[i] <= 1.0);
            for j in 0..p.len() {
                if p[i] < p[j] {
                    prop_assert!(holm[i] <= holm[j] && q[i] <= q[j]);
                }
            }
        }
    }

    #[test]
    fn mcnemar_is_a_probability_and_falls_with_imbalance(b in 0_usize..300, c in 0_usize..300) {
        let p = paired::mcnemar(b, c);
        prop_assert!(p > 0.0 && p <= 1.0);
        if b >= c {
            prop_assert!(paired::mcnemar(b + 1, c) <= p + 1e-12);
        }
    }
}
