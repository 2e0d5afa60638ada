//! The search and the re-check agree on which objects are leaked.

use crate::common::{executions, program};
use atropos_explore::unfreed::{Overwriting, leaked};
use atropos_explore::{Co, Rf};
use atropos_model::Rc11;

/// How many objects the executions of a program leak, sorted. Every variable outlives all threads.
fn leaks(text: &str) -> (Vec<usize>, Vec<usize>) {
    let program = program(text);
    let count = |witnesses: Vec<atropos_report::Witness>, overwriting| {
        let is_root = |addr: atropos_event::Addr| {
            let allocs = witnesses[0].graph.events().iter().filter_map(|event| match event.label {
                atropos_event::Label::Alloc { addr, .. } => Some(addr),
                _ => None,
            });
            allocs.into_iter().all(|object| !(object.0..object.0 + 64).contains(&addr.0))
        };
        let mut counts: Vec<usize> =
            witnesses.iter().map(|witness| leaked(&witness.graph, overwriting, is_root).len()).collect();
        counts.sort_unstable();
        counts
    };
    (
        count(executions::<_, Co>(&program, &Rc11::default()), Overwriting::Coherence),
        count(executions::<_, Rf>(&program, &Rc11::default()), Overwriting::HappensBefore),
    )
}

#[test]
fn an_object_is_leaked_if_nothing_leads_to_it() {
    assert_eq!(leaks("spawn 1; join 1 || r0 := new"), (vec![1], vec![1]));
    assert_eq!(leaks("spawn 1; join 1 || r0 := new; free r0"), (vec![0], vec![0]));
    assert_eq!(leaks("spawn 1; join 1 || r0 := new; p := r0 + 0 rlx"), (vec![0], vec![0]));
}

/// Up to `rf`, an update still comes right after its source.
#[test]
fn an_update_overwrites_the_pointer_that_it_reads() {
    let text = "spawn 1; spawn 2; join 1; join 2 || r0 := new; p := r0 + 0 rlx || r0 := and p 0 rlx rlx";
    assert_eq!(leaks(text), (vec![0, 1], vec![0, 1]));
}
