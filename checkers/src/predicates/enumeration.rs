//! `enumeration`: every member of a range is written out, in order.
//!
//! # Reads
//! All replies: digits, ranks, dates and words, in a sentence, a list or a table.
//!
//! # Proves
//! That all whole numbers from `first` to `last` stand one after the other, with at most a few words or up to two other numbers (an index, a
//! year) between them, and that the list does not run on past the last.
//!
//! # Does not prove
//! That the count drawn from the list is right (`final_count`), or that the list was made before the count.
//!
//! # Example
//! ```yaml
//! - id: enumeration
//!   enumeration: { first: "{{ first }}", last: "{{ last }}" }
//! ```
//! ```yaml
//! params: { first: 3, last: 7 }
//! pass:
//!   - "March 3, 4, 5, 6 and 7."
//!   - "1. March 3rd\n2. March 4th\n3. March 5th\n4. March 6th\n5. March 7th"
//! fail:
//!   - "March 3, 4, 6 and 7."
//!   - "From March 3 to March 7."
//!   - "3, 4, …, 7"
//! ```

use serde::Deserialize;

use super::{Finding, Test};
use crate::context::Context;
use crate::expr::{EvalError, Expr};
use crate::reading::Reading;
use crate::reading::quantity::{Measure, Quantity};

/// The most tokens between two members: room for a date, a weekday, a remark.
const MAX_GAP: usize = 16;
/// Numbers that may stand between two members in each step: an index, a year.
const MAX_STRIDE: usize = 3;

/// A reply lists all whole numbers from `first` to `last`: as digits, ranks or words, in a sentence, a list or a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enumeration {
    /// The first member.
    pub first: Expr,
    /// The last member.
    pub last: Expr,
}

impl Test for Enumeration {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let (first, last) = (self.first.number(&cx.params)?, self.last.number(&cx.params)?);
        let mut longest: Option<(f64, usize, std::ops::Range<usize>)> = None;
        for (at, reading) in cx.reply_readings() {
            // Words such as `one` in a remark between the members are no members of a list in digits.
            let all = members(reading);
            let digits: Vec<Member> = all.iter().filter(|member| !member.spelled).cloned().collect();
            let bare: Vec<Member> =
                digits.iter().filter(|member| !counts(reading, member)).cloned().collect();
            for (reached, tokens) in [&all, &digits, &bare]
                .into_iter()
                .filter_map(|members| longest_run(reading, members, first, last))
            {
                if longest.as_ref().is_none_or(|(best, ..)| reached > *best) {
                    longest = Some((reached, at, tokens));
                }
            }
        }
        Ok(match longest {
            Some((reached, at, tokens)) if reached >= last => Finding::holds(
                format!("all of {first} to {last} are listed"),
                vec![cx.token_evidence(at, &tokens)],
            ),
            Some((reached, at, tokens)) if reached > first => {
                let reason =
                    format!("the list from {first} breaks off after {reached}; {last} is the last member");
                Finding::fails(reason, vec![cx.token_evidence(at, &tokens)])
            }
            _ => Finding::fails(format!("nothing lists {first} to {last} one by one"), Vec::new()),
        })
    }
}

/// A whole number in the text, and the tokens it stands at.
#[derive(Clone)]
struct Member {
    value: f64,
    spelled: bool,
    tokens: std::ops::Range<usize>,
}

/// `7 days` counts members and is none.
fn counts(reading: &Reading, member: &Member) -> bool {
    let word = reading.word(member.tokens.end);
    matches!(
        word,
        "days" | "dates" | "nights" | "items" | "members" | "pages" | "rows" | "entries" | "numbers"
    )
}

/// The longest run from `first` on: how far it gets, and where it stands.
fn longest_run(
    reading: &Reading,
    members: &[Member],
    first: f64,
    last: f64,
) -> Option<(f64, std::ops::Range<usize>)> {
    let mut best: Option<(f64, std::ops::Range<usize>)> = None;
    for start in (0..members.len()).filter(|&i| members[i].value == first) {
        for stride in 1..=MAX_STRIDE {
            let (mut at, mut value) = (start, first);
            while value < last
                && let Some(next) = members.get(at + stride)
                && next.value == value + 1.0
                && next.tokens.start.saturating_sub(members[at].tokens.end) <= MAX_GAP
            {
                at += stride;
                value += 1.0;
            }
            let runs_on = value == last
                && members.get(at + stride).is_some_and(|next| {
                    next.value == value + 1.0
                        && next.tokens.start == members[at].tokens.end + 1
                        && reading.is(members[at].tokens.end, ',')
                });
            if !runs_on && best.as_ref().is_none_or(|(reached, _)| value > *reached) {
                best = Some((value, members[start].tokens.start..members[at].tokens.end));
            }
        }
    }
    best
}

fn members(reading: &Reading) -> Vec<Member> {
    let mut members = Vec::with_capacity(reading.quantities.len());
    for (index, quantity) in reading.quantities.iter().enumerate() {
        if !matches!(quantity.measure, Measure::Plain | Measure::Ordinal) || reading.struck(&quantity.tokens)
        {
            continue;
        }
        let before = quantity.tokens.start.checked_sub(1).map_or("", |at| reading.word(at));
        if matches!(before, "week" | "wk" | "kw") {
            continue;
        }
        if let Some(day) = dotted_day(reading, index) {
            members.push(Member { value: day, spelled: false, tokens: quantity.tokens.clone() });
            continue;
        }
        let written = written_list(reading, quantity);
        if written.is_empty() {
            members.push(Member {
                value: quantity.value,
                spelled: quantity.spelled,
                tokens: quantity.tokens.clone(),
            });
        }
        members.extend(written.into_iter().map(|value| Member {
            value,
            spelled: false,
            tokens: quantity.tokens.clone(),
        }));
    }
    members
}

/// The day of `3.4.` or `03.04`, where the date before or after it is the next day of the same month.
fn dotted_day(reading: &Reading, index: usize) -> Option<f64> {
    let date = |index: usize| -> Option<(u32, u32)> {
        let token = reading.tokens.get(reading.quantities.get(index)?.tokens.start)?;
        let (day, month) = reading.folded.text[token.start..token.end].split_once('.')?;
        let short = |part: &str| (1..=2).contains(&part.len());
        (short(day) && short(month)).then_some(())?;
        Some((day.parse().ok()?, month.parse().ok()?)).filter(|&(day, month)| day <= 31 && month <= 12)
    };
    let (day, month) = date(index)?;
    let follows = date(index + 1) == Some((day + 1, month));
    let precedes = index > 0 && day > 0 && date(index - 1) == Some((day - 1, month));
    (follows || precedes).then(|| f64::from(day))
}

/// `103,104,105` and `41 42 43` look like one large number; consecutive groups are a list.
fn written_list(reading: &Reading, quantity: &Quantity) -> Vec<f64> {
    let Some(token) = reading.tokens.get(quantity.tokens.start) else { return Vec::new() };
    let groups: Vec<f64> = reading.folded.text[token.start..token.end]
        .split([',', ' ', '.'])
        .map_while(|group| group.parse().ok())
        .collect();
    let consecutive = groups.len() > 1 && groups.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    if consecutive { groups } else { Vec::new() }
}
