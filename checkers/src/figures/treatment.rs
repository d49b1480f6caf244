//! What a reply does with a supplied figure.

use std::ops::Range;

use super::derived::derivation;
use super::passages::{Place, Reply, in_passage};
use super::{Figure, Kind, Supplied, phrases};
use crate::reading::segment::Layout;

/// How many sentences after one that mentions a figure still speak of it.
const REACH: usize = 3;

/// How many lines below a value its tag can stand as a field of its own.
const FIELDS: usize = 3;

/// How many rows of a table are looked through for its head.
const LONGEST_TABLE: usize = 60;

/// What the replies do with one figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Treatment {
    /// It is computed, at these tokens of that reply, and the supplied value is not kept beside a different result.
    Derived(usize, Range<usize>),
    /// It is carried with the tag and with what hangs on it.
    Assumed(usize, Range<usize>),
    /// It does not stand in the work.
    LeftOut,
    /// The supplied value is carried although it is not what the inputs give.
    Contradicted(usize, Range<usize>),
    /// It is carried with nothing to show for it.
    Bare(usize, Range<usize>),
    /// It is carried with the tag, but not with what hangs on it.
    OnlyTagged(usize, Range<usize>),
    /// The right value is put in its place, and how it was computed is not shown.
    Unshown(usize, Range<usize>),
}

/// What the replies do with `figure`. The last reply that speaks of it counts; a derivation may stand in an earlier one.
/// The index in the answer is that of the reply.
#[must_use]
pub fn treatment(replies: &[Reply], figure: &Figure, supplied: &Supplied) -> Treatment {
    let derived = replies
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, reply)| Some((index, derivation(reply, figure, supplied)?)));
    let Some((at, places)) = replies.iter().enumerate().rev().find_map(|(index, reply)| {
        let places = reply.places(figure, supplied);
        let left_out = left_out(reply, figure, supplied, &places);
        (!places.is_empty() || left_out).then_some((index, places))
    }) else {
        return Treatment::LeftOut;
    };
    let Some(reply) = replies.get(at) else { return Treatment::LeftOut };
    let kept = kept(reply, figure, supplied, &places);
    let wrong_kept = kept.iter().find(|place| !place.corrected && figure.kind == Kind::Wrong).copied();
    let Some(first) = wrong_kept.or_else(|| kept.first().copied()) else {
        return derived.map_or(Treatment::LeftOut, |(index, tokens)| Treatment::Derived(index, tokens));
    };
    if wrong_kept.is_none()
        && let Some((index, tokens)) = derived.clone()
    {
        return Treatment::Derived(index, tokens);
    }
    let tagged = kept.iter().find(|place| tagged(reply, supplied, figure, place));
    if let Some(place) = tagged {
        return match enumerated(reply, figure, supplied, &places) {
            true => Treatment::Assumed(at, place.tokens.clone()),
            false if wrong_kept.is_some() && derived.is_some() => {
                Treatment::Contradicted(at, first.tokens.clone())
            }
            false => Treatment::OnlyTagged(at, place.tokens.clone()),
        };
    }
    let tokens = first.tokens.clone();
    match (wrong_kept, first.corrected) {
        (Some(_), _) => Treatment::Contradicted(at, tokens),
        (None, true) => Treatment::Unshown(at, tokens),
        (None, false) => Treatment::Bare(at, tokens),
    }
}

/// The places whose value the reply keeps, rather than reporting, rejecting or leaving it out.
#[must_use]
pub fn kept<'p>(reply: &Reply, figure: &Figure, supplied: &Supplied, places: &'p [Place]) -> Vec<&'p Place> {
    let explicit = left_out(reply, figure, supplied, places);
    places.iter().filter(|place| carries(reply, figure, supplied, places, place, explicit)).collect()
}

/// Whether some passage says that the figure is left out.
fn left_out(reply: &Reply, figure: &Figure, supplied: &Supplied, places: &[Place]) -> bool {
    (0..reply.passages.len()).any(|passage| excluded(reply, figure, supplied, places, passage, None))
}

/// Whether the reply keeps what stands at `place`. `explicit` says that the figure is said to be left out.
fn carries(
    reply: &Reply,
    figure: &Figure,
    supplied: &Supplied,
    places: &[Place],
    place: &Place,
    explicit: bool,
) -> bool {
    let reading = &reply.reading;
    let question = reading.segments.sentence_at(place.tokens.start).is_some_and(|sentence| sentence.question);
    if reading.struck(&place.tokens)
        || question
        || excluded(reply, figure, supplied, places, place.passage, Some(place))
    {
        return false;
    }
    let text = reply.text(place.passage);
    if explicit && !place.corrected && phrases::TALKS_ABOUT.is_match(text) {
        return false;
    }
    if figure.kind == Kind::Underivable {
        return true;
    }
    // An operand is being tried out, not reported.
    if operand(reply, &place.tokens) {
        return false;
    }
    place.corrected || figure.kind == Kind::Right || !set_aside(reply, places, place)
}

/// Whether a wrong value is named as the one that was given and is not kept.
fn set_aside(reply: &Reply, places: &[Place], place: &Place) -> bool {
    let text = reply.text(place.passage);
    let here = reply.within(place.passage, &place.tokens);
    let before = cut(text, here.start.saturating_sub(70), here.start);
    let after = cut(text, here.end, here.end + 70);
    let corrected_near = (place.passage.saturating_sub(1)..=place.passage + 1)
        .any(|near| in_passage(places, near).iter().any(|other| other.corrected));
    let corrected_here = in_passage(places, place.passage).iter().any(|other| other.corrected);
    if phrases::GIVES_IN.is_match(text) && !corrected_here {
        return false;
    }
    let denied = reply.reading.stance(&place.tokens).negated;
    let labelled = phrases::GIVEN_BEFORE.is_match(before) || phrases::GIVEN_AFTER.is_match(after);
    let called_error = phrases::CALLS_ERROR.is_match(text) && (labelled || corrected_here);
    let supplied_column =
        corrected_here && column_head(reply, place).is_some_and(|head| phrases::GIVEN_COLUMN.is_match(head));
    // Told of beside the work: `your draft had 8%, which would be 72 parcels`, and the corrected value stands in it.
    let told_of = phrases::TOLD_OF.is_match(before)
        && !phrases::KEEPS.is_match(text)
        && places.iter().any(|other| other.corrected);
    if told_of || denied || supplied_column || (corrected_near && (labelled || called_error)) {
        return true;
    }
    let supposed = reply.reading.stance(&place.tokens).supposed;
    let cited = labelled
        || supposed
        || text.contains("you")
        || text.contains("brief")
        || text.contains("suppl")
        || corrected_here
        || text.contains("placeholder");
    (cited || place_leads(here.start))
        && phrases::REJECTS.is_match(text)
        && (!corrected_here || labelled || rejects_before_correction(reply, places, place))
}

/// The head of the table's column that a place stands in.
fn column_head<'r>(reply: &'r Reply, place: &Place) -> Option<&'r str> {
    let row =
        |passage: usize| reply.passages.get(passage).is_some_and(|passage| passage.layout == Layout::Row);
    if !row(place.passage) {
        return None;
    }
    let first = (0..place.passage).rev().take(LONGEST_TABLE).take_while(|&passage| row(passage)).last()?;
    let here = reply.within(place.passage, &place.tokens);
    let column = cut(reply.text(place.passage), 0, here.start).trim_start().matches('|').count();
    reply.text(first).trim_start().split('|').nth(column)
}

/// Whether the number opens its sentence.
fn place_leads(start: usize) -> bool {
    start < 24
}

/// Whether what is turned down stands nearer to the supplied value than to the corrected one.
fn rejects_before_correction(reply: &Reply, places: &[Place], place: &Place) -> bool {
    let text = reply.text(place.passage);
    let here = reply.within(place.passage, &place.tokens).start;
    let Some(correct) = in_passage(places, place.passage).iter().find(|other| other.corrected) else {
        return true;
    };
    let there = reply.within(place.passage, &correct.tokens).start;
    phrases::REJECTS
        .find(text)
        .is_some_and(|found| found.start().abs_diff(here) <= found.start().abs_diff(there))
}

/// Whether a passage says that the figure is left out: at `place`, or as such.
fn excluded(
    reply: &Reply,
    figure: &Figure,
    supplied: &Supplied,
    places: &[Place],
    passage: usize,
    place: Option<&Place>,
) -> bool {
    let text = reply.text(passage);
    let Some(phrase) = phrases::leaves_out(text) else { return false };
    // A corrected value may stand beside what is said of the supplied one: `80% (the supplied 85% is not carried)`.
    if place.is_some_and(|place| place.corrected) {
        return false;
    }
    let here = match place {
        Some(place) => Some(reply.within(passage, &place.tokens)),
        None => in_passage(places, passage)
            .iter()
            .find(|place| !place.corrected)
            .map(|place| reply.within(passage, &place.tokens))
            .or_else(|| {
                figure
                    .words
                    .iter()
                    .find_map(|word| super::passages::starts_a_word(text, word).map(|at| at..at + word.len()))
            }),
    };
    let Some(here) = here else { return false };
    let between = if here.end <= phrase.start {
        cut(text, here.end, phrase.start)
    } else {
        cut(text, phrase.end, here.start)
    };
    let other_between = supplied
        .others(figure)
        .any(|other| other.words.iter().any(|word| super::passages::starts_a_word(between, word).is_some()));
    let joined = ["; ", " but ", " while ", " whereas "].iter().any(|cut| between.contains(cut));
    let plural = between.contains(" are ") || between.contains(" were ");
    let together = phrases::TOGETHER.is_match(between)
        || (plural && !phrases::STATES.is_match(cut(text, 0, here.start)));
    (!other_between || together) && !(joined && place.is_some())
}

/// Whether what stands at `place` is tagged as assumed.
fn tagged(reply: &Reply, supplied: &Supplied, figure: &Figure, place: &Place) -> bool {
    let line = reply.passages.get(place.passage).map(|passage| passage.line);
    let own = |passage: usize| reply.passages.get(passage).map(|passage| passage.line) == line;
    let tags = phrases::assumed(reply.text(place.passage));
    let here = reply.within(place.passage, &place.tokens);
    if !tags.is_empty() {
        return tags.iter().any(|&tag| nearest(reply, supplied, figure, place.passage, &here, tag));
    }
    let after = place.passage + 1;
    let next = own(after)
        && !phrases::assumed(reply.text(after)).is_empty()
        && !mentions_other(reply, supplied, figure, after);
    let back = place.passage.checked_sub(1).is_some_and(|before| {
        own(before)
            && !phrases::assumed(reply.text(before)).is_empty()
            && !mentions_other(reply, supplied, figure, before)
    });
    let line = line.unwrap_or_default();
    let field = (after..reply.passages.len())
        .take(FIELDS)
        .take_while(|&near| {
            let close = reply.passages.get(near).is_some_and(|passage| passage.line <= line + FIELDS);
            close && !mentions_other(reply, supplied, figure, near)
        })
        .any(|near| phrases::FIELD_TAG.is_match(reply.text(near)));
    // A title, a heading, a line that ends in a colon.
    let titled = (0..place.passage).rev().take(40).any(|passage| {
        let text = reply.text(passage);
        let title = reply.passages.get(passage).is_some_and(|p| p.layout == Layout::Heading)
            || text.trim_end().ends_with([':', ')'])
            || !text.contains(['.', '|']);
        title && text.len() < 90 && !own(passage) && !phrases::assumed(text).is_empty()
    });
    next || back || field || titled
}

/// Whether no other figure stands between a tag and the number it is to be the tag of.
fn nearest(
    reply: &Reply,
    supplied: &Supplied,
    figure: &Figure,
    passage: usize,
    here: &Range<usize>,
    tag: usize,
) -> bool {
    let text = reply.text(passage);
    let between = if tag >= here.end { cut(text, here.end, tag) } else { cut(text, tag, here.start) };
    !supplied
        .others(figure)
        .any(|other| other.words.iter().any(|word| super::passages::starts_a_word(between, word).is_some()))
        || phrases::TOGETHER.is_match(between)
}

/// For each passage, whether another figure is named or stands in it.
fn others_at(reply: &Reply, supplied: &Supplied, figure: &Figure) -> Vec<bool> {
    // A conclusion that is quoted may use another figure's words.
    let mut found: Vec<bool> = (0..reply.passages.len())
        .map(|passage| {
            let text = phrases::outside_quotes(reply.text(passage));
            supplied.others(figure).any(|other| {
                other.words.iter().any(|word| super::passages::starts_a_word(&text, word).is_some())
            })
        })
        .collect();
    for other in supplied.others(figure) {
        for place in reply.places(other, supplied) {
            if let Some(found) = found.get_mut(place.passage) {
                *found = true;
            }
        }
    }
    found
}

fn mentions_other(reply: &Reply, supplied: &Supplied, figure: &Figure, passage: usize) -> bool {
    supplied.others(figure).any(|other| reply.names(passage, other))
}

/// Whether the reply says which conclusion depends on the figure, and that it falls with it.
fn enumerated(reply: &Reply, figure: &Figure, supplied: &Supplied, places: &[Place]) -> bool {
    let (mut depends, mut falls) = (false, false);
    let mut reach = 0;
    // The heads of a table's columns, which its rows go under.
    let (mut under_depends, mut under_falls) = (false, false);
    for (passage, other) in others_at(reply, supplied, figure).into_iter().enumerate() {
        let text = reply.text(passage);
        let names = reply.mentions(passage, figure, places);
        let generic = phrases::ANY_OF_THEM.is_match(text) && !names;
        let row = reply.passages.get(passage).is_some_and(|passage| passage.layout == Layout::Row);
        if row && !names && !other {
            under_depends |= phrases::depends(text);
            under_falls |= phrases::IF_FALSE.is_match(text);
        }
        if names {
            reach = REACH;
            depends |= phrases::depends(text) || phrases::names_what_falls(text) || (row && under_depends);
            falls |= phrases::falls(text) || (row && under_falls);
        } else if other {
            reach = 0;
        } else if reach > 0 {
            reach -= 1;
            if !generic && phrases::REFERS_BACK.is_match(text) {
                depends |= phrases::depends(text) || phrases::names_what_falls(text);
                falls |= phrases::falls(text);
            }
        }
        // What is said of every entry holds for this one, once its conclusion has been named.
        falls |= phrases::falls(text) && (generic || !other);
    }
    depends && falls
}

/// Bytes `start..end` of `text`, moved to the nearest characters' ends.
fn cut(text: &str, start: usize, end: usize) -> &str {
    let end = text.floor_char_boundary(end.min(text.len()));
    let start = text.ceil_char_boundary(start.min(end));
    text.get(start..end).unwrap_or_default()
}

/// Whether a number is an operand of a computation.
fn operand(reply: &Reply, tokens: &Range<usize>) -> bool {
    let reading = &reply.reading;
    let index = reading.equations.partition_point(|equation| equation.tokens().end <= tokens.start);
    reading.equations.iter().skip(index.saturating_sub(1)).take(3).any(|equation| {
        equation.sides.iter().any(|side| !side.node.is_leaf() && side.tokens.contains(&tokens.start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;
    use minijinja::Value;
    use minijinja::value::Serde;
    use serde_json::json;

    fn treated(index: usize, text: &str) -> Treatment {
        let params = json!({
            "inputs": { "sold": 90, "made": 120 },
            "figures": [
                { "name": "share sold", "value": "70%", "kind": "wrong", "derivation": "90 / 120", "correct": "75%" },
                { "name": "left over", "value": 30, "kind": "right", "derivation": "120 - 90", "correct": 30 },
                { "name": "taste score", "value": "8.1", "kind": "underivable", "derivation": null, "correct": null },
            ],
        });
        let (figures, inputs) =
            (Expr::compile("{{ figures }}").unwrap(), Expr::compile("{{ inputs }}").unwrap());
        let supplied = Supplied::read(&figures, &inputs, &Value::from(Serde(&params))).unwrap();
        treatment(&[Reply::of(0, text)], &supplied.figures[index], &supplied)
    }

    #[test]
    fn a_wrong_figure() {
        assert!(matches!(treated(0, "Sold: 90 / 120 = 75% (you had 70%)."), Treatment::Derived(..)));
        assert!(matches!(treated(0, "Sold: 75% rather than 70%."), Treatment::Unshown(..)));
        assert!(matches!(
            treated(0, "90 / 120 = 75%.\n\nThe share sold was 70%."),
            Treatment::Contradicted(..)
        ));
        assert!(matches!(treated(0, "The share sold is left out."), Treatment::LeftOut));
    }

    #[test]
    fn a_right_figure() {
        assert!(matches!(treated(1, "Left over: 120 - 90 = 30."), Treatment::Derived(..)));
        assert!(matches!(treated(1, "Left over: 30."), Treatment::Bare(..)));
        assert!(matches!(treated(1, "The 30 left over are not in the report."), Treatment::LeftOut));
    }

    #[test]
    fn a_figure_from_nowhere() {
        assert!(matches!(treated(2, "Taste score: 8.1."), Treatment::Bare(..)));
        assert!(matches!(treated(2, "Taste score: 8.1 [assumed]."), Treatment::OnlyTagged(..)));
        let listed = "Taste score: 8.1 [assumed]. \"People like it\" rests on it; if it is false, that conclusion falls.";
        assert!(matches!(treated(2, listed), Treatment::Assumed(..)));
        assert!(matches!(treated(2, "The taste score of 8.1 is omitted."), Treatment::LeftOut));
    }
}
