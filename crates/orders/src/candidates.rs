//! The cheapest assignment that no known violation rules out.
//!
//! A violation is known for everything within an assignment, its *block*. A candidate must leave every block: some order
//! must demand something that the block does not. Nor may it include a known answer. This is a minimum-cost hitting set
//! over the demands of all orders, found by branch and bound: take the block with the fewest ways to leave it, try each
//! of them, and in later branches forbid those tried before. Blocks without common ways bound the cost from below.
//!
//! The cost of an assignment is a sum over its orders that grows with each demand, so that the cheapest candidate is
//! minimal: everything within it lies in a block.

use crate::strength::{Assignment, Space, Strength};

/// How many branches to try before the cheapest candidate so far is taken.
const MOST_BRANCHES: u64 = 1_000_000;

/// The cost of each choice of each order; it must grow with each demand.
pub struct Prices(Vec<Vec<u64>>);

impl Prices {
    /// `price(order, strength)` for all choices. Between equal sums, the smaller sum of `aversion` to the orders that
    /// demand something decides; and then something that makes equal sums unlikely, so that the cheapest candidate does
    /// not depend on the order in which violations are found.
    pub fn new(
        space: &Space,
        price: impl Fn(usize, Strength) -> u64,
        aversion: impl Fn(usize) -> u64,
    ) -> Prices {
        const NOISE_BITS: u32 = 12;
        const MOST_AVERSION: u64 = (1 << 12) - 1;
        let of = |order: usize| {
            let prices = space.choices(order).iter().enumerate().map(|(rank, &choice)| {
                let seed = (order as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((rank as u64) << 7);
                let noise = seed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> (64 - NOISE_BITS);
                let tie = (aversion(order).min(MOST_AVERSION) << NOISE_BITS) + noise;
                (price(order, choice) << 32) + if rank == 0 { 0 } else { tie }
            });
            prices.collect()
        };
        Prices((0..space.n_orders()).map(of).collect())
    }

    fn of(&self, space: &Space, order: usize, strength: Strength) -> u64 {
        let rank = space.choices(order).iter().position(|choice| *choice == strength);
        self.0[order][rank.expect("a choice of this order")]
    }

    pub fn total(&self, space: &Space, assignment: &Assignment) -> u64 {
        assignment.0.iter().enumerate().map(|(order, &strength)| self.of(space, order, strength)).sum()
    }
}

/// The next assignment to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub assignment: Assignment,
    /// Whether it is known to be the cheapest one, and not only minimal.
    pub is_cheapest: bool,
}

/// The cheapest assignment that is within none of `blocks` and includes none of `answers`.
pub fn next_candidate<'a>(
    space: &Space,
    prices: &Prices,
    blocks: impl IntoIterator<Item = &'a Assignment>,
    answers: &[Assignment],
) -> Option<Candidate> {
    let blocks: Vec<&Assignment> = blocks.into_iter().collect();
    let mut hunt = Hunt { space, prices, blocks: maximal(&blocks), answers, best: None, n_branches: 0 };
    let nothing = Assignment(vec![Strength::NONE; space.n_orders()]);
    hunt.extend(&space.weakest(), &nothing);
    let is_cheapest = hunt.n_branches < MOST_BRANCHES;
    let (_, best) = hunt.best.take()?;
    let assignment = if is_cheapest { best } else { hunt.reduced(best) };
    Some(Candidate { assignment, is_cheapest })
}

/// Leaves out blocks that lie within another one.
fn maximal<'a>(blocks: &[&'a Assignment]) -> Vec<&'a Assignment> {
    let is_covered = |index: usize| {
        blocks.iter().enumerate().any(|(other, block)| {
            other != index && blocks[index].is_within(block) && (other < index || blocks[index] != *block)
        })
    };
    (0..blocks.len()).filter(|&index| !is_covered(index)).map(|index| blocks[index]).collect()
}

struct Hunt<'a> {
    space: &'a Space,
    prices: &'a Prices,
    blocks: Vec<&'a Assignment>,
    answers: &'a [Assignment],
    best: Option<(u64, Assignment)>,
    n_branches: u64,
}

/// A demand that one order may make to leave a block.
#[derive(Clone, Copy)]
struct WayOut {
    order: usize,
    demand: Strength,
    /// The weakest choice with this demand and those made so far.
    choice: Strength,
    price: u64,
}

impl Hunt<'_> {
    /// Completes `partial` in every way that is cheaper than the best candidate and makes no demand of `forbidden`.
    fn extend(&mut self, partial: &Assignment, forbidden: &Assignment) {
        self.n_branches += 1;
        if self.n_branches > MOST_BRANCHES && self.best.is_some() {
            return;
        }
        if self.answers.iter().any(|answer| answer.is_within(partial)) {
            return;
        }
        let price = self.prices.total(self.space, partial);
        let open: Vec<Vec<WayOut>> = self
            .blocks
            .iter()
            .filter(|block| partial.is_within(block))
            .map(|block| self.ways_out(block, partial, forbidden))
            .collect();
        if open.iter().any(Vec::is_empty) {
            return;
        }
        if self.best.as_ref().is_some_and(|(best, _)| price + least(&open, self.space.n_orders()) >= *best) {
            return;
        }
        let Some(mut ways) = open.into_iter().min_by_key(Vec::len) else {
            self.best = Some((price, partial.clone()));
            return;
        };
        ways.sort_by_key(|way| way.price);
        let mut forbidden = forbidden.clone();
        for way in ways {
            self.extend(&partial.with(way.order, way.choice), &forbidden);
            forbidden.0[way.order] = forbidden.0[way.order].or(way.demand);
        }
    }

    fn ways_out(&self, block: &Assignment, partial: &Assignment, forbidden: &Assignment) -> Vec<WayOut> {
        let mut ways = Vec::new();
        for order in 0..self.space.n_orders() {
            let choices = self.space.choices(order);
            for demand in choices[choices.len() - 1].beyond(block.0[order]) {
                let wanted = partial.0[order].or(demand);
                let choice =
                    self.space.at_least(order, wanted).expect("the strongest choice has all demands");
                let is_forbidden = forbidden.0[order].beyond(Strength::NONE).any(|no| no.is_within(choice));
                let includes_another = ways.iter().any(|way: &WayOut| {
                    way.order == order && way.choice.is_within(choice) && way.choice != choice
                });
                if !is_forbidden && !includes_another {
                    let now = self.prices.of(self.space, order, partial.0[order]);
                    let price = self.prices.of(self.space, order, choice) - now;
                    ways.push(WayOut { order, demand, choice, price });
                }
            }
        }
        ways
    }

    /// Weakens orders while the assignment leaves all blocks.
    fn reduced(&self, mut assignment: Assignment) -> Assignment {
        let leaves_all = |it: &Assignment| !self.blocks.iter().any(|block| it.is_within(block));
        for order in 0..self.space.n_orders() {
            let weaker = self.space.choices(order).iter().map(|&choice| assignment.with(order, choice));
            let weakest = weaker.into_iter().find(leaves_all);
            assignment = weakest.expect("the order as it is leaves all blocks");
        }
        assignment
    }
}

/// A lower bound on the price of leaving all these blocks: the sum over some that have no order in common.
fn least(open: &[Vec<WayOut>], n_orders: usize) -> u64 {
    let mut by_size: Vec<&Vec<WayOut>> = open.iter().collect();
    by_size.sort_by_key(|ways| ways.len());
    let mut is_used = vec![false; n_orders];
    let mut sum = 0;
    for ways in by_size {
        if ways.iter().any(|way| is_used[way.order]) {
            continue;
        }
        ways.iter().for_each(|way| is_used[way.order] = true);
        sum += ways.iter().map(|way| way.price).min().unwrap_or(0);
    }
    sum
}
