//! The figures and tables of the paper [RVF-SMC Fig. 1, Fig. 6, Table 1, Table 2].

use crate::common::all_heuristics;
use crate::common::programs::{
    approxds, figure_1, figure_6, machine, monabsex, pgsql, reorder, singleton, unverif,
};
use atropos_event::Refusal;
use atropos_explore::rvf::{Heuristics, Rvf};
use atropos_explore::{Co, Config, Control, Execution, Observer, Report, Rf, Trust, search};
use atropos_model::Sc;

struct Nothing;

impl Observer for Nothing {
    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        panic!("{report:?}");
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("{refusal:?}");
    }
}

/// The number of complete traces.
fn rvf(program: &str, heuristics: Heuristics) -> u64 {
    let config = Config { detect_races: false, ..Config::default() };
    search(&machine(program), &Rvf { heuristics }, config, &Control::default(), 1, || Nothing)
        .stats
        .executions
}

fn check(program: &str, expected: u64) {
    assert_eq!(rvf(program, Heuristics::default()), expected, "{program}");
}

/// The numbers of executions up to `co` and up to `rf`.
fn trust(program: &str) -> (u64, u64) {
    let (program, config) = (machine(program), Config { detect_races: false, ..Config::default() });
    let (model, control) = (Sc::default(), Control::default());
    let co = search(&program, &Trust::<_, Co>::new(model.clone()), config, &control, 1, || Nothing);
    let rf = search(&program, &Trust::<_, Rf>::new(model.clone()), config, &control, 1, || Nothing);
    (co.stats.executions, rf.stats.executions)
}

#[test]
fn figure_1_has_98_mazurkiewicz_traces_9_reads_from_classes_and_one_of_ours() {
    assert_eq!(trust(&figure_1()), (98, 9));
    check(&figure_1(), 1);
}

#[test]
fn figure_6_has_two_traces_when_r1_comes_first_and_three_classes() {
    assert_eq!(trust(&figure_6(["one", "two"])), (12, 5));
    check(&figure_6(["one", "two"]), 2);
    for order in [["one", "two"], ["two", "one"]] {
        for heuristics in all_heuristics().filter(|heuristics| heuristics.signals) {
            assert!(rvf(&figure_6(order), heuristics) <= 3, "{order:?} with {heuristics:?}");
        }
    }
}

#[test]
fn writes_of_one_value_are_one_trace() {
    check(&monabsex(7), 1);
    check(&monabsex(8), 1);
}

#[test]
fn reorder_has_four_traces_whatever_the_number_of_threads() {
    check(&reorder(3), 4);
    check(&reorder(9), 4);
    check(&reorder(30), 4);
}

#[test]
fn singleton_has_two_traces_whatever_the_number_of_threads() {
    check(&singleton(20), 2);
    check(&singleton(30), 2);
}

#[test]
fn unverif_has_as_many_traces_as_there_are_orders() {
    check(&unverif(3), 36);
    check(&unverif(4), 576);
    check(&unverif(5), 14_400);
}

#[test]
fn waiting_for_a_mutex_makes_no_trace_of_its_own() {
    let blocked = |program: &str, abandon_doomed: bool, heuristics: Heuristics| {
        let config = Config { detect_races: false, abandon_doomed, ..Config::default() };
        search(&machine(program), &Rvf { heuristics }, config, &Control::default(), 1, || Nothing)
            .stats
            .blocked
    };
    let main = "fn main() { store.sc.i32 m, 0; t = spawn work(); u = spawn work(); join t; join u; return }";
    let prepared = unverif(2).replace("threads work(), work()", main);
    for program in [unverif(3), prepared] {
        for heuristics in all_heuristics() {
            assert_eq!(blocked(&program, true, heuristics), 0, "{heuristics:?}: {program}");
        }
        assert!(blocked(&program, false, Heuristics::default()) > 0, "{program}");
    }
}

#[test]
fn pgsql_has_as_many_traces_as_reads_from_classes() {
    check(&pgsql(2), 85);
    check(&pgsql(3), 3906);
}

#[test]
fn approxds_append_has_fewer_traces_than_reads_from_classes() {
    assert_eq!(trust(&approxds(4)), (2460, 580));
    check(&approxds(4), 224);
    check(&approxds(6), 50_897);
}

#[test]
fn an_execution_may_have_thousands_of_reads() {
    let code = "global x: i32
fn work() { i = 8000; again: a = load.sc.i32 x; i = sub.i64 i, 1; if i goto again; return }
fn set() { store.sc.i32 x, 0; return }
threads work(), set()\n";
    check(code, 1);
}
