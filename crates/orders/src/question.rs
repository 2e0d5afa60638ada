//! The two questions: which orders can be weaker, and which must be stronger?
//!
//! Weakening searches below the orders of programs that verify, a repair above those of programs that fail. Both want the
//! weakest orders that verify; a repair counts first how many orders it changes.

use crate::candidates::Prices;
use crate::cost::{aversion_to, price_of, price_of_repair};
use crate::programs::{KnownViolation, Programs};
use crate::search::{Facts, Judgement, Search, Wanted, judge_alone};
use crate::strength::{Assignment, Strength};
use atropos_event::Diagnostic;
use atropos_explore::Control;
use atropos_report::Finding;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Weaken,
    Repair,
}

/// A question about programs, whose space of assignments starts or ends with their own orders.
pub struct Question<'a> {
    pub purpose: Purpose,
    pub programs: &'a Programs<'a>,
    pub wanted: Wanted,
    pub jobs: usize,
    pub control: &'a Control,
}

/// What is known about programs, with a violation for each block.
pub type KnownFacts = Facts<Arc<KnownViolation>>;

/// The reply, and what else became known.
pub struct Reply {
    pub answer: Answer,
    pub facts: KnownFacts,
    pub n_candidates: u64,
}

pub enum Answer {
    /// Nothing that may be changed makes the programs verify: this goes wrong with the strongest orders.
    Fails(Reason),
    /// There is nothing to repair.
    Verifies,
    Found(Solutions),
    /// A limit was hit first.
    Undecided,
}

/// The orders found, cheapest first.
pub struct Solutions {
    pub all: Vec<Solution>,
    /// Something weaker may verify, because a limit was hit before that was decided.
    pub is_partial: bool,
    /// It is known that nothing cheaper verifies.
    pub is_cheapest: bool,
}

/// Orders that verify.
pub struct Solution {
    pub assignment: Assignment,
    /// One for each order that cannot be as weak as allowed.
    pub reasons: Vec<Reason>,
}

/// Why an order cannot be weaker.
pub struct Reason {
    pub order: usize,
    /// What it would be.
    pub instead: Strength,
    pub program: usize,
    /// What goes wrong then; `None` if showing it takes too long.
    pub finding: Option<Box<Finding>>,
}

/// The program with this number cannot be checked.
pub type Refused = (usize, Diagnostic);

impl Question<'_> {
    /// # Errors
    /// A program cannot be checked.
    pub fn ask(&self, mut facts: KnownFacts) -> Result<Reply, Refused> {
        for (_, known) in &facts.blocks {
            self.programs.remember(known);
        }
        let space = self.programs.space;
        let first = match self.purpose {
            Purpose::Weaken => space.strongest(),
            Purpose::Repair => space.weakest(),
        };
        let mut n_candidates = 0;
        if !facts.decide(&first) {
            n_candidates += 1;
            match judge_alone(self.programs, &first, self.control) {
                Judgement::Verified => facts.verified.push(first.clone()),
                Judgement::Fails(block, known) => facts.blocks.push((block, known)),
                Judgement::Undecided => {
                    return Ok(Reply { answer: Answer::Undecided, facts, n_candidates });
                }
                Judgement::Refused(refused) => return Err(refused),
            }
        }
        if self.purpose == Purpose::Repair && facts.verify(&first) {
            return Ok(Reply { answer: Answer::Verifies, facts, n_candidates });
        }
        let aversion = aversion_to(self.programs.orders);
        let prices = match self.purpose {
            Purpose::Weaken => Prices::new(space, price_of(self.programs.orders), aversion),
            Purpose::Repair => Prices::new(space, price_of_repair(self.programs.orders), aversion),
        };
        let Question { programs: judge, wanted, jobs, control, .. } = *self;
        let end = Search { judge, space, prices: &prices, wanted, jobs, control }.run(facts)?;
        let n_candidates = n_candidates + end.n_candidates;
        let is_partial = end.is_stopped || !end.undecided.is_empty();
        let answer = match self.failure(&end.facts) {
            Some(reason) => Answer::Fails(reason),
            None if end.answers.is_empty() => Answer::Undecided,
            None => Answer::Found(Solutions {
                all: end.answers.into_iter().map(|it| self.solution(it, &end.facts)).collect(),
                is_partial,
                is_cheapest: end.is_cheapest,
            }),
        };
        Ok(Reply { answer, facts: end.facts, n_candidates })
    }

    /// What goes wrong with the strongest orders, if something does.
    fn failure(&self, facts: &KnownFacts) -> Option<Reason> {
        let strongest = self.programs.space.strongest();
        let known = facts.violation_of(&strongest)?;
        let finding = self.programs.still_fails(known, &strongest).map(Box::new);
        Some(Reason { order: 0, instead: Strength::NONE, program: known.program, finding })
    }

    fn solution(&self, assignment: Assignment, facts: &KnownFacts) -> Solution {
        let space = self.programs.space;
        let mut reasons = Vec::new();
        for order in 0..space.n_orders() {
            for instead in space.below(order, assignment.0[order]) {
                let weaker = assignment.with(order, instead);
                let Some(known) = facts.violation_of(&weaker) else { continue };
                let finding = self.programs.still_fails(known, &weaker).map(Box::new);
                reasons.push(Reason { order, instead, program: known.program, finding });
            }
        }
        Solution { assignment, reasons }
    }
}

impl KnownFacts {
    fn violation_of(&self, assignment: &Assignment) -> Option<&KnownViolation> {
        let (_, known) = self.blocks.iter().find(|(block, _)| assignment.is_within(block))?;
        Some(known)
    }

    fn verify(&self, assignment: &Assignment) -> bool {
        self.verified.iter().any(|known| known.is_within(assignment))
    }

    fn decide(&self, assignment: &Assignment) -> bool {
        self.verify(assignment) || self.violation_of(assignment).is_some()
    }
}
