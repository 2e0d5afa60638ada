//! A thread that watches a search: it draws the progress line, and stops the search at a limit or at Ctrl-C.

use crate::exit::Exit;
use crate::{interrupt, resources};
use atropos_explore::Control;
use atropos_report::Limit;
use atropos_report::human::{grouped, seconds};
use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long the watcher sleeps; the progress line changes every fourth time.
const TICK: Duration = Duration::from_millis(50);
const TICKS_PER_LINE: u32 = 4;

/// How long a search that was asked to stop may take to do so. It looks up between executions only, and one may
/// take long, or need more and more memory.
fn grace(limit: Limit) -> Duration {
    match limit {
        Limit::MemoryMib(_) => Duration::from_millis(500),
        Limit::Executions(_) | Limit::Time(_) | Limit::Interrupt => Duration::from_secs(2),
    }
}

/// What to watch for.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    pub started: Instant,
    pub timeout: Option<Duration>,
    pub memory_limit_mib: Option<u64>,
    pub progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Hidden,
    /// On standard error, which is a terminal.
    Shown,
}

impl Watch {
    /// Runs `search`, which `control` can stop, and tells which limit stopped it, if one did. Should it not heed
    /// the request, `abandon` reports what is known, and the process ends.
    pub fn over<T>(
        &self,
        control: &Control,
        search: impl FnOnce() -> T,
        abandon: impl FnOnce(Limit) + Send,
    ) -> (T, Option<Limit>) {
        let (is_running, has_ended) = channel::<()>();
        std::thread::scope(|scope| {
            let watcher = scope.spawn(move || self.stand_by(control, &has_ended, abandon));
            let result = search();
            drop(is_running);
            (result, watcher.join().expect("a panic ends the process"))
        })
    }

    fn stand_by(
        &self,
        control: &Control,
        has_ended: &Receiver<()>,
        abandon: impl FnOnce(Limit),
    ) -> Option<Limit> {
        let mut line = ProgressLine { watch: self, is_drawn: false };
        let mut stopped: Option<(Limit, Instant)> = None;
        for tick in 1u32.. {
            if has_ended.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                break;
            }
            match stopped {
                None => {
                    stopped = self.limit_hit().map(|limit| (limit, Instant::now()));
                    if stopped.is_some() {
                        control.stop();
                    }
                }
                Some((limit, since)) if since.elapsed() > grace(limit) => {
                    line.clear();
                    abandon(limit);
                    Exit::Inconclusive.now();
                }
                Some(_) => {}
            }
            if tick.is_multiple_of(TICKS_PER_LINE) {
                line.draw(control.executions.load(Relaxed));
            }
        }
        line.clear();
        stopped.map(|(limit, _)| limit)
    }

    fn limit_hit(&self) -> Option<Limit> {
        if interrupt::is_interrupted() {
            return Some(Limit::Interrupt);
        }
        if let Some(timeout) = self.timeout
            && self.started.elapsed() >= timeout
        {
            return Some(Limit::Time(timeout));
        }
        let limit = self.memory_limit_mib?;
        (resources::rss_mib()? >= limit).then_some(Limit::MemoryMib(limit))
    }
}

/// The line at the bottom of the terminal that is drawn over and over.
struct ProgressLine<'a> {
    watch: &'a Watch,
    is_drawn: bool,
}

impl ProgressLine<'_> {
    fn draw(&mut self, executions: u64) {
        if self.watch.progress == Progress::Hidden {
            return;
        }
        let elapsed = self.watch.started.elapsed();
        let rate = executions as f64 / elapsed.as_secs_f64().max(0.001);
        let (executions, rate) = (grouped(executions), grouped(rate as u64));
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[K{executions} executions, {rate} per second, {}",
            seconds(elapsed)
        );
        self.is_drawn = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
