//! What a trial changed: the part of the evidence that outlives the workspace.

use similar::TextDiff;
use transcript::{Change, FileChange};

use super::Workspace;

/// The time of a minimal diff can grow with the square of the lines. Once the squares of a trial's changes have added up to this, a file's changed
/// middle is shown as one block; a count, not a clock, so that the same changes always give the same bytes.
const MAX_DIFF_WORK: usize = 100_000_000;

impl Workspace {
    /// The files that differ from the base, in byte order of their paths.
    ///
    /// A file that was written back to what it was is no change. Text has a unified diff; a file that is not UTF-8 has neither diff nor content.
    #[must_use]
    pub fn diff(&self) -> Vec<FileChange> {
        let mut changes = Vec::new();
        let mut work = 0;
        for (path, now) in &self.overlay {
            let before = self.base.get(path);
            let change = match (before, now) {
                (Some(before), Some(now)) if before == now => continue,
                (Some(_), Some(_)) => Change::Modified,
                (Some(_), None) => Change::Deleted,
                (None, _) => Change::Created,
            };
            let content = now.as_deref().map(text_of);
            let diff = match (before.map_or(Some(""), |before| text_of(before)), content) {
                (Some(old), None) => Some(unified(path, old, "", change, &mut work)),
                (Some(old), Some(Some(new))) => Some(unified(path, old, new, change, &mut work)),
                _ => None,
            };
            changes.push(FileChange {
                path: path.clone(),
                change,
                content: content.flatten().map(str::to_owned),
                diff,
            });
        }
        changes
    }
}

fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A unified diff with the headers that `git` would write.
fn unified(path: &str, old: &str, new: &str, change: Change, work: &mut usize) -> String {
    let from = if change == Change::Created { "/dev/null".to_owned() } else { format!("a/{path}") };
    let to = if change == Change::Deleted { "/dev/null".to_owned() } else { format!("b/{path}") };
    let square = (old.lines().count() + new.lines().count()).pow(2);
    *work += if change == Change::Modified { square } else { 0 };
    if *work > MAX_DIFF_WORK {
        return coarse(&from, &to, old, new);
    }
    TextDiff::from_lines(old, new).unified_diff().context_radius(3).header(&from, &to).to_string()
}

/// A valid diff that replaces everything between the common head and the common tail.
fn coarse(from: &str, to: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (gone, come) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    // A side without lines is placed after the line before it, as everywhere in this format.
    let start = |lines: &[&str]| if lines.is_empty() { head } else { head + 1 };
    let mut out = format!(
        "--- {from}\n+++ {to}\n@@ -{},{} +{},{} @@\n",
        start(gone),
        gone.len(),
        start(come),
        come.len()
    );
    for (sign, line) in gone.iter().map(|line| ('-', line)).chain(come.iter().map(|line| ('+', line))) {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
    out
}
