//! What a thread does after an answer is computed once.
//!
//! A thread is a deterministic function from the values it has received to its next label, and a search gives a thread
//! the same values over and over again while other threads move. So a position that is released stays on the stack while
//! there is room. It is found again, by the position before it and the answer, when the thread gets that answer there
//! again. If the stack has become too high, releasing positions truncates it.
//!
//! A position lists the positions that follow it, the latest first. Truncation removes positions and leaves the lists as
//! they are: an entry counts only if the position there says that it follows this one.

use atropos_event::{Label, Position, Step, ThreadId, Value};

use crate::run::VmRun;

/// Above these sizes of the stack, released positions are forgotten. Larger ones fit the caches of a processor less
/// well.
const MOST_SNAPSHOTS: usize = 1 << 11;
const MOST_WORDS: usize = 1 << 16;
const MOST_PAGES: u32 = 1 << 10;

/// How many followers of a position are compared with an answer.
const MOST_COMPARED: usize = 4;

const NONE: u32 = u32::MAX;

/// How a position was reached, and which positions were reached from it.
#[derive(Clone, Copy)]
pub(crate) struct Links {
    /// The position before, and the answer there; `NONE` if it cannot be found again.
    before: u32,
    answer: Value,
    /// The latest position that follows this one, and the next older one with the same position before.
    latest: u32,
    older: u32,
}

impl Links {
    pub const NONE: Links = Links { before: NONE, answer: 0, latest: NONE, older: NONE };
}

impl VmRun<'_> {
    /// The position that `thread` reached when it got this answer at `before`.
    #[inline]
    pub(crate) fn recall(&mut self, before: Position, answer: Option<Value>) -> Option<Position> {
        let answer = answer?;
        let mut at = self.snapshots[before.0 as usize].links.latest;
        for _ in 0..MOST_COMPARED {
            let links = self.snapshots.get(at as usize)?.links;
            if links.before != before.0 {
                return None;
            }
            if links.answer == answer {
                return Some(Position(at));
            }
            at = links.older;
        }
        None
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
            let latest = std::mem::replace(&mut self.snapshots[before.0 as usize].links.latest, reached.0);
            let links = &mut self.snapshots[reached.0 as usize].links;
            (links.before, links.answer, links.older) = (before.0, answer, latest);
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
