//! Maps registers to words: registers that are never live together share one.
//!
//! A snapshot copies the frame, so small frames are fast. This is a linear scan over the positions between the first
//! and the last where a register is live; parameters keep their places.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::code::FRAME_HEADER;
use crate::flow::Liveness;
use crate::ir::{Function, Reg};

pub struct Assignment {
    words: Vec<usize>,
    /// The first word that no register uses.
    pub end: usize,
}

impl Assignment {
    pub fn word(&self, reg: Reg) -> usize {
        self.words[reg.index()]
    }

    pub fn of(function: &Function, liveness: &Liveness) -> Assignment {
        let ranges = live_ranges(function, liveness);
        let n_params = function.n_params as usize;
        let mut words = vec![FRAME_HEADER; function.registers.len()];
        let mut end = FRAME_HEADER;
        let mut by_start: Vec<usize> = (0..ranges.len()).filter(|&reg| ranges[reg].is_some()).collect();
        by_start[n_params..].sort_by_key(|&reg| ranges[reg]);
        // Words in use with the last position that needs them, and words that became free.
        let mut active = BinaryHeap::new();
        let mut free = BinaryHeap::new();
        for reg in by_start {
            let Some((first, last)) = ranges[reg] else { continue };
            while let Some(&Reverse((until, word))) = active.peek() {
                if until >= first {
                    break;
                }
                active.pop();
                free.push(Reverse(word));
            }
            let word = free.pop().map_or(end, |Reverse(word)| word);
            end = end.max(word + 1);
            words[reg] = word;
            active.push(Reverse((last, word)));
        }
        Assignment { words, end }
    }
}

/// The first and last statement that each register is live before or written by. The results of an instruction are
/// live together with its operands. Parameters are live from the start.
fn live_ranges(function: &Function, liveness: &Liveness) -> Vec<Option<(usize, usize)>> {
    let mut ranges: Vec<Option<(usize, usize)>> = vec![None; function.registers.len()];
    let mut extend = |reg: Reg, at: usize| {
        let range = &mut ranges[reg.index()];
        *range = Some(range.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
    };
    (0..function.n_params).for_each(|param| extend(Reg(param), 0));
    for (at, statement) in function.body.iter().enumerate() {
        liveness.before(at).for_each(|reg| extend(reg, at));
        statement.instr.visit_results(&mut |reg| extend(reg, at));
    }
    ranges
}
