//! `file_state`: what files hold in the end.

use serde::Deserialize;

use super::{Finding, Test};
use crate::calls::Key;
use crate::calls::workspace::Workspace;
use crate::context::Context;
use crate::expr::{EvalError, Expr};

/// Each of the files was written, and holds one identifier and not another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileState {
    /// The files.
    pub paths: Expr,
    /// An identifier that each must hold.
    pub holds: Option<Expr>,
    /// An identifier that none may hold any more.
    pub lacks: Option<Expr>,
}

impl Test for FileState {
    fn test(&self, cx: &Context<'_>) -> Result<Finding, EvalError> {
        let calls = cx.call_events();
        let key =
            |expr: &Option<Expr>| expr.as_ref().map(|expr| expr.text(&cx.params).map(Key::new)).transpose();
        let (holds, lacks) = (key(&self.holds)?, key(&self.lacks)?);
        let workspace = Workspace::replay(cx.transcript, calls, lacks.as_ref().map(Key::text));
        let mut evidence = Vec::new();
        for path in self.paths.texts(&cx.params)? {
            let path = calls.paths.relative(&path);
            let Some(file) = workspace.file(&path).filter(|file| file.written.is_some()) else {
                return Ok(Finding::fails(format!("{path} was not edited"), evidence));
            };
            if let Some(event) = file.written.and_then(|place| calls.events.get(place.event)) {
                evidence = vec![cx.call_evidence(event.message, event.index)];
            }
            if file.deleted {
                return Ok(Finding::fails(format!("{path} was deleted"), evidence));
            }
            let other = lacks.as_ref().map(Key::text);
            let shown =
                |key: &Key| file.shows(|text| key.is_in(text)) || file.is_listed_for(key.text(), other);
            if let Some(key) = holds.as_ref().filter(|key| !shown(key)) {
                return Ok(Finding::fails(format!("{path} does not hold `{}`", key.text()), evidence));
            }
            if let Some(key) = lacks.as_ref().filter(|key| file.shows(|text| key.is_in(text))) {
                return Ok(Finding::fails(format!("{path} still holds `{}`", key.text()), evidence));
            }
        }
        Ok(Finding::holds("all of them are edited", evidence))
    }
}
