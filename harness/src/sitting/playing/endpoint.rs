//! A model behind an endpoint, in one trial: each request is searched for the charter before it is sent, and each reply
//! counts against the budget and is compared with the pin.

use std::sync::{Mutex, PoisonError};

use model_matrix::{Charge, Exchange, Load, Secrets, Subject, ToolSpec, drift};
use transcript::{Message, TrialError};

use super::BUDGET;
use super::lanes::Place;
use crate::agent::faults::load_error;
use crate::budget::{Meter, Taken};
use crate::redact;
use crate::replay::{self, Failure, Speaker};

/// A subject in one trial.
pub(super) struct Endpoint<'a> {
    pub(super) subject: &'a Subject,
    /// Given away while the endpoint asks for patience.
    pub(super) place: &'a Place,
    pub(super) tools: &'a [ToolSpec],
    pub(super) trial: &'a str,
    pub(super) secrets: &'a Secrets,
    pub(super) meter: &'a Meter,
    pub(super) charge: &'a Charge,
    pub(super) load: &'a Mutex<Option<Load>>,
}

impl Endpoint<'_> {
    /// Refuses to send a request without the charter, or with more than it: its reply would prove nothing.
    fn check(&self, body: &[u8]) -> Result<(), TrialError> {
        let load = self.charge.look(body);
        *self.load.lock().unwrap_or_else(PoisonError::into_inner) = Some(load);
        load_error(load, "the system message").map_or(Ok(()), Err)
    }

    /// Asks for a reply, for no longer than the budget allows.
    async fn ask(&self, exchange: &Exchange<'_>) -> Result<model_matrix::Reply, Failure> {
        let given_up = |why: &str| {
            Failure::from(TrialError {
                kind: BUDGET.to_owned(),
                message: format!("given up on the way, because far more than the budget is used up: {why}"),
            })
        };
        if let Some(why) = self.meter.overdrawn() {
            return Err(given_up(&why));
        }
        let body = self.subject.body(exchange).map_err(TrialError::from)?;
        self.check(&body)?;
        let asked = self.subject.send(exchange, body, self.place);
        let answer = match self.meter.deadline() {
            Some(deadline) => tokio::time::timeout_at(deadline, asked)
                .await
                .map_err(|_| given_up(&self.meter.overdrawn().unwrap_or_default()))?,
            None => asked.await,
        };
        let reply =
            answer.map_err(|error| Failure { retries: error.retries, error: TrialError::from(error) })?;
        if !self.subject.model().provider.is_replay() {
            self.meter.add(&self.subject.model().id, &Taken::by_reply(reply.usage));
        }
        Ok(reply)
    }
}

impl Speaker for Endpoint<'_> {
    async fn reply(&mut self, messages: &[Message], turn: usize) -> Result<replay::Reply, Failure> {
        let exchange = Exchange { messages, tools: self.tools, trial: self.trial, turn };
        let reply = self.ask(&exchange).await?;
        Ok(replay::Reply {
            fault: drift::fault(self.subject.model(), &reply.served),
            message: redact::message(reply.message, self.secrets),
            stop: reply.stop,
            usage: reply.usage,
            served: reply.served,
            retries: reply.retries,
        })
    }
}
