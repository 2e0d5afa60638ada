//! How long a process waits for a server that is not there.

use std::time::{Duration, Instant};

/// How long to wait for a server with an offer, and for one that has gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimes {
    pub first: Duration,
    pub again: Duration,
}

impl WaitTimes {
    /// What is asked for, or else a minute for a server that may not exist, and ten for one that did.
    pub fn new(asked: Option<Duration>) -> WaitTimes {
        let (first, again) = (Duration::from_secs(60), Duration::from_secs(600));
        WaitTimes { first: asked.unwrap_or(first), again: asked.unwrap_or(again) }
    }
}

/// More time than this between two attempts does not count: the machine was suspended, or has had no time for this
/// process.
const MOST_BETWEEN: Duration = Duration::from_secs(15);

/// The time that is left for something to happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    whole: Duration,
    left: Duration,
    looked: Instant,
}

impl Patience {
    pub fn new(whole: Duration) -> Patience {
        Patience { whole, left: whole, looked: Instant::now() }
    }

    /// It has happened, and may be waited for again.
    pub fn renew(&mut self) {
        *self = Patience::new(self.whole);
    }

    /// It has not happened until now. Returns whether no time is left for it.
    pub fn has_ended(&mut self) -> bool {
        let now = Instant::now();
        let between = now.duration_since(std::mem::replace(&mut self.looked, now));
        self.left = self.left.saturating_sub(between.min(MOST_BETWEEN));
        self.left.is_zero()
    }

    /// The time that was waited.
    pub fn waited(&self) -> Duration {
        self.whole - self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_machine_that_was_suspended_does_not_count() {
        let mut patience = Patience::new(Duration::from_secs(60));
        let hour = Duration::from_secs(3600);
        for n_left in (0..4).rev() {
            patience.looked = Instant::now().checked_sub(hour).expect("a machine that is up for an hour");
            assert_eq!(patience.has_ended(), n_left == 0);
        }
        patience.renew();
        assert!(!patience.has_ended());
    }
}
