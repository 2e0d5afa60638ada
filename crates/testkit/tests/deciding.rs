//! The programs that decide open questions [ALGORITHMS §B, §D, §K].

use atropos_cat::Model;
use atropos_event::{Mapping, Replayed, ViolationKind};
use atropos_graph::Canonical;
use atropos_testkit::Ast;
use atropos_testkit::oracle::{Enumeration, EnumerationConfig, enumerate, rf_projection};
use std::collections::BTreeSet;

/// The executions of parallel threads.
fn parallel(threads: &str, model: &str, mapping: Mapping) -> Enumeration {
    run(Ast::parallel(threads.parse::<Ast>().unwrap().threads), model, mapping)
}

fn run(ast: Ast, model: &str, mapping: Mapping) -> Enumeration {
    let config = EnumerationConfig { mapping, ..EnumerationConfig::default() };
    enumerate(&Replayed(ast), &Model::builtin(model).unwrap(), config).unwrap()
}

fn n_complete(threads: &str, model: &str, mapping: Mapping) -> usize {
    parallel(threads, model, mapping).complete.len()
}

#[test]
fn a_sequentially_consistent_store_is_a_barrier_of_tso_when_compiled() {
    let threads = "x := 1 sc; r0 := y || y := 1 sc; r0 := x";
    assert_eq!(n_complete(threads, "tso", Mapping::Compiled), 3);
    assert_eq!(n_complete(threads, "tso", Mapping::Raw), 4);
}

#[test]
fn a_failed_cas_is_a_barrier_of_tso() {
    let threads = "x := 1; r1 := cas z 9 1; r0 := y || y := 1; fence sc; r0 := x";
    assert_eq!(n_complete(threads, "tso", Mapping::Compiled), 3);
    let without = "x := 1; r1 := z; r0 := y || y := 1; fence sc; r0 := x";
    assert_eq!(n_complete(without, "tso", Mapping::Compiled), 4);
}

#[test]
fn weak_fences_are_barriers_in_the_raw_mapping_only() {
    let threads = "x := 1; fence acq; r0 := y || y := 1; fence acq; r0 := x";
    assert_eq!(n_complete(threads, "tso", Mapping::Compiled), 4);
    assert_eq!(n_complete(threads, "tso", Mapping::Raw), 3);
}

#[test]
fn release_stores_keep_message_passing_intact_under_pso_when_compiled() {
    let threads = "x := 1; y := 1 rel || r0 := y acq; r1 := x";
    assert_eq!(n_complete(threads, "pso", Mapping::Compiled), 3);
    assert_eq!(n_complete(threads, "pso", Mapping::Raw), 4);
    let fenced = "x := 1; fence rel; y := 1 || r0 := y acq; r1 := x";
    assert_eq!(n_complete(fenced, "pso", Mapping::Compiled), 3);
}

#[test]
fn a_store_to_a_part_is_no_barrier_of_tso_unless_it_is_sequentially_consistent() {
    let threads = "x.b0 := 1; r0 := y || y := 1; fence sc; r0 := x";
    assert_eq!(n_complete(threads, "tso", Mapping::Compiled), 4);
    assert_eq!(n_complete(&threads.replace(":= 1;", ":= 1 sc;"), "tso", Mapping::Compiled), 3);
    assert_eq!(n_complete(&threads.replace("x.b0 := 1", "r1 := xchg x.b0 1"), "tso", Mapping::Compiled), 3);
}

/// Each thread reads its other variable before its own store is in memory, whatever that is merged with later.
#[test]
fn a_store_to_a_part_merges_when_it_leaves_its_buffer() {
    let threads = "x.b0 := 1; r0 := y || y := 1; fence sc; x.hi := 1";
    let is_late = |execution: &Canonical| {
        let merges_last = execution.co.iter().any(|(_, writes)| {
            writes.len() == 2
                && execution.event(writes[1]).value == 0x1_0001
                && writes[1].thread().index() == 1
        });
        let loads = execution.events().filter(|(_, event)| event.label.is_read() && !event.label.is_merge());
        merges_last && loads.into_iter().all(|(_, event)| event.value == 0)
    };
    let n_late = |model: &str| {
        parallel(threads, model, Mapping::Compiled)
            .complete
            .iter()
            .filter(|execution| is_late(execution))
            .count()
    };
    assert_eq!(["sc", "tso", "pso"].map(n_late), [0, 1, 1]);
}

#[test]
fn parts_that_do_not_overlap_do_not_race() {
    let races = |threads: &str| {
        parallel(threads, "rc11", Mapping::Compiled).violations().contains(&ViolationKind::Race)
    };
    assert!(!races("x.b0 := 1 na || x.b1 := 1 na; r0 := x.hi na"));
    assert!(races("x.b0 := 1 na || x.lo := 1 na"));
    assert!(races("x.b0 := 1 || r0 := x na"));
    assert!(!races("x.b0 := 1 na || x.hi := 1"));
}

/// A released part is acquired, although another part has been stored to since.
#[test]
fn merging_stores_continue_release_sequences_and_synchronise_with_nothing() {
    let threads = "y := 1 na; x.b0 := 1 rel || x.hi := 1 || r0 := x.b0 acq; if r0 == 1 { r1 := y na }";
    assert!(parallel(threads, "rc11", Mapping::Compiled).violations().is_empty());
    let threads = "y := 1 na; x.b0 := 1 rel || r0 := x.b0; x.hi := 1; if r0 == 1 { r1 := y na }";
    assert!(!parallel(threads, "rc11", Mapping::Compiled).violations().is_empty());
}

/// The values read in the order of threads and events.
fn values_read(execution: &Canonical) -> Vec<u64> {
    let reads = execution.events().filter(|(_, event)| event.label.is_read());
    reads.map(|(_, event)| event.value).collect()
}

#[test]
fn later_stores_of_the_thread_end_a_release_sequence_in_cpp20() {
    let threads = "y := 1 rlx; x := 1 rel; x := 2 rlx || r0 := x acq; r1 := y rlx";
    let is_stale = |model: &str| {
        let found = parallel(threads, model, Mapping::Compiled);
        found.complete.iter().any(|execution| values_read(execution) == [2, 0])
    };
    assert!(is_stale("rc11"));
    assert!(!is_stale("rc11-c11"));
}

#[test]
fn a_spawn_is_no_release_fence_under_rc11() {
    let ast: Ast = "spawn 1; x := 1 rlx; spawn 2; y := 1 rlx || r0 := y acq; r1 := x rlx ||".parse().unwrap();
    assert_eq!(run(ast, "rc11", Mapping::Compiled).complete.len(), 4);
}

#[test]
fn weak_rc11_accepts_incoherent_reads() {
    let corr2 = "x := 1 || x := 2 || r0 := x; r1 := x || r0 := x; r1 := x";
    let count = |threads: &str, model: &str| {
        rf_projection(&parallel(threads, model, Mapping::Compiled).complete).len()
    };
    assert_eq!((count(corr2, "rc11"), count(corr2, "wrc11")), (47, 49));
    let casw = "r0 := cas x 0 1; x := 4 || r0 := cas x 0 2; x := 5 || r0 := cas x 0 3; x := 6";
    assert_eq!(count(casw, "wrc11"), 24);
}

#[test]
fn blocked_and_failed_executions_are_kept_apart() {
    let found = parallel("r0 := x; assume r0 == 1 || x := 1", "rc11", Mapping::Compiled);
    assert_eq!((found.complete.len(), found.blocked.len(), found.failed.len()), (1, 1, 0));
    let found = parallel("r0 := x; assert r0 == 1 || x := 1", "rc11", Mapping::Compiled);
    assert_eq!((found.complete.len(), found.blocked.len(), found.failed.len()), (1, 1, 1));
    assert_eq!(found.violations(), BTreeSet::from([ViolationKind::Assertion]));
}

#[test]
fn races_are_violations() {
    let race = parallel("x := 1 na || r0 := x na", "rc11", Mapping::Compiled);
    assert_eq!(race.violations(), BTreeSet::from([ViolationKind::Race]));
    let locked = parallel("lock m { x := 1 na } || lock m { r0 := x na }", "rc11", Mapping::Compiled);
    assert_eq!(locked.violations(), BTreeSet::new());
    assert_eq!((locked.complete.len(), locked.blocked.len()), (2, 2));
}
