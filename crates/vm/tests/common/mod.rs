//! A sequentially consistent memory that runs programs of the machine, one thread at a time or interleaved.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::HashMap;

use atropos_event::{Access, Addr, Initial, Label, Program, Rmw, Run, Step, ThreadId, Value};
use atropos_report::names::Names;
use atropos_report::words::{refusal, sentence};
use atropos_vm::{Config, Vm, VmRun, text};

pub fn vm(source: &str) -> Vm {
    vm_with(source, Config::default())
}

pub fn vm_with(source: &str, config: Config) -> Vm {
    let module = text::parse("test.vm", source).unwrap_or_else(|errors| panic!("{errors}"));
    Vm::new(module, config).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// A run under sequential consistency.
pub struct Sc<'p> {
    pub vm: &'p Vm,
    pub run: VmRun<'p>,
    pub memory: HashMap<u64, u8>,
    pub threads: Vec<ThreadId>,
    pub ended: Vec<ThreadId>,
    /// Every label performed, in order.
    pub trace: Vec<(ThreadId, Label, Value)>,
    /// It is the second run, after the first one has learned something.
    pub is_second: bool,
}

impl<'p> Sc<'p> {
    pub fn new(vm: &'p Vm) -> Self {
        Sc {
            vm,
            run: vm.start_run(),
            memory: HashMap::new(),
            threads: vec![ThreadId::MAIN],
            ended: Vec::new(),
            trace: Vec::new(),
            is_second: false,
        }
    }

    /// Starts over if the run has learned something about the program. Returns whether it does.
    fn starts_over(&mut self) -> bool {
        let has_learned = self.threads.iter().any(|&thread| self.run.pending(thread) == Step::Unsupported);
        let starts = has_learned && !self.is_second;
        if starts {
            *self = Sc { is_second: true, ..Sc::new(self.vm) };
        }
        starts
    }

    fn byte(&self, addr: u64) -> u8 {
        let initial = || match self.vm.initial(Access::new(addr, 1)) {
            Initial::Value(value) => value as u8,
            Initial::Uninitialised if self.vm.is_zeroed(Addr(addr)) => 0,
            Initial::Uninitialised => 0xaa,
        };
        self.memory.get(&addr).copied().unwrap_or_else(initial)
    }

    pub fn read(&self, access: Access) -> Value {
        (0..u64::from(access.size))
            .fold(0, |value, nth| value | u64::from(self.byte(access.addr.0 + nth)) << (8 * nth))
    }

    fn write(&mut self, access: Access, value: Value) {
        let (part, value) = (access.part(), access.narrow(value));
        for nth in 0..u64::from(part.size) {
            self.memory.insert(part.addr.0 + nth, (value >> (8 * nth)) as u8);
        }
    }

    /// The value of a global of `size` bytes.
    pub fn global(&self, name: &str, size: u8) -> Value {
        let id = self.vm.module().global(name).expect("no such global");
        self.read(Access::new(self.vm.global_addr(id).0, size))
    }

    /// Whether `thread` could perform its pending label now.
    pub fn is_enabled(&mut self, thread: ThreadId) -> bool {
        match self.run.pending(thread) {
            Step::Do(Label::Join { child }) => self.ended.contains(&child),
            Step::Do(_) => true,
            _ => false,
        }
    }

    /// Whether a label reads memory that has no initial value and was never written.
    fn is_unwritten(&self, label: Label) -> bool {
        let Label::Read { access, .. } = label else { return false };
        let is_empty = self.vm.initial(access) == Initial::Uninitialised;
        let Some(access) = label.bytes() else { return false };
        is_empty && (0..u64::from(access.size)).all(|nth| !self.memory.contains_key(&(access.addr.0 + nth)))
    }

    /// Performs the pending label of `thread`.
    pub fn step(&mut self, thread: ThreadId) {
        let Step::Do(label) = self.run.pending(thread) else { panic!("nothing to do") };
        let mut answer = 0;
        if self.is_unwritten(label) {
            self.trace.push((thread, label, 0));
            self.run.resume_unwritten(thread);
            if let Label::Read { access, rmw, .. } = label
                && self.vm.is_zeroed(access.addr)
                && let Some((value, _)) = rmw.write_after(access, 0)
            {
                self.write(access, value);
            }
            return;
        }
        match label {
            Label::Read { access, rmw, .. } => {
                answer = self.read(access);
                if let Some((value, _)) = rmw.write_after(access, answer) {
                    assert_ne!(rmw, Rmw::None);
                    self.write(access, value);
                }
            }
            Label::Write { access, value, .. } => self.write(access, value),
            Label::Spawn { child, .. } => self.threads.push(child),
            Label::End => self.ended.push(thread),
            Label::Begin
            | Label::Fence { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => {}
        }
        self.trace.push((thread, label, answer));
        self.run.resume(thread, answer);
    }

    /// Runs the first enabled thread repeatedly until none is enabled.
    pub fn run_all(&mut self) -> &mut Self {
        while let Some(thread) = self.threads.clone().into_iter().find(|&thread| self.is_enabled(thread)) {
            self.step(thread);
        }
        if self.starts_over() { self.run_all() } else { self }
    }

    /// Runs `thread` alone while it can.
    pub fn run_thread(&mut self, thread: ThreadId) -> Step {
        let is_start = self.trace.is_empty();
        while self.is_enabled(thread) {
            self.step(thread);
        }
        if is_start && self.starts_over() {
            return self.run_thread(thread);
        }
        self.run.pending(thread)
    }

    pub fn labels_of(&self, thread: ThreadId) -> Vec<Label> {
        self.trace.iter().filter(|&&(by, ..)| by == thread).map(|&(_, label, _)| label).collect()
    }
}

/// Runs a program to its end and returns the value of its global `result`, eight bytes.
pub fn result_of(source: &str) -> Value {
    let vm = vm(source);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    for &thread in &sc.threads.clone() {
        let step = sc.run.pending(thread);
        assert_eq!(
            step,
            Step::Finished,
            "thread {thread}: {:?} at {:?}",
            failure(&mut sc, thread),
            sc.run.place(thread)
        );
    }
    sc.global("result", 8)
}

/// The failure of `thread`, as text.
pub fn failure(sc: &mut Sc<'_>, thread: ThreadId) -> String {
    match sc.run.pending(thread) {
        Step::Failed => {
            let violation = sc.run.violation(thread);
            format!("{}: {}", violation.kind(), sentence(&violation, &Names::of_program(sc.vm)))
        }
        Step::Unsupported => {
            format!(
                "unsupported: {}",
                refusal(&sc.run.unsupported(thread), &Names::of_program(sc.vm))
                    .to_string()
                    .replace("error: ", "")
            )
        }
        step => format!("{step:?}"),
    }
}

/// Runs the main thread of a program with the given body, and returns how it stops.
pub fn outcome_of(source: &str) -> String {
    let vm = vm(source);
    let mut sc = Sc::new(&vm);
    sc.run_all();
    let thread =
        sc.threads.clone().into_iter().find(|&thread| !matches!(sc.run.pending(thread), Step::Finished));
    thread.map_or("finished".to_string(), |thread| failure(&mut sc, thread))
}

/// A small generator of random numbers (xorshift64*).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// A number that is likely to be an interesting value.
    pub fn operand(&mut self) -> u64 {
        match self.below(6) {
            0 => self.next() % 4,
            1 => (self.next() % 4).wrapping_neg(),
            2 => 1 << self.below(64),
            3 => (1u64 << self.below(64)).wrapping_sub(1),
            _ => self.next(),
        }
    }
}
