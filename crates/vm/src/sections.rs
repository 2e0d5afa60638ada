//! Atomic sections, from `__VERIFIER_atomic_begin` to `__VERIFIER_atomic_end` [ALGORITHMS §A].
//!
//! A section takes place at one point: no other thread accesses in its midst what it accesses. It is a mutex, the
//! *guard*; and every access outside of sections that conflicts with one made in a section, by any thread, holds the
//! guard while it is made. It is then three steps: the guard is taken, the access is made, the guard is released, and
//! only then does the thread learn the answer. Where a plain access that conflicts with an atomic one is an error
//! ([`crate::vm::Config::races_on_plain`]), plain accesses do not take the guard, and race with sections.
//!
//! Which bytes are accessed in sections is learned on the way, as [`crate::overlaps`] is: the thread that accesses others
//! stops as if it could not be checked, and the search starts over.

use atropos_event::{Access, BlockReason, Label, ReadOrder, Rmw, RmwOp, Step, ThreadKey, Value, WriteOrder};
use rustc_hash::FxHashSet;

use crate::answer::Progress;
use crate::code::Op;
use crate::fault::Fault;
use crate::interp::Thread;
use crate::layout::{Part, Region};
use crate::vm::{Buffering, Config};

/// The bytes that are read and written in sections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sections {
    read: FxHashSet<u64>,
    written: FxHashSet<u64>,
}

/// Where an access that needs the guard has come to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guarded {
    /// The guard is to be taken for the access.
    Taking(Label),
    /// The access is to be made.
    Making(Label),
    /// The guard is to be released; the access has been answered, with nothing if it read what nobody has written.
    Releasing(Label, Option<Value>),
}

impl Sections {
    /// Whether all that the access does is known to be done in sections.
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

    /// Whether the access conflicts with one made in a section.
    pub fn conflict(&self, label: &Label) -> bool {
        let (_, writes) = effects(label);
        bytes(label).any(|byte| self.written.contains(&byte) || (writes && self.read.contains(&byte)))
    }
}

/// Whether an access reads and writes, as far as the program is concerned.
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

/// Whether an access is one of the program: not what threads, locks and sections are made of.
pub(crate) fn is_of_program(op: Op, label: &Label) -> bool {
    let is_made_of = matches!(
        op,
        Op::Lock { .. } | Op::TryLock { .. } | Op::Unlock { .. } | Op::EnterSection | Op::LeaveSection
    );
    let is_control = |access: Access| {
        let region = Region::of_addr(access.addr.0);
        region.is_some_and(|region| match region.part(access.addr.0) {
            Part::Control(offset) => offset < Region::THREAD_LOCALS,
            _ => false,
        })
    };
    !is_made_of && label.access().is_some_and(|access| !is_control(access))
}

fn guard() -> Access {
    let main = Region::of_key(ThreadKey::MAIN).expect("the main thread has a region");
    Access::new(main.guard_slot(), 4)
}

/// Takes the guard if it is free, and so if 0 is read.
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

/// What follows the answer to a step of a guarded access: the next step and where the access is then. Nothing if the
/// thread goes on, with the answer to the access itself.
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
    /// Begins or ends a section. Those inside of others are parts of them.
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

    /// The answer to the label of such an operation. To enter and to leave again changes nothing that a loop has to
    /// be repeated for.
    pub fn answer_section(&mut self, op: Op, value: Value) -> Progress {
        if matches!(op, Op::EnterSection) {
            self.state.n_reads += 1;
            if value != 0 {
                return self.block(BlockReason::Lock { reads: 1 });
            }
            self.state.section = 1;
        } else {
            self.state.n_reads += u32::from(self.vm.config.buffering == Buffering::Fenced);
            self.state.section = 0;
        }
        self.state.pc += 1;
        Progress::Done
    }
}
