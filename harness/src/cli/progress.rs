//! How a run shows that it is getting on: a bar on a terminal, sparse plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harness::budget::Spent;
use harness::event::{Event, Reporter, SharedReporter, Silent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model_matrix::Figures;

use super::say::{self, RED, RESET, YELLOW, harmless};

/// The reporter for this terminal, or for none.
pub(crate) fn reporter(quiet: bool) -> SharedReporter {
    if quiet {
        Arc::new(Silent)
    } else if std::io::stderr().is_terminal() {
        Arc::new(Bar::new())
    } else {
        Arc::new(Plain::default())
    }
}

/// How often plain lines come.
const EVERY: Duration = Duration::from_secs(10);

#[derive(Debug, Default, Clone)]
struct Tally {
    owed: usize,
    done: usize,
    surprises: usize,
    figures: Option<(Spent, Figures)>,
}

impl Tally {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Planned { owed, done } => (self.owed, self.done) = (*owed, *done),
            Event::Finished { as_expected, .. } => {
                self.done += 1;
                self.surprises += usize::from(!as_expected);
            }
            Event::Figures { spent, pace } => self.figures = Some((spent.clone(), *pace)),
            _ => {}
        }
    }

    /// What is worth telling beside the number of trials.
    fn words(&self) -> String {
        let mut words = Vec::new();
        if self.surprises > 0 {
            words.push(format!("{} not as expected", self.surprises));
        }
        if let Some((spent, pace)) = &self.figures {
            if let Some(currency) = &spent.currency {
                words.push(format!("{} {currency}", spent.cost));
            } else if spent.tokens > 0 {
                words.push(format!("{} tokens", spent.tokens));
            }
            words.extend(pace_words(pace));
        }
        words.join(", ")
    }

    /// How the endpoints were paced, for the end; nothing when nothing held a request up.
    fn at_the_end(&self) -> Option<String> {
        let (_, pace) = self.figures.as_ref()?;
        let words = pace_words(pace);
        (!words.is_empty()).then(|| format!("pace: {}", words.join(", ")))
    }
}

/// Retries, refusals and waits, each only when there were some.
fn pace_words(pace: &Figures) -> Vec<String> {
    let mut words = Vec::new();
    if pace.retries > 0 {
        words.push(format!(
            "{} sent again",
            say::count(usize::try_from(pace.retries).unwrap_or(usize::MAX), "request")
        ));
    }
    if pace.refused > 0 {
        words.push(format!("{} refused as too many", pace.refused));
    }
    if pace.throttled >= Duration::from_secs(1) {
        words.push(format!("held back {} s in all", pace.throttled.as_secs()));
    }
    if let Some(window) = pace.window {
        words.push(format!("at most {window} at the same time now"));
    }
    words
}

/// What is worth a line of its own at once.
fn line(event: &Event) -> Option<String> {
    match event {
        Event::Planned { owed, done: 0 } => Some(format!("{owed} trials")),
        Event::Planned { owed, done } => Some(format!("{owed} trials, {done} of them finished before")),
        Event::Finished { as_expected: true, .. } => None,
        Event::Finished { key, standing, detail, .. } => {
            let (colour, mark) = match standing {
                reports::Standing::Error | reports::Standing::NotRun => (YELLOW, "! no verdict"),
                reports::Standing::Failed => (RED, "✗ failed"),
                reports::Standing::Passed => (RED, "✗ passed, but must fail"),
            };
            let detail = detail.as_deref().map(|detail| harmless(detail, 160)).unwrap_or_default();
            Some(format!("{colour}{mark}{RESET} {key}  {detail}"))
        }
        Event::Stopping { reason } => Some(format!("{YELLOW}{reason}{RESET}")),
        Event::Note(text) => Some(harmless(text, 400)),
        _ => None,
    }
}

/// Lines of their own at most for so many surprises; the end of the run tells of all.
const LINES: usize = 10;

struct Bar {
    bar: ProgressBar,
    tally: Mutex<Tally>,
}

impl Bar {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // The template is a literal; were it wrong, a bar without a style would be shown.
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (eta {eta}) {msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, tally: Mutex::default() }
    }
}

impl Reporter for Bar {
    fn report(&self, event: Event) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(&event);
        if let Event::Planned { owed, done } = event {
            self.bar.set_length(owed as u64);
            self.bar.set_position(done as u64);
            self.bar.reset_eta();
            return;
        }
        self.bar.set_position(tally.done as u64);
        self.bar.set_message(tally.words());
        if let Some(line) = line(&event).filter(|_| tally.surprises <= LINES) {
            self.bar.suspend(|| say::note(&line));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        let tally = self.tally.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = tally.at_the_end() {
            say::note(&line);
        }
    }
}

struct Plain {
    state: Mutex<(Tally, Instant)>,
    started: Instant,
}

impl Default for Plain {
    fn default() -> Self {
        Self { state: Mutex::new((Tally::default(), Instant::now())), started: Instant::now() }
    }
}

impl Reporter for Plain {
    fn report(&self, event: Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (tally, last) = &mut *state;
        tally.add(&event);
        if let Some(line) = line(&event).filter(|_| tally.surprises <= LINES) {
            say::note(&line);
        }
        if last.elapsed() >= EVERY {
            *last = Instant::now();
            let words = tally.words();
            let gap = if words.is_empty() { "" } else { ", " };
            let elapsed = self.started.elapsed().as_secs();
            say::note(&format!("{}/{} trials in {elapsed} s{gap}{words}", tally.done, tally.owed));
        }
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        let (tally, _) = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = tally.at_the_end() {
            say::note(&line);
        }
    }
}
