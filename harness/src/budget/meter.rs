//! Counts what a run uses up while it is played. Only for stopping: every figure on record is computed from the journal.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use transcript::{Amount, Prices};

use super::{Budget, HARD_PERCENT, Taken};

/// What was used up so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spent {
    /// Money, for models that have prices.
    pub cost: Amount,
    /// The money's currency; `None` when no model has prices, or when they do not share one.
    pub currency: Option<String>,
    /// Tokens, read and written.
    pub tokens: u64,
}

/// The meter of a run.
#[derive(Debug)]
pub struct Meter {
    budget: Budget,
    prices: HashMap<String, Prices>,
    currency: Option<String>,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cost: Amount,
    tokens: u64,
    /// A model whose tokens nobody counts, so that nobody knows what is used up.
    uncounted: Option<String>,
}

impl Meter {
    /// A meter that starts from what `before` says was spent, by model id.
    #[must_use]
    pub fn new(budget: Budget, prices: HashMap<String, Prices>, before: &HashMap<String, Taken>) -> Self {
        let mut currencies: Vec<&String> = prices.values().map(|prices| &prices.currency).collect();
        currencies.sort_unstable();
        currencies.dedup();
        let currency = match currencies[..] {
            [one] => Some(one.clone()),
            _ => None,
        };
        let meter = Self { budget, prices, currency, started: Instant::now(), state: Mutex::default() };
        for (model, taken) in before {
            meter.add(model, taken);
        }
        meter
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is finished before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts what replies of `model` took.
    pub fn add(&self, model: &str, taken: &Taken) {
        let mut state = self.lock();
        state.tokens = state.tokens.saturating_add(taken.usage.total());
        if let Some(prices) = self.prices.get(model) {
            state.cost += prices.cost(&taken.usage);
        }
        if taken.uncounted > 0 {
            state.uncounted.get_or_insert_with(|| model.to_owned());
        }
    }

    /// What was used up so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let state = self.lock();
        Spent { cost: state.cost, currency: self.currency.clone(), tokens: state.tokens }
    }

    /// Why no further trial may be started, if none may. What nobody counts may have used up anything.
    #[must_use]
    pub fn used_up(&self) -> Option<String> {
        self.uncounted().or_else(|| self.reached(100))
    }

    /// Why what is under way has to be given up, if it has to be.
    #[must_use]
    pub fn overdrawn(&self) -> Option<String> {
        self.reached(HARD_PERCENT)
    }

    /// When what is under way has to be given up.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        Some(self.started + percent(self.budget.max_time?, HARD_PERCENT))
    }

    /// Why nobody knows what is used up, if that is limited.
    fn uncounted(&self) -> Option<String> {
        let counts = self.budget.max_cost.is_some() || self.budget.max_tokens.is_some();
        let model = self.lock().uncounted.clone().filter(|_| counts)?;
        Some(format!(
            "nobody counts the tokens of {model}, so no budget of money or tokens can be kept, however large"
        ))
    }

    /// Why nothing more may be used up than `share` percent of the budget, when that much is.
    fn reached(&self, share: u32) -> Option<String> {
        let Budget { max_cost, max_tokens, max_time } = self.budget;
        let state = self.lock();
        if let Some(max) = max_cost.filter(|max| state.cost >= max.percent(share)) {
            let currency = self.currency.as_deref().unwrap_or_default();
            return Some(format!("{} of {max} {currency} are used up", state.cost).trim_end().to_owned());
        }
        let most = |max: u64| u128::from(max) * u128::from(share) / 100;
        if let Some(max) = max_tokens.filter(|max| u128::from(state.tokens) >= most(*max)) {
            return Some(format!("{} of {max} tokens are used up", state.tokens));
        }
        let max = max_time.filter(|max| self.started.elapsed() >= percent(*max, share))?;
        Some(format!("the {} of this sitting are over", shown(max)))
    }
}

fn percent(length: Duration, share: u32) -> Duration {
    length.saturating_mul(share) / 100
}

/// A length of time for people.
fn shown(length: Duration) -> String {
    jiff::SignedDuration::try_from(length)
        .map_or_else(|_| format!("{length:?}"), |length| format!("{length:#}"))
}

#[cfg(test)]
mod tests {
    use transcript::Usage;

    use super::*;

    fn prices() -> HashMap<String, Prices> {
        let prices =
            Prices { currency: "USD".to_owned(), input: 1_000_000, cached: 1_000_000, output: 1_000_000 };
        HashMap::from([("m".to_owned(), prices)])
    }

    fn tokens(input: u64) -> Taken {
        Taken::by_reply(Some(Usage { input, ..Usage::default() }))
    }

    #[tokio::test]
    async fn what_was_spent_before_counts_and_the_last_token_stops() {
        let budget = Budget { max_cost: Some("1".parse().unwrap()), ..Budget::default() };
        let before = HashMap::from([("m".to_owned(), tokens(999_998)), ("gone".to_owned(), tokens(5))]);
        let meter = Meter::new(budget, prices(), &before);
        assert_eq!(meter.spent().tokens, 1_000_003);
        meter.add("m", &tokens(1));
        assert_eq!(meter.used_up(), None);
        meter.add("m", &tokens(1));
        assert_eq!(meter.used_up().unwrap(), "1.00 of 1.00 USD are used up");
        assert_eq!(meter.overdrawn(), None);
        meter.add("m", &tokens(500_000));
        assert_eq!(meter.overdrawn().unwrap(), "1.50 of 1.00 USD are used up");
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_and_time_stop_too() {
        let budget = Budget { max_tokens: Some(10), ..Budget::default() };
        let meter = Meter::new(budget, HashMap::new(), &HashMap::new());
        meter.add("m", &tokens(10));
        assert_eq!(meter.used_up().unwrap(), "10 of 10 tokens are used up");

        let budget = Budget { max_time: Some(Duration::from_secs(60)), ..Budget::default() };
        let meter = Meter::new(budget, HashMap::new(), &HashMap::new());
        tokio::time::advance(Duration::from_secs(59)).await;
        assert_eq!(meter.used_up(), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(meter.used_up().unwrap(), "the 1m of this sitting are over");
        assert_eq!(meter.overdrawn(), None);
        assert_eq!(meter.deadline().unwrap() - Instant::now(), Duration::from_secs(30));
    }

    #[tokio::test]
    async fn replies_that_nobody_counted_stop_a_budget_that_counts_and_no_other() {
        let budget = Budget { max_tokens: Some(10), ..Budget::default() };
        let meter = Meter::new(budget, HashMap::new(), &HashMap::new());
        meter.add("m", &Taken::by_reply(None));
        assert!(meter.used_up().unwrap().contains("nobody counts the tokens of m"));
        assert_eq!(meter.overdrawn(), None, "what is under way is paid for, and not known to be too much");
        meter.add("m", &tokens(15));
        assert_eq!(meter.overdrawn().unwrap(), "15 of 10 tokens are used up");
        let meter = Meter::new(Budget::default(), HashMap::new(), &HashMap::new());
        meter.add("m", &Taken::by_reply(None));
        assert_eq!(meter.used_up(), None);
    }

    #[tokio::test]
    async fn what_was_not_counted_before_a_resume_is_not_known_after_it() {
        let budget = Budget { max_tokens: Some(10), ..Budget::default() };
        let before = HashMap::from([("m".to_owned(), Taken::by_reply(None))]);
        assert!(Meter::new(budget, HashMap::new(), &before).used_up().is_some());
    }
}
