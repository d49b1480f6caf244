//! A process and all that came of it. A program can leave its process group, but not its parents: the launcher takes in
//! every orphan below it, so walking down from the launcher finds whatever is still there.

use std::time::Duration;

/// How often those that are left are looked for while they are ended.
const ROUNDS: usize = 200;
/// How long they have between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// The processes below `root` that still run.
#[cfg(target_os = "linux")]
#[must_use]
pub fn below(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = running();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
        next += 1;
    }
    found.remove(0);
    found
}

/// Elsewhere, families cannot be followed: the process group has to do.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn below(_root: u32) -> Vec<u32> {
    Vec::new()
}

/// Every process that runs, with its parent.
#[cfg(target_os = "linux")]
fn running() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        (state != "Z" && state != "X").then_some((pid, parent))
    })
    .collect()
}

/// Ends every process below `root` and says how many there were. `root` itself goes on.
#[cfg(unix)]
pub fn end_below(root: u32) -> usize {
    let mut ended = std::collections::BTreeSet::new();
    for _ in 0..ROUNDS {
        let left = below(root);
        if left.is_empty() {
            break;
        }
        for process in left {
            ended.insert(process);
            kill(process);
        }
        std::thread::sleep(PAUSE);
    }
    ended.len()
}

/// Ends one process.
#[cfg(unix)]
pub fn kill(process: u32) {
    let pid = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // It may be gone already.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn children_of_children_are_found() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 30 & sleep 30"]).spawn().unwrap();
        let mut found = Vec::new();
        for _ in 0..500 {
            found = below(child.id());
            if found.len() == 2 {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(below(std::process::id()).contains(&found[1]));
        assert_eq!(end_below(child.id()), 2);
        child.wait().unwrap();
        assert_eq!(below(child.id()), Vec::<u32>::new());
    }
}
