//! The two expression parsers. Of the input's bytes the first half builds an arithmetic expression, which is written out
//! with its value and must hold, and with another value and must not. The second half is any text: the equations in it
//! must be well-formed, and as a definition's expression it must have a value or be refused.

#![no_main]

use checkers::expr::Expr;
use checkers::reading::Reading;
use libfuzzer_sys::fuzz_target;
use minijinja::context;

fuzz_target!(|data: &[u8]| {
    let (recipe, text) = data.split_at(data.len() / 2);
    adds_up(recipe);
    let text = String::from_utf8_lossy(text);
    equations_are_sound(&text);
    definition_expressions_are_total(&text);
});

/// An expression with its value, built from bytes: at most sixteen operands.
fn build(bytes: &mut &[u8], depth: usize) -> (String, f64) {
    let mut next = || bytes.split_off_first().copied().unwrap_or(0);
    let (kind, operand) = (next(), u32::from(next()) + 2);
    if depth == 4 || kind < 96 {
        return (operand.to_string(), f64::from(operand));
    }
    let (left, left_value) = build(bytes, depth + 1);
    let (right, right_value) = build(bytes, depth + 1);
    match kind % 4 {
        0 => (format!("({left} + {right})"), left_value + right_value),
        1 => (format!("({left} - {right})"), left_value - right_value),
        2 => (format!("({left} * {right})"), left_value * right_value),
        _ => (format!("({left} / {right})"), left_value / right_value),
    }
}

fn adds_up(mut recipe: &[u8]) {
    let (expression, value) = build(&mut recipe, 0);
    // What is rounded away, or written with an exponent, is another matter.
    if !expression.starts_with('(') || !(1e-2..1e9).contains(&value.abs()) {
        return;
    }
    let expression = &expression[1..expression.len() - 1];
    for (claimed, holds) in [(value, true), (value * 1.5, false), (-value, false)] {
        let text = format!("{expression} = {claimed:.6}");
        let reading = Reading::of(&text);
        let found = reading.equations.iter().any(|equation| equation.holds && equation.tokens().start == 0);
        assert_eq!(found, holds, "{text}: {:?}", reading.equations);
    }
}

fn equations_are_sound(text: &str) {
    let reading = Reading::of(text);
    for equation in &reading.equations {
        assert!(equation.sides.len() >= 2);
        let mut end = 0;
        for side in &equation.sides {
            assert!(end <= side.tokens.start && side.tokens.start < side.tokens.end, "{equation:?} in {text:?}");
            assert!(side.tokens.end <= reading.tokens.len());
            end = side.tokens.end;
            let value = side.node.value(equation.mode);
            assert!(!equation.holds || value.is_finite(), "{value} holds in {text:?}: {equation:?}");
            assert!(side.node.leaves().len() <= 66, "an expression without a limit in {text:?}");
        }
        let span = reading.span(&equation.tokens());
        assert!(!span.is_empty() && text.get(span.clone()).is_some(), "{span:?} is no part of {text:?}");
    }
}

fn definition_expressions_are_total(text: &str) {
    let params = context! { start => 80_000, end => 100_000, name => "Ada", list => ["a", "b"] };
    for source in [text.to_owned(), format!("{{{{ {text} }}}}")] {
        let Ok(expression) = Expr::compile(&source) else { continue };
        if !source.contains("{{") {
            assert!(expression.value(&params).is_ok_and(|value| value.to_string() == source));
        }
        let number = expression.number(&params);
        assert!(number.clone().map_or(true, f64::is_finite), "{source:?} is {number:?}");
        assert!(expression.text(&params).map_or(true, |text| !text.is_empty()));
        assert!(expression.texts(&params).map_or(true, |texts| !texts.is_empty()));
    }
}
