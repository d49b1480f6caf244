//! Why a program's trial has no verdict. The names of the kinds are stable and go into transcripts.

use model_matrix::Load;
use model_matrix::matrix::Limits;
use transcript::TrialError;

use super::launcher::End;
use super::room::RoomError;
use super::start::Finished;

/// The error of a trial whose subject did not have the charter, or had more than it.
#[must_use]
pub fn load_error(load: Load, place: &str) -> Option<TrialError> {
    let message = match load {
        Load::Verified => return None,
        Load::Missing => format!(
            "the subject did not have the charter: it stands in {place}, but not whole in what was sent"
        ),
        Load::Leaked => format!(
            "the subject had more than the charter: text from below its marker, via {place}, was in what was sent"
        ),
    };
    Some(error("load", message))
}

/// A program that failed has not answered, whatever it printed.
pub(super) fn exit_fault(finished: &Finished) -> Option<TrialError> {
    let code = finished.code();
    if code == Some(0) {
        return None;
    }
    let how = code
        .map_or_else(|| "was ended by a signal".to_owned(), |code| format!("ended with exit code {code}"));
    let said = finished.stderr.trim();
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    Some(error("agent-error", format!("the program {how}{said}")))
}

/// What ended the program before it was done.
pub(super) fn cut(finished: &Finished, limits: &Limits) -> Option<TrialError> {
    if finished.flooded {
        let message =
            format!("it printed more than {} bytes (limits.max_output_bytes)", limits.max_output_bytes);
        return Some(error("output-limit", message));
    }
    match finished.account.end {
        End::Exited(_) => None,
        End::TimeLimit => {
            let message =
                format!("it took longer than {} s (limits.timeout_s) and was ended", limits.timeout_s);
            Some(error("timeout", message))
        }
        End::ProcessLimit => {
            let message =
                format!("it was more than {} processes (limits.max_processes)", limits.max_processes);
            Some(error("process-limit", message))
        }
        End::Orphaned => Some(error("interrupted", "the harness was ended".to_owned())),
    }
}

pub(super) fn room_error(failed: &RoomError) -> TrialError {
    error("workspace", failed.to_string())
}

/// An error of this kind.
pub(super) fn error(kind: &str, message: String) -> TrialError {
    TrialError { kind: kind.to_owned(), message }
}
