//! What a thread does after an answer is computed once.
//!
//! A thread is a deterministic function from the values it has received to its next label, and a search gives a thread
//! the same values over and over again while other threads move. So a position that is released stays on the stack while
//! there is room. It is found again, by the position before it and the answer, when the thread gets that answer there
//! again. If the stack has become too high, releasing positions truncates it.
//!
//! The table that leads from a position and an answer to the position after them is a hint. Truncation leaves it as it
//! is, and a later entry may replace an earlier one: an entry counts only if the position there says that it was reached
//! in this way.

use atropos_event::{Label, Position, Step, ThreadId, Value};

use crate::run::VmRun;

/// Above these sizes of the stack, released positions are forgotten. Larger ones fit the caches of a processor less
/// well.
const MOST_SNAPSHOTS: usize = 1 << 11;
const MOST_WORDS: usize = 1 << 16;
const MOST_PAGES: u32 = 1 << 10;

const NONE: u32 = u32::MAX;

/// How a position was reached: from which one, and by which answer; `before` is `NONE` if it cannot be found again.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    before: u32,
    answer: Value,
}

impl Origin {
    pub const NONE: Origin = Origin { before: NONE, answer: 0 };
}

/// Where answers have led to.
pub(crate) struct Recall {
    positions: Vec<u32>,
}

impl Recall {
    const BITS: u32 = 12;

    pub fn new() -> Recall {
        Recall { positions: vec![NONE; 1 << Self::BITS] }
    }

    /// The entry for this answer at `before`.
    #[inline]
    fn entry(before: Position, answer: Value) -> usize {
        let key = answer.wrapping_add(u64::from(before.0) << 32 | u64::from(before.0));
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Self::BITS)) as usize
    }
}

impl VmRun<'_> {
    /// The position that a thread reached when it got this answer at `before`.
    #[inline]
    pub(crate) fn recall(&self, before: Position, answer: Option<Value>) -> Option<Position> {
        let answer = answer?;
        let known = self.recall.positions[Recall::entry(before, answer)];
        let origin = self.snapshots.get(known as usize)?.origin;
        (origin.before == before.0 && origin.answer == answer).then_some(Position(known))
    }

    /// `thread`, which was at `before`, goes to the position where it was after the same answer.
    #[inline]
    pub(crate) fn return_to(&mut self, thread: ThreadId, before: Position, known: Position) {
        if let Step::Do(Label::Spawn { child, .. }) = self.snapshots[before.0 as usize].step {
            // Its first position was created right before.
            self.threads.stand_at(child, Position(known.0 - 1));
        }
        self.threads.stand_at(thread, known);
    }

    /// Remembers that the answer at `before` has led to `reached`, if it always does.
    pub(crate) fn remember(&mut self, before: Position, answer: Option<Value>, reached: Position) {
        let Some(answer) = answer else { return };
        // How parts of cells are stored depends on which threads are known, and so do some failures. Joining the main
        // thread depends on how that has ended.
        let depends_on_others = self.overlaps.has_cells()
            || matches!(self.snapshots[reached.0 as usize].step, Step::Failed | Step::Unsupported)
            || matches!(
                self.snapshots[before.0 as usize].step,
                Step::Do(Label::Join { child: ThreadId::MAIN })
            );
        if !depends_on_others {
            self.snapshots[reached.0 as usize].origin = Origin { before: before.0, answer };
            self.recall.positions[Recall::entry(before, answer)] = reached.0;
        }
    }

    /// Whether released positions must be forgotten.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        self.snapshots.len() > MOST_SNAPSHOTS
            || self.words.len() > MOST_WORDS
            || self.pages.len() > MOST_PAGES
    }

    /// Drops all positions from `end` on.
    pub(crate) fn truncate(&mut self, end: Position) {
        self.snapshots.truncate(end.0 as usize);
        let (words, pages) =
            self.snapshots.last().map_or((0, 1), |last| (last.words_at + last.n_words, last.pages_end));
        self.words.truncate(words);
        self.pages.truncate(pages);
        while self.faults.last().is_some_and(|&(position, _)| position >= end.0) {
            self.faults.pop();
        }
        while self.guarded.last().is_some_and(|&(position, _)| position >= end.0) {
            self.guarded.pop();
        }
        while self.output.last().is_some_and(|&(position, _)| position >= end.0) {
            self.output.pop();
        }
    }
}
