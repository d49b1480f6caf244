//! Metamorphic tests: a rewrite that says the same keeps the verdict, a rewrite that spoils the work breaks it.
//!
//! The labelled corpus holds one wording of each reply. Here every record stands in many more, whose verdicts are known
//! without a reader: the same words with CRLF line ends must be judged the same; a good derivation that ends by
//! accepting the trap must fail. Each test prints how many records a rewrite reached and how many it kept or broke.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod keeping;
mod prose;
mod records;
mod spoiling;

use checkers::{ClauseResult, Outcome, Verdict};

use keeping::{KEEPING, several};
use records::Records;
use spoiling::SPOILING;

/// Verdicts that change under a rewrite although they should not: the rewrite, the record, and why it is left so.
/// An entry that is no longer needed fails the test, so the list can only shrink.
const CHANGED: &[(&str, &str, &str)] = &[];

/// Spoilt records that are not caught: the rewrite, the record, and why it is left so. Kept as short as [`CHANGED`].
const UNCAUGHT: &[(&str, &str, &str)] = &[];

/// Which clauses hold, which is what a rewrite must keep; the reasons may differ.
fn findings(verdict: &Verdict) -> (Outcome, Vec<(&str, bool)>) {
    (verdict.outcome, verdict.clauses.iter().map(|clause| (clause.id.as_str(), clause.passed)).collect())
}

/// A verdict in few words.
fn shown(verdict: &Verdict) -> String {
    let failure = verdict.first_failure().map(|clause| format!("{}: {}", clause.id, clause.reason));
    format!("{} ({})", verdict.outcome.as_str(), failure.unwrap_or_default())
}

/// Sets aside what `allowed` argues, and says which arguments are no longer needed.
fn unargued(mut found: Vec<(&str, String, String)>, allowed: &[(&str, &str, &str)]) -> Vec<String> {
    let stands = |(rewrite, id, _): &&(&str, &str, &str)| {
        !found.iter().any(|(found, record, _)| found == rewrite && record == id)
    };
    let mut wrong: Vec<String> = allowed
        .iter()
        .filter(stands)
        .map(|(rewrite, id, _)| format!("{rewrite}: {id} is judged right by now: drop the allowance"))
        .collect();
    found.retain(|(rewrite, record, _)| {
        !allowed.iter().any(|(known, id, _)| known == rewrite && id == record)
    });
    wrong.extend(found.into_iter().map(|(rewrite, id, why)| format!("{rewrite}: {id}: {why}")));
    wrong
}

#[test]
fn the_same_in_other_signs_gets_the_same_verdict() {
    let records = Records::all().with_styles();
    let judged: Vec<_> = records.iter().map(|record| (record, records.judge(record))).collect();
    let (mut changed, mut idle) = (Vec::new(), Vec::new());
    for rewrite in KEEPING {
        let (mut reached, mut kept) = (0, 0);
        for (record, before) in judged.iter().filter(|(record, _)| rewrite.is_for(record)) {
            let Some(rewritten) = rewrite.apply(record) else { continue };
            reached += 1;
            let after = records.judge(&rewritten);
            if findings(before) == findings(&after) {
                kept += 1;
                continue;
            }
            let why = |verdict: &Verdict| {
                let failure = verdict.first_failure();
                let reason = failure.map(|clause| format!("{}: {}", clause.id, clause.reason));
                format!("{} ({})", verdict.outcome.as_str(), reason.unwrap_or_default())
            };
            changed.push((
                rewrite.name,
                record.id.clone(),
                format!("{} became {}", why(before), why(&after)),
            ));
        }
        println!("{:<28} kept {kept:>4} of {reached:>4}", rewrite.name);
        if reached < rewrite.least {
            idle.push(format!("{} reached only {reached} records", rewrite.name));
        }
    }
    let mut kept = 0;
    for (record, before) in &judged {
        let after = records.judge(&several(record));
        if findings(before) == findings(&after) {
            kept += 1;
        } else {
            changed.push((
                "several",
                record.id.clone(),
                format!("{} became {}", shown(before), shown(&after)),
            ));
        }
    }
    println!("{:<28} kept {kept:>4} of {:>4}", "several", judged.len());
    let mut wrong = unargued(changed, CHANGED);
    wrong.extend(idle);
    assert!(wrong.is_empty(), "{} verdicts changed:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_spoils_the_work_fails_its_clause() {
    let records = Records::all().with_styles();
    let mut uncaught = Vec::new();
    for spoil in SPOILING {
        let (mut reached, mut broke) = (0, 0);
        for record in records.iter().filter(|record| spoil.is_for(record)) {
            let Some(spoilt) = spoil.apply(record) else { continue };
            if records.judge(record).outcome != Outcome::Pass {
                continue;
            }
            reached += 1;
            // As it stands, and in other signs: a rewrite must not hide what is spoilt.
            let verdicts = [records.judge(&spoilt), records.judge(&several(&spoilt))];
            let caught = |verdict: &Verdict| {
                let fails = |clause: &ClauseResult| clause.id == spoil.clause && !clause.passed;
                verdict.outcome == Outcome::Fail && verdict.clauses.iter().any(fails)
            };
            let Some(verdict) = verdicts.iter().find(|verdict| !caught(verdict)) else {
                broke += 1;
                continue;
            };
            uncaught.push((spoil.name, record.id.clone(), shown(verdict)));
        }
        println!("{:<28} broke {broke:>3} of {reached:>3} passing records", spoil.name);
        assert!(reached >= spoil.least, "{} reached only {reached} records", spoil.name);
    }
    let wrong = unargued(uncaught, UNCAUGHT);
    assert!(wrong.is_empty(), "{} spoilt records got by:\n{}", wrong.len(), wrong.join("\n"));
}
