//! A search that other processes have brought to its end.

use atropos_explore::{Budget, Ledger, Record, Resumed};
use std::time::Duration;

/// What they have come to. At most the part is left that shows why the program cannot be checked.
#[derive(Clone, Debug)]
pub struct Ended {
    resumed: Resumed,
}

impl Ended {
    pub fn new(resumed: Resumed) -> Ended {
        Ended { resumed }
    }
}

impl Ledger for Ended {
    fn budget(&self) -> Budget {
        let time = Duration::from_secs(24 * 3600);
        Budget { time, executions: u64::MAX, n_shed: 0, is_elsewhere: true }
    }

    fn resume(&self) -> Resumed {
        self.resumed.clone()
    }

    fn start_over(&self, _: &str) {}

    fn record(&self, _: Record) {}
}
