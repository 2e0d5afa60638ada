//! Nanoseconds per `resume`: `cargo run --release -p atropos-vm --example resume [WORDS OF A NAME]`.

use std::hint::black_box;
use std::time::Instant;

use atropos_event::{Label, Program, Rmw, Run, Step, ThreadId};
use atropos_vm::{Config, Vm, text};

const PROGRAMS: [(&str, &str); 5] = [
    (
        "load, 5 instructions in a loop",
        "global x: i32
         fn worker() {
         head:
           r = load.rlx.i32 x
           a = mul.i32 r, 3
           b = xor.i32 a, 5
           i = add.i64 i, 1
           c = ult.i64 i, 1000000000
           if c goto head
           store.i32 x, b
         }",
    ),
    (
        "straight line of loads and stores",
        "global x: i32
         global y: i32
         fn worker() {
         head:
           a = load.rlx.i32 x
           store.rlx.i32 y, a
           b = load.rlx.i32 y
           store.rlx.i32 x, 1
           c = add.i32 a, b
           i = add.i64 i, c
           goto head
         }",
    ),
    (
        "a CAS loop through a call, pointers",
        "global a: [i32; 16]
         fn push(p, v) {
         again:
           old = load.acq.i32 p
           new = add.i32 old, v
           _, ok = cas.acqrel.rlx.i32 p, old, new
           if not ok goto again
           return old
         }
         fn worker() {
         head:
           k = and.i64 i, 15
           p = addr a + k*4
           r = call push(p, 1)
           i = add.i64 i, 1
           goto head
         }",
    ),
    (
        "a private array written between events",
        "global x: i32
         fn worker() {
           private buffer: 4096
         head:
           r = load.rlx.i32 x
           k = and.i64 i, 255
           p = addr buffer + k*8
           store.i64 p, i
           i = add.i64 i, 1
           goto head
         }",
    ),
    (
        "lock, increment, unlock",
        "global m: i32
         global x: i32
         fn worker() {
         head:
           lock m
           r = load.i32 x
           s = add.i32 r, 1
           store.i32 x, s
           unlock m
           goto head
         }",
    ),
];

/// Resumes four threads in turn, in bursts, as an explorer that goes down and back up does.
fn measure(vm: &Vm) -> f64 {
    const ROUNDS: u64 = 8;
    const BURSTS: u64 = 200_000;
    let mut run = vm.start();
    for _ in 0..4 {
        run.resume(ThreadId::MAIN, 0);
    }
    let threads: Vec<ThreadId> = (1..=4).map(ThreadId::new).collect();
    threads.iter().for_each(|&thread| run.resume(thread, 0));
    let mark = run.mark();
    let starts: Vec<_> = threads.iter().map(|&thread| run.position(thread)).collect();
    let began = Instant::now();
    for burst in 0..BURSTS {
        for _ in 0..ROUNDS {
            for &thread in &threads {
                let step = black_box(run.pending(thread));
                let answer = match step {
                    Step::Do(Label::Read { rmw: Rmw::Cas { expected, .. }, .. }) => expected,
                    _ => black_box(burst & 1),
                };
                run.resume(thread, answer);
            }
        }
        threads.iter().zip(&starts).for_each(|(&thread, &start)| run.rewind(thread, start));
        run.release(mark);
    }
    began.elapsed().as_nanos() as f64 / (4 * ROUNDS * BURSTS) as f64
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for (name, source) in PROGRAMS.into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let source = format!("{source}\nthreads worker, worker, worker, worker");
        let module = text::parse(name, &source).unwrap_or_else(|errors| panic!("{errors}"));
        let vm = Vm::new(module, Config::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
        println!("{:6.1} ns  {name}", measure(&vm));
    }
}
