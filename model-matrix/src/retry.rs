//! When a request is sent again, and after how long.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

use crate::exchange::{ErrorKind, SubjectError};

/// How failed requests are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Repeats at most, for one reply.
    pub max_retries: u32,
    /// Repeats at most after a success status whose body is no reply.
    pub max_bad_replies: u32,
    /// The first wait; each further one is twice as long, with jitter.
    pub first_delay: Duration,
    /// The longest wait of our own choosing.
    pub longest_delay: Duration,
    /// The longest wait that an endpoint may ask for; beyond it the trial ends as rate-limited.
    pub longest_asked: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 4,
            max_bad_replies: 2,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(20),
            longest_asked: Duration::from_secs(60),
        }
    }
}

/// The repeats for one reply.
#[derive(Debug)]
pub(crate) struct Retries {
    policy: RetryPolicy,
    delays: ExponentialBackoff,
    used: u32,
    bad_replies: u32,
}

impl RetryPolicy {
    pub(crate) fn start(self) -> Retries {
        Retries { policy: self, delays: self.delays(), used: 0, bad_replies: 0 }
    }

    /// The waits of our own choosing, from the first one on.
    fn delays(self) -> ExponentialBackoff {
        ExponentialBuilder::default()
            .with_min_delay(self.first_delay)
            .with_max_delay(self.longest_delay)
            .with_jitter()
            .without_max_times()
            .build()
    }
}

impl Retries {
    /// How long to wait before trying again after `error`. A wait of our own grows from one to the next, as an endpoint in
    /// trouble gets no better by being asked; but not after a refusal that is this request's `alone`, where the endpoint
    /// goes on to take what others send.
    ///
    /// # Errors
    /// The error to give up with.
    pub(crate) fn next(&mut self, mut error: SubjectError, alone: bool) -> Result<Duration, SubjectError> {
        error.retries = self.used;
        // A request that timed out may well have been paid for: whether to pay again is not decided here.
        let repeats = error.retryable && error.kind != ErrorKind::Timeout;
        if !repeats || self.used >= self.policy.max_retries {
            return Err(error);
        }
        if error.kind == ErrorKind::BadReply {
            if self.bad_replies >= self.policy.max_bad_replies {
                return Err(error);
            }
            self.bad_replies += 1;
        }
        let own = if alone { self.policy.delays().next() } else { self.delays.next() };
        let own = own.unwrap_or(self.policy.longest_delay);
        let delay = match error.retry_after {
            Some(asked) if asked > self.policy.longest_asked => {
                error.kind = ErrorKind::RateLimited;
                error.message = format!(
                    "{}; it asks to wait {} s, more than the {} s that are waited",
                    error.message,
                    asked.as_secs(),
                    self.policy.longest_asked.as_secs()
                );
                return Err(error);
            }
            Some(asked) => asked,
            None => own,
        };
        self.used += 1;
        Ok(delay)
    }

    /// Repeats so far.
    pub(crate) fn used(&self) -> u32 {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: ErrorKind) -> SubjectError {
        SubjectError::new(kind, "m")
    }

    #[test]
    fn repeats_are_counted_and_end() {
        let mut retries = RetryPolicy::default().start();
        let mut last = Duration::ZERO;
        for _ in 0..4 {
            let delay = retries.next(error(ErrorKind::Connect), false).unwrap();
            assert!(delay > last / 2, "{delay:?} after {last:?}");
            last = delay;
        }
        let given_up = retries.next(error(ErrorKind::Connect), false).unwrap_err();
        assert_eq!((given_up.retries, retries.used()), (4, 4));
    }

    #[test]
    fn the_wait_after_a_refusal_that_is_its_own_does_not_grow() {
        let policy = RetryPolicy::default();
        let mut retries = policy.start();
        for _ in 0..policy.max_retries {
            let delay = retries.next(error(ErrorKind::RateLimited), true).unwrap();
            assert!((policy.first_delay..=2 * policy.first_delay).contains(&delay), "{delay:?}");
        }
        assert!(retries.next(error(ErrorKind::RateLimited), true).is_err());
    }

    #[test]
    fn a_bad_reply_is_asked_for_again_twice() {
        let mut retries = RetryPolicy::default().start();
        assert!(retries.next(error(ErrorKind::BadReply), false).is_ok());
        assert!(retries.next(error(ErrorKind::BadReply), false).is_ok());
        assert!(retries.next(error(ErrorKind::BadReply), false).is_err());
    }

    #[test]
    fn what_cannot_help_is_not_repeated() {
        for kind in [ErrorKind::Redirect, ErrorKind::HttpStatus, ErrorKind::BadRequest, ErrorKind::Timeout] {
            assert!(RetryPolicy::default().start().next(error(kind), false).is_err(), "{kind:?}");
        }
    }

    #[test]
    fn the_wait_asked_for_is_kept_up_to_the_cap() {
        let mut asked = error(ErrorKind::RateLimited);
        asked.retry_after = Some(Duration::from_secs(7));
        assert_eq!(
            RetryPolicy::default().start().next(asked.clone(), false).unwrap(),
            Duration::from_secs(7)
        );
        asked.retry_after = Some(Duration::from_secs(86_400));
        let given_up = RetryPolicy::default().start().next(asked, false).unwrap_err();
        assert_eq!(given_up.kind.as_str(), "rate-limited");
        assert!(given_up.message.contains("86400 s"), "{}", given_up.message);
    }
}
