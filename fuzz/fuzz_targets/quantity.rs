//! The quantity reader. The input's first eight bytes are a number that is written in several notations and must come
//! back as itself; the rest is any text, whose quantities must be finite, in order and in the text.

#![no_main]

use checkers::reading::{Reading, numeral};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some((head, rest)) = data.split_first_chunk::<8>() {
        comes_back(u64::from_le_bytes(*head) >> (head[0] % 50));
        is_sound(&String::from_utf8_lossy(rest));
    }
});

/// Ways to write `number`; each must be read as one quantity of that value.
fn comes_back(number: u64) {
    // Larger integers are not exact in the reader's f64.
    let number = number % 1_000_000_000_000;
    let grouped = |separator: &str| {
        let digits = number.to_string();
        let first = (digits.len() - 1) % 3 + 1;
        let mut groups = vec![&digits[..first]];
        groups.extend(digits.as_bytes()[first..].chunks(3).filter_map(|three| std::str::from_utf8(three).ok()));
        groups.join(separator)
    };
    let hidden = number.to_string().chars().flat_map(|digit| [digit, '\u{200b}', '\u{202e}']).collect::<String>();
    let wide: String = number.to_string().bytes().filter_map(|b| char::from_u32(0xff10 + u32::from(b - b'0'))).collect();
    let value = number as f64;
    let spellings = [
        (number.to_string(), value),
        (grouped(","), value),
        (grouped("'"), value),
        (grouped("\u{202f}"), value),
        (hidden, value),
        (wide, value),
        (format!("${}", grouped(",")), value),
        (format!("**{number}**"), value),
        (format!("{}%", number % 100_000), (number % 100_000) as f64 / 100.0),
        (format!("{}k", number % 1000), (number % 1000) as f64 * 1000.0),
    ];
    for (text, value) in spellings {
        let reading = Reading::of(&text);
        let [quantity] = reading.quantities.as_slice() else {
            panic!("{text:?} is read as {:?}", reading.quantities);
        };
        assert!(
            quantity.readings().any(|(read, _)| (read - value).abs() <= value * 1e-12),
            "{text:?} is read as {quantity:?}, not as {value}"
        );
    }
}

fn is_sound(text: &str) {
    let reading = Reading::of(text);
    // The work to come is bounded by the tokens, and those by the text (LaTeX writes out at most ten bytes for one).
    assert!(reading.tokens.len() <= text.len() * 10);
    let mut end = 0;
    for quantity in &reading.quantities {
        let tokens = &quantity.tokens;
        assert!(end <= tokens.start && tokens.start < tokens.end, "{tokens:?} in {text:?}");
        assert!(tokens.end <= reading.tokens.len());
        end = tokens.end;
        for (value, unit) in quantity.readings() {
            assert!(value.is_finite() && unit.is_finite() && unit >= 0.0, "{quantity:?} in {text:?}");
        }
        assert!(quantity.magnitude.is_finite() && quantity.magnitude > 0.0);
        let span = reading.span(tokens);
        assert!(!span.is_empty(), "{quantity:?} comes from nowhere in {text:?}");
        assert!(text.get(span.clone()).is_some(), "{span:?} is no part of {text:?}");
        let _ = reading.stance(tokens);
    }
    // Line ends mean the same on every machine.
    if !text.contains('\r') {
        let values = |reading: &Reading| reading.quantities.iter().map(|one| one.value).collect::<Vec<_>>();
        let other = Reading::of(&text.replace('\n', "\r\n"));
        assert_eq!(values(&reading), values(&other), "line ends change what is read in {text:?}");
    }
    for (at, _) in text.char_indices().take(64) {
        if let Some((read, len)) = numeral::read(&text[at..]) {
            assert!(len > 0 && text[at..].is_char_boundary(len), "{len} bytes of {:?}", &text[at..]);
            assert!(read.value.is_finite(), "{read:?} from {:?}", &text[at..]);
        }
    }
}
