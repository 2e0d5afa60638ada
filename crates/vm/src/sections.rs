//! Atomic sections, from `__VERIFIER_atomic_begin` to `__VERIFIER_atomic_end` [ALGORITHMS §A].
//!
//! A section takes effect at one point: no other thread accesses its memory while it runs. It holds a mutex, the
//! *guard*; and every access outside sections that conflicts with one made in a section, by any thread, holds the
//! guard too. Such an access has three steps: it takes the guard, makes the access, and releases the guard; only then
//! does the thread learn the answer. Where a plain access that conflicts with an atomic one is an error
//! ([`crate::vm::Config::races_on_plain`]), plain accesses do not take the guard, and race with sections.
//!
//! The search learns which bytes sections access, as with [`crate::overlaps`]: a thread that accesses others stops as
//! if it could not be checked, and the search starts over.

use atropos_event::{Access, BlockReason, Label, ReadOrder, Rmw, RmwOp, Step, ThreadKey, Value, WriteOrder};
use rustc_hash::FxHashSet;

use crate::answer::Progress;
use crate::code::Op;
use crate::fault::Fault;
use crate::interp::Thread;
use crate::layout::{Part, ThreadRegion};
use crate::vm::{Buffering, Config};

/// The bytes that sections read and write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sections {
    read: FxHashSet<u64>,
    written: FxHashSet<u64>,
}

/// The state of an access that needs the guard.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guarded {
    /// The access is about to take the guard.
    Taking(Label),
    /// The access is about to be made.
    Making(Label),
    /// The guard is about to be released. The access has its answer, or none if it read memory that was never
    /// written.
    Releasing(Label, Option<Value>),
}

impl Sections {
    /// Whether everything that the access does is known to happen in sections.
    pub fn know(&self, label: &Label) -> bool {
        let (reads, writes) = effects(label);
        bytes(label)
            .all(|byte| (!reads || self.read.contains(&byte)) && (!writes || self.written.contains(&byte)))
    }

    pub fn learn(&mut self, label: &Label) {
        let (reads, writes) = effects(label);
        for byte in bytes(label) {
            if reads {
                self.read.insert(byte);
            }
            if writes {
                self.written.insert(byte);
            }
        }
    }

    pub fn read_bytes(&self) -> Vec<u64> {
        self.read.iter().copied().collect()
    }

    pub fn written_bytes(&self) -> Vec<u64> {
        self.written.iter().copied().collect()
    }

    pub fn add(&mut self, are_written: bool, bytes: std::ops::Range<u64>) {
        let known = if are_written { &mut self.written } else { &mut self.read };
        known.extend(bytes);
    }

    /// Whether the access conflicts with one made in a section.
    pub fn conflict(&self, label: &Label) -> bool {
        let (_, writes) = effects(label);
        bytes(label).any(|byte| self.written.contains(&byte) || (writes && self.read.contains(&byte)))
    }
}

/// Whether an access reads and writes, from the program's point of view.
fn effects(label: &Label) -> (bool, bool) {
    match label {
        Label::Read { rmw: Rmw::None, .. } => (true, false),
        Label::Read { rmw: Rmw::Merge { .. }, .. } | Label::Write { .. } => (false, true),
        Label::Read { rmw: Rmw::Fetch { .. } | Rmw::Cas { .. }, .. } => (true, true),
        _ => (false, false),
    }
}

fn bytes(label: &Label) -> impl Iterator<Item = u64> {
    let part = label.access().map(Access::part);
    part.into_iter().flat_map(|part| part.addr.0..part.addr.0 + u64::from(part.size))
}

pub(crate) fn is_plain(label: &Label) -> bool {
    matches!(
        label,
        Label::Read { rmw: Rmw::Merge { write_order: WriteOrder::NotAtomic, .. }, .. }
            | Label::Read { order: ReadOrder::NotAtomic, rmw: Rmw::None, .. }
            | Label::Write { order: WriteOrder::NotAtomic, .. }
    )
}

/// Whether an access belongs to the program itself, not to the implementation of threads, locks and sections.
pub(crate) fn is_of_program(op: Op, label: &Label) -> bool {
    let is_made_of = matches!(
        op,
        Op::Lock { .. } | Op::TryLock { .. } | Op::Unlock { .. } | Op::EnterSection | Op::LeaveSection
    );
    let is_control = |access: Access| {
        let region = ThreadRegion::of_addr(access.addr.0);
        region.is_some_and(|region| match region.part(access.addr.0) {
            Part::Control(offset) => offset < ThreadRegion::THREAD_LOCALS,
            _ => false,
        })
    };
    !is_made_of && label.access().is_some_and(|access| !is_control(access))
}

fn guard() -> Access {
    let main = ThreadRegion::of_key(ThreadKey::MAIN).expect("the main thread has a region");
    Access::new(main.guard_slot(), 4)
}

/// Takes the guard if it is free, that is, if 0 is read.
pub(crate) fn take() -> Label {
    let rmw = Rmw::Cas {
        expected: 0,
        desired: 1,
        write_order: WriteOrder::Relaxed,
        failure_order: ReadOrder::Relaxed,
    };
    Label::Read { access: guard(), order: ReadOrder::Acquire, rmw }
}

pub(crate) fn release(config: &Config) -> Label {
    let store = |order| Label::Write { access: guard(), order, value: 0, exclusive: false };
    match config.buffering {
        Buffering::None => store(WriteOrder::Release),
        Buffering::Ordered => store(WriteOrder::SeqCst),
        Buffering::Fenced => Label::Read {
            access: guard(),
            order: ReadOrder::Relaxed,
            rmw: Rmw::Fetch { op: RmwOp::Exchange, operand: 0, write_order: WriteOrder::Release },
        },
    }
}

/// The next step after the answer to a step of a guarded access, and its new state; `None` if the thread continues
/// with the answer to the access itself.
pub(crate) fn next(
    guarded: Guarded,
    value: Option<Value>,
    config: &Config,
) -> Option<(Step, Option<Guarded>)> {
    match guarded {
        Guarded::Taking(label) if value == Some(0) => Some((Step::Do(label), Some(Guarded::Making(label)))),
        Guarded::Taking(_) => Some((Step::Blocked(BlockReason::Lock { reads: 1 }), None)),
        Guarded::Making(label) => Some((Step::Do(release(config)), Some(Guarded::Releasing(label, value)))),
        Guarded::Releasing(..) => None,
    }
}

impl Thread<'_, '_> {
    /// Begins or ends a section. A nested section is part of the outer one.
    pub fn touch_section(&mut self, op: Op) -> Result<Progress, Fault> {
        match (op, self.state.section) {
            (Op::EnterSection, 0) => return Ok(self.perform(take())),
            (Op::EnterSection, depth) => self.state.section = depth + 1,
            (_, 0) => return Err(Fault::NoSection),
            (_, 1) => return Ok(self.perform(release(&self.vm.config))),
            (_, depth) => self.state.section = depth - 1,
        }
        self.state.pc += 1;
        Ok(Progress::Done)
    }

    /// The answer to the label of such an operation. Entering and leaving a section does not count as a change for
    /// loops.
    pub fn answer_section(&mut self, op: Op, value: Value) -> Progress {
        if matches!(op, Op::EnterSection) {
            self.state.counts.n_reads += 1;
            if value != 0 {
                return self.block(BlockReason::Lock { reads: 1 });
            }
            self.state.section = 1;
        } else {
            self.state.counts.n_reads += u32::from(self.vm.config.buffering == Buffering::Fenced);
            self.state.section = 0;
        }
        self.state.pc += 1;
        Progress::Done
    }
}
