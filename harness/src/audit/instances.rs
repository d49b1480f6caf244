//! Instances of cases, made once each and shared by all threads that play trials again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use model_matrix::Model;
use reports::Cell;
use tokio::runtime::{Builder, Runtime};

use crate::instance::Playable;
use crate::replay::PlayStep;
use crate::sitting::material::Material;
use crate::sitting::playing;

/// What all trials of a cell are played again from.
#[derive(Debug)]
pub(super) struct Instance {
    pub playable: Playable,
    /// What is played, with the placeholder for the charter.
    pub steps: Vec<PlayStep>,
}

/// The instances made so far.
#[derive(Debug, Default)]
pub(super) struct Instances(Mutex<HashMap<Cell, Option<Arc<Instance>>>>);

impl Instances {
    /// The instance of `cell`, which is one of `model`; `None` when the inputs do not make one.
    pub(super) fn get(&self, material: &Material, cell: &Cell, model: &Model) -> Option<Arc<Instance>> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.get(cell) {
            return known.clone();
        }
        let instance = Playable::new(material, cell).ok().map(|playable| {
            let mut steps = playing::steps(&material.charter.runtime, &playable, model);
            playing::hide_charter_in(&mut steps);
            Arc::new(Instance { playable, steps })
        });
        made.insert(cell.clone(), instance.clone());
        instance
    }
}

/// Waits for `future` on this thread. Nothing here waits for the outside, so a runtime without drivers is enough.
pub(super) fn block_on<F: Future>(future: F) -> Option<F::Output> {
    thread_local! {
        static RUNTIME: Option<Runtime> = Builder::new_current_thread().build().ok();
    }
    RUNTIME.with(|runtime| Some(runtime.as_ref()?.block_on(future)))
}
