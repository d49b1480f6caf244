//! How a run shows that it is getting on: a bar on a terminal, sparse plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harness::budget::Spent;
use harness::event::{Event, Reporter, SharedReporter, Silent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model_matrix::Figures;
use reports::Standing;
use reports::words::counted;

use super::say::{self, GREEN, RED, RESET, YELLOW, harmless};
use super::talk::Talk;

/// The reporter for this terminal, or for none.
pub(crate) fn reporter(talk: Talk) -> SharedReporter {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if talk.quiet {
        Arc::new(Silent)
    } else if std::io::stderr().is_terminal() && !dumb {
        Arc::new(Bar::new(talk.verbose))
    } else {
        Arc::new(Plain::new(talk.verbose))
    }
}

/// How often plain lines come.
const EVERY: Duration = Duration::from_secs(10);

/// Before so many trials have ended, nothing is said of how long the rest takes.
const ENOUGH: usize = 5;

#[derive(Debug, Default, Clone)]
struct Tally {
    owed: usize,
    done: usize,
    /// What was done before this sitting; it says nothing of this sitting's rate.
    before: usize,
    surprises: usize,
    figures: Option<(Spent, Figures)>,
}

impl Tally {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Planned { owed, done } => (self.owed, self.done, self.before) = (*owed, *done, *done),
            Event::Finished { as_expected, .. } => {
                self.done += 1;
                self.surprises += usize::from(!as_expected);
            }
            Event::Figures { spent, pace } => self.figures = Some((spent.clone(), *pace)),
            _ => {}
        }
    }

    /// What is worth telling beside the number of trials: surprises, rate, time left, cost so far, pace.
    fn words(&self, elapsed: Duration) -> String {
        let mut words = Vec::new();
        if self.surprises > 0 {
            words.push(format!("{} not as expected", self.surprises));
        }
        words.extend(self.rate(elapsed));
        if let Some((spent, pace)) = &self.figures {
            if let Some(currency) = &spent.currency {
                words.push(format!("{} {currency} so far", spent.cost));
            } else if spent.tokens > 0 {
                words.push(format!("{} tokens so far", spent.tokens));
            }
            words.extend(pace_words(pace));
        }
        words.join(", ")
    }

    /// Trials a minute in this sitting, and how long the rest takes at that rate.
    fn rate(&self, elapsed: Duration) -> Vec<String> {
        let ended = self.done.saturating_sub(self.before);
        let seconds = elapsed.as_secs_f64();
        if ended < ENOUGH || seconds < 1.0 {
            return Vec::new();
        }
        let by_second = ended as f64 / seconds;
        let mut words = vec![match by_second {
            10.0.. => format!("{by_second:.0}/s"),
            1.0.. => format!("{by_second:.1}/s"),
            _ => format!("{:.0}/min", by_second * 60.0),
        }];
        let left = self.owed.saturating_sub(self.done) as f64 / by_second;
        if left >= 1.0 {
            words.push(format!("{} left", lasting(Duration::from_secs_f64(left))));
        }
        words
    }

    /// How the endpoints were paced, for the end; nothing when nothing held a request up.
    fn at_the_end(&self) -> Option<String> {
        let (_, pace) = self.figures.as_ref()?;
        let words = pace_words(pace);
        (!words.is_empty()).then(|| format!("pace: {}", words.join(", ")))
    }
}

/// A time as people say it: no more exact than it can be known.
fn lasting(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..90 => format!("{seconds} s"),
        seconds @ 90..5400 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

/// Retries, refusals and waits, each only when there were some.
fn pace_words(pace: &Figures) -> Vec<String> {
    let mut words = Vec::new();
    if pace.retries > 0 {
        words.push(format!(
            "{} sent again",
            counted(usize::try_from(pace.retries).unwrap_or(usize::MAX), "request")
        ));
    }
    if pace.refused > 0 {
        words.push(format!("{} refused as too many", pace.refused));
    }
    if pace.throttled >= Duration::from_secs(1) {
        words.push(format!("held back {} in all", lasting(pace.throttled)));
    }
    if let Some(window) = pace.window {
        words.push(format!("at most {window} at the same time now"));
    }
    words
}

/// What is worth a line of its own at once; with `verbose` also each trial that is as it should be.
fn line(event: &Event, verbose: bool) -> Option<String> {
    match event {
        Event::Planned { owed, done: 0 } => Some(counted(*owed, "trial")),
        Event::Planned { owed, done } => {
            Some(format!("{}, {done} of them finished before", counted(*owed, "trial")))
        }
        Event::Finished { as_expected: true, .. } if !verbose => None,
        Event::Finished { key, standing, as_expected, detail } => {
            let (colour, mark) = match (standing, as_expected) {
                (Standing::Error | Standing::NotRun, _) => (YELLOW, "! no verdict"),
                (Standing::Passed, true) => (GREEN, "✓ passed"),
                (Standing::Failed, true) => (GREEN, "✓ failed, as it must"),
                (Standing::Failed, false) => (RED, "✗ failed"),
                (Standing::Passed, false) => (RED, "✗ passed, but must fail"),
            };
            let detail = detail.as_deref().map(|detail| harmless(detail, 160)).unwrap_or_default();
            let text = format!("{colour}{mark}{RESET} {}  {detail}", harmless(key, 200));
            Some(text.trim_end().to_owned())
        }
        Event::Stopping { reason } => Some(format!("{YELLOW}{}{RESET}", harmless(reason, 400))),
        Event::Note(text) => Some(harmless(text, 400)),
        _ => None,
    }
}

/// Lines of their own at most for so many surprises; the end of the run tells of all.
const LINES: usize = 10;

/// What both reporters do: keep the tally, and say what deserves a line.
struct Watch {
    tally: Tally,
    started: Instant,
    verbose: bool,
}

impl Watch {
    fn new(verbose: bool) -> Self {
        Self { tally: Tally::default(), started: Instant::now(), verbose }
    }

    fn hear(&mut self, event: &Event) -> Option<String> {
        self.tally.add(event);
        let surprise = matches!(event, Event::Finished { as_expected: false, .. });
        line(event, self.verbose).filter(|_| self.verbose || !surprise || self.tally.surprises <= LINES)
    }

    fn words(&self) -> String {
        self.tally.words(self.started.elapsed())
    }
}

struct Bar {
    bar: ProgressBar,
    watch: Mutex<Watch>,
}

impl Bar {
    fn new(verbose: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // A narrow terminal has no room for a bar; what is too long is cut off, as a second line would pile up.
        let template = match say::columns(&std::io::stderr()) {
            Some(columns) if columns < 70 => "{pos}/{len} {wide_msg}",
            _ => "{bar:20} {pos}/{len} {elapsed}  {wide_msg}",
        };
        // The template is a literal; were it wrong, a bar without a style would be shown.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, watch: Mutex::new(Watch::new(verbose)) }
    }
}

impl Reporter for Bar {
    fn report(&self, event: Event) {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let line = watch.hear(&event);
        self.bar.set_length(watch.tally.owed as u64);
        self.bar.set_position(watch.tally.done as u64);
        self.bar.set_message(watch.words());
        // The bar says how many there are.
        if let Some(line) = line.filter(|_| !matches!(event, Event::Planned { .. })) {
            self.bar.suspend(|| say::note(&line));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        let watch = self.watch.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = watch.tally.at_the_end() {
            say::note(&line);
        }
    }
}

struct Plain {
    state: Mutex<(Watch, Instant)>,
}

impl Plain {
    fn new(verbose: bool) -> Self {
        Self { state: Mutex::new((Watch::new(verbose), Instant::now())) }
    }
}

impl Reporter for Plain {
    fn report(&self, event: Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (watch, last) = &mut *state;
        if let Some(line) = watch.hear(&event) {
            say::note(&line);
        }
        if last.elapsed() >= EVERY {
            *last = Instant::now();
            let words = watch.words();
            let gap = if words.is_empty() { "" } else { ", " };
            let elapsed = lasting(watch.started.elapsed());
            say::note(&format!("{}/{} trials in {elapsed}{gap}{words}", watch.tally.done, watch.tally.owed));
        }
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        let (watch, _) = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = watch.tally.at_the_end() {
            say::note(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(as_expected: bool) -> Event {
        Event::Finished {
            key: "E1/r1/m/t1".to_owned(),
            standing: if as_expected { Standing::Passed } else { Standing::Failed },
            as_expected,
            detail: (!as_expected).then(|| "word: \u{1b}[2Jorgan".to_owned()),
        }
    }

    #[test]
    fn rate_and_rest_are_those_of_this_sitting_and_come_when_they_can_be_known() {
        let mut tally = Tally::default();
        tally.add(&Event::Planned { owed: 100, done: 40 });
        for _ in 0..4 {
            tally.add(&finished(true));
        }
        assert_eq!(tally.words(Duration::from_secs(60)), "");
        tally.add(&finished(true));
        tally.add(&finished(false));
        assert_eq!(tally.words(Duration::from_secs(60)), "1 not as expected, 6/min, 9 min left");
        let spent = Spent {
            cost: transcript::Amount::from_micros(420_000),
            currency: Some("USD".to_owned()),
            tokens: 9,
        };
        let pace =
            Figures { retries: 2, refused: 1, throttled: Duration::from_secs(100), ..Figures::default() };
        tally.add(&Event::Figures { spent, pace });
        assert_eq!(
            tally.words(Duration::from_secs(3)),
            "1 not as expected, 2.0/s, 27 s left, 0.42 USD so far, 2 requests sent again, 1 refused as too many, \
             held back 2 min in all"
        );
        assert_eq!(lasting(Duration::from_secs(7200)), "2.0 h");
    }

    #[test]
    fn few_surprises_have_a_line_of_their_own_and_nothing_in_it_steers() {
        let mut watch = Watch::new(false);
        assert_eq!(watch.hear(&finished(true)), None);
        let line = watch.hear(&finished(false)).unwrap();
        assert_eq!(line, format!("{RED}✗ failed{RESET} E1/r1/m/t1  word: \u{fffd}[2Jorgan"));
        let lines = (0..30).filter_map(|_| watch.hear(&finished(false))).count();
        assert_eq!(lines, LINES - 1);
        // A warning is told however many surprises there were.
        assert!(watch.hear(&Event::Note("wait".to_owned())).is_some());
        assert!(Watch::new(true).hear(&finished(true)).unwrap().contains("✓ passed"));
    }
}
