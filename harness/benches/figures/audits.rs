//! Audits of runs with all cases: how long, against what reading and judging the transcripts takes anyway, and whether
//! memory grows with the run.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use transcript::jsonl::{self, Lines};

use crate::measure::{Used, measure};
use crate::{ASSIZE, repository};

/// All figures of audits.
pub fn all(folder: &Path) {
    let clone = folder.join("clone");
    let cloned = Command::new("git")
        .args(["clone", "--quiet", "--no-local", "--depth", "1"])
        .arg(format!("file://{}", repository().display()))
        .arg(&clone)
        .status()
        .unwrap();
    assert!(cloned.success(), "the repository can be cloned");
    let head = Command::new("git").current_dir(&clone).args(["rev-parse", "HEAD"]).output().unwrap().stdout;
    let head = String::from_utf8(head).unwrap();
    let mut before: Option<(usize, f64)> = None;
    for trials in [19, 189] {
        let run = folder.join(format!("run-{trials}"));
        let played =
            assize(&clone, &["run", "--quiet", "--rows", "all", "--trials", &trials.to_string()], &run);
        let (lines, parsed) = parse(&run.join("transcripts.jsonl"));
        told("run", &played, lines);
        let judged = measure(
            Command::new(ASSIZE).args(["check", "--format", "jsonl"]).arg(run.join("transcripts.jsonl")),
        );
        let audited = measure(
            Command::new(ASSIZE).current_dir(&clone).arg("audit").arg(&run).args(["--commit", head.trim()]),
        );
        told("audit", &audited, lines);
        println!(
            "  {:.1} × the CPU time of reading the transcripts, {:.1} × that of reading and judging them",
            audited.cpu / parsed,
            audited.cpu / judged.cpu
        );
        if let Some((fewer, peak)) = before {
            println!(
                "  {:.2} × the memory for {:.1} × the trials (flat is 1.00)",
                audited.peak_mib / peak,
                lines as f64 / fewer as f64
            );
        }
        before = Some((lines, audited.peak_mib));
        told("pack", &assize(&clone, &["pack"], &run), lines);
    }
}

/// A command that ends with the folder of a run, given as what that command wants it as.
fn assize(clone: &Path, arguments: &[&str], run: &Path) -> Used {
    let mut command = Command::new(ASSIZE);
    command.current_dir(clone).args(arguments);
    if arguments[0] == "run" {
        command.arg("--out");
    }
    measure(command.arg(run))
}

/// How many transcripts there are, and the seconds that reading them takes on one core.
fn parse(path: &Path) -> (usize, f64) {
    let start = Instant::now();
    let lines = Lines::new(BufReader::new(File::open(path).unwrap()));
    let mut count = 0;
    for line in lines {
        jsonl::parse(&line.unwrap()).unwrap();
        count += 1;
    }
    (count, start.elapsed().as_secs_f64())
}

fn told(name: &str, used: &Used, lines: usize) {
    println!(
        "{name} of {lines} trials: {:.1} s, {:.0} µs CPU a trial, {:.0} MiB, exit {:?}",
        used.wall.as_secs_f64(),
        used.cpu * 1e6 / lines as f64,
        used.peak_mib,
        used.code
    );
}
