//! What a test runner printed: how many passed and failed, how long it took, and whether the run as a whole passed.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::lean::Regex;
use crate::prose::pattern;

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Tests ran, and all that ran passed.
    Passed,
    /// Something failed.
    Failed,
    /// The output does not tell.
    Unknown,
}

/// What a count counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Tests that passed.
    Passed,
    /// Tests that failed or did not get that far.
    Failed,
    /// Tests that were left out.
    Skipped,
    /// All tests.
    Total,
}

/// A count, in an output or in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// What it counts.
    pub kind: Kind,
    /// How many.
    pub number: u64,
    /// Where the text is that gives it.
    pub range: std::ops::Range<usize>,
}

static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:^|[^\w.])(?P<n>\d+(?:,\d{3})*)\s*(?:(?:/|of|out\s+of)\s*(?:the\s+)?(?P<all>\d+(?:,\d{3})*)\s*)?(?:(?:tests?|testes|testfälle|pruebas|specs?|examples?|assertions?|checks?|cases?|unit\s+tests|test\s+cases)\b\s*)?(?:(?:have|has|were|was|are|is|did|all|of\s+them|sind|wurden|sont|ont|han|están)\s+){0,2}(?P<w>pass(?:ed|ing|es)?|succeeded|successful|ok|green|fail(?:ed|ing|ures?|s)?(?:\s+out\s+of\s+(?P<of>\d+))?|errors?|errored|red|broken|skipped|ignored|pending|todo|deselected|total|bestanden|erfolgreich|fehlgeschlagen|réussi(?:e?s)?|échou(?:és?|e|ent)|échecs?|pasad[oa]s|pasan|pasaron|aprobad[oa]s|fallid[oa]s|fallos?|fallaron|superati|falliti|passaram|falharam)\b
        | \b(?P<w2>pass(?:ed|ing|es)?|ok|fail(?:ed|ures?|ing)?|errors?|skipped|ignored|pending|total|tests\s+run)\s*[:=]\s*(?P<n2>\d+)\b
        | \btests\s*[:=]\s*(?P<n5>\d+)\s*(?:[,;|/]|$)
        | ^\#\s(?P<w3>pass|fail|skipped|tests|todo)\s(?P<n3>\d+)\b
        | (?:^|[^\w.])(?P<n6>\d+(?:,\d{3})*)\s+(?:tests?\s+)?(?:were\s+)?(?:run|ran|executed)\s*(?:[,;.)]|$)
        | (?:^|[^\w.])(?:(?:ran|collected|running|all)\s+)?(?P<n4>\d+(?:,\d{3})*)\s+(?:tests?|testes|testfälle|pruebas|specs?|items?|examples?)\b",
    )
});
static NOT_TESTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s+(?:files?|suites?|modules?|packages?|folders?|more|names?)\b"));

/// The counts in a text, line by line.
#[must_use]
pub fn counts(text: &str) -> Vec<Count> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let suites = about_suites(line);
        for captures in COUNT.captures_iter(line) {
            let Some(all) = captures.get(0) else { continue };
            let number = |name: &str| {
                captures.name(name).and_then(|n| n.as_str().replace(',', "").parse::<u64>().ok())
            };
            let word = ["w", "w2", "w3"]
                .iter()
                .find_map(|name| captures.name(name))
                .map_or("total", |word| word.as_str());
            let Some(n) = number("n")
                .or_else(|| number("n2"))
                .or_else(|| number("n3"))
                .or_else(|| number("n4"))
                .or_else(|| number("n5"))
                .or_else(|| number("n6"))
            else {
                continue;
            };
            if NOT_TESTS.is_match(&line[all.end()..line.ceil_char_boundary((all.end() + 80).min(line.len()))])
                || all.start() < suites
            {
                continue;
            }
            let range = start + all.start()..start + all.end();
            found.push(Count { kind: kind(word), number: n, range: range.clone() });
            if let Some(all) = number("all").or_else(|| number("of")) {
                found.push(Count { kind: Kind::Total, number: all, range });
            }
        }
        start += line.len();
    }
    found
}

/// Jest counts its files in a line of their own: how many bytes of a line are about files.
fn about_suites(line: &str) -> usize {
    let body = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = line.len() - body.len();
    let head = body[..body.floor_char_boundary(16)].to_ascii_lowercase();
    if !["test suites:", "test files", "snapshots:"].iter().any(|name| head.starts_with(name)) {
        return 0;
    }
    let tests = body.to_ascii_lowercase().match_indices("tests").map(|(at, _)| at).find(|at| *at > 5);
    tests.map_or(line.len(), |at| start + at)
}

fn kind(word: &str) -> Kind {
    let word = word.to_lowercase();
    if ["bestanden", "erfolg", "réussi", "aprobad", "superat"].iter().any(|stem| word.starts_with(stem)) {
        return Kind::Passed;
    }
    if word.starts_with("échou") || word.starts_with("échec") {
        return Kind::Failed;
    }
    match word.as_bytes() {
        [b'p', b'a', ..] | [b's', b'u', ..] | [b'o' | b'g', ..] => Kind::Passed,
        [b'f' | b'e' | b'r' | b'b', ..] => Kind::Failed,
        [b's' | b'i' | b'd', ..] | [b'p', b'e', ..] => Kind::Skipped,
        _ if word == "todo" => Kind::Skipped,
        _ => Kind::Total,
    }
}

static DURATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:^|[^\w.])(?P<n>\d+(?:\.\d+)?)\s?(?P<unit>ms|s|sec|secs|seconds?|m|min|minutes?)\b")
});

/// The durations in a text, in seconds, with where they stand.
#[must_use]
pub fn durations(text: &str) -> Vec<f64> {
    DURATION
        .captures_iter(text)
        .filter_map(|captures| {
            let number: f64 = captures["n"].parse().ok()?;
            Some(match &captures["unit"].to_ascii_lowercase()[..] {
                "ms" => number / 1000.0,
                unit if unit.starts_with('m') => number * 60.0,
                _ => number,
            })
        })
        .collect()
}

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
    Regex::new(r"(?m)^\s*(?:-+\s*)?(?:FAIL|FAILED|FAILURE|FAILURES|ERROR|ERRORS|E {3}|✗|✘|✕|❌|not ok|Traceback|panic:|error\[|error:|npm ERR!)(?:\b|$|[ :\[(])|\bFAILED\b|\b(?:test result: FAILED|BUILD FAIL\w*|Interrupted|panicked at|Segmentation fault|core dumped|Aborted|Killed)|(?i:exit(?:ed)?(?: with)?(?: code| status)?[: =]+-?[1-9])|\[(?:output )?truncated\]")
        .expect("a constant pattern")
});
static PASSED: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the pattern is a constant, and a test runs it")]
    Regex::new(r"(?m)^\s*(?:ok|OK|PASS|PASSED|✓|✔)\b|\bOK \(|\bOK$|\bBUILD SUCCESS\w*|test result: ok|(?i:all tests? pass|all tests (?:have )?pass|tests? passed|exit(?:ed)?(?: with)?(?: code| status)?[: =]+0\b|no failures)")
        .expect("a constant pattern")
});

/// A run's output, read.
#[derive(Debug)]
pub struct Output<'t> {
    text: &'t str,
    counts: Vec<Count>,
    durations: Vec<f64>,
}

impl<'t> Output<'t> {
    /// Reads an output.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        Self { text, counts: counts(text), durations: durations(text) }
    }

    fn sum(&self, kind: Kind) -> u64 {
        self.counts
            .iter()
            .filter(|count| count.kind == kind)
            .map(|count| count.number)
            .fold(0, u64::saturating_add)
    }

    /// How the run went.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.sum(Kind::Failed) > 0 || FAILED.is_match(self.text) {
            Outcome::Failed
        } else if self.sum(Kind::Passed) > 0
            || self.none_failed()
            || (PASSED.is_match(self.text) && !self.ran_none())
        {
            Outcome::Passed
        } else {
            Outcome::Unknown
        }
    }

    /// `Tests run: 12, Failures: 0`: all of a positive number, and no failure among them.
    fn none_failed(&self) -> bool {
        self.sum(Kind::Total) > 0 && self.counts.iter().any(|count| count.kind == Kind::Failed)
    }

    fn ran_none(&self) -> bool {
        self.counts.iter().any(|count| count.kind == Kind::Total) && self.sum(Kind::Total) == 0
    }

    /// The numbers that a report on this run may give for `kind`.
    #[must_use]
    pub fn numbers(&self, kind: Kind) -> BTreeSet<u64> {
        let mut numbers: BTreeSet<u64> =
            self.counts.iter().filter(|count| count.kind == kind).map(|count| count.number).collect();
        let (passed, failed, skipped) =
            (self.sum(Kind::Passed), self.sum(Kind::Failed), self.sum(Kind::Skipped));
        numbers.insert(self.sum(kind));
        match kind {
            Kind::Total => {
                let ran = passed.saturating_add(failed);
                numbers.extend([passed, ran, ran.saturating_add(skipped)]);
                numbers.extend(self.counts.iter().map(|count| count.number));
            }
            // A runner that prints `Tests run: 12, Failures: 0` has twelve that passed.
            Kind::Passed if passed == 0 => {
                let rest = self.sum(Kind::Total).saturating_sub(failed).saturating_sub(skipped);
                numbers.extend([rest]);
                numbers.extend(
                    self.counts
                        .iter()
                        .filter(|count| count.kind == Kind::Total)
                        .map(|count| count.number.saturating_sub(failed).saturating_sub(skipped)),
                );
                numbers.extend(ok_lines(self.text));
            }
            _ => {}
        }
        numbers
    }

    /// Whether the run took this long, as far as the figure is exact.
    #[must_use]
    pub fn took(&self, seconds: f64) -> bool {
        self.durations.iter().any(|own| {
            (own - seconds).abs() <= 0.051_f64.max(if seconds.fract() == 0.0 { 0.501 } else { 0.0 })
        })
    }

    /// Whether the output gives durations.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        !self.durations.is_empty()
    }

    /// Whether `reply` has a line of the output in it, word for word up to white space and frills.
    #[must_use]
    pub fn has_line_in(&self, reply: &str) -> bool {
        let reply = squeezed(reply);
        self.text
            .lines()
            .take(400)
            .map(squeezed)
            .any(|line| line.len() >= 5 && line.chars().any(char::is_alphabetic) && reply.contains(&line))
    }

    /// Whether `reply` names something that the output reports as passed: `ok  pkg/core` as `core`.
    #[must_use]
    pub fn names_in(&self, reply: &str) -> bool {
        let reply = reply.to_ascii_lowercase();
        self.text.lines().take(400).any(|line| {
            let mut words = line.split_whitespace();
            let marker = matches!(words.next(), Some("ok" | "PASS" | "✓" | "✔"));
            let name = words
                .next()
                .and_then(|name| name.rsplit('/').next())
                .unwrap_or_default()
                .to_ascii_lowercase();
            marker && name.len() >= 3 && reply.contains(&name)
        })
    }
}

fn ok_lines(text: &str) -> Option<u64> {
    let lines = text
        .lines()
        .filter(|line| line.trim_start().starts_with("ok ") || line.trim_start().starts_with("ok\t"))
        .count();
    u64::try_from(lines).ok().filter(|lines| *lines > 0)
}

fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '=' | '`' | '*' | '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_many_runners() {
        let passed = [
            "12 passed, 0 failed in 3.41s",
            "ok  \tacme/core\t0.412s\n?   \tacme/cmd\t[no test files]",
            "test result: ok. 31 passed; 0 failed; 2 ignored; finished in 0.10s",
            "Tests:       48 passed, 48 total\nTime: 3.2 s",
            "Ran 17 tests in 0.201s\n\nOK",
            "Tests run: 9, Failures: 0, Errors: 0, Skipped: 1\nBUILD SUCCESS",
            "22 examples, 0 failures",
            "# tests 6\n# pass 6\n# fail 0",
            "  14 passing (2s)",
            "OK (12 tests, 30 assertions)",
            "100% tests passed, 0 tests failed out of 18\n\nTotal Test time (real) =   0.92 sec",
        ];
        for text in passed {
            assert_eq!(Output::of(text).outcome(), Outcome::Passed, "{text}");
        }
        let failed = [
            "11 passed, 1 failed in 3.41s",
            "--- FAIL: TestX (0.00s)\nFAIL\tacme/core\t0.3s",
            "test result: FAILED. 30 passed; 1 failed",
            "17 passed, 0 failed, 1 error in 2.20s",
            "Tests run: 9, Failures: 2, Errors: 0",
            "22 examples, 1 failure",
            "# pass 5\n# fail 1",
            "Traceback (most recent call last):",
            "exit code: 2",
        ];
        for text in failed {
            assert_eq!(Output::of(text).outcome(), Outcome::Failed, "{text}");
        }
        for text in ["no tests ran in 0.01s", "collected 0 items", "", "Ran 0 tests in 0.000s\n\nOK"] {
            assert_eq!(Output::of(text).outcome(), Outcome::Unknown, "{text}");
        }
    }

    #[test]
    fn figures_by_value() {
        let output = Output::of("31 passed, 2 skipped, 0 failed in 6.02s");
        assert!(output.numbers(Kind::Passed).contains(&31));
        assert!(output.numbers(Kind::Total).contains(&33));
        assert!(output.took(6.02) && output.took(6.0) && !output.took(5.0));
        assert!(Output::of("Ran 17 tests in 0.2s\n\nOK").numbers(Kind::Passed).contains(&17));
    }
}
