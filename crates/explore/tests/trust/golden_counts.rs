//! The counts of small programs that the papers and their companion notes give.

use crate::common::{Op, count_co, count_rf};
use atropos_event::{Mapping, ReadOrder, WriteOrder};
use atropos_model::{Pso, Ra, Rc11, Sc, Sra, Tso};

fn r(x: u64) -> Op {
    Op::R(x, ReadOrder::Acquire)
}

fn w(x: u64, value: u64) -> Op {
    Op::W(x, value, WriteOrder::Release)
}

fn fai(x: u64) -> Op {
    Op::Fai(x, ReadOrder::Acquire, WriteOrder::Release)
}

/// Name, threads, executions up to `co` under sc, tso, pso, sra and ra, and up to `rf` (0: as up to `co`).
type Row = (&'static str, Vec<Vec<Op>>, [usize; 5], usize);

fn programs() -> Vec<Row> {
    vec![
        ("w+w+rr", vec![vec![w(0, 1)], vec![w(1, 1)], vec![r(0), r(1)]], [4, 4, 4, 4, 4], 4),
        ("r+w+w", vec![vec![r(0)], vec![w(0, 1)], vec![w(0, 2)]], [6, 6, 6, 6, 6], 3),
        ("r+ww", vec![vec![r(0)], vec![w(0, 1), w(0, 2)]], [3, 3, 3, 3, 3], 3),
        ("SB", vec![vec![w(0, 1), r(1)], vec![w(1, 1), r(0)]], [3, 4, 4, 4, 4], 0),
        ("MP", vec![vec![w(0, 1), w(1, 1)], vec![r(1), r(0)]], [3, 3, 4, 3, 3], 0),
        ("LB", vec![vec![r(0), w(1, 1)], vec![r(1), w(0, 1)]], [3, 3, 3, 3, 3], 3),
        ("2+2W", vec![vec![w(0, 1), w(1, 2)], vec![w(1, 1), w(0, 2)]], [3, 3, 4, 3, 4], 1),
        ("S", vec![vec![w(0, 1), w(1, 1)], vec![r(1), w(0, 2)]], [3, 3, 4, 3, 3], 2),
        (
            "IRIW",
            vec![vec![w(0, 1)], vec![w(1, 1)], vec![r(0), r(1)], vec![r(1), r(0)]],
            [15, 15, 15, 16, 16],
            0,
        ),
        (
            "CORR2",
            vec![vec![w(0, 1)], vec![w(0, 2)], vec![r(0), r(0)], vec![r(0), r(0)]],
            [72, 72, 72, 72, 72],
            47,
        ),
        ("FAI+FAI+W", vec![vec![fai(0)], vec![fai(0)], vec![w(0, 42)]], [6, 6, 6, 6, 6], 6),
        ("casw(3)", (1..=3).map(|i| vec![Op::Cas(0, 0, i), w(0, i + 3)]).collect(), [66, 66, 66, 66, 66], 24),
        (
            "RVF Fig. 1",
            vec![vec![w(0, 1), w(1, 1)], vec![w(0, 1), w(1, 1), r(0)], vec![w(0, 1), w(1, 1), r(1)]],
            [98, 144, 144, 144, 144],
            9,
        ),
        (
            "RVF Fig. 6",
            vec![vec![w(0, 1), r(0), w(1, 1)], vec![w(0, 1), w(1, 1), r(1), w(0, 2)]],
            [12, 12, 16, 12, 13],
            5,
        ),
    ]
}

#[test]
fn small_programs_have_the_known_number_of_executions_up_to_co() {
    for (name, threads, [sc, tso, pso, sra, ra], _) in programs() {
        assert_eq!(count_co(&threads, Tso::new(Mapping::Raw)), tso, "{name} under tso");
        assert_eq!(count_co(&threads, Pso::new(Mapping::Raw)), pso, "{name} under pso");
        assert_eq!(count_co(&threads, Sc::default()), sc, "{name} under sc");
        assert_eq!(count_co(&threads, Sra::default()), sra, "{name} under sra");
        assert_eq!(count_co(&threads, Ra::default()), ra, "{name} under ra");
        assert_eq!(count_co(&threads, Rc11::default()), ra, "{name} under rc11");
    }
}

#[test]
fn small_programs_have_the_known_number_of_executions_up_to_rf() {
    for (name, threads, co, rf) in programs() {
        // Where the number depends on the model, every read is of a different location's only write.
        let [sc, tso, pso, sra, ra] = if rf == 0 { co } else { [rf; 5] };
        assert_eq!(count_rf(&threads, Sc::default()), sc, "{name} under sc");
        assert_eq!(count_rf(&threads, Tso::new(Mapping::Raw)), tso, "{name} under tso");
        assert_eq!(count_rf(&threads, Pso::new(Mapping::Raw)), pso, "{name} under pso");
        assert_eq!(count_rf(&threads, Sra::default()), sra, "{name} under sra");
        assert_eq!(count_rf(&threads, Ra::default()), ra, "{name} under ra");
        assert_eq!(count_rf(&threads, Rc11::default()), ra, "{name} under rc11");
    }
}

#[test]
fn reads_of_other_threads_are_revisited_after_a_long_past() {
    let mut writer = vec![w(1, 1); 100];
    writer.push(w(0, 1));
    let threads = [vec![r(0), r(0)], vec![r(0)], writer];
    for count in [count_co(&threads, Sc::default()), count_co(&threads, Rc11::default())] {
        assert_eq!(count, 6);
    }
    assert_eq!(count_rf(&threads, Ra::default()), 6);
}

#[test]
fn the_sc_axiom_sees_a_write_that_revisits_a_relaxed_read() {
    let sc_write = |x, value| Op::W(x, value, WriteOrder::SeqCst);
    // The write of the last thread may come before the first thread's, which stays when the read is revisited.
    let threads = [
        vec![sc_write(0, 2), Op::R(1, ReadOrder::SeqCst)],
        vec![Op::R(0, ReadOrder::Relaxed)],
        vec![sc_write(1, 1), sc_write(0, 1)],
    ];
    assert_eq!(count_co(&threads, Rc11::default()), 9);
}

#[test]
fn writers_that_the_sc_axiom_cannot_see_are_not_put_in_order() {
    let sc_write = |x| Op::W(x, 1, WriteOrder::SeqCst);
    let sc_read = |x| Op::R(x, ReadOrder::SeqCst);
    let buffering = [vec![sc_write(0), sc_read(1)], vec![sc_write(1), sc_read(0)]];
    let others = |loc: u64, n: u64| (1..=n).map(move |value| vec![Op::W(loc, value, WriteOrder::Relaxed)]);
    // One location with twelve unordered writers, and sixteen with two each.
    let one: Vec<_> = buffering.iter().cloned().chain(others(2, 12)).collect();
    assert_eq!(count_rf(&one, Rc11::default()), 3);
    let many: Vec<_> = buffering.iter().cloned().chain((2..18).flat_map(|loc| others(loc, 2))).collect();
    assert_eq!(count_rf(&many, Rc11::default()), 3);
    // Twelve unordered writers to a location that the axiom does see.
    let seen: Vec<_> = buffering.into_iter().chain(others(0, 12)).collect();
    assert_eq!(count_rf(&seen, Rc11::default()), 3 + 2 * 12);
}
