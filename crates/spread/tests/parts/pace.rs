//! How long parts are.

use atropos_spread::cluster::Pace;
use std::time::Duration;

#[test]
fn parts_are_short_while_workers_wait_and_long_enough_for_the_server() {
    let plan = |seconds, n_workers, n_open| {
        let (time, n_shed) = Pace { elapsed: Duration::from_secs(seconds), n_workers }.plan(n_open);
        (time.as_millis(), n_shed)
    };
    assert_eq!(plan(0, 0, 1), (10, 8), "no worker is there yet");
    assert_eq!(plan(600, 16, 1), (10, 8), "fifteen workers wait, however long the search has run");
    assert_eq!(plan(600, 16, 48), (1000, 0));
    assert_eq!(plan(8, 16, 48), (200, 0), "a fortieth of the time");
    assert_eq!(plan(600, 1000, 3000), (4000, 0), "a thousand records in four seconds");
    assert_eq!(plan(600, 1000, 100), (400, 8), "a hundred workers have a part");
}
