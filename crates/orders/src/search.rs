//! The search for the weakest assignments that verify.
//!
//! Weaker orders allow more executions, so what fails keeps failing when weakened, and what verifies keeps verifying
//! when strengthened. Each failed check yields a block: an assignment, usually much stronger than the checked one, within
//! which everything fails for the same reason. The next candidate is the cheapest assignment that leaves all blocks
//! ([`crate::candidates`]). If it verifies, everything weaker lies in a block, so it is an answer; if not, it adds a
//! block. So the search makes one check for each answer and one for each block, and proves that nothing else matters.
//! docs/ALGORITHMS.md has the argument.
//!
//! Several workers check candidates at once. A worker whose candidate is already being checked pretends that the check
//! has failed, and takes what would come next. A verified assignment becomes an answer only when it is the cheapest
//! candidate, so the answers do not depend on the number of workers.

use crate::candidates::{Prices, next_candidate};
use crate::strength::{Assignment, Space};
use atropos_explore::Control;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How often to look whether the search must stop.
const INTERVAL: Duration = Duration::from_millis(5);

/// Decides whether programs verify. What it says must be exact.
pub trait Judge: Sync {
    /// Why an assignment fails.
    type Reason: Clone + Send;
    /// Why the programs cannot be checked at all.
    type Refusal: Send;

    /// Checks an assignment; `control` asks it to stop, and then the answer does not matter.
    fn judge(&self, candidate: &Assignment, control: &Control) -> Judgement<Self::Reason, Self::Refusal>;
}

/// What a check says.
#[derive(Clone, Debug)]
pub enum Judgement<W, R> {
    Verified,
    /// Everything within the assignment fails.
    Fails(Assignment, W),
    /// A limit was hit first.
    Undecided,
    Refused(R),
}

/// Which answers to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The cheapest one.
    Cheapest,
    /// All that are minimal.
    All,
}

/// What is known about a set of programs, from this search or an earlier one.
#[derive(Clone, Debug)]
pub struct Facts<W> {
    /// Everything within such an assignment fails.
    pub blocks: Vec<(Assignment, W)>,
    /// Everything that includes one of these verifies.
    pub verified: Vec<Assignment>,
}

impl<W> Default for Facts<W> {
    fn default() -> Self {
        Facts { blocks: Vec::new(), verified: Vec::new() }
    }
}

/// The end of a search.
#[derive(Clone, Debug)]
pub struct SearchEnd<W> {
    /// The answers found, cheapest first.
    pub answers: Vec<Assignment>,
    pub facts: Facts<W>,
    /// Assignments that no check decided before a limit was hit. If there are any, something weaker may verify.
    pub undecided: Vec<Assignment>,
    /// Whether the search was stopped before it had all answers.
    pub is_stopped: bool,
    /// Whether each answer is known to be the cheapest of those that do not include an earlier one.
    pub is_cheapest: bool,
    /// How many candidates were judged.
    pub n_candidates: u64,
}

/// The search, without what it has found.
pub struct Search<'a, J: Judge> {
    pub judge: &'a J,
    pub space: &'a Space,
    pub prices: &'a Prices,
    pub wanted: Wanted,
    pub jobs: usize,
    /// Stops the search.
    pub control: &'a Control,
}

/// What the workers share.
struct Shared<W, R> {
    facts: Facts<W>,
    answers: Vec<Assignment>,
    undecided: Vec<Assignment>,
    in_progress: Vec<(Assignment, Arc<Control>)>,
    refusal: Option<R>,
    is_finished: bool,
    is_cheapest: bool,
    n_candidates: u64,
}

/// What a worker does next.
enum Task {
    Check(Assignment, Arc<Control>),
    Wait,
    End,
}

impl<J: Judge> Search<'_, J> {
    /// Searches, starting with what is known.
    ///
    /// # Errors
    /// The judge refuses the programs.
    pub fn run(&self, facts: Facts<J::Reason>) -> Result<SearchEnd<J::Reason>, J::Refusal> {
        let shared = Mutex::new(Shared {
            facts,
            answers: Vec::new(),
            undecided: Vec::new(),
            in_progress: Vec::new(),
            refusal: None,
            is_finished: false,
            is_cheapest: true,
            n_candidates: 0,
        });
        let changed = Condvar::new();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| self.work(&shared, &changed));
            }
            self.pass_on_stop(&shared, &changed);
        });
        let shared = shared.into_inner().expect("no worker panics");
        match shared.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(SearchEnd {
                answers: shared.answers,
                facts: shared.facts,
                undecided: shared.undecided,
                is_stopped: self.control.is_stopped(),
                is_cheapest: shared.is_cheapest,
                n_candidates: shared.n_candidates,
            }),
        }
    }

    /// Stops all checks when the search must stop.
    fn pass_on_stop(&self, shared: &Mutex<Shared<J::Reason, J::Refusal>>, changed: &Condvar) {
        let mut state = lock(shared);
        while !state.is_finished {
            state = changed.wait_timeout(state, INTERVAL).expect("no worker panics").0;
            if self.control.is_stopped() {
                state.finish();
                changed.notify_all();
            }
        }
    }

    fn work(&self, shared: &Mutex<Shared<J::Reason, J::Refusal>>, changed: &Condvar) {
        loop {
            let mut state = lock(shared);
            let (candidate, control) = loop {
                match self.next_task(&mut state) {
                    Task::Check(candidate, control) => break (candidate, control),
                    Task::Wait => state = changed.wait(state).expect("no worker panics"),
                    Task::End => {
                        state.finish();
                        changed.notify_all();
                        return;
                    }
                }
            };
            drop(state);
            let judgement = self.judge.judge(&candidate, &control);
            let mut state = lock(shared);
            state.in_progress.retain(|(assignment, _)| *assignment != candidate);
            if !state.is_finished {
                state.note(candidate, judgement);
            }
            changed.notify_all();
        }
    }

    fn next_task(&self, state: &mut Shared<J::Reason, J::Refusal>) -> Task {
        loop {
            if state.is_finished || (self.wanted == Wanted::Cheapest && !state.answers.is_empty()) {
                return Task::End;
            }
            let blocks = state.facts.blocks.iter().map(|(block, _)| block).chain(&state.undecided);
            let Some(next) = next_candidate(self.space, self.prices, blocks, &state.answers) else {
                return Task::End;
            };
            if state.facts.verified.iter().any(|known| known.is_within(&next.assignment)) {
                state.is_cheapest &= next.is_cheapest;
                state.answers.push(next.assignment);
                continue;
            }
            let is_in_progress = |it: &Assignment| state.in_progress.iter().any(|(other, _)| it == other);
            if !is_in_progress(&next.assignment) {
                return state.start(next.assignment);
            }
            let pretended = state.in_progress.iter().map(|(assignment, _)| assignment);
            let blocks = state.facts.blocks.iter().map(|(block, _)| block);
            let blocks = blocks.chain(&state.undecided).chain(pretended);
            let known = [&state.answers[..], &state.facts.verified].concat();
            return match next_candidate(self.space, self.prices, blocks, &known) {
                Some(next) => state.start(next.assignment),
                None => Task::Wait,
            };
        }
    }
}

/// Checks one assignment, until `control` asks to stop. A check that finds a violation stops its own control.
pub fn judge_alone<J: Judge>(
    judge: &J,
    candidate: &Assignment,
    control: &Control,
) -> Judgement<J::Reason, J::Refusal> {
    let (own, is_done) = (Control::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !is_done.load(Relaxed) {
                std::thread::park_timeout(INTERVAL);
                if control.is_stopped() {
                    own.stop();
                }
            }
        });
        let judgement = judge.judge(candidate, &own);
        is_done.store(true, Relaxed);
        watcher.thread().unpark();
        judgement
    })
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().expect("no worker panics")
}

impl<W, R> Shared<W, R> {
    fn start(&mut self, candidate: Assignment) -> Task {
        let control = Arc::new(Control::default());
        self.in_progress.push((candidate.clone(), Arc::clone(&control)));
        self.n_candidates += 1;
        Task::Check(candidate, control)
    }

    fn finish(&mut self) {
        self.is_finished = true;
        self.in_progress.iter().for_each(|(_, control)| control.stop());
    }

    fn note(&mut self, candidate: Assignment, judgement: Judgement<W, R>) {
        match judgement {
            Judgement::Verified => self.facts.verified.push(candidate),
            Judgement::Fails(block, reason) => {
                assert!(candidate.is_within(&block), "the candidate itself fails");
                for (other, control) in &self.in_progress {
                    if other.is_within(&block) {
                        control.stop();
                    }
                }
                self.facts.blocks.push((block, reason));
            }
            // It was stopped because of what another worker has found.
            Judgement::Undecided if self.fails(&candidate) => {}
            Judgement::Undecided => self.undecided.push(candidate),
            Judgement::Refused(refusal) => {
                self.refusal = Some(refusal);
                self.finish();
            }
        }
    }

    fn fails(&self, candidate: &Assignment) -> bool {
        self.facts.blocks.iter().any(|(block, _)| candidate.is_within(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strength::OrderKind;

    /// Verifies what demands enough: for each rule, one of its pairs of order and demand.
    struct Rules {
        space: Space,
        rules: Vec<Vec<(usize, usize)>>,
    }

    impl Rules {
        fn random(seed: u64) -> Rules {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut draw = |n: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 33) as usize % n
            };
            let all = [OrderKind::Load, OrderKind::Store, OrderKind::Update, OrderKind::Fence];
            let kinds: Vec<OrderKind> = (0..2 + draw(4)).map(|_| all[draw(all.len())]).collect();
            let strongest = Assignment(kinds.iter().map(|kind| kind.strongest()).collect());
            let weakest = Assignment(vec![crate::Strength::NONE; kinds.len()]);
            let space = Space::between(&kinds, &weakest, &strongest);
            let n_rules = draw(6);
            let rules = (0..n_rules).map(|_| {
                let pair = |_| {
                    let order = draw(space.n_orders());
                    (order, draw(space.choices(order).len()))
                };
                (0..1 + n_rules % 3).map(pair).collect()
            });
            let rules = rules.collect();
            Rules { space, rules }
        }

        fn verifies(&self, it: &Assignment) -> bool {
            let holds =
                |&(order, choice): &(usize, usize)| self.space.choices(order)[choice].is_within(it.0[order]);
            self.rules.iter().all(|rule| rule.iter().any(holds))
        }

        /// The minimal assignments that verify, by looking at all.
        fn minimal(&self) -> Vec<Assignment> {
            let all: Vec<Assignment> = self.space.all().into_iter().filter(|it| self.verifies(it)).collect();
            let is_minimal = |it: &&Assignment| !all.iter().any(|other| other != *it && other.is_within(it));
            let mut minimal: Vec<Assignment> = all.iter().filter(is_minimal).cloned().collect();
            minimal.sort();
            minimal
        }
    }

    impl Judge for Rules {
        type Reason = ();
        type Refusal = ();

        fn judge(&self, candidate: &Assignment, _: &Control) -> Judgement<(), ()> {
            if self.verifies(candidate) {
                return Judgement::Verified;
            }
            let mut block = candidate.clone();
            for order in 0..self.space.n_orders() {
                for &choice in self.space.choices(order) {
                    let stronger = block.with(order, choice);
                    if block.is_within(&stronger) && !self.verifies(&stronger) {
                        block = stronger;
                    }
                }
            }
            Judgement::Fails(block, ())
        }
    }

    fn price(_: usize, strength: crate::Strength) -> u64 {
        u64::from(strength.n_demands())
    }

    #[test]
    fn all_answers_are_those_of_brute_force_with_any_number_of_workers() {
        for seed in 0..300 {
            let rules = Rules::random(seed);
            let prices = Prices::new(&rules.space, price, |_| 0);
            for jobs in [1, 3] {
                let control = Control::default();
                let search = |wanted| Search {
                    judge: &rules,
                    space: &rules.space,
                    prices: &prices,
                    wanted,
                    jobs,
                    control: &control,
                };
                let outcome = search(Wanted::All).run(Facts::default()).unwrap();
                let mut answers = outcome.answers.clone();
                answers.sort();
                assert_eq!(answers, rules.minimal(), "seed {seed}");
                let one = search(Wanted::Cheapest).run(Facts::default()).unwrap();
                assert_eq!(one.answers.first(), outcome.answers.first(), "seed {seed}");
                let total = |it: &Assignment| prices.total(&rules.space, it);
                let cheapest = rules.minimal().iter().map(total).min();
                assert_eq!(one.answers.first().map(total), cheapest, "seed {seed}");
                // What is known is not checked again.
                let again = search(Wanted::All).run(outcome.facts).unwrap();
                assert_eq!((again.n_candidates, again.answers), (0, outcome.answers), "seed {seed}");
            }
        }
    }
}
