//! Graphs built by hand, for the tests of this crate.

use crate::canonical::Canonical;
use crate::event::Slot;
use crate::graph::{Graph, Outcome};
use crate::location::LocId;
use atropos_event::{
    Access, Addr, AllocKind, FenceOrder, Initial, Label, Position, ReadOrder, Rmw, RmwOp, ThreadId,
    ThreadKey, Value, WriteOrder,
};

pub const X: Access = Access::new(0x10, 4);
pub const Y: Access = Access::new(0x20, 4);

/// A graph under construction. Threads are given by number, memory starts with zeros.
pub struct Sketch {
    pub graph: Graph,
}

impl Sketch {
    pub fn new() -> Self {
        Sketch { graph: Graph::new(false) }
    }

    /// The canonical value, where thread `n` is the `n`-th child of the main thread.
    pub fn canonical(&self) -> Canonical {
        let key = |thread: ThreadId| match thread.index() as u64 {
            0 => ThreadKey::MAIN,
            nth => ThreadKey::MAIN.child(nth).unwrap(),
        };
        Canonical::of(&self.graph, key, true)
    }

    pub fn locate(&mut self, access: Access) -> LocId {
        self.graph.locate(access, || Initial::Value(0)).unwrap()
    }

    fn add(&mut self, thread: usize, label: Label, loc: LocId, outcome: (Slot, usize, Value)) -> Slot {
        let (rf, co, value) = outcome;
        let outcome = Outcome { rf, co: co as u32, value, before: Position(0) };
        self.graph.add(ThreadId::new(thread), label, loc, outcome)
    }

    fn plain(&mut self, thread: usize, label: Label, rf: Slot) -> Slot {
        self.add(thread, label, LocId::NONE, (rf, 0, 0))
    }

    /// A relaxed write, last in coherence order.
    pub fn write(&mut self, thread: usize, access: Access, value: Value) -> Slot {
        let loc = self.locate(access);
        let last = self.graph.location(loc).co.len();
        self.write_at(thread, access, value, last)
    }

    pub fn write_at(&mut self, thread: usize, access: Access, value: Value, position: usize) -> Slot {
        let loc = self.locate(access);
        let label = Label::Write { access, order: WriteOrder::Relaxed, value, exclusive: false };
        self.add(thread, label, loc, (Slot::INIT, position, value))
    }

    pub fn read(&mut self, thread: usize, access: Access, source: Slot) -> Slot {
        self.read_with(thread, access, source, Rmw::None)
    }

    fn read_with(&mut self, thread: usize, access: Access, source: Slot, rmw: Rmw) -> Slot {
        let loc = self.locate(access);
        let value = self.graph.value_of(loc, source);
        let label = Label::Read { access, order: ReadOrder::Acquire, rmw };
        self.add(thread, label, loc, (source, 0, value))
    }

    /// An atomic addition of 1, right after its source in coherence order.
    pub fn increment(&mut self, thread: usize, access: Access, source: Slot) -> [Slot; 2] {
        let rmw = Rmw::Fetch { op: RmwOp::Add, operand: 1, write_order: WriteOrder::Release };
        let read = self.read_with(thread, access, source, rmw);
        let value = self.graph.event(read).value + 1;
        let position = self.graph.co_position(source) + 1;
        let label = Label::Write { access, order: WriteOrder::Release, value, exclusive: true };
        let loc = self.locate(access);
        [read, self.add(thread, label, loc, (Slot::INIT, position, value))]
    }

    /// A compare-and-swap from `expected` to 7; its write is not added.
    pub fn compare_and_swap(&mut self, thread: usize, access: Access, source: Slot, expected: Value) -> Slot {
        let rmw = Rmw::Cas {
            expected,
            desired: 7,
            write_order: WriteOrder::SeqCst,
            failure_order: ReadOrder::Relaxed,
        };
        self.read_with(thread, access, source, rmw)
    }

    pub fn fence(&mut self, thread: usize, order: FenceOrder) -> Slot {
        self.plain(thread, Label::Fence { order }, Slot::INIT)
    }

    pub fn spawn(&mut self, thread: usize, child: usize) -> Slot {
        self.plain(thread, Label::Spawn { child: ThreadId::new(child), drains: true }, Slot::INIT)
    }

    pub fn begin(&mut self, thread: usize, spawn: Slot) -> Slot {
        self.plain(thread, Label::Begin, spawn)
    }

    pub fn end(&mut self, thread: usize) -> Slot {
        self.plain(thread, Label::End, Slot::INIT)
    }

    pub fn join(&mut self, thread: usize, child: usize, end: Slot) -> Slot {
        self.plain(thread, Label::Join { child: ThreadId::new(child) }, end)
    }

    pub fn alloc(&mut self, thread: usize, addr: u64) -> Slot {
        self.plain(thread, Label::Alloc { addr: Addr(addr), size: 8, kind: AllocKind::Heap }, Slot::INIT)
    }

    pub fn free(&mut self, thread: usize, addr: u64) -> Slot {
        self.plain(thread, Label::Free { addr: Addr(addr), kind: AllocKind::Heap }, Slot::INIT)
    }
}
