//! Compares accesses to parts of variables under sequential consistency with a memory of bytes: cells must not be
//! visible.

use atropos_cat::Model;
use atropos_event::{Access, Label, Program, Replayed, Run, Step, ThreadId, Value};
use atropos_graph::Canonical;
use atropos_testkit::oracle::{EnumerationConfig, enumerate};
use atropos_testkit::{Ast, ProgramShape, Style, generate};
use std::collections::{BTreeMap, BTreeSet};

/// The values that each thread has read, and the final content of memory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Observed {
    reads: BTreeMap<ThreadId, Vec<Value>>,
    memory: BTreeMap<u64, u8>,
}

impl Observed {
    fn read(&self, bytes: Access) -> Value {
        let byte = |nth: u64| u64::from(self.memory.get(&(bytes.addr.0 + nth)).copied().unwrap_or(0));
        (0..u64::from(bytes.size)).fold(0, |value, nth| value | byte(nth) << (8 * nth))
    }

    fn write(&mut self, bytes: Access, value: Value) {
        let changed = (0..u64::from(bytes.size)).map(|nth| (bytes.addr.0 + nth, (value >> (8 * nth)) as u8));
        self.memory.extend(changed);
        self.memory.retain(|_, byte| *byte != 0);
    }
}

/// All interleavings, over bytes.
struct Interleaver<'a, R> {
    run: R,
    found: &'a mut BTreeSet<Observed>,
}

impl<R: Run> Interleaver<'_, R> {
    /// Visits what can happen from this state of the threads; those in `ended` are over.
    fn visit(&mut self, threads: &[ThreadId], ended: &[ThreadId], observed: &Observed) {
        let mut moves: Vec<_> = threads.iter().filter_map(|&thread| self.next(thread, ended)).collect();
        // A label without an access commutes with everything else.
        if let Some(&first) = moves.iter().find(|(_, label)| label.access().is_none()) {
            moves = vec![first];
        }
        if moves.is_empty() {
            self.found.insert(observed.clone());
        }
        for (thread, label) in moves {
            let (mut threads, mut ended, mut observed) = (threads.to_vec(), ended.to_vec(), observed.clone());
            let mut answer = 0;
            match label {
                Label::Read { access, rmw, .. } => {
                    let value = observed.read(access.part());
                    answer = access.merge(0, value);
                    if let Some((written, _)) = rmw.write_after(access.part(), value) {
                        observed.write(access.part(), written);
                    }
                    if !label.is_merge() {
                        observed.reads.entry(thread).or_default().push(value);
                    }
                }
                Label::Write { access, value, .. } => observed.write(access, value),
                Label::Spawn { child, .. } => threads.push(child),
                Label::End => ended.push(thread),
                Label::Begin
                | Label::Fence { .. }
                | Label::Join { .. }
                | Label::Alloc { .. }
                | Label::Free { .. } => {}
            }
            let (position, mark) = (self.run.position(thread), self.run.mark());
            self.run.resume(thread, answer);
            self.visit(&threads, &ended, &observed);
            self.run.rewind(thread, position);
            self.run.release(mark);
        }
    }

    /// What `thread` can do now.
    fn next(&mut self, thread: ThreadId, ended: &[ThreadId]) -> Option<(ThreadId, Label)> {
        match self.run.pending(thread) {
            Step::Do(Label::Join { child }) if !ended.contains(&child) => None,
            Step::Do(label) => Some((thread, label)),
            _ => None,
        }
    }
}

/// The observable part of an execution.
fn observed(execution: &Canonical) -> Observed {
    let mut observed = Observed::default();
    for (id, event) in execution.events() {
        if let (Label::Read { access, .. }, false) = (event.label, event.label.is_merge()) {
            observed.reads.entry(id.thread()).or_default().push(access.narrow(event.value));
        }
    }
    for (access, writes) in &execution.co {
        let last = writes.last().expect("a location that is written");
        observed.write(*access, execution.event(*last).value);
    }
    observed
}

fn check(ast: &Ast) -> bool {
    let (program, model) = (Replayed(ast.clone()), Model::builtin("sc").unwrap());
    let Ok(by_cells) =
        enumerate(&program, &model, EnumerationConfig { limit: 5_000, ..EnumerationConfig::default() })
    else {
        return false;
    };
    let mut by_bytes = BTreeSet::new();
    let start = Observed::default();
    Interleaver { run: program.start(), found: &mut by_bytes }.visit(&[ThreadId::MAIN], &[], &start);
    let by_cells: BTreeSet<_> = by_cells.complete.iter().chain(&by_cells.blocked).map(observed).collect();
    assert_eq!(by_cells, by_bytes, "{ast}");
    true
}

#[test]
fn under_sc_a_cell_is_nothing_but_its_bytes() {
    let shape = ProgramShape { max_instructions: 6, max_threads: 3, ..ProgramShape::of(Style::Parts) };
    let n_checked = (0..300).filter(|&seed| check(&generate(seed, &shape))).count();
    assert!(n_checked > 250, "only {n_checked} programs are small enough");
}
