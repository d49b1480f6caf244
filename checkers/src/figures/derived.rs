//! Whether a reply computes a figure from the inputs, where people can see it.
//!
//! An expression counts when it is worth the figure, its operands are inputs (or what two inputs give, a right figure, a
//! number of the derivation), and the result stands with it: as a side of an equation that holds, or in the same
//! sentence. An equation that does not hold counts for nothing, whatever else is near. A check backwards, from the
//! figure to an input, counts as well, and so does a derivation in words that names operands, operation and result.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::passages::Reply;
use super::phrases::pattern;
use super::{Figure, Supplied};
use crate::lean::Regex;
use crate::reading::arithmetic::{Mode, Node, Parser};
use crate::reading::quantity::printed_as;

/// The most places that are looked at for a derivation in words.
const MAX_PLACES: usize = 200;

const MODES: [Mode; 3] = [Mode::Likely, Mode::Other, Mode::Bare];

/// Words for an operation.
static OPERATES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:divid\w*|shared?\s+(?:among\w*|between|across|over|by|out)|split\s+(?:among\w*|between|across|over)|spread\s+(?:among\w*|across|over)
        | distributed|minus|less|subtract\w*|take\s+away|taking\s+away|taken\s+from|deduct\w*|times|multipl\w*|added?\s+(?:to|up)|adding|plus|sums?|summed|product|quotient|out\s+of|geteilt|durch|mal|weniger)\b | \d\s+:\s+\d | \d\s+of\s+(?:the\s+|our\s+|all\s+)?\d",
    )
});

/// Where a reply computes `figure`, if it does.
#[must_use]
pub fn derivation(reply: &Reply, figure: &Figure, supplied: &Supplied) -> Option<Range<usize>> {
    figure.correct?;
    let allowed = allowed(figure, supplied);
    by_equation(reply, figure, supplied, &allowed)
        .or_else(|| by_expression(reply, figure, supplied, &allowed))
        .or_else(|| in_words(reply, figure, supplied))
        .or_else(|| in_a_column(reply, figure, supplied))
}

/// The values that an operand may have.
fn allowed(figure: &Figure, supplied: &Supplied) -> Vec<f64> {
    let inputs = &supplied.inputs[..supplied.inputs.len().min(24)];
    let mut values: Vec<f64> = inputs.to_vec();
    values.extend(&figure.operands);
    values.extend(supplied.others(figure).filter_map(|other| other.correct.map(|amount| amount.value)));
    values.extend([1.0, 100.0]);
    for numbers in [inputs, figure.operands.as_slice()] {
        values.extend(numbers.iter().scan(0.0, |sum, number| {
            *sum += number;
            Some(*sum)
        }));
    }
    for a in inputs {
        for b in inputs {
            values.extend([a + b, a - b, a * b, a / b]);
        }
    }
    values
}

fn is_one_of(value: f64, unit: f64, allowed: &[f64]) -> bool {
    allowed.iter().any(|&one| {
        one.is_finite()
            && ((one - value).abs() <= one.abs() * 1e-6
                || ((one - value).abs() <= unit / 2.0 && (one - value).abs() <= one.abs() / 200.0))
    })
}

/// Whether `node` computes something from allowed operands, one of them an input.
fn from_inputs(node: &Node, mode: Mode, supplied: &Supplied, allowed: &[f64]) -> bool {
    let leaves = node.leaves();
    let scaled =
        |value: f64| if mode == Mode::Bare { vec![value, value * 1e3, value * 1e6] } else { vec![value] };
    leaves.len() > 1
        && leaves.iter().all(|leaf| {
            let (value, unit) = leaf.reading(mode);
            scaled(value.abs()).iter().any(|&value| is_one_of(value, unit, allowed))
        })
        && leaves.iter().any(|leaf| {
            let (value, unit) = leaf.reading(mode);
            let own: Vec<f64> = supplied
                .inputs
                .iter()
                .chain(allowed.iter().filter(|value| value.abs() > 1.0 && **value != 100.0))
                .copied()
                .collect();
            scaled(value.abs()).iter().any(|&value| is_one_of(value, unit, &own))
        })
}

fn by_equation(reply: &Reply, figure: &Figure, supplied: &Supplied, allowed: &[f64]) -> Option<Range<usize>> {
    let correct = figure.correct?;
    let mut backwards = allowed.to_vec();
    backwards.push(correct.value);
    reply
        .reading
        .equations
        .iter()
        .filter(|equation| equation.holds && sincere(reply, &equation.tokens()))
        .find_map(|equation| {
            let forward = |node: &Node| {
                from_inputs(node, equation.mode, supplied, allowed) && correct.is(node.value(equation.mode))
            };
            let reverse = |node: &Node| {
                let uses = node.leaves().iter().any(|leaf| {
                    let (value, unit) = leaf.reading(equation.mode);
                    is_one_of(value, unit, &[correct.value])
                });
                let gives_input = is_one_of(node.value(equation.mode), 0.0, &supplied.inputs);
                uses && gives_input && from_inputs(node, equation.mode, supplied, &backwards)
            };
            equation
                .sides
                .iter()
                .any(|side| !side.node.is_leaf() && (forward(&side.node) || reverse(&side.node)))
                .then(|| equation.tokens())
        })
}

/// `64 / 320, or 20%`.
fn by_expression(
    reply: &Reply,
    figure: &Figure,
    supplied: &Supplied,
    allowed: &[f64],
) -> Option<Range<usize>> {
    let correct = figure.correct?;
    let reading = &reply.reading;
    let parser = Parser {
        text: &reading.folded.text,
        tokens: &reading.tokens,
        quantities: &reading.quantities,
        at_token: &reading.at_token,
        names: HashMap::new(),
    };
    let places = reply.places(figure, supplied);
    let mut at = 0;
    while at < reading.tokens.len() {
        let may_start = parser.quantity(at).is_some() || matches!(parser.sign(at), '(' | '[');
        let Some((node, range)) = may_start.then(|| parser.expression(at)).flatten() else {
            at += 1;
            continue;
        };
        at = range.end.max(at + 1);
        if node.is_leaf() || !sincere(reply, &range) {
            continue;
        }
        if !MODES
            .iter()
            .any(|&mode| from_inputs(&node, mode, supplied, allowed) && correct.is(node.value(mode)))
        {
            continue;
        }
        let contradicted = contradicted(reply, &parser, &node, &range);
        let passage = reading.segments.sentence_index(range.start);
        let stated = places.iter().any(|place| {
            place.corrected_or_right(figure)
                && place.passage == passage
                && !range.contains(&place.tokens.start)
                && !reading.stance(&place.tokens).negated
        });
        if !contradicted && stated {
            return Some(range);
        }
    }
    None
}

/// Whether the text says that the expression is worth something else.
fn contradicted(reply: &Reply, parser: &Parser<'_>, node: &Node, range: &Range<usize>) -> bool {
    let equals = matches!(parser.sign(range.end), '=' | '≈');
    if let Some((Node::Leaf(leaf), _)) = equals.then(|| parser.expression(range.end + 1)).flatten() {
        return !MODES.iter().any(|&mode| {
            let (value, unit) = leaf.reading(mode);
            let computed = node.value(mode).abs();
            printed_as(computed, value.abs(), unit)
                || (leaf.percent && printed_as(computed / 100.0, value.abs(), unit))
        });
    }
    // The mark of a list item in front of an equation is no minus.
    let marked = |start: usize| range.start == start + 1 && parser.sign(start) == '-';
    reply.reading.equations.iter().any(|equation| {
        let tokens = equation.tokens();
        !equation.holds && tokens.contains(&range.start) && !marked(tokens.start)
    })
}

/// `7,200 visits shared among 900 members gives 8`.
fn in_words(reply: &Reply, figure: &Figure, supplied: &Supplied) -> Option<Range<usize>> {
    let reading = &reply.reading;
    reply
        .places(figure, supplied)
        .into_iter()
        .filter(|place| place.corrected_or_right(figure))
        .take(MAX_PLACES)
        .find_map(|place| {
            let passage = reply.passages.get(place.passage)?;
            let holds = |operand: f64| {
                let first = reading
                    .quantities
                    .partition_point(|quantity| quantity.tokens.start < passage.tokens.start);
                reading.quantities[first..]
                    .iter()
                    .take_while(|quantity| quantity.tokens.start < passage.tokens.end)
                    .any(|quantity| {
                        quantity.tokens != place.tokens
                            && quantity
                                .readings()
                                .any(|(value, _)| (value - operand).abs() <= operand.abs() * 1e-6)
                    })
            };
            let in_equation = reading.equations.iter().any(|equation| {
                let start = equation.tokens().start;
                !equation.holds && passage.tokens.contains(&start) && !follows_of(reply, start)
            });
            let shown = figure.operands.len() > 1
                && figure.operands.iter().all(|&operand| holds(operand))
                && OPERATES.is_match(reply.text(place.passage))
                && !in_equation
                && sincere(reply, &place.tokens);
            shown.then(|| passage.tokens.clone())
        })
}

/// `48 of 640 = 7.5%`: what stands ahead of the sign is a share, and not 640.
fn follows_of(reply: &Reply, token: usize) -> bool {
    let start = reply.reading.tokens.get(token).map_or(0, |token| token.start);
    reply.reading.folded.text.get(..start).is_some_and(|before| before.trim_end().ends_with(" of"))
}

/// The operands of a sum one under the other, and the sum after the last.
fn in_a_column(reply: &Reply, figure: &Figure, supplied: &Supplied) -> Option<Range<usize>> {
    let reading = &reply.reading;
    let line =
        |token: usize| reply.passages.get(reading.segments.sentence_index(token)).map(|passage| passage.line);
    let sum = reply.places(figure, supplied).into_iter().find(|place| place.corrected_or_right(figure))?;
    let (mut wanted, mut start, mut last) = (figure.operands.iter().peekable(), None, None);
    for quantity in reading.quantities.iter().take_while(|quantity| quantity.tokens.start < sum.tokens.start)
    {
        let Some(operand) = wanted.peek() else { break };
        let at = line(quantity.tokens.start);
        if last != Some(at)
            && quantity.readings().any(|(value, _)| (value - **operand).abs() <= operand.abs() * 1e-6)
        {
            start.get_or_insert(quantity.tokens.start);
            last = Some(at);
            wanted.next();
        }
    }
    let below =
        line(sum.tokens.start).zip(last.flatten()).is_some_and(|(sum, last)| sum > last && sum - last <= 3);
    (figure.sum && figure.operands.len() > 1 && wanted.peek().is_none() && below)
        .then(|| start.unwrap_or(sum.tokens.start)..sum.tokens.end)
}

/// Whether the reply stands by what is at `tokens`.
fn sincere(reply: &Reply, tokens: &Range<usize>) -> bool {
    !reply.reading.struck(tokens)
        && !reply.reading.segments.sentence_at(tokens.start).is_some_and(|sentence| sentence.question)
}
