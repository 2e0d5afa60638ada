//! How strong the order of an operation is: a set of demands, ordered by inclusion.
//!
//! The orders of C are a small distributive lattice for each kind of operation. Its elements are sets of three demands:
//! to acquire, to release, and to take part in the one order of sequential consistency, which includes the others. So
//! the comparison of orders is inclusion, and the weakest order above two others is their union.

use atropos_event::{FenceOrder, ReadOrder, WriteOrder};
use std::fmt;

/// A set of demands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Strength(u8);

const ACQUIRE: u8 = 1;
const RELEASE: u8 = 2;
const SEQ_CST: u8 = 4;

impl Strength {
    /// No demands: a relaxed access, or no fence at all.
    pub const NONE: Strength = Strength(0);
    pub const ACQUIRE: Strength = Strength(ACQUIRE);
    pub const RELEASE: Strength = Strength(RELEASE);
    pub const ACQ_REL: Strength = Strength(ACQUIRE | RELEASE);

    pub fn is_within(self, other: Strength) -> bool {
        self.0 & !other.0 == 0
    }

    pub fn or(self, other: Strength) -> Strength {
        Strength(self.0 | other.0)
    }

    /// The demands that both make.
    pub(crate) fn and(self, other: Strength) -> Strength {
        Strength(self.0 & other.0)
    }

    /// Its demands that `other` does not make, one by one.
    pub(crate) fn beyond(self, other: Strength) -> impl Iterator<Item = Strength> {
        let more = self.0 & !other.0;
        [ACQUIRE, RELEASE, SEQ_CST].into_iter().filter(move |bit| more & bit != 0).map(Strength)
    }

    pub(crate) fn n_demands(self) -> u32 {
        self.0.count_ones()
    }

    pub fn is_seq_cst(self) -> bool {
        self.0 & SEQ_CST != 0
    }

    pub fn acquires(self) -> bool {
        self.0 & ACQUIRE != 0
    }

    pub fn releases(self) -> bool {
        self.0 & RELEASE != 0
    }

    pub(crate) fn of_read(order: ReadOrder) -> Strength {
        Strength(match order {
            ReadOrder::NotAtomic | ReadOrder::Relaxed => 0,
            ReadOrder::Acquire => ACQUIRE,
            ReadOrder::SeqCst => ACQUIRE | SEQ_CST,
        })
    }

    pub(crate) fn of_write(order: WriteOrder) -> Strength {
        Strength(match order {
            WriteOrder::NotAtomic | WriteOrder::Relaxed => 0,
            WriteOrder::Release => RELEASE,
            WriteOrder::SeqCst => RELEASE | SEQ_CST,
        })
    }

    pub(crate) fn of_fence(order: FenceOrder) -> Strength {
        Strength(match order {
            FenceOrder::Acquire => ACQUIRE,
            FenceOrder::Release => RELEASE,
            FenceOrder::AcqRel => ACQUIRE | RELEASE,
            FenceOrder::SeqCst => ACQUIRE | RELEASE | SEQ_CST,
        })
    }

    pub(crate) fn read_order(self) -> ReadOrder {
        match (self.is_seq_cst(), self.acquires()) {
            (true, _) => ReadOrder::SeqCst,
            (false, true) => ReadOrder::Acquire,
            (false, false) => ReadOrder::Relaxed,
        }
    }

    pub(crate) fn write_order(self) -> WriteOrder {
        match (self.is_seq_cst(), self.releases()) {
            (true, _) => WriteOrder::SeqCst,
            (false, true) => WriteOrder::Release,
            (false, false) => WriteOrder::Relaxed,
        }
    }

    /// `None` if there is nothing to demand, so no fence is needed.
    pub(crate) fn fence_order(self) -> Option<FenceOrder> {
        match (self.is_seq_cst(), self.acquires(), self.releases()) {
            (true, ..) => Some(FenceOrder::SeqCst),
            (false, true, true) => Some(FenceOrder::AcqRel),
            (false, true, false) => Some(FenceOrder::Acquire),
            (false, false, true) => Some(FenceOrder::Release),
            (false, false, false) => None,
        }
    }

    /// C's name without `memory_order_`.
    pub fn name(self) -> &'static str {
        match (self.is_seq_cst(), self.acquires(), self.releases()) {
            (true, ..) => "seq_cst",
            (false, true, true) => "acq_rel",
            (false, true, false) => "acquire",
            (false, false, true) => "release",
            (false, false, false) => "relaxed",
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What has an order. A compare-and-swap has two: one if it succeeds, and one if it fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OrderKind {
    Load,
    Store,
    /// A read-modify-write, or a compare-and-swap that succeeds.
    Update,
    /// A compare-and-swap that fails.
    Failure,
    Fence,
}

impl OrderKind {
    /// All strengths, each after those that it includes.
    pub fn strengths(self) -> &'static [Strength] {
        const LOADS: [Strength; 3] = [Strength(0), Strength(ACQUIRE), Strength(ACQUIRE | SEQ_CST)];
        const STORES: [Strength; 3] = [Strength(0), Strength(RELEASE), Strength(RELEASE | SEQ_CST)];
        const BOTH: [Strength; 5] = [
            Strength(0),
            Strength(ACQUIRE),
            Strength(RELEASE),
            Strength(ACQUIRE | RELEASE),
            Strength(ACQUIRE | RELEASE | SEQ_CST),
        ];
        match self {
            OrderKind::Load | OrderKind::Failure => &LOADS,
            OrderKind::Store => &STORES,
            OrderKind::Update | OrderKind::Fence => &BOTH,
        }
    }

    pub fn strongest(self) -> Strength {
        self.strengths()[self.strengths().len() - 1]
    }

    /// The name of a strength; a fence without demands is none.
    pub fn name_of(self, strength: Strength) -> &'static str {
        if self == OrderKind::Fence && strength == Strength::NONE { "none" } else { strength.name() }
    }

    /// The name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            OrderKind::Load => "load",
            OrderKind::Store => "store",
            OrderKind::Update => "update",
            OrderKind::Failure => "failure",
            OrderKind::Fence => "fence",
        }
    }
}

/// A strength for each order of a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Assignment(pub Vec<Strength>);

impl Assignment {
    /// Whether no order is stronger than that of `other`.
    pub fn is_within(&self, other: &Assignment) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own.is_within(*other))
    }

    /// The same with one order changed.
    pub fn with(&self, order: usize, strength: Strength) -> Assignment {
        let mut changed = self.clone();
        changed.0[order] = strength;
        changed
    }
}

/// The assignments to consider: for each order its strengths, each after those that it includes, the weakest one first
/// and the strongest one last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    choices: Vec<Vec<Strength>>,
}

impl Space {
    /// All assignments from `weakest` to `strongest`.
    pub fn between(kinds: &[OrderKind], weakest: &Assignment, strongest: &Assignment) -> Space {
        let bounds = weakest.0.iter().zip(&strongest.0);
        let choices = kinds.iter().zip(bounds).map(|(kind, (weakest, strongest))| {
            let is_between = |it: &Strength| weakest.is_within(*it) && it.is_within(*strongest);
            kind.strengths().iter().copied().filter(is_between).collect()
        });
        Space { choices: choices.collect() }
    }

    pub fn n_orders(&self) -> usize {
        self.choices.len()
    }

    /// The strengths that an order may have.
    pub fn choices(&self, order: usize) -> &[Strength] {
        &self.choices[order]
    }

    pub fn weakest(&self) -> Assignment {
        Assignment(self.choices.iter().map(|choices| choices[0]).collect())
    }

    pub fn strongest(&self) -> Assignment {
        Assignment(self.choices.iter().map(|choices| choices[choices.len() - 1]).collect())
    }

    /// The weakest choice of an order that includes `strength`.
    pub(crate) fn at_least(&self, order: usize, strength: Strength) -> Option<Strength> {
        self.choices[order].iter().copied().find(|choice| strength.is_within(*choice))
    }

    /// The choices of an order right below `strength`.
    pub fn below(&self, order: usize, strength: Strength) -> Vec<Strength> {
        let weaker: Vec<Strength> = self.choices[order]
            .iter()
            .copied()
            .filter(|choice| choice.is_within(strength) && *choice != strength)
            .collect();
        let is_covered = |it: &Strength| weaker.iter().any(|other| it != other && it.is_within(*other));
        weaker.iter().copied().filter(|choice| !is_covered(choice)).collect()
    }

    /// How many assignments there are.
    pub fn size(&self) -> f64 {
        self.choices.iter().map(|choices| choices.len() as f64).product()
    }

    /// All assignments, for comparisons with brute force.
    pub fn all(&self) -> Vec<Assignment> {
        let mut all = vec![Vec::new()];
        for choices in &self.choices {
            let extended = |partial: &Vec<Strength>| {
                let partial = partial.clone();
                choices.iter().map(move |&choice| [&partial[..], &[choice]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(extended).collect();
        }
        all.into_iter().map(Assignment).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_survive_the_translation_to_demands() {
        for order in ReadOrder::ALL.into_iter().filter(|order| order.is_atomic()) {
            assert_eq!(Strength::of_read(order).read_order(), order);
        }
        for order in WriteOrder::ALL.into_iter().filter(|order| order.is_atomic()) {
            assert_eq!(Strength::of_write(order).write_order(), order);
        }
        for order in FenceOrder::ALL {
            assert_eq!(Strength::of_fence(order).fence_order(), Some(order));
        }
    }

    #[test]
    fn the_strengths_of_a_kind_are_closed_under_union() {
        for kind in
            [OrderKind::Load, OrderKind::Store, OrderKind::Update, OrderKind::Failure, OrderKind::Fence]
        {
            let all = kind.strengths();
            for (left, right) in all.iter().flat_map(|left| all.iter().map(move |right| (left, right))) {
                assert!(all.contains(&left.or(*right)));
            }
        }
    }

    #[test]
    fn neither_acquire_nor_release_is_below_the_other() {
        let kinds = [OrderKind::Fence];
        let strongest = Assignment(vec![OrderKind::Fence.strongest()]);
        let space = Space::between(&kinds, &Assignment(vec![Strength::NONE]), &strongest);
        assert_eq!(space.below(0, strongest.0[0]), [Strength::ACQ_REL]);
        assert_eq!(space.below(0, Strength::ACQ_REL), [Strength::ACQUIRE, Strength::RELEASE]);
        assert_eq!(space.below(0, Strength::ACQUIRE), [Strength::NONE]);
        assert_eq!(space.below(0, Strength::NONE), []);
    }
}
