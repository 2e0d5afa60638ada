//! Counts executions, so that observers can see the progress of a search and a limit holds exactly.
//!
//! Workers share one counter. Without a limit they add to it from time to time; with one, each execution is counted
//! before an observer sees it, so no number of workers explores more than the limit.

use crate::{Config, Control};

/// How many executions a worker counts before it publishes them.
const BATCH: u64 = 256;

/// The executions of one worker that the others do not know of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    unreported: u64,
}

impl Tally {
    /// Counts one more execution. Returns `false` if that exceeds the limit: then it does not count, and the search
    /// is over.
    pub fn admit(&mut self, config: &Config, control: &Control) -> bool {
        if let Some(most) = config.max_executions {
            return control.admit(most);
        }
        self.unreported += 1;
        if self.unreported >= BATCH {
            self.flush(control);
        }
        true
    }

    /// Publishes all executions counted so far.
    pub fn flush(&mut self, control: &Control) {
        control.count(std::mem::take(&mut self.unreported));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn workers_together_are_admitted_exactly_as_often_as_asked_for() {
        let (control, admitted) = (Control::default(), AtomicU64::new(0));
        let config = Config { max_executions: Some(1000), ..Config::default() };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut tally = Tally::default();
                    while tally.admit(&config, &control) {
                        admitted.fetch_add(1, Relaxed);
                    }
                });
            }
        });
        assert_eq!((admitted.load(Relaxed), control.executions()), (1000, 1000));
        assert!(control.is_stopped());
    }

    #[test]
    fn without_a_limit_the_counter_is_right_after_a_flush() {
        let (control, config) = (Control::default(), Config::default());
        let mut tally = Tally::default();
        (0..1000).for_each(|_| assert!(tally.admit(&config, &control)));
        tally.flush(&control);
        assert_eq!(control.executions(), 1000);
    }
}
