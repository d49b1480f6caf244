//! What an edit of a charter amounts to, read from the texts before and after, and the version that it must lead to:
//! wording raises the third number, a protocol or a case that comes or goes the second, a Core Invariant the first.

use std::collections::BTreeSet;
use std::fmt;

use super::Charter;

/// What an edit amounts to, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// Nothing that is sent to a model has changed.
    None,
    /// Wording.
    Patch,
    /// A protocol or a case came or went.
    Minor,
    /// The text of the Core Invariants.
    Major,
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no edit",
            Self::Patch => "a patch: wording",
            Self::Minor => "a minor step: a protocol or a case came or went",
            Self::Major => "a major step: the text of the Core Invariants",
        })
    }
}

/// An edit and what it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classified {
    /// What it amounts to.
    pub edit: Edit,
    /// What came and went, such as `charter:protocol-e` or `case E15`.
    pub reasons: Vec<String>,
}

/// Compares two charters, and the ids of the cases beside them.
#[must_use]
pub fn classify(
    base: &Charter,
    head: &Charter,
    base_cases: &BTreeSet<String>,
    head_cases: &BTreeSet<String>,
) -> Classified {
    let protocols = |charter: &Charter| -> BTreeSet<String> {
        charter.ids.iter().filter(|id| id.starts_with("charter:protocol-")).cloned().collect()
    };
    let mut reasons = moved(&protocols(base), &protocols(head), "");
    reasons.extend(moved(base_cases, head_cases, "case "));
    let edit = if base.invariants != head.invariants {
        reasons.insert(0, "the Core Invariants read otherwise".to_owned());
        Edit::Major
    } else if !reasons.is_empty() {
        Edit::Minor
    } else if base.runtime_sha256 != head.runtime_sha256 {
        reasons.push("the runtime part reads otherwise".to_owned());
        Edit::Patch
    } else {
        Edit::None
    };
    Classified { edit, reasons }
}

fn moved(base: &BTreeSet<String>, head: &BTreeSet<String>, what: &str) -> Vec<String> {
    let new = head.difference(base).map(|id| format!("{what}{id} is new"));
    new.chain(base.difference(head).map(|id| format!("{what}{id} is gone"))).collect()
}

/// A version of three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u64, pub u64, pub u64);

impl Version {
    /// Reads `1.2.3`; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let plain = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| part.parse().ok())?
        });
        let version = Self(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }

    /// The version after an edit of this one.
    #[must_use]
    pub fn after(self, edit: Edit) -> Self {
        match edit {
            Edit::None => self,
            Edit::Patch => Self(self.0, self.1, self.2.saturating_add(1)),
            Edit::Minor => Self(self.0, self.1.saturating_add(1), 0),
            Edit::Major => Self(self.0.saturating_add(1), 0, 0),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What is wrong with the step from the version of `base` to that of `head`, if anything.
#[must_use]
pub fn step_fault(base: &Charter, head: &Charter, edit: Edit) -> Option<(String, String)> {
    let shown = |charter: &Charter| charter.version.clone().unwrap_or_else(|| "no version".to_owned());
    let parsed = |charter: &Charter| charter.version.as_deref().and_then(Version::parse);
    let Some(before) = parsed(base) else {
        // A charter without a version may get its first one; from then on each edit has a step to take.
        let wanted = "a first version, on a line of its own near the top, such as `Version 1.0.0`".to_owned();
        return (edit != Edit::None && parsed(head).is_none()).then(|| (wanted, shown(head)));
    };
    let wanted = before.after(edit);
    (parsed(head) != Some(wanted)).then(|| (wanted.to_string(), shown(head)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn charter(version: &str, invariant: &str, protocols: &str) -> Charter {
        let text = format!(
            "# Rules\n\nVersion {version}\n\n## Core Invariants\n\n1. {invariant}\n\n## Protocols\n\n{protocols}\n\nRuntime load ends here.\n"
        );
        Charter::parse(
            Path::new("C.md"),
            text.as_bytes(),
            Some("Runtime load ends here"),
            Some("Core Invariants"),
        )
        .unwrap()
    }

    #[test]
    fn the_text_says_what_an_edit_is() {
        let base = charter("1.2.3", "Count again.", "A — Sums. Add twice.");
        let none = BTreeSet::new();
        let one = BTreeSet::from(["E1".to_owned()]);
        for (head, cases, edit, version) in [
            (charter("1.2.3", "Count again.", "A — Sums. Add twice."), &none, Edit::None, "1.2.3"),
            (charter("1.2.4", "Count again.", "A — Sums. Add two times."), &none, Edit::Patch, "1.2.4"),
            (
                charter("1.3.0", "Count again.", "A — Sums. Add twice.\nB — Spans. Count both ends."),
                &none,
                Edit::Minor,
                "1.3.0",
            ),
            (charter("1.3.0", "Count again.", "A — Sums. Add twice."), &one, Edit::Minor, "1.3.0"),
            (charter("2.0.0", "Count again", "B — Spans. Count both ends."), &one, Edit::Major, "2.0.0"),
        ] {
            let found = classify(&base, &head, &none, cases);
            assert_eq!(found.edit, edit, "{:?}", found.reasons);
            assert_eq!(step_fault(&base, &head, edit), None);
            let wrong = charter("1.9.9", "Count again.", "");
            assert_eq!(step_fault(&base, &wrong, edit).unwrap().0, version);
        }
    }

    #[test]
    fn only_three_numbers_are_a_version() {
        assert_eq!(Version::parse("1.20.3"), Some(Version(1, 20, 3)));
        for bad in ["1.2", "1.2.3.4", "1.2.3-rc1", "v1.2.3", "1..3", "+1.2.3", "", "99999999999999999999.0.0"]
        {
            assert_eq!(Version::parse(bad), None, "{bad}");
        }
    }
}
