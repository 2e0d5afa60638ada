//! A process that runs one input after the other, and may crash.

use super::corpus::{Corpus, Format};
use super::mutate;
use super::subject::{self, Controls, InputOutcome};
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The time after which a search is stopped, and after which an input counts as a hang.
const ENOUGH: Duration = Duration::from_millis(100);
const HANG: Duration = Duration::from_secs(30);
/// More memory than any input of this size should need, in KiB.
const MOST_MEMORY_KIB: u64 = 3 << 20;

/// The exit statuses of a worker that hangs, and of one that uses too much memory.
pub(crate) const HANGS: i32 = 97;
pub(crate) const SWELLS: i32 = 98;

/// Ends the process with a status.
pub type EndProcess = fn(i32) -> !;

/// For each format, the number of inputs with each result.
pub type Counts = BTreeMap<(Format, InputOutcome), u64>;

/// The current input.
#[derive(Clone)]
struct Current {
    since: Instant,
    controls: Arc<Controls>,
}

/// Runs the inputs of these seeds. Writes each seed to the file `progress` before it starts.
///
/// # Errors
/// If that file cannot be written.
pub fn run(corpus: &Corpus, seeds: Range<u64>, progress: &Path, end: EndProcess) -> std::io::Result<Counts> {
    let progress = File::create(progress)?;
    let current = watched(end);
    let mut counts = Counts::new();
    for seed in seeds {
        progress.write_all_at(&seed.to_le_bytes(), 0)?;
        let Some(input) = mutate::input(corpus, &Format::READ, seed) else { break };
        let controls = Arc::new(Controls::default());
        *current.lock().expect("no thread panics with it") =
            Some(Current { since: Instant::now(), controls: Arc::clone(&controls) });
        let outcome = subject::run(&input, &controls);
        *counts.entry((input.format, outcome)).or_default() += 1;
    }
    Ok(counts)
}

/// The last seed that a worker has written.
pub(crate) fn last_seed(progress: &Path) -> Option<u64> {
    Some(u64::from_le_bytes(std::fs::read(progress).ok()?.try_into().ok()?))
}

/// Runs one input; a bug in Atropos ends the process.
pub fn run_one(input: &mutate::Input, end: EndProcess) {
    let (current, controls) = (watched(end), Arc::new(Controls::default()));
    *current.lock().expect("no thread panics with it") =
        Some(Current { since: Instant::now(), controls: Arc::clone(&controls) });
    subject::run(input, &controls);
}

/// Starts a thread that stops searches, and ends the process if one does not stop.
fn watched(end: EndProcess) -> Arc<Mutex<Option<Current>>> {
    let current: Arc<Mutex<Option<Current>>> = Arc::default();
    let shared = Arc::clone(&current);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let Ok(current) = shared.lock() else { return };
            let Some(Current { since, controls }) = current.clone() else { continue };
            drop(current);
            if since.elapsed() > ENOUGH {
                controls.iter().for_each(atropos_explore::Control::stop);
            }
            if since.elapsed() > HANG {
                end(HANGS);
            }
            if rss_kib() > MOST_MEMORY_KIB {
                end(SWELLS);
            }
        }
    });
    current
}

fn rss_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let now = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    now.and_then(|now| now.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
