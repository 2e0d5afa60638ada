//! Witnesses that claim what their execution does not show: waiting that ends, memory that is used correctly, objects
//! that are not leaked. The re-check refuses each of them.

use crate::common::{Program, blocked, context, executions, program, violations};
use atropos_cat::Model;
use atropos_event::{
    Access, Assertion, EndOfLife, EventId, FreeError, Label, Mapping, Memory, Violation, ViolationKind,
};
use atropos_explore::{Co, Rf};
use atropos_model::{Rc11, Sc};
use atropos_report::{Specification, Witness, investigate};

/// Why the re-check refuses a witness of this violation under `rc11`.
fn refusal(program: &impl atropos_event::Program, witness: &Witness, violation: &Violation) -> String {
    let model = Model::builtin("rc11").unwrap();
    let specification = Specification { model: &model, mapping: Mapping::Compiled };
    match investigate(program, witness, violation, context(specification)) {
        Ok(_) => "confirmed".to_string(),
        Err(refusal) => refusal,
    }
}

/// The one complete execution of a program without choices.
fn sole(program: &Program) -> Witness {
    let mut all = executions::<_, Co>(program, &Rc11::default());
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn blame(mut witness: Witness, events: &[EventId]) -> Witness {
    witness.thread = events.last().map(|event| event.thread());
    witness.guilty = events.to_vec();
    witness
}

fn deadlock() -> Violation {
    Violation::Deadlock { waits: Vec::new() }
}

fn non_termination() -> Violation {
    Violation::NonTermination { waits: Vec::new() }
}

/// The events of a program's main thread with such a label.
fn find(witness: &Witness, is_wanted: impl Fn(Label) -> bool) -> Vec<EventId> {
    let events = witness.graph.events().iter();
    events.filter(|event| is_wanted(event.label)).map(|event| event.id).collect()
}

fn is_free(label: Label) -> bool {
    matches!(label, Label::Free { .. })
}

#[test]
fn nothing_waits_where_all_threads_have_ended() {
    let program = program("x := 1 || r0 := x");
    for witness in executions::<_, Co>(&program, &Sc::default()) {
        assert_eq!(refusal(&program, &witness, &deadlock()), "no thread waits");
        assert_eq!(refusal(&program, &witness, &non_termination()), "no thread waits");
    }
}

#[test]
fn a_thread_that_gave_up_does_not_wait() {
    let program = program("r0 := x; assume r0 == 1 || x := 1");
    let witnesses = blocked::<_, Co>(&program, &Sc::default());
    assert!(!witnesses.is_empty());
    for witness in witnesses {
        let refusal = refusal(&program, &witness, &deadlock());
        assert!(refusal.starts_with("a thread does not wait"), "{refusal}");
    }
}

/// The mutex that a thread waits for is released later, so it does not wait forever.
#[test]
fn a_value_that_is_not_the_final_one_is_not_awaited_forever() {
    let program = program("lock m { x := 1 } || lock m { x := 2 }");
    for witnesses in
        [blocked::<_, Co>(&program, &Rc11::default()), blocked::<_, Rf>(&program, &Rc11::default())]
    {
        assert!(!witnesses.is_empty());
        for witness in witnesses {
            let refusal = refusal(&program, &witness, &deadlock());
            assert_ne!(refusal, "confirmed");
        }
    }
}

#[test]
fn one_way_of_waiting_is_not_the_other() {
    let program = program("lock m { lock m { x := 1 } }");
    let found = violations::<_, Co>(&program, &Rc11::default());
    let (report, witness) = found.first().expect("a thread waits for itself");
    assert_eq!(report.violation.kind(), ViolationKind::Deadlock);
    assert_eq!(refusal(&program, witness, &report.violation), "confirmed");
    assert_eq!(refusal(&program, witness, &non_termination()), "the threads wait in another way");
}

#[test]
fn a_violation_that_nothing_shows_is_refused() {
    let program = program("x := 1 na || r0 := x na");
    let (report, witness) = violations::<_, Co>(&program, &Rc11::default()).remove(0);
    assert_eq!(refusal(&program, &witness, &report.violation), "confirmed");
    let mut without = witness.clone();
    (without.thread, without.guilty) = (None, Vec::new());
    assert_eq!(refusal(&program, &without, &report.violation), "nothing shows the violation");
    let last = *witness.guilty.last().unwrap();
    let twice = blame(witness.clone(), &[last, last]);
    assert_eq!(refusal(&program, &twice, &report.violation), "a race is between two events");
    let assertion = Violation::Assertion(Assertion::Message("forged".to_string()));
    assert_eq!(refusal(&program, &witness, &assertion), "no event shows such a violation");
}

#[test]
fn memory_that_is_used_rightly_is_not_misused() {
    let program = program("spawn 1; join 1 || r0 := new; [r0] := 1 na; r1 := [r0] na; free r0");
    let witness = sole(&program);
    let free = find(&witness, is_free)[0];
    let is_access = |label: Label| label.access().is_some();
    let access = find(&witness, is_access)[0];
    let Label::Free { addr: object, .. } = witness.graph.event(witness.graph.slot_of(free)).label else {
        panic!("a deallocation");
    };
    let double = Violation::DoubleFree { object };
    assert_eq!(refusal(&program, &blame(witness.clone(), &[free]), &double), "two deallocations");
    assert_eq!(refusal(&program, &blame(witness.clone(), &[free, free]), &double), "two deallocations");
    let early = Violation::AccessBeforeAllocation { memory: Memory::At { addr: object, size: 4 }, object };
    let refused = refusal(&program, &blame(witness.clone(), &[access]), &early);
    assert_eq!(refused, "the access is to an object that exists");
    let race = Violation::Race { bytes: Access::new(object.0, 4) };
    let accesses = find(&witness, is_access);
    let refused = refusal(&program, &blame(witness.clone(), &accesses[..2]), &race);
    assert_eq!(refused, "the accesses are ordered by happens-before");
    let used =
        Violation::UseAfterFree { memory: Memory::At { addr: object, size: 4 }, end: EndOfLife::Freed };
    let refused = refusal(&program, &blame(witness, &[access, free]), &used);
    assert_eq!(refused, "the access happens before the deallocation");
}

#[test]
fn an_object_that_is_freed_or_reachable_is_not_leaked() {
    let leak = |object| Violation::Leak { object, size: 4 };
    let alloc_of = |witness: &Witness| {
        let alloc = find(witness, |label| matches!(label, Label::Alloc { .. }))[0];
        match witness.graph.event(witness.graph.slot_of(alloc)).label {
            Label::Alloc { addr, .. } => (alloc, addr),
            label => panic!("{label:?}"),
        }
    };
    let freed = program("spawn 1; join 1 || r0 := new; free r0");
    let witness = sole(&freed);
    let (alloc, object) = alloc_of(&witness);
    assert_eq!(refusal(&freed, &blame(witness, &[alloc]), &leak(object)), "the object is freed");
    let kept = program("spawn 1; join 1 || r0 := new; p := r0 + 0 rlx");
    let witness = sole(&kept);
    let (alloc, object) = alloc_of(&witness);
    let forged = blame(witness, &[alloc]);
    assert_eq!(refusal(&kept, &forged, &leak(object)), "something leads to the object");
    let lost = program("spawn 1; join 1 || r0 := new");
    let witness = sole(&lost);
    let (alloc, object) = alloc_of(&witness);
    assert_eq!(refusal(&lost, &blame(witness, &[alloc]), &leak(object)), "confirmed");
}

#[test]
fn two_reads_do_not_race() {
    let program = program("x := 1 na; r0 := x na; r1 := x na");
    let witness = sole(&program);
    let reads = find(&witness, |label| matches!(label, Label::Read { .. }));
    let race = Violation::Race { bytes: Access::new(0x1000, 8) };
    assert_eq!(refusal(&program, &blame(witness, &reads[..2]), &race), "neither access writes");
}

#[test]
fn an_object_that_exists_may_be_freed() {
    let program = program("spawn 1; join 1 || r0 := new; free r0");
    let witness = sole(&program);
    let free = find(&witness, is_free)[0];
    let Label::Free { addr, .. } = witness.graph.event(witness.graph.slot_of(free)).label else {
        panic!("a deallocation");
    };
    let object = Memory::At { addr, size: 0 };
    let invalid = Violation::InvalidFree { object, reason: FreeError::NotAllocated };
    let refused = refusal(&program, &blame(witness, &[free]), &invalid);
    assert_eq!(refused, "the object exists when it is freed");
}

#[test]
fn a_thread_that_fails_in_another_way_is_refused() {
    let program = program("r0 := x; assert r0 == 1");
    let (report, witness) = violations::<_, Co>(&program, &Rc11::default()).remove(0);
    assert_eq!(refusal(&program, &witness, &report.violation), "confirmed");
    let forged = Violation::Assertion(Assertion::Message("forged".to_string()));
    let refused = refusal(&program, &witness, &forged);
    assert!(refused.starts_with("the thread fails with"), "{refused}");
}

#[test]
fn threads_do_not_wait_forever_for_two_values_of_one_mutex() {
    let program = program("lock m { x := 1 } || lock m { x := 2 } || lock m { x := 3 } || lock m { x := 4 }");
    let refusals: Vec<String> = blocked::<_, Rf>(&program, &Rc11::default())
        .iter()
        .map(|witness| refusal(&program, witness, &deadlock()))
        .collect();
    let expected = "two threads wait for different last values of one location";
    assert!(refusals.iter().any(|refusal| refusal == expected), "{refusals:?}");
}

#[test]
fn a_value_that_no_write_has_stored_is_refused() {
    let program = program("x := 1 || r0 := x; assert r0 == 0");
    let (report, mut witness) = violations::<_, Co>(&program, &Rc11::default()).remove(0);
    let reads = find(&witness, |label| matches!(label, Label::Read { .. }));
    let read = witness.graph.slot_of(reads[0]);
    let source = witness.graph.event(read).rf;
    witness.graph.set_rf(read, source, 7);
    let refused = refusal(&program, &witness, &report.violation);
    assert!(refused.ends_with("value 1 instead of 7"), "{refused}");
}

/// Each reads what the other has written back: the last of these writes is the final one.
#[test]
fn threads_that_spin_by_updates_wait_forever() {
    let source = "global x: i32
        fn spinner() { head: old = rmw.xchg.acq.i32 x, 1; if old goto head }
        fn main() { store.i32 x, 1; a = spawn spinner(); b = spawn spinner(); join a; join b }";
    let module = atropos_vm::text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}"));
    let vm = atropos_vm::Vm::new(module, atropos_vm::Config::default()).expect("a well-formed program");
    let found = violations::<_, Co>(&vm, &Rc11::default());
    assert!(!found.is_empty());
    for (report, witness) in found {
        assert_eq!(report.violation.kind(), ViolationKind::NonTermination);
        assert_eq!(refusal(&vm, &witness, &report.violation), "confirmed");
    }
}
