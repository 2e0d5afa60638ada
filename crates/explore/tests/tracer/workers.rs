//! The number of workers changes the order in which executions are found, nothing else.

use crate::common::{CONFIG, count_on, explore_on};
use atropos_event::Program;
use atropos_explore::Config;
use atropos_testkit::families::member;
use atropos_testkit::{Ast, Explored, Style, demand_none_fails, lower};

const IMPATIENT: Config = Config { abandon_doomed: true, ..CONFIG };

fn sorted(jobs: usize, program: &dyn Program, config: Config) -> Explored {
    let mut explored = explore_on(jobs, program, config);
    explored.complete.sort_unstable();
    explored.blocked.sort_unstable();
    explored
}

fn differ(program: &Ast) -> bool {
    let vm = atropos_vm::Vm::new(lower(program), atropos_vm::Config::default());
    let vm = vm.expect("a generated program lowers");
    [CONFIG, IMPATIENT].into_iter().any(|config| {
        let (one, four) = (sorted(1, &vm, config), sorted(4, &vm, config));
        one.complete != four.complete || one.blocked != four.blocked || one.violations != four.violations
    })
}

#[test]
fn several_workers_find_the_same_executions_each_once() {
    demand_none_fails(&Style::ALL, 0..60, differ);
}

#[test]
fn several_workers_count_the_same() {
    for (name, n) in [
        ("sigma", 6),
        ("control_flow", 8),
        ("exponential_bug", 2),
        ("casw", 4),
        ("casrot", 6),
        ("indexer", 13),
        ("fib", 3),
    ] {
        let text = member(name, n);
        for config in [CONFIG, IMPATIENT] {
            let one = count_on(1, &text, config);
            for jobs in [2, 3, 8] {
                let many = count_on(jobs, &text, config);
                let counts = [one, many].map(|stats| (stats.executions, stats.blocked));
                assert_eq!(counts[0], counts[1], "{name}({n}) on {jobs} workers");
            }
        }
    }
}
