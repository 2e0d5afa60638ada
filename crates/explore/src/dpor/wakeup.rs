//! Wakeup trees: the sequences planned from a prefix, merged where they begin alike [ALGORITHMS §F.4].
//!
//! A tree is an ordered forest of [`Twig`]s in an arena; a node of the search holds the first twig of its own.

use super::process::ProcId;
use super::sleep::Move;

pub const NO_TWIG: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub struct Twig {
    pub step: Move,
    pub first_child: u32,
    pub sibling: u32,
}

/// The arena of all wakeup trees of a search.
#[derive(Clone, Debug)]
pub struct WakeupTrees {
    twigs: Vec<Twig>,
    /// Unused twigs, linked by `sibling`.
    free: u32,
}

impl Default for WakeupTrees {
    fn default() -> Self {
        WakeupTrees { twigs: Vec::new(), free: NO_TWIG }
    }
}

impl WakeupTrees {
    pub fn twig(&self, twig: u32) -> &Twig {
        &self.twigs[twig as usize]
    }

    /// Cuts off the first branch of a forest: its process, and the forest after it.
    pub fn take_first(&mut self, forest: &mut u32) -> Option<(ProcId, u32)> {
        if *forest == NO_TWIG {
            return None;
        }
        let taken = *forest;
        let Twig { step, first_child, sibling } = self.twigs[taken as usize];
        *forest = sibling;
        self.twigs[taken as usize].sibling = self.free;
        self.free = taken;
        Some((step.proc, first_child))
    }

    /// A branch without forks.
    pub fn branch(&mut self, moves: impl DoubleEndedIterator<Item = Move>) -> u32 {
        let mut branch = NO_TWIG;
        for step in moves.rev() {
            branch = self.add(Twig { step, first_child: branch, sibling: NO_TWIG });
        }
        branch
    }

    fn add(&mut self, twig: Twig) -> u32 {
        if self.free == NO_TWIG {
            self.twigs.push(twig);
            return self.twigs.len() as u32 - 1;
        }
        let place = self.free;
        self.free = self.twigs[place as usize].sibling;
        self.twigs[place as usize] = twig;
        place
    }

    /// Adds `branch` after the forest that begins with `forest`.
    pub fn append(&mut self, forest: u32, branch: u32) {
        let mut last = forest;
        while self.twigs[last as usize].sibling != NO_TWIG {
            last = self.twigs[last as usize].sibling;
        }
        self.twigs[last as usize].sibling = branch;
    }
}
