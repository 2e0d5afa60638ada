//! A thread that watches a check: it draws the progress line, and handles limits and Ctrl-C.
//!
//! At a limit it asks the check to stop. A check that stops in time reports as usual; otherwise the watcher reports
//! what is known and ends the process. So limits hold whatever the check is doing: compiling, exploring one execution
//! of a million events, checking a violation again, or drawing it.

use crate::options::Limits;
use crate::{interrupt, resources};
use atropos_check::SurveyProgress;
use atropos_explore::Control;
use atropos_llvm::compile::Job;
use atropos_report::human::{grouped, seconds};
use atropos_report::survey::estimate_words;
use atropos_report::{Estimate, Limit};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
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

/// What the watcher can stop, the compiler and the workers of the search, and how large the search is.
#[derive(Default)]
pub struct Work {
    pub compiler: Job,
    pub survey: SurveyProgress,
    /// Those of all searches, one after the other, and which of them is the present one.
    controls: [Control; MOST_SEARCHES],
    current: AtomicUsize,
}

/// The number of searches that may follow each other: see [`atropos_check::auto`].
const MOST_SEARCHES: usize = 4;

impl Work {
    /// That of the present search.
    pub fn control(&self) -> &Control {
        &self.controls[self.current.load(Relaxed)]
    }

    /// Makes another search the present one.
    pub fn next_search(&self) -> &Control {
        self.current.fetch_add(1, Relaxed);
        self.control()
    }

    /// Stops all searches, those that have not begun, too.
    fn stop(&self) {
        self.controls.iter().for_each(Control::stop);
        // The result of the compiler is no longer needed.
        self.compiler.cancel(resources::kill_group);
    }
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

    /// Whether the progress line is shown.
    pub fn is_shown(&self) -> bool {
        self.progress == Progress::Shown
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
                line.draw(work);
                if let Some(limit) = self.limit_hit(work) {
                    self.limit.set(limit).expect("set here only");
                    stopped = Some(Instant::now());
                    line.clear();
                    work.stop();
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
    fn draw(&mut self, work: &Work) {
        let elapsed = self.watch.elapsed();
        let is_due = self.drawn.map_or(elapsed, |drawn| drawn.elapsed()) >= REDRAW;
        if self.watch.progress == Progress::Hidden || !is_due {
            return;
        }
        let (executions, inherited) = (work.control().executions(), work.control().inherited());
        let rate = executions.saturating_sub(inherited) as f64 / elapsed.as_secs_f64().max(0.001);
        let text = progress_text(executions, rate, work.survey.estimate());
        let _ = write!(std::io::stderr(), "\r\x1b[K{text}, {}", seconds(elapsed));
        self.drawn = Some(Instant::now());
    }

    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// What is done, and how much there is if that is known.
pub fn progress_text(executions: u64, rate: f64, estimate: Option<Estimate>) -> String {
    // An estimate that has turned out too low says nothing.
    let estimate = estimate.filter(|estimate| estimate.high > executions as f64);
    let of =
        estimate.map_or("executions".to_string(), |estimate| format!("of {}", estimate_words(&estimate)));
    format!("{} {of}, {} per second", grouped(executions), grouped(rate as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_line_says_how_much_there_is() {
        let estimate =
            Estimate { executions: 40_000.0, low: 30_000.0, high: 50_000.0, ..Estimate::default() };
        let text = |executions| progress_text(executions, 1234.5, Some(estimate));
        assert_eq!(text(5000), "5,000 of about 40,000 executions (30,000 to 50,000), 1,234 per second");
        assert_eq!(text(60_000), "60,000 executions, 1,234 per second");
        assert_eq!(progress_text(7, 0.5, None), "7 executions, 0 per second");
    }
}
