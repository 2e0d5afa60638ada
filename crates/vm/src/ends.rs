//! The end of a thread and of its objects.
//!
//! A function that returns frees its stack objects itself. A thread that ends inside its functions (`pthread_exit`)
//! frees those of all its frames, the innermost ones first. Thread-locals are not objects of the explorer. If other
//! threads may know their addresses, a thread records its end in memory, and an access to a thread-local of another
//! thread reads that record first. So there is an execution in which it reads that the thread has ended, unless the
//! access happens before the end.

use atropos_event::{Access, Addr, AllocKind, Label, ReadOrder, Rmw, Step, ThreadId, Value, WriteOrder};

use crate::answer::Progress;
use crate::code::Op;
use crate::fault::Fault;
use crate::interp::Thread;
use crate::layout::ThreadRegion;

impl Thread<'_, '_> {
    /// Makes the next of the last events of a thread, counted by `progress`: it frees its stack objects, records that
    /// its thread-locals are gone, stores its return value, and ends.
    #[inline]
    pub fn end(&mut self, op: Op) -> Progress {
        let code = &self.vm.code;
        match op {
            Op::Return { .. } if !code.keeps_returns && !code.ends_thread_locals => self.perform(Label::End),
            op => self.end_with_records(op),
        }
    }

    fn end_with_records(&mut self, op: Op) -> Progress {
        let (value, objects) = match op {
            Op::ExitThread { value } => (self.get(value), self.stack_objects()),
            Op::Return { value } => (self.get(value), Vec::new()),
            op => unreachable!("{op:?} ends no thread"),
        };
        let mut done = self.state.partial.progress as usize;
        if let Some(&addr) = objects.get(done) {
            return self.perform(Label::Free { addr: Addr(addr), kind: AllocKind::Stack });
        }
        done -= objects.len();
        let (region, access) = (self.region(), |addr: u64| Access::new(addr, 8));
        let life = (access(region.life_slot()), WriteOrder::Relaxed, 1);
        let left = (access(region.return_slot()), WriteOrder::NotAtomic, value);
        // The program ends when its main function returns, and then no join returns.
        let ends_program = self.id == ThreadId::MAIN && matches!(op, Op::Return { .. });
        let is_left = self.vm.code.keeps_returns && !ends_program;
        let writes = [self.vm.code.ends_thread_locals.then_some(life), is_left.then_some(left)];
        self.perform(match writes.into_iter().flatten().nth(done) {
            Some((access, order, value)) => Label::Write { access, order, value, exclusive: false },
            None => Label::End,
        })
    }

    pub fn answer_end(&mut self, op: Op, label: &Label) {
        if *label == Label::End {
            *self.step = Step::Finished;
        } else {
            self.state.partial.progress += 1;
            self.end(op);
        }
    }

    /// An operation on memory. If it accesses a thread-local of another thread, it first reads whether that thread
    /// has ended.
    pub fn access_memory(&mut self, op: Op) -> Result<Option<()>, Fault> {
        match self.touch_memory(op) {
            Err(Fault::OthersThreadLocal { addr }) => {
                let owner = ThreadRegion::of_addr(addr).expect("a thread-local lies in a region");
                let access = Access::new(owner.life_slot(), 8);
                self.state.pending.asks_life = true;
                self.state.pending.in_pieces = true;
                self.perform(Label::Read { access, order: ReadOrder::Relaxed, rmw: Rmw::None });
                Ok(None)
            }
            done => done,
        }
    }

    /// Whether accesses to thread-locals of other threads must read that first.
    pub fn must_ask_life(&self) -> bool {
        self.vm.code.ends_thread_locals && !self.state.pending.knows_life
    }

    /// The thread has read whether the owner of a thread-local has ended, and continues if it has not.
    pub fn answer_life(&mut self, op: Op, value: Value) -> Result<Progress, Fault> {
        self.state.pending.asks_life = false;
        self.state.pending.in_pieces = false;
        if value != 0 {
            return Err(match self.touch_memory(op) {
                Err(Fault::OthersThreadLocal { addr }) => Fault::ThreadHasEnded { addr },
                other => unreachable!("{op:?} asked for the life of a thread, and gives {other:?}"),
            });
        }
        self.state.pending.knows_life = true;
        let done = self.touch_memory(op);
        self.state.pending.knows_life = false;
        let stopped = done?.is_none();
        Ok(self.go_on_unless(stopped))
    }
}
