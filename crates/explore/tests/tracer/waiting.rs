//! What Tracer leaves out where threads wait: complete executions and violations are the same, no execution is
//! visited that the whole search does not have, and none twice. The order of threads makes no difference.
//!
//! `ATROPOS_SEEDS=FROM..TO` chooses the programs.

use crate::common::{CONFIG, count_with, explore_with};
use atropos_event::{Program, Replayed};
use atropos_explore::{Config, ThreadOrder};
use atropos_graph::Canonical;
use atropos_testkit::families;
use atropos_testkit::{Ast, Explored, Style, demand_none_fails, lower};
use std::ops::Range;

const IMPATIENT: Config = Config { abandon_doomed: true, ..CONFIG };
const SHUFFLED: Config = Config { thread_order: ThreadOrder::Shuffled(7), ..CONFIG };
const BOTH: Config = Config { abandon_doomed: true, ..SHUFFLED };

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("ATROPOS_SEEDS") else { return 0..400 };
    let (from, to) = text.split_once("..").expect("FROM..TO");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn sorted(program: &dyn Program, config: Config) -> Explored {
    let mut explored = explore_with(program, config);
    explored.complete.sort_unstable();
    explored.blocked.sort_unstable();
    explored
}

fn differ_on(program: &dyn Program) -> bool {
    let all = sorted(program, CONFIG);
    let is_known = |execution: &Canonical| all.blocked.binary_search(execution).is_ok();
    [SHUFFLED, IMPATIENT, BOTH].into_iter().any(|config| {
        let some = sorted(program, config);
        all.complete != some.complete
            || all.violations != some.violations
            || !some.blocked.iter().all(is_known)
            || !some.blocked.is_sorted_by(|one, two| one < two)
            || (!config.abandon_doomed && all.blocked.len() != some.blocked.len())
    })
}

fn differ(program: &Ast) -> bool {
    let vm = atropos_vm::Vm::new(lower(program), atropos_vm::Config::default());
    differ_on(&vm.expect("a generated program lowers")) || differ_on(&Replayed(program.clone()))
}

#[test]
fn leaving_out_what_can_only_end_blocked_loses_nothing_else() {
    demand_none_fails(&[Style::Locks, Style::Sections, Style::Mixed], seeds(), differ);
}

#[test]
fn waiting_for_a_mutex_makes_no_execution_of_its_own() {
    for (name, n, executions) in [("indexer", 13, 64), ("filesystem", 19, 64)] {
        let stats = count_with(&families::member(name, n), IMPATIENT);
        assert_eq!((stats.executions, stats.blocked), (executions, 0), "{name}({n})");
    }
}
