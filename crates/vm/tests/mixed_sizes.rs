//! Accesses that overlap partially, and accesses that are not aligned.

mod common;

use atropos_event::{Access, Label, Program, ThreadId};
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

fn at(vm: &atropos_vm::Vm, offset: u64, size: u8) -> Access {
    Access::new(vm.global_addr(vm.module().global("x").unwrap()).0 + offset, size)
}

#[test]
fn plain_accesses_are_split_where_told() {
    let vm = vm("global x: [i8; 16]
        fn main() { store.i64 x, 0x1122334455667788; r = load.i64 x; p = addr x + 8; store.i32 p, r }");
    assert_eq!(accesses(&vm), [(0, 8), (0, 8), (8, 4)]);
    assert!(vm.split(at(&vm, 0, 8), at(&vm, 4, 2)));
    assert_eq!(accesses(&vm), [(0, 4), (4, 2), (6, 2), (0, 4), (4, 2), (6, 2), (8, 4)]);
    assert!(!vm.split(at(&vm, 0, 8), at(&vm, 4, 2)), "known already");
    assert!(!vm.split(at(&vm, 0, 8), at(&vm, 8, 8)), "these do not overlap");
    assert!(vm.split(at(&vm, 8, 4), at(&vm, 9, 1)));
    let mut sc = Sc::new(&vm);
    sc.run_all();
    assert_eq!(sc.read(at(&vm, 8, 4)), 0x5566_7788, "put together again");
}

#[test]
fn fences_and_atomics_elsewhere_go_on_as_before_when_something_is_split() {
    let vm = vm("global x: [i8; 16]
        fn main() { fence.sc; store.i64 x, 1; p = addr x + 8; old = rmw.add.rlx.i32 p, 1; fence.acq }");
    assert!(vm.split(at(&vm, 0, 8), at(&vm, 4, 2)));
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
    assert!(vm.split(at(&vm, 0, 8), at(&vm, 0, 4)));
    sc.run_all();
    assert_eq!(sc.labels_of(ThreadId::MAIN).len(), 3);
    assert_eq!(accesses(&vm).len(), 4);
}

#[test]
fn atomic_accesses_cannot_be_split() {
    let vm = vm("global x: i64\n fn main() { store.rlx.i64 x, 1 }");
    assert!(vm.split(at(&vm, 0, 8), at(&vm, 0, 4)));
    let mut sc = Sc::new(&vm);
    assert_eq!(
        failure(&mut sc, ThreadId::MAIN),
        "unsupported: test.vm:2:14: mixed-size atomic access: 8 bytes at x, parts of which are accessed on their own elsewhere"
    );
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
    assert!(vm.split(at(&vm, 8, 8), at(&vm, 12, 4)));
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
