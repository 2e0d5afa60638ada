//! Accesses that overlap partially, and accesses that are not aligned.

mod common;

use atropos_event::{Access, Label, Program, Run, ThreadId};
use common::{Sc, failure, result_of, vm};

/// The sizes and offsets (from `x`) of the accesses that the main thread makes.
fn accesses(vm: &atropos_vm::Vm) -> Vec<(u64, u8)> {
    let mut sc = Sc::new(vm);
    sc.run_all();
    let base = vm.global_addr(vm.module().global("x").unwrap()).0;
    let accesses = sc.labels_of(ThreadId::MAIN);
    let accesses = accesses.iter().filter_map(Label::access).filter(|access| access.addr.0 < base + 32);
    accesses.map(|access| (access.addr.0 - base, access.size)).collect()
}

/// Reports these two accesses in a run; later runs know of them.
fn split(vm: &atropos_vm::Vm, first: Access, second: Access) -> bool {
    vm.start().split(first, second)
}

fn at(vm: &atropos_vm::Vm, offset: u64, size: u8) -> Access {
    Access::new(vm.global_addr(vm.module().global("x").unwrap()).0 + offset, size)
}

#[test]
fn plain_accesses_are_split_at_known_boundaries() {
    let vm = vm("global x: [i8; 16]
        fn main() { store.i64 x, 0x1122334455667788; r = load.i64 x; p = addr x + 8; store.i32 p, r }");
    assert_eq!(accesses(&vm), [(0, 8), (0, 8), (8, 4)]);
    assert!(split(&vm, at(&vm, 0, 8), at(&vm, 4, 2)));
    assert_eq!(accesses(&vm), [(0, 4), (4, 2), (6, 2), (0, 4), (4, 2), (6, 2), (8, 4)]);
    assert!(!split(&vm, at(&vm, 0, 8), at(&vm, 8, 8)), "these do not overlap");
    assert!(split(&vm, at(&vm, 8, 4), at(&vm, 9, 1)));
    let mut sc = Sc::new(&vm);
    sc.run_all();
    assert_eq!(sc.read(at(&vm, 8, 4)), 0x5566_7788, "put together again");
}

#[test]
fn fences_and_atomics_elsewhere_go_on_as_before_when_something_is_split() {
    let vm = vm("global x: [i8; 16]
        fn main() { fence.sc; store.i64 x, 1; p = addr x + 8; old = rmw.add.rlx.i32 p, 1; fence.acq }");
    assert!(split(&vm, at(&vm, 0, 8), at(&vm, 4, 2)));
    assert_eq!(accesses(&vm), [(0, 4), (4, 2), (6, 2), (8, 4)]);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    let fences =
        sc.labels_of(ThreadId::MAIN).iter().filter(|label| matches!(label, Label::Fence { .. })).count();
    assert_eq!(fences, 2);
}

#[test]
fn runs_that_have_begun_are_not_affected() {
    let vm = vm("global x: i64\n fn main() { store.i64 x, 1; store.i64 x, 2 }");
    let mut sc = Sc::new(&vm);
    assert!(split(&vm, at(&vm, 0, 8), at(&vm, 0, 4)));
    sc.run_all();
    assert_eq!(sc.labels_of(ThreadId::MAIN).len(), 3);
    assert_eq!(accesses(&vm).len(), 4);
}

/// Reports all of a program's overlapping accesses, as an explorer does.
fn learn(vm: &atropos_vm::Vm) -> Sc<'_> {
    loop {
        let mut sc = Sc::new(vm);
        sc.run_all();
        let accesses: Vec<_> = sc.trace.iter().filter_map(|(_, label, _)| label.access()).collect();
        let pairs = accesses.iter().flat_map(|a| accesses.iter().map(move |b| (*a, *b)));
        let overlapping = pairs.into_iter().find(|(a, b)| a.cell() != b.cell() && a.overlaps(*b));
        match overlapping {
            Some((first, second)) => assert!(sc.run.split(first, second)),
            None => return sc,
        }
    }
}

/// The parts of `x` that the program accesses there, and the events' own bytes.
fn parts(sc: &Sc<'_>) -> Vec<((u64, u8), (u64, u8))> {
    let base = sc.vm.global_addr(sc.vm.module().global("x").unwrap()).0;
    let bytes = |access: Access| (access.addr.0 - base, access.size);
    let labels = sc.trace.iter().filter_map(|(_, label, _)| label.access());
    labels.map(|access| (bytes(access.part()), bytes(access))).collect()
}

#[test]
fn an_atomic_access_makes_its_bytes_a_cell() {
    let vm = vm("global x: [i8; 16]
        fn main() {
            p = addr x + 2; q = addr x + 8
            store.rlx.i32 x, 0x11223344; store.rel.i8 p, 0xaa; a = load.acq.i8 p
            store.i16 p, 0xbbcc; b = load.i32 x; old = rmw.add.rlx.i16 p, 1; store.i64 x, 7; store.i32 q, 1
        }");
    let (word, byte, half) = ((0, 4), (2, 1), (2, 2));
    let expected = [
        (word, word),
        (byte, word),
        (byte, word),
        (half, word),
        (word, word),
        (half, word),
        (word, word),
        ((4, 4), (4, 4)),
        ((8, 4), (8, 4)),
    ];
    assert_eq!(parts(&learn(&vm)), expected);
    let [cell] = &vm.mixed_cells()[..] else { panic!("one cell: {:?}", vm.mixed_cells()) };
    assert_eq!((cell.name.as_str(), cell.size, &cell.parts[..]), ("x+0", 4, &[1, 2][..]));
    assert_eq!(cell.place.source.as_ref().map(|source| source.line), Some(4));
}

#[test]
fn parts_of_a_cell_have_the_values_that_their_bytes_have() {
    let source = "global x: i64
        global result: i64
        fn main() {
            p = addr x + 1; q = addr x + 4
            store.rlx.i64 x, 0x1122334455667788; store.rlx.i8 p, 0xff
            a = rmw.add.rlx.i8 p, 2; b = load.i32 q; c, ok = cas.rlx.rlx.i32 q, b, 5
            d = load.rlx.i64 x; e = add.i64 d, a; store.i64 result, e
        }";
    let vm = vm(source);
    let sc = learn(&vm);
    assert_eq!(sc.global("x", 8), 0x0000_0005_5566_0188);
    assert_eq!(sc.global("result", 8), 0x0000_0005_5566_0188 + 0xff);
}

#[test]
fn copies_of_a_cell_go_by_its_pieces() {
    let vm = vm("global x: [i8; 16]
        global result: i64
        fn main() {
            p = addr x + 4; q = addr x + 5
            store.rlx.i32 p, 0x44332211; store.rlx.i8 q, 0xee
            private b: 16\n copy b, x, 16; copy x, b, 16; r = load.i32 p; store.i64 result, r
        }");
    assert_eq!(learn(&vm).global("result", 8), 0x4433_ee11);
}

#[test]
fn unwritten_parts_of_a_cell_stay_unwritten() {
    let read = |offset: u32| {
        format!(
            "fn main() {{
                h = malloc 8; q = add.i64 h, 4; p = add.i64 h, {offset}
                store.rlx.i32 q, 7; a = load.rlx.i8 q; b = load.rlx.i64 h; c = load.rlx.i16 p; free h
            }}"
        )
    };
    let end = |source: &str| {
        let vm = vm(source);
        let mut sc = learn(&vm);
        failure(&mut sc, ThreadId::MAIN)
    };
    assert_eq!(end(&read(4)), "Finished");
    assert_eq!(end(&read(2)), "uninitialised: read of heap 0+0x3a53f2, which was never written");
}

#[test]
fn unaligned_plain_accesses_are_made_of_aligned_pieces() {
    let source = "global x: [i8; 24]
        global result: i64
        fn main() { p = addr x + 3; store.i64 p, 0x1122334455667788; r = load.i64 p; store.i64 result, r }";
    assert_eq!(result_of(source), 0x1122_3344_5566_7788);
    let pieces = [(3, 1), (4, 4), (8, 2), (10, 1)];
    assert_eq!(accesses(&vm(source)), [pieces, pieces].concat());
}

#[test]
fn bulk_copies_respect_boundaries() {
    let source = "global x: [i8; 32]
        global result: i64
        fn main() { private b: 32\n copy b, x, 32; copy x, b, 32 }";
    let vm = vm(source);
    assert_eq!(accesses(&vm).len(), 8);
    assert!(split(&vm, at(&vm, 8, 8), at(&vm, 12, 4)));
    let split: Vec<(u64, u8)> = vec![(0, 8), (8, 4), (12, 4), (16, 8), (24, 8)];
    assert_eq!(accesses(&vm), [split.clone(), split].concat());
}

#[test]
fn names_of_addresses() {
    let vm = vm("global x: i32\n global a: [i32; 4]\n global s: [i8; 9]\n fn main() { }");
    let name = |global: &str, offset: u64| {
        let addr = vm.global_addr(vm.module().global(global).unwrap()).0 + offset;
        vm.name_of(atropos_event::Addr(addr))
    };
    assert_eq!(
        [name("x", 0), name("x", 1), name("a", 8), name("a", 9), name("s", 3)],
        ["x", "x+1", "a[2]", "a+9", "s+3"]
    );
}
