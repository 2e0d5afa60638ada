//! The classic litmus shapes: for each, the models that allow the interesting execution.

mod common;

use atropos_cat::{BUILTIN_MODELS, Consistency, Edge, Model, Witness};
use common::execution;

/// Asserts that exactly the listed models accept the execution.
#[track_caller]
fn check(text: &str, allowed_by: &str) {
    let structure = execution(text);
    let accepts = |name: &&str| Model::builtin(name).unwrap().is_consistent(&structure).unwrap();
    let accepting: Vec<&str> = BUILTIN_MODELS.iter().copied().filter(accepts).collect();
    assert_eq!(accepting.join(" "), allowed_by, "{text}");
}

const ALL: &str = "sc tso pso sra ra rc11 rc11-c11 wrc11";
const C11: &str = "rc11 rc11-c11 wrc11";
const NOT_SC: &str = "tso pso sra ra rc11 rc11-c11 wrc11";

#[test]
fn sequential_outcomes_are_allowed_everywhere() {
    check("Wx=1 Ry=1 || Wy=1 Rx=1", ALL);
    check("Wx=1 Wy=1 || Ry=1 Rx=1", ALL);
    check("Ux=0>1 || Ux=1>2", ALL);
    check("F.sc F.acq F.rel F.acqrel", ALL);
}

#[test]
fn store_buffering() {
    check("Wx=1 Ry=0 || Wy=1 Rx=0", NOT_SC);
    check("Wx=1.rel Ry=0.acq || Wy=1.rel Rx=0.acq", NOT_SC);
    check("Wx=1.sc Ry=0.sc || Wy=1.sc Rx=0.sc", "sra ra");
    check("Wx=1 F.sc Ry=0 || Wy=1 F.sc Rx=0", "sra ra");
    check("Wx=1 F.sc Ry=0 || Wy=1 Rx=0", NOT_SC);
    // Other fences do not drain store buffers.
    check("Wx=1 F.acqrel Ry=0 || Wy=1 F.acqrel Rx=0", NOT_SC);
    // A failed compare-and-swap does; and an exchange on an unrelated location.
    check("Wx=1 Cz=0 Ry=0 || Wy=1 Cw=0 Rx=0", "sra ra rc11 rc11-c11 wrc11");
    check("Wx=1 Uz=0>1 Ry=0 || Wy=1 Uw=0>1 Rx=0", "sra ra rc11 rc11-c11 wrc11");
    check("Ux=0>1 Ry=0 || Uy=0>1 Rx=0", "sra ra rc11 rc11-c11 wrc11");
}

#[test]
fn store_buffering_with_forwarding() {
    // SB+rfi: each thread sees its own store before the other does.
    check("Wx=1 Rx=1 Ry=0 || Wy=1 Ry=1 Rx=0", NOT_SC);
}

#[test]
fn message_passing() {
    check("Wx=1 Wy=1 || Ry=1 Rx=0", "pso rc11 rc11-c11 wrc11");
    check("Wx=1 Wy=1.rel || Ry=1.acq Rx=0", "");
    check("Wx=1 Wy=1.rel || Ry=1 Rx=0", C11);
    check("Wx=1 Wy=1 || Ry=1.acq Rx=0", "pso rc11 rc11-c11 wrc11");
    check("Wx=1 F.rel Wy=1 || Ry=1 F.acq Rx=0", "");
    check("Wx=1 F.rel Wy=1 || Ry=1 Rx=0", C11);
    check("Wx=1 F.acq Wy=1 || Ry=1.acq Rx=0", "pso rc11 rc11-c11 wrc11");
    // A release store waits for the stores before it, but not the stores after it for it.
    check("Wx=1.rel Wy=1 || Ry=1 Rx=0", "pso rc11 rc11-c11 wrc11");
    check("Wx=1 Wy=1.rel || Uy=1>2.acq || Ry=2.acq Rx=0", "");
}

#[test]
fn load_buffering_is_forbidden_everywhere() {
    check("Rx=1 Wy=1 || Ry=1 Wx=1", "");
    check("Rx=1 Wx=1", "");
}

#[test]
fn two_plus_two_writes() {
    check("Wx=2 Wy=1 || Wy=2 Wx=1", "pso ra rc11 rc11-c11 wrc11");
    check("Wx=2.sc Wy=1.sc || Wy=2.sc Wx=1.sc", "ra wrc11");
}

#[test]
fn s_shape() {
    check("Wx=2 Wy=1 || Ry=1 Wx=1", "pso rc11 rc11-c11 wrc11");
    // Here and below WRC11 accepts what only `co` forbids, because it has no `co`.
    check("Wx=2 Wy=1.rel || Ry=1.acq Wx=1", "wrc11");
}

#[test]
fn independent_reads_of_independent_writes() {
    check("Wx=1 || Wy=1 || Rx=1 Ry=0 || Ry=1 Rx=0", "sra ra rc11 rc11-c11 wrc11");
    check("Wx=1.rel || Wy=1.rel || Rx=1.acq Ry=0.acq || Ry=1.acq Rx=0.acq", "sra ra rc11 rc11-c11 wrc11");
    check("Wx=1.sc || Wy=1.sc || Rx=1.sc Ry=0.sc || Ry=1.sc Rx=0.sc", "sra ra");
    check("Wx=1 || Wy=1 || Rx=1 F.sc Ry=0 || Ry=1 F.sc Rx=0", "sra ra");
    // RC11's repair [RCMC §3.2.4]: acquire reads suffice only if the second reads are SC too.
    check("Wx=1.sc || Wy=1.sc || Rx=1.acq Ry=0.sc || Ry=1.acq Rx=0.sc", "sra ra rc11 rc11-c11 wrc11");
}

#[test]
fn coherence() {
    // CoRR, CoWW, CoWR, CoRW.
    check("Wx=1 || Rx=1 Rx=0", "");
    check("Wx=2 Wx=1", "wrc11");
    check("Wx=1 Rx=0", "");
    check("Wx=1 || Wx=2 Rx=1", "wrc11");
    check("Wx=1 || Rx=1 Wx=2 Rx=1", "");
    // CoRR2: two readers disagree about the order of two writes. WRC11 has no coherence of racing writes.
    check("Wx=1 || Wx=2 || Rx=1 Rx=2 || Rx=2 Rx=1", "wrc11");
    // CoRR1, oscillating (ww3R of RCMC §5).
    check("Wx=1 || Wx=2 || Rx=1 Rx=2 Rx=1", "wrc11");
    check("Wx=1 || Wx=2 || Rx=1 Rx=2 Rx=0", "");
}

#[test]
fn atomicity() {
    check("Ux=0>2 || Wx=1", "wrc11");
    check("Ux=0>1 || Wx=2", ALL);
    check("Ux=0>1 || Ux=1>2 Rx=1", "");
    // Fetch-and-increment twice, and the last read too old (RCMC §5).
    check("Ux=0>1 || Ux=1>2 || Rx=2 Rx=1", "");
}

#[test]
fn two_read_modify_writes_never_share_a_source() {
    check("Ux=0>1 || Ux=0>2", "");
}

#[test]
fn release_sequences() {
    // The test that separates C11 from C++20 (ALGORITHMS.md §B).
    check("Wy=1 Wx=1.rel Wx=2 || Rx=2.acq Ry=0", "rc11 wrc11");
    check("Wy=1 Wx=1.rel || Ux=1>2 || Rx=2.acq Ry=0", "");
    check("Wy=1 F.rel Wx=1 || Ux=1>2 || Rx=2 F.acq Ry=0", "");
    check("Wy=1 Wx=1.rel || Rx=1 Wx=2 || Rx=2.acq Ry=0", C11);
}

#[test]
fn z6_u() {
    // Z6.U [RC11]: SC accesses mixed with relaxed synchronisation; allowed by RC11, and by POWER.
    let z6u = "Wx=1.sc Wy=1.rel || Uy=1>2.sc Ry=3 || Wy=3.sc Rx=0.sc";
    check(z6u, "sra ra rc11 rc11-c11 wrc11");
    check("Wx=1.sc Wy=1.sc || Uy=1>2.sc Ry=3.sc || Wy=3.sc Rx=0.sc", "sra ra wrc11");
}

#[test]
fn w_rwc_with_fences() {
    // W+RWC [RC11]: a cumulative fence forbids it.
    check("Wx=1 Wz=1.rel || Rz=1.acq F.sc Ry=0 || Wy=1 F.sc Rx=0", "sra ra");
    check("Wx=1 Wz=1.rel || Rz=1.acq Ry=0 || Wy=1 F.sc Rx=0", "sra ra rc11 rc11-c11 wrc11");
    check("Wx=1.rel || Rx=1.acq F.sc Ry=0 || Wy=1 F.sc Rx=0", "sra ra");
}

#[test]
fn spawn_and_join_order_everything() {
    check("Wx=1 spawn1 || Rx=0", "");
    check("Wx=1 spawn1 Ry=0 || Wy=1 Rx=1", ALL);
    check("spawn1 join1 Rx=0 || Wx=1", "");
    // Spawning drains the store buffer, so the child's store is not overtaken by the parent's load.
    check("spawn1 Wy=2 Rx=0 || Wy=1 Wx=1", ALL);
    check("Wy=1 spawn1 Rz=0 || Wz=1 Ry=0", "");
}

#[test]
fn races_are_flags_and_not_inconsistencies() {
    let model = Model::builtin("rc11").unwrap();
    let flags = |text| {
        assert!(model.is_consistent(&execution(text)).unwrap());
        model.flags(&execution(text)).unwrap().join(" ")
    };
    assert_eq!(flags("Wx=1.na || Rx=0"), "race");
    assert_eq!(flags("Wx=1.na Wy=1.rel || Ry=1.acq Rx=1.na"), "");
    assert_eq!(flags("Wx=1.na spawn1 || Rx=1.na"), "");
    assert_eq!(flags("Rx=0.na || Rx=0.na"), "");
}

/// The violated axiom and its cycle in base edges.
#[track_caller]
fn check_witness(model: &str, text: &str, expected: &str) {
    let model = Model::builtin(model).unwrap();
    let Consistency::Violated(violation) = model.check(&execution(text)).unwrap() else {
        panic!("consistent")
    };
    let shown = match violation.witness {
        Witness::Cycle(edges) => {
            let show = |Edge { from, to, label }: &Edge| format!("{from} -{label}-> {to}");
            edges.iter().map(show).collect::<Vec<_>>().join(", ")
        }
        other => format!("{other:?}"),
    };
    assert_eq!(format!("{}: {shown}", violation.axiom), expected);
}

#[test]
fn witnesses_are_cycles_of_base_edges() {
    // Events 0 and 1 are the initial writes of x and y, then thread 0, then thread 1.
    check_witness("sc", "Wx=1 Ry=0 || Wy=1 Rx=0", "sc: 2 -po-> 3, 3 -fr-> 4, 4 -po-> 5, 5 -fr-> 2");
    check_witness("tso", "Wx=1 Wy=1 || Ry=1 Rx=0", "tso: 2 -po-> 3, 3 -rfe-> 4, 4 -po-> 5, 5 -fr-> 2");
    check_witness(
        "rc11",
        "Wx=1 Wy=1.rel || Ry=1.acq Rx=0",
        "coherence: 2 -po-> 3, 3 -rf-> 4, 4 -po-> 5, 5 -fr-> 2",
    );
    check_witness("ra", "Rx=1 Wy=1 || Ry=1 Wx=1", "no-thin-air: 2 -po-> 3, 3 -rf-> 4, 4 -po-> 5, 5 -rf-> 2");
    check_witness("rc11", "Ux=0>2 || Wx=1", "atomicity: Pairs([(1, 2)])");
    check_witness(
        "rc11",
        "Wx=1.sc Ry=0.sc || Wy=1.sc Rx=0.sc",
        "sc: 2 -po-> 3, 3 -fr-> 4, 4 -po-> 5, 5 -fr-> 2",
    );
}
