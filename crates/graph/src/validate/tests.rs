//! One negative test per rule: a good graph, one thing broken.

use super::*;
use crate::clock::ClockKind;
use crate::sketch::{Sketch, X, Y};
use atropos_event::FenceOrder;

/// Two threads, every kind of label; all rules hold.
fn good() -> Sketch {
    let mut sketch = Sketch::new();
    sketch.alloc(0, 0x100);
    let spawn = sketch.spawn(0, 1);
    let write = sketch.write(0, X, 1);
    sketch.begin(1, spawn);
    sketch.increment(1, X, write);
    sketch.read(1, Y, Slot::INIT);
    sketch.fence(1, FenceOrder::SeqCst);
    let end = sketch.end(1);
    sketch.write_at(0, X, 5, 1);
    sketch.compare_and_swap(0, X, write, 3);
    sketch.join(0, 1, end);
    sketch.free(0, 0x100);
    sketch
}

/// Slots of [`good`].
const SPAWN: usize = 1;
const WRITE: usize = 2;
const BEGIN: usize = 3;
const RMW_READ: usize = 4;
const RMW_WRITE: usize = 5;
const READ_Y: usize = 6;
const FAILED_CAS: usize = 10;
const JOIN: usize = 11;

/// Breaks a good graph and returns the rules that notice.
fn broken_rules(damage: impl FnOnce(&mut Graph)) -> Vec<u32> {
    let mut sketch = good();
    damage(&mut sketch.graph);
    let mut rules: Vec<_> = validate(&sketch.graph).unwrap_err().iter().map(|broken| broken.rule).collect();
    rules.dedup();
    rules
}

#[test]
fn good_graphs_satisfy_all_rules() {
    assert_eq!(validate(&good().graph), Ok(()));
    assert_eq!(validate(&Graph::new(true)), Ok(()));
}

#[test]
fn a_pending_exclusive_read_is_well_formed() {
    let mut sketch = Sketch::new();
    sketch.compare_and_swap(0, X, Slot::INIT, 0);
    assert!(sketch.graph.event(Slot::new(0)).exclusive);
    assert_eq!(validate(&sketch.graph), Ok(()));
}

#[test]
fn rule_1_lists_that_disagree_with_storage() {
    assert_eq!(broken_rules(|graph| graph.threads[0].slots.swap(0, 1)), [1]);
    assert_eq!(broken_rules(|graph| graph.threads[2].slots.push(Slot::new(0))), [1]);
}

#[test]
fn rule_2_a_read_that_claims_another_location() {
    assert_eq!(broken_rules(|graph| graph.events[READ_Y].loc = graph.events[WRITE].loc), [2]);
    assert_eq!(broken_rules(|graph| graph.locations[1].access.addr = X.addr), [2]);
}

#[test]
fn rule_3_a_thread_without_begin_and_one_spawned_twice() {
    assert_eq!(broken_rules(|graph| graph.events[READ_Y].label = Label::Begin)[..], [2, 3, 4]);
    let spawn_main = Label::Spawn { child: ThreadId::MAIN, drains: true };
    assert!(broken_rules(|graph| graph.events[SPAWN].label = spawn_main).contains(&3));
}

#[test]
fn rule_4_sources_that_are_none() {
    assert_eq!(broken_rules(|graph| graph.events[RMW_READ].rf = Slot::new(READ_Y)), [4]);
    assert_eq!(broken_rules(|graph| graph.events[BEGIN].rf = Slot::INIT), [4]);
    assert_eq!(broken_rules(|graph| graph.events[JOIN].rf = Slot::new(SPAWN)), [4]);
    assert_eq!(broken_rules(|graph| graph.events[WRITE].rf = Slot::new(0)), [4]);
}

#[test]
fn rule_5_a_read_of_a_value_that_was_never_written() {
    assert_eq!(broken_rules(|graph| graph.events[FAILED_CAS].value = 9), [5]);
}

#[test]
fn rule_6_coherence_lists_with_gaps_and_wrong_positions() {
    assert_eq!(broken_rules(|graph| graph.locations[0].co.truncate(3)), [6]);
    assert_eq!(broken_rules(|graph| graph.locations[0].co.swap(0, 1)), [6]);
    assert_eq!(broken_rules(|graph| graph.events[WRITE].co = 1), [6]);
}

#[test]
fn rule_7_a_forgotten_reader() {
    assert_eq!(broken_rules(|graph| graph.locations[0].reads.truncate(1)), [7]);
}

#[test]
fn rule_8_exclusive_halves_that_do_not_belong_together() {
    assert_eq!(broken_rules(|graph| graph.events[FAILED_CAS].exclusive = true), [8]);
    assert_eq!(broken_rules(|graph| graph.events[RMW_WRITE].exclusive = false), [8]);
    let set_value = |graph: &mut Graph| {
        let Label::Write { value, .. } = &mut graph.events[RMW_WRITE].label else { panic!("a write") };
        *value = 9;
        graph.events[RMW_WRITE].value = 9;
    };
    assert_eq!(broken_rules(set_value), [8]);
}

#[test]
fn rule_9_a_value_out_of_thin_air() {
    let mut sketch = Sketch::new();
    let read_x = sketch.read(0, X, Slot::INIT);
    let write_y = sketch.write(0, Y, 0);
    let spawn = sketch.spawn(0, 1);
    sketch.begin(1, spawn);
    sketch.read(1, Y, write_y);
    let write_x = sketch.write(1, X, 0);
    assert_eq!(validate(&sketch.graph), Ok(()));
    sketch.graph.events[read_x.index()].rf = write_x;
    let rules: Vec<_> = validate(&sketch.graph).unwrap_err().iter().map(|broken| broken.rule).collect();
    assert_eq!(rules, [9]);
}

#[test]
fn rule_10_a_clock_that_forgets_an_event() {
    assert_eq!(broken_rules(|graph| graph.clocks.get_mut(ClockKind::Porf, Slot::new(RMW_READ))[0] = 0), [10]);
    assert_eq!(broken_rules(|graph| graph.clocks.push(None, graph.event(Slot::new(0)).id)), [10]);
}

#[test]
fn rule_11_a_forgotten_allocation_or_free() {
    assert_eq!(broken_rules(|graph| graph.threads[0].allocs.clear()), [11]);
    assert_eq!(broken_rules(|graph| graph.frees.clear()), [11]);
}

#[test]
fn rule_13_accesses_that_claim_to_know_all_earlier_ones() {
    assert_eq!(broken_rules(|graph| graph.events[FAILED_CAS].is_after_all = true), [13]);
    assert_eq!(broken_rules(|graph| graph.events[FAILED_CAS].follows_all = true), [13]);
    assert_eq!(broken_rules(|graph| graph.events[RMW_WRITE].ends_chain = true), [13]);
}

#[test]
fn broken_rules_are_reported_with_number_and_event() {
    let mut sketch = good();
    sketch.graph.events[FAILED_CAS].value = 9;
    let broken = validate(&sketch.graph).unwrap_err();
    assert_eq!(broken[0].to_string(), "rule 5 at t0.4: has value 9 instead of 1");
}

#[test]
fn allocations_are_listed_by_address() {
    let mut sketch = Sketch::new();
    let slots = [0x300, 0x100, 0x400, 0x200].map(|addr| sketch.alloc(0, addr));
    let listed = |sketch: &Sketch| sketch.graph.thread_allocs(0).to_vec();
    assert_eq!(listed(&sketch), [slots[1], slots[3], slots[0], slots[2]]);
    assert_eq!(validate(&sketch.graph), Ok(()));
    sketch.graph.pop();
    sketch.graph.pop();
    assert_eq!(listed(&sketch), [slots[1], slots[0]]);
    assert_eq!(validate(&sketch.graph), Ok(()));
}
