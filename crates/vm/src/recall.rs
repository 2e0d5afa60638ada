//! What a thread does after an answer is computed once.
//!
//! A thread is a deterministic function from the values it has received to its next label, and a search gives a thread
//! the same values over and over again while other threads move. So a position that is released stays on the stack while
//! there is room. It is found again, by the position before it and the answer, when the thread gets that answer there
//! again. If the stack has become too high, releasing positions truncates it.
//!
//! Looking for positions costs time, and a high stack is cold memory. So a search that has found few positions rests: for
//! a while it truncates the stack at once, and then it tries again.
//!
//! A search that goes back to the start begins another part, and the stack is full of positions of the last one. The new
//! part has room above them, because it comes to some of them again. Without it, all its positions would be forgotten.
//!
//! The table that leads from a position and an answer to the position after them is a hint. Truncation leaves it as it
//! is, and a later entry may replace an earlier one: an entry counts only if the position there says that it was reached
//! in this way.

use atropos_event::{Label, Position, Step, ThreadId, Value};

use crate::run::VmRun;

/// When the stack has more positions than that, those that are released are forgotten. It may grow with the number of
/// positions computed, and the table with it, because a short search gains less from more positions than it loses by
/// fresh memory: searches of two milliseconds took a tenth longer with 2048 positions from the start. 2048 positions
/// make fib_bench(4) with source-DPOR forget nine of ten before it needs them again; four times `MOST_POSITIONS` gain
/// nothing more.
pub(crate) const LEAST_POSITIONS: usize = 1 << 9;
const MOST_POSITIONS: usize = 1 << 14;
const COMPUTED_PER_POSITION: usize = 8;
/// What a position may take of the words and pages, on average.
pub(crate) const WORDS_PER_POSITION: usize = 32;
const POSITIONS_PER_PAGE: usize = 2;
/// A search rests if it finds less than one position in so many tries. It tries for `TRY_PER_POSITION` times its room, and
/// rests for `REST_PER_TRY` times as long.
const LEAST_FOUND: usize = 5;
const TRY_PER_POSITION: usize = 2;
const REST_PER_TRY: usize = 8;
/// So many times its room the stack may have when another part begins.
const TIMES_ROOM: usize = 2;

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
    /// Two entries for each position that there is room for.
    positions: Vec<u32>,
    n_computed: usize,
    /// How many positions there is room for.
    room: usize,
    is_resting: bool,
    /// How many answers are left of this try or rest, and how many of them have been found.
    n_left: usize,
    n_found: usize,
    /// The height of the stack after the program's start, and where the part that is being searched begins.
    start: usize,
    base: Height,
}

/// How much there is on the stack.
#[derive(Clone, Copy, Default)]
struct Height {
    positions: usize,
    words: usize,
    pages: usize,
}

impl Height {
    /// Whether the stack has more than its room above `base`.
    #[inline]
    fn exceeds(self, base: Height, room: usize) -> bool {
        self.positions > base.positions + room
            || self.words > base.words + room * WORDS_PER_POSITION
            || self.pages > base.pages + room / POSITIONS_PER_PAGE
    }
}

impl Recall {
    pub fn new() -> Recall {
        Recall {
            positions: vec![NONE; 2 * LEAST_POSITIONS],
            n_computed: 0,
            room: LEAST_POSITIONS,
            is_resting: false,
            n_left: TRY_PER_POSITION * LEAST_POSITIONS,
            n_found: 0,
            start: 0,
            base: Height::default(),
        }
    }

    /// A try or a rest is over.
    #[cold]
    fn turn(&mut self) {
        let n_tries = TRY_PER_POSITION * self.room;
        self.is_resting = !self.is_resting && self.n_found * LEAST_FOUND < n_tries;
        self.n_left = if self.is_resting { REST_PER_TRY * n_tries } else { n_tries };
        self.n_found = 0;
    }

    /// The entry for this answer at `before`.
    #[inline]
    fn entry(&self, before: Position, answer: Value) -> usize {
        let key = answer.wrapping_add(u64::from(before.0) << 32 | u64::from(before.0));
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> u32::BITS;
        (hash as usize * self.positions.len()) >> u32::BITS
    }
}

impl VmRun<'_> {
    /// The position that a thread reached when it got this answer at `before`.
    #[inline]
    pub(crate) fn recall(&mut self, before: Position, answer: Option<Value>) -> Option<Position> {
        if self.recall.n_left == 0 {
            self.recall.turn();
        }
        self.recall.n_left -= 1;
        if self.recall.is_resting {
            return None;
        }
        let answer = answer?;
        let known = self.recall.positions[self.recall.entry(before, answer)];
        let origin = self.snapshots.get(known as usize)?.origin;
        let is_it = origin.before == before.0 && origin.answer == answer;
        self.recall.n_found += usize::from(is_it);
        is_it.then_some(Position(known))
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
        self.recall.n_computed += 1;
        if self.recall.n_computed == 2 * self.recall.room * COMPUTED_PER_POSITION {
            self.make_room();
        }
        if self.recall.is_resting {
            return;
        }
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
            let entry = self.recall.entry(before, answer);
            self.recall.positions[entry] = reached.0;
        }
    }

    /// Makes room for twice as many positions, unless there is enough.
    #[cold]
    fn make_room(&mut self) {
        if self.recall.room < MOST_POSITIONS {
            self.recall.room *= 2;
            self.recall.positions = vec![NONE; 2 * self.recall.room];
            for (position, snapshot) in self.snapshots.iter().enumerate() {
                let Origin { before, answer } = snapshot.origin;
                if before != NONE {
                    let entry = self.recall.entry(Position(before), answer);
                    self.recall.positions[entry] = position as u32;
                }
            }
        }
    }

    #[inline]
    fn height(&self) -> Height {
        Height { positions: self.snapshots.len(), words: self.words.len(), pages: self.pages.len() as usize }
    }

    /// The program has started: nothing below is ever released.
    pub(crate) fn note_start(&mut self) {
        self.recall.start = self.snapshots.len();
    }

    /// Forgets the positions from `mark` on, which are released, if there is no room for them.
    #[inline]
    pub(crate) fn forget(&mut self, mark: Position) {
        if self.recall.is_resting || self.height().exceeds(self.recall.base, self.recall.room) {
            self.truncate(mark);
        }
        if mark.0 as usize == self.recall.start {
            self.begin_part();
        }
    }

    /// The search is back at the start.
    #[cold]
    fn begin_part(&mut self) {
        if self.height().exceeds(Height::default(), TIMES_ROOM * self.recall.room) {
            self.truncate(Position(self.recall.start as u32));
        }
        self.recall.base = self.height();
    }

    /// Drops all positions from `end` on.
    pub(crate) fn truncate(&mut self, end: Position) {
        if self.snapshots.len() <= end.0 as usize {
            return;
        }
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
