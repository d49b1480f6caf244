//! What a child used: time, CPU time, memory.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Kernel clock ticks a second, as /proc counts CPU time on all Linux platforms in use.
const TICKS: f64 = 100.0;

/// What a finished child used.
pub struct Used {
    pub wall: Duration,
    pub cpu: f64,
    pub peak_mib: f64,
    pub code: Option<i32>,
}

/// Runs a command to its end and watches it in /proc.
pub fn measure(command: &mut Command) -> Used {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut cpu, mut peak) = (0.0, 0.0);
    let status = loop {
        if let Some(now) = cpu_seconds(&child) {
            cpu = now;
        }
        if let Some(now) = peak_mib(&child) {
            peak = now;
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Used { wall: start.elapsed(), cpu, peak_mib: peak, code: status.code() }
}

fn cpu_seconds(child: &Child) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

fn peak_mib(child: &Child) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}
