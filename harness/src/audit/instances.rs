//! Instances of cases, made once each and shared by all threads that play trials again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use reports::Cell;
use tokio::runtime::{Builder, Runtime};

use crate::instance::Playable;
use crate::sitting::material::Material;

/// A case, a variant and a row: the model makes no difference.
type Key = (String, Option<String>, usize);

/// The instances made so far.
#[derive(Debug, Default)]
pub(super) struct Instances(Mutex<HashMap<Key, Option<Arc<Playable>>>>);

impl Instances {
    /// The instance of `cell`; `None` when the inputs do not make one.
    pub(super) fn get(&self, material: &Material, cell: &Cell) -> Option<Arc<Playable>> {
        let key = (cell.case.clone(), cell.variant.clone(), cell.row);
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(key).or_insert_with(|| Playable::new(material, cell).ok().map(Arc::new)).clone()
    }
}

/// Waits for `future` on this thread. Nothing here waits for the outside, so a runtime without drivers is enough.
pub(super) fn block_on<F: Future>(future: F) -> Option<F::Output> {
    thread_local! {
        static RUNTIME: Option<Runtime> = Builder::new_current_thread().build().ok();
    }
    RUNTIME.with(|runtime| Some(runtime.as_ref()?.block_on(future)))
}
