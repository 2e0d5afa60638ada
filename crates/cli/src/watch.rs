//! A thread that watches a check: it draws the progress line, and handles limits and Ctrl-C.
//!
//! At a limit it asks the check to stop. A check that stops in time reports as usual; otherwise the watcher reports
//! what is known and ends the process. So limits hold whatever the check is doing: compiling, exploring one execution
//! of a million events, checking a violation again, or drawing it.

use crate::options::Limits;
use crate::{interrupt, resources};
use atropos_explore::Control;
use atropos_llvm::compile::Job;
use atropos_report::Limit;
use atropos_report::human::{grouped, seconds};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The interval between looks. Memory can grow by a gigabyte per second, and its limit is kept within a tenth.
const TICK: Duration = Duration::from_millis(5);
/// The interval between changes of the progress line.
const REDRAW: Duration = Duration::from_millis(200);

/// The time after a limit when the check must skip slow parts, and when it is abandoned.
const HURRY: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_millis(600);

/// The limits.
#[derive(Debug)]
pub struct Watch {
    started: Instant,
    limits: Limits,
    progress: Progress,
    limit: OnceLock<Limit>,
    is_late: AtomicBool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Hidden,
    /// Standard error is a terminal.
    Shown,
}

/// What the watcher can stop: the compiler and the workers of the search.
#[derive(Default)]
pub struct Work {
    pub compiler: Job,
    pub control: Control,
}

impl Watch {
    pub fn new(limits: Limits, progress: Progress) -> Self {
        let started = Instant::now();
        let (limit, is_late) = (OnceLock::new(), AtomicBool::new(false));
        Watch { started, limits, progress, limit, is_late }
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The limit that was hit, if any.
    pub fn limit(&self) -> Option<Limit> {
        self.limit.get().copied()
    }

    /// Whether the check must skip slow parts now.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Relaxed)
    }

    /// Runs `check`. If it does not stop soon after a limit, `abandon` reports what is known and ends the process.
    /// `abandon` returns if the check is already writing its report.
    pub fn over<T>(&self, work: &Work, check: impl FnOnce() -> T, abandon: impl FnOnce(Limit) + Send) -> T {
        let (is_running, has_ended) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || self.stand_by(work, &has_ended, abandon));
            let result = check();
            drop(is_running);
            result
        })
    }

    fn stand_by(&self, work: &Work, has_ended: &Receiver<()>, abandon: impl FnOnce(Limit)) {
        let mut line = ProgressLine { watch: self, drawn: None };
        let mut stopped: Option<Instant> = None;
        while has_ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let Some(limit) = self.limit() else {
                line.draw(work.control.executions(), work.control.inherited());
                if let Some(limit) = self.limit_hit(work) {
                    self.limit.set(limit).expect("set here only");
                    stopped = Some(Instant::now());
                    line.clear();
                    work.control.stop();
                    // The result of the compiler is no longer needed.
                    work.compiler.cancel(resources::kill_group);
                }
                continue;
            };
            let waited = stopped.map_or(Duration::ZERO, |since| since.elapsed());
            let is_pressing = matches!(limit, Limit::MemoryMib(most) if memory_mib(work) > most + most / 20);
            if waited > HURRY || is_pressing {
                self.is_late.store(true, Relaxed);
            }
            if waited > PATIENCE || is_pressing {
                abandon(limit);
                return;
            }
        }
        line.clear();
    }

    fn limit_hit(&self, work: &Work) -> Option<Limit> {
        if interrupt::is_interrupted() {
            return Some(Limit::Interrupt);
        }
        if let Some(timeout) = self.limits.timeout
            && self.started.elapsed() >= timeout
        {
            return Some(Limit::Time(timeout));
        }
        let most = self.limits.memory_mib?;
        (memory_mib(work) >= most).then_some(Limit::MemoryMib(most))
    }
}

/// The present memory of this process and the compilers.
fn memory_mib(work: &Work) -> u64 {
    let compilers = work.compiler.running().into_iter();
    let of_compilers: u64 = compilers.filter_map(|pid| resources::rss_mib(&pid.to_string())).sum();
    resources::rss_mib("self").unwrap_or(0) + of_compilers
}

/// The line at the bottom of the terminal.
struct ProgressLine<'a> {
    watch: &'a Watch,
    drawn: Option<Instant>,
}

impl ProgressLine<'_> {
    fn draw(&mut self, executions: u64, inherited: u64) {
        let elapsed = self.watch.elapsed();
        let is_due = self.drawn.map_or(elapsed, |drawn| drawn.elapsed()) >= REDRAW;
        if self.watch.progress == Progress::Hidden || !is_due {
            return;
        }
        let rate = executions.saturating_sub(inherited) as f64 / elapsed.as_secs_f64().max(0.001);
        let (executions, rate) = (grouped(executions), grouped(rate as u64));
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[K{executions} executions, {rate} per second, {}",
            seconds(elapsed)
        );
        self.drawn = Some(Instant::now());
    }

    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
