//! How fast one endpoint is asked: no faster than it, or the matrix, allows.
//!
//! Three things hold a request back. The window of requests at the same time gives up one place for each request that
//! the endpoint refuses as too much, and gains one as replies come: so it settles at what is admitted, instead of
//! falling to nothing because one in ten is refused. A pause that the endpoint asks of one request holds for all of
//! them, when it refuses one after the other ([`Pace::is_crowded`]). And the matrix's own limits count what was sent in the last minute.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// What the matrix's limits count over.
const MINUTE: Duration = Duration::from_secs(60);

/// How many replies widen the window by one. Up to about one refusal for this many replies it keeps its size.
const REPLIES_TO_GROW: usize = 8;

/// So many refusals, one after the other, are no chance: where one request in ten is refused, they come once in 100,000.
/// Where a limit is reached they come at once.
const IN_A_ROW: u32 = 5;

/// Figures for reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Requests that were sent again.
    pub retries: u64,
    /// Responses that said it was too much.
    pub refused: u64,
    /// How long requests were held back, all of them together.
    pub throttled: Duration,
    /// Requests that are allowed at the same time now; `None` while nothing spoke against any number.
    pub window: Option<usize>,
}

/// The pace of one endpoint.
#[derive(Debug)]
pub(crate) struct Pace {
    state: Mutex<State>,
    freed: Notify,
    rpm: Option<u64>,
    tpm: Option<u64>,
}

#[derive(Debug, Default)]
struct State {
    figures: Figures,
    busy: usize,
    /// How often the window began to shrink. What was sent together may take half of it, and no more: when it was
    /// sent, nothing was known of the new size.
    rounds: u64,
    /// What the window does not fall below in this round.
    floor: usize,
    /// The most requests that were under way at the same time in this round.
    peak: usize,
    replies: usize,
    /// Refusals since the last reply; before the first one, the endpoint may take nothing at all.
    refused_in_a_row: Option<u32>,
    not_before: Option<Instant>,
    requests: Minute,
    tokens: Minute,
}

/// What was used in the last minute.
#[derive(Debug, Default)]
struct Minute {
    uses: VecDeque<(Instant, u64)>,
    total: u64,
}

impl Minute {
    fn add(&mut self, now: Instant, amount: u64) {
        self.uses.push_back((now, amount));
        self.total = self.total.saturating_add(amount);
    }

    /// When `amount` more fits under `limit`; what never fits goes alone.
    fn fits_at(&mut self, now: Instant, amount: u64, limit: u64) -> Option<Instant> {
        while let Some((at, used)) = self.uses.front().copied().filter(|(at, _)| *at + MINUTE <= now) {
            debug_assert!(at <= now, "uses are in order");
            self.total = self.total.saturating_sub(used);
            self.uses.pop_front();
        }
        let mut total = self.total;
        let mut free_at = None;
        for (at, used) in &self.uses {
            if total.saturating_add(amount) <= limit {
                break;
            }
            total = total.saturating_sub(*used);
            free_at = Some(*at + MINUTE);
        }
        free_at
    }
}

/// A place in the window; it is given back when dropped.
#[derive(Debug)]
pub(crate) struct Slot<'a> {
    pace: &'a Pace,
    round: u64,
    estimate: u64,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.pace.lock().busy -= 1;
        self.pace.freed.notify_one();
    }
}

impl Pace {
    pub(crate) fn new(rpm: Option<u32>, tpm: Option<u64>) -> Self {
        Self { state: Mutex::default(), freed: Notify::new(), rpm: rpm.map(u64::from), tpm }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is finished before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until one more request may be sent, of about `estimate` tokens.
    pub(crate) async fn enter(&self, estimate: u64) -> Slot<'_> {
        let start = Instant::now();
        let slot = self.place(estimate).await;
        while let Some(until) = self.held_until(estimate) {
            tokio::time::sleep_until(until).await;
        }
        self.lock().figures.throttled += start.elapsed();
        slot
    }

    async fn place(&self, estimate: u64) -> Slot<'_> {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            // From here on no place that is freed goes unnoticed.
            freed.as_mut().enable();
            {
                let mut state = self.lock();
                if state.figures.window.is_none_or(|window| state.busy < window) {
                    state.busy += 1;
                    state.peak = state.peak.max(state.busy);
                    return Slot { pace: self, round: state.rounds, estimate };
                }
            }
            freed.await;
        }
    }

    /// The time to wait for before a request of `estimate` tokens; when there is none, it is counted as sent.
    fn held_until(&self, estimate: u64) -> Option<Instant> {
        let mut state = self.lock();
        let now = Instant::now();
        let pause = state.not_before.filter(|time| *time > now);
        let requests = self.rpm.and_then(|limit| state.requests.fits_at(now, 1, limit));
        let tokens = self.tpm.and_then(|limit| state.tokens.fits_at(now, estimate, limit));
        let held = [pause, requests, tokens].into_iter().flatten().max();
        if held.is_none() {
            if self.rpm.is_some() {
                state.requests.add(now, 1);
            }
            if self.tpm.is_some() {
                state.tokens.add(now, estimate);
            }
        }
        held
    }

    /// Whether the endpoint refuses whoever asks: nothing has come yet, or nothing but refusals for a while. What it says
    /// to one request is then meant for all. Otherwise a refusal is that request's alone: limits are often of a key, and
    /// then the next requests are refused too, and soon tell; but some gateways refuse one in ten whatever is asked, and to
    /// hold all requests back for each of those would cost most of the time.
    pub(crate) fn is_crowded(&self) -> bool {
        self.lock().refused_in_a_row.is_none_or(|refused| refused >= IN_A_ROW)
    }

    /// Holds all requests back for a while.
    pub(crate) fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut state = self.lock();
        state.not_before = Some(state.not_before.map_or(until, |known| known.max(until)));
    }

    /// A request is about to be repeated after `wait`.
    pub(crate) fn repeated(&self, wait: Duration) {
        let mut state = self.lock();
        state.figures.retries += 1;
        state.figures.throttled += wait;
    }

    pub(crate) fn figures(&self) -> Figures {
        self.lock().figures
    }
}

impl Slot<'_> {
    /// The endpoint says that it was too much.
    pub(crate) fn refused(&self) {
        let mut state = self.pace.lock();
        state.figures.refused += 1;
        state.refused_in_a_row = state.refused_in_a_row.map(|refused| refused.saturating_add(1));
        if self.round == state.rounds {
            state.rounds += 1;
            // A window that nobody filled is worth no more than what was really under way.
            let size = state.figures.window.map_or(state.peak, |window| window.min(state.peak));
            state.figures.window = Some(size);
            state.floor = (size / 2).max(1);
            state.peak = state.busy;
        }
        let floor = state.floor;
        state.figures.window = state.figures.window.map(|window| (window - 1).max(floor));
    }

    /// A reply came, of `tokens` tokens where they were counted.
    pub(crate) fn replied(&self, tokens: Option<u64>) {
        let mut state = self.pace.lock();
        state.refused_in_a_row = Some(0);
        if let (Some(_), Some(tokens)) = (self.pace.tpm, tokens) {
            state.tokens.add(Instant::now(), tokens.saturating_sub(self.estimate));
        }
        state.replies += 1;
        if state.replies >= REPLIES_TO_GROW {
            state.replies = 0;
            if let Some(window) = &mut state.figures.window {
                *window += 1;
                self.pace.freed.notify_one();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    async fn many(pace: &Pace, count: usize) -> Vec<Slot<'_>> {
        let mut slots = Vec::new();
        for _ in 0..count {
            slots.push(pace.enter(1).await);
        }
        slots
    }

    #[tokio::test(start_paused = true)]
    async fn each_refusal_takes_a_place_but_no_round_more_than_half() {
        let pace = Pace::new(None, None);
        let slots = many(&pace, 16).await;
        assert_eq!(pace.figures().window, None);
        slots[0].refused();
        slots[1].refused();
        assert_eq!(pace.figures().window, Some(14));
        for slot in &slots {
            slot.refused();
        }
        assert_eq!((pace.figures().window, pace.figures().refused), (Some(8), 18));
        drop(slots);
        for window in [4, 2, 1, 1] {
            let slots = many(&pace, pace.figures().window.unwrap()).await;
            for slot in &slots {
                slot.refused();
            }
            assert_eq!(pace.figures().window, Some(window));
        }
        for _ in 0..3 * REPLIES_TO_GROW {
            pace.enter(1).await.replied(None);
        }
        assert_eq!(pace.figures().window, Some(4));
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_of_refusals_is_meant_for_all_and_a_single_one_is_not() {
        let pace = Pace::new(None, None);
        assert!(pace.is_crowded(), "nothing has come yet");
        pace.enter(1).await.refused();
        assert!(pace.is_crowded());
        pace.enter(1).await.replied(None);
        for _ in 1..IN_A_ROW {
            pace.enter(1).await.refused();
            assert!(!pace.is_crowded());
        }
        pace.enter(1).await.refused();
        assert!(pace.is_crowded());
        pace.enter(1).await.replied(None);
        assert!(!pace.is_crowded());
    }

    #[tokio::test(start_paused = true)]
    async fn one_refusal_in_ten_costs_no_speed() {
        let pace = Pace::new(None, None);
        let mut sent = 0_u32;
        for _ in 0..100 {
            let slots = many(&pace, pace.figures().window.map_or(100, |window| window.min(100))).await;
            for slot in slots {
                sent += 1;
                if sent.is_multiple_of(10) { slot.refused() } else { slot.replied(None) }
            }
        }
        assert!(sent > 9500, "{sent} of 10,000");
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_window_are_under_way_and_nobody_waits_for_ever() {
        let pace = Arc::new(Pace::new(None, None));
        {
            for slot in many(&pace, 4).await {
                slot.refused();
            }
        }
        let most = Arc::new(Mutex::new((0_usize, 0_usize)));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..50 {
            let (pace, most) = (Arc::clone(&pace), Arc::clone(&most));
            tasks.spawn(async move {
                let slot = pace.enter(1).await;
                {
                    let mut most = most.lock().unwrap();
                    most.0 += 1;
                    most.1 = most.1.max(most.0);
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
                most.lock().unwrap().0 -= 1;
                drop(slot);
            });
        }
        tasks.join_all().await;
        assert_eq!(most.lock().unwrap().1, 2);
        assert!(pace.figures().throttled > Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_for_all() {
        let pace = Pace::new(None, None);
        pace.pause(Duration::from_secs(5));
        pace.pause(Duration::from_secs(2));
        let start = Instant::now();
        pace.enter(1).await;
        assert_eq!(start.elapsed().as_secs(), 5);
        pace.enter(1).await;
        assert_eq!(start.elapsed().as_secs(), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn the_matrixs_limits_hold_over_any_minute() {
        let pace = Pace::new(Some(3), None);
        let start = Instant::now();
        let mut times = Vec::new();
        for _ in 0..7 {
            pace.enter(1).await;
            times.push(start.elapsed().as_secs());
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
        assert_eq!(times, [0, 5, 10, 60, 65, 70, 120]);

        let pace = Pace::new(None, Some(100));
        let start = Instant::now();
        let first = pace.enter(40).await;
        first.replied(Some(90));
        pace.enter(10).await;
        assert_eq!(start.elapsed().as_secs(), 0);
        pace.enter(20).await;
        assert_eq!(start.elapsed().as_secs(), 60);
        // What is larger than the limit still goes, once nothing else counts.
        pace.enter(500).await;
        assert_eq!(start.elapsed().as_secs(), 120);
    }
}
