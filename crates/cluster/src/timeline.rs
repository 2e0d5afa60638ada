//! What the explorers of a worker do, and when: to see where time is lost.

use atropos_spread::cluster::{Entry, Takers, Task, WorkerSide};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// A file with a line for each change: the time in microseconds since 1970, the number of the explorer, and what it does
/// from then on. It waits for a task, explores a part, or sends what became of it.
pub struct Timeline {
    file: Mutex<BufWriter<File>>,
}

impl Timeline {
    /// A timeline in a file, which is created or continued.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(path: &Path) -> io::Result<Timeline> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Timeline { file: Mutex::new(BufWriter::new(file)) })
    }

    fn note(&self, nth: usize, what: &str) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mut file = self.file.lock().expect("nothing panics while it holds the lock");
        // The search matters more than its timeline. The process ends while explorers wait or explore.
        let _ = writeln!(file, "{} {nth} {what}", now.as_micros());
        if what == WAITS {
            let _ = file.flush();
        }
    }
}

const WAITS: &str = "waits";

/// A side whose calls are noted, for the explorer with this number.
pub(crate) struct Timed<'a, S> {
    pub side: S,
    pub timeline: Option<(&'a Timeline, usize)>,
}

impl<S> Timed<'_, S> {
    fn note(&self, what: &str) {
        if let Some((timeline, nth)) = self.timeline {
            timeline.note(nth, what);
        }
    }
}

impl<S: WorkerSide> WorkerSide for Timed<'_, S> {
    type Lease = S::Lease;

    fn next_task(&mut self) -> io::Result<Option<(Task, S::Lease)>> {
        self.note(WAITS);
        let task = self.side.next_task();
        if let Ok(Some(_)) = &task {
            self.note("explores");
        }
        task
    }

    fn takers(&self) -> Arc<dyn Takers> {
        self.side.takers()
    }

    fn finish(&mut self, lease: S::Lease, entry: &Entry) -> io::Result<()> {
        self.note("sends");
        self.side.finish(lease, entry)
    }
}
