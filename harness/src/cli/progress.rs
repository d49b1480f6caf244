//! How a run shows that it is getting on: a bar on a terminal, sparse plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use harness::event::{Event, Reporter, SharedReporter, Silent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    owed: usize,
    done: usize,
    surprises: usize,
}

impl Tally {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Planned { owed, done } => (self.owed, self.done) = (*owed, *done),
            Event::Finished { as_expected, .. } => {
                self.done += 1;
                self.surprises += usize::from(!as_expected);
            }
            _ => {}
        }
    }
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
        if tally.surprises > 0 {
            self.bar.set_message(format!("{} not as expected", tally.surprises));
        }
        if let Some(line) = line(&event).filter(|_| tally.surprises <= LINES) {
            self.bar.suspend(|| say::note(&line));
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

struct Plain {
    state: Mutex<(Tally, Instant)>,
}

impl Default for Plain {
    fn default() -> Self {
        Self { state: Mutex::new((Tally::default(), Instant::now())) }
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
            say::note(&format!("{}/{} trials, {} not as expected", tally.done, tally.owed, tally.surprises));
        }
    }
}
