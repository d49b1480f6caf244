//! Whether the model that answered is the one that the matrix pins: an endpoint may serve another one under the same
//! name from one day to the next, and whatever it then says is no evidence of the one on trial.

use std::fmt;

use transcript::{Served, TrialError};

use crate::matrix::{Model, Pin};

/// What a comparison comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drift {
    /// The endpoint reported what is pinned.
    Same,
    /// It reported something else.
    Different {
        /// What differs: `model` or `fingerprint`.
        what: &'static str,
        /// What is pinned.
        expected: String,
        /// What was reported, as [`Drift`] shows it: one line, with escapes for what cannot be seen.
        got: String,
    },
    /// It reported nothing that could be compared: the pin is neither kept nor broken.
    Unreported {
        /// What is missing: `model` or `fingerprint`.
        what: &'static str,
        /// What is pinned.
        expected: String,
    },
}

impl Drift {
    /// The stable name of a trial's error for it.
    pub const KIND: &'static str = "pin-drift";

    /// Whether the pin is known to be kept.
    #[must_use]
    pub fn is_same(&self) -> bool {
        *self == Self::Same
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str("the endpoint served what is pinned"),
            Self::Different { what, expected, got } => write!(
                f,
                "the endpoint served the {what} `{got}`, but the matrix pins `{}`; if that is its proper name, \
                 write it into `pin` of the entry",
                shown(expected)
            ),
            Self::Unreported { what, expected } => {
                write!(
                    f,
                    "the endpoint did not say which {what} served, but the matrix pins `{}`",
                    shown(expected)
                )
            }
        }
    }
}

/// Compares what an endpoint reported with what is pinned. An empty name pins nothing: a program may be left to choose
/// its model itself.
#[must_use]
pub fn compare(pin: &Pin, served: &Served) -> Drift {
    let model = part("model", &pin.model, served.model.as_deref());
    let Some(expected) = &pin.fingerprint else { return model };
    let fingerprint = part("fingerprint", expected, served.fingerprint.as_deref());
    // What is broken weighs more than what is not known.
    match (&model, &fingerprint) {
        (Drift::Different { .. }, _) | (_, Drift::Same) => model,
        (_, Drift::Different { .. }) | (Drift::Same, _) => fingerprint,
        _ => model,
    }
}

/// What a trial ends with because of what served one of its replies, if anything.
///
/// A pin that is contradicted always ends it. One about which the endpoint says nothing does so only where the matrix
/// writes the pin out: then it demands to be kept, and nobody knows whether it was.
#[must_use]
pub fn fault(model: &Model, served: &Served) -> Option<TrialError> {
    let drift = compare(&model.pin, served);
    let (id, line) = (&model.id, model.line);
    let message = match &drift {
        Drift::Same => return None,
        Drift::Unreported { what: "model", .. } if !model.pin.explicit => return None,
        Drift::Different { .. } => format!("{drift} `{id}`, line {line} of the matrix"),
        Drift::Unreported { .. } => {
            format!(
                "{drift} and demands that it be said; see `pin` in the entry `{id}`, line {line} of the matrix"
            )
        }
    };
    Some(TrialError { kind: Drift::KIND.to_owned(), message })
}

fn part(what: &'static str, expected: &str, got: Option<&str>) -> Drift {
    let expected = expected.to_owned();
    match got.filter(|got| !got.is_empty()) {
        _ if expected.is_empty() => Drift::Same,
        None => Drift::Unreported { what, expected },
        Some(got) if got == expected => Drift::Same,
        Some(got) => Drift::Different { what, expected, got: shown(got) },
    }
}

/// So much of a name is shown.
const LONGEST_NAME: usize = 200;

/// A name in which everything can be seen: two that look alike and are not the same must be told apart by who reads of them.
fn shown(name: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    let mut rest = name.chars().peekable();
    for _ in 0..LONGEST_NAME {
        let Some(character) = rest.next() else { return out };
        let after = rest.peek().copied().unwrap_or(' ');
        match character {
            ' ' if before == ' ' || after == ' ' => out.extend(' '.escape_unicode()),
            ' '..='~' => out.push(character),
            _ => out.extend(character.escape_default()),
        }
        before = character;
    }
    if rest.peek().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(model: Option<&str>, fingerprint: Option<&str>, pinned: Option<&str>) -> Drift {
        let pin = Pin {
            model: "m-1".to_owned(),
            fingerprint: pinned.map(str::to_owned),
            version: None,
            explicit: true,
        };
        let served = Served {
            model: model.map(str::to_owned),
            fingerprint: fingerprint.map(str::to_owned),
            ..Served::default()
        };
        compare(&pin, &served)
    }

    #[test]
    fn what_is_reported_is_compared_to_the_letter() {
        assert_eq!(compared(Some("m-1"), None, None), Drift::Same);
        assert_eq!(compared(Some("m-1"), Some("fp_2"), None), Drift::Same);
        assert_eq!(compared(Some("m-1"), Some("fp_1"), Some("fp_1")), Drift::Same);
        for (model, fingerprint, what, got) in [
            ("m-2", None, "model", "m-2"),
            ("M-1", None, "model", "M-1"),
            ("m-1", Some("fp_2"), "fingerprint", "fp_2"),
        ] {
            let drift = compared(Some(model), fingerprint, Some("fp_1"));
            assert!(
                matches!(&drift, Drift::Different { what: w, got: g, .. } if *w == what && g == got),
                "{drift:?}"
            );
            assert!(!drift.is_same());
        }
    }

    #[test]
    fn silence_is_neither_one_nor_the_other() {
        for model in [None, Some("")] {
            assert!(matches!(compared(model, None, None), Drift::Unreported { what: "model", .. }));
        }
        assert!(matches!(
            compared(Some("m-1"), None, Some("fp_1")),
            Drift::Unreported { what: "fingerprint", .. }
        ));
    }

    #[test]
    fn an_empty_name_pins_nothing() {
        let pin = Pin { model: String::new(), fingerprint: None, version: None, explicit: false };
        for name in [None, Some("m-1".to_owned())] {
            assert_eq!(compare(&pin, &Served { model: name, ..Served::default() }), Drift::Same);
        }
    }

    #[test]
    fn what_is_broken_weighs_more_than_what_is_not_known() {
        assert!(matches!(
            compared(None, Some("fp_2"), Some("fp_1")),
            Drift::Different { what: "fingerprint", .. }
        ));
        assert!(matches!(compared(Some("m-2"), None, Some("fp_1")), Drift::Different { what: "model", .. }));
        assert!(matches!(
            compared(None, Some("fp_1"), Some("fp_1")),
            Drift::Unreported { what: "model", .. }
        ));
    }

    #[test]
    fn only_a_pin_that_is_written_out_makes_a_fault_of_silence() {
        let model = |pin: &str| {
            let text = format!(
                "models:\n  - {{ id: a, role: other, provider: openai-chat, model: m-1, base_url: 'http://127.0.0.1/v1'{pin} }}\n"
            );
            crate::Matrix::parse(std::path::Path::new("m.yaml"), text.as_bytes()).unwrap().models.remove(0)
        };
        let served = |name: Option<&str>| Served { model: name.map(str::to_owned), ..Served::default() };
        assert_eq!(fault(&model(""), &served(Some("m-1"))), None);
        assert_eq!(fault(&model(""), &served(None)), None);
        let told = |pin: &str, name: Option<&str>| fault(&model(pin), &served(name)).unwrap().message;
        insta::assert_snapshot!(told("", Some("m-2")), @"the endpoint served the model `m-2`, but the matrix pins `m-1`; if that is its proper name, write it into `pin` of the entry `a`, line 2 of the matrix");
        insta::assert_snapshot!(told(", pin: { model: m-1 }", None), @"the endpoint did not say which model served, but the matrix pins `m-1` and demands that it be said; see `pin` in the entry `a`, line 2 of the matrix");
        insta::assert_snapshot!(told(", pin: { fingerprint: fp_1 }", Some("m-1")), @"the endpoint did not say which fingerprint served, but the matrix pins `fp_1` and demands that it be said; see `pin` in the entry `a`, line 2 of the matrix");
    }

    #[test]
    fn names_that_look_alike_are_told_apart() {
        for (name, told) in [
            ("m-1 ", r"m-1\u{20}"),
            (" m-1", r"\u{20}m-1"),
            ("m  1", r"m\u{20}\u{20}1"),
            ("m 1", "m 1"),
            ("m-1\n", r"m-1\n"),
            ("m-1\0", r"m-1\u{0}"),
            ("m-1\u{200b}", r"m-1\u{200b}"),
            ("m\u{2011}1", r"m\u{2011}1"),
        ] {
            let message = compared(Some(name), None, None).to_string();
            assert!(message.contains(&format!("the model `{told}`, but the matrix pins `m-1`")), "{message}");
        }
        let long = compared(Some(&"m".repeat(1000)), None, None).to_string();
        assert!(long.contains(&format!("`{}…`", "m".repeat(200))), "{long}");
    }

    #[test]
    fn both_names_are_told() {
        insta::assert_snapshot!(compared(Some("m-2\u{1b}[2J"), None, None), @r"the endpoint served the model `m-2\u{1b}[2J`, but the matrix pins `m-1`; if that is its proper name, write it into `pin` of the entry");
        insta::assert_snapshot!(compared(None, None, None), @r"the endpoint did not say which model served, but the matrix pins `m-1`");
    }
}
