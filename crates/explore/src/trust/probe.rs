//! Random descents of the search, which say how large it is without making it [Knuth].
//!
//! At each choice a probe takes one of the alternatives, all with the same probability, and follows no other. The
//! product of their numbers is an unbiased estimate of the executions, if the probe ends with one; otherwise it
//! counts as 0. The observer sees every choice, so that it can also say where executions come from.

use super::choice::{Choice, ChoicePoint, PendingAccess};
use super::{TrustRules, TrustTask, TrustWorker};
use crate::driver::{Strategy, Worker};
use crate::host::Host;
use crate::observer::ProbedChoice;
use crate::pool::Pool;
use atropos_event::{Label, Run, ThreadId};
use atropos_model::MemoryModel;
use std::marker::PhantomData;

/// Makes probes of TruSt's search.
pub struct Probes<M, Q> {
    model: M,
    most: u64,
    equivalence: PhantomData<Q>,
}

impl<M, Q> Probes<M, Q> {
    pub fn new(model: M, most: u64) -> Self {
        Probes { model, most, equivalence: PhantomData }
    }
}

impl<R: Run, M: MemoryModel + Clone + Sync, Q: TrustRules<M>> Strategy<R> for Probes<M, Q> {
    const NAME: &'static str = "probe";

    type Part = ();
    type Worker<'a>
        = ProbingWorker<'a, R, M, Q>
    where
        Self: 'a,
        R: 'a;

    fn start<'a>(&'a self, host: Host<'a, R>, _: Option<&'a Pool<()>>) -> ProbingWorker<'a, R, M, Q> {
        let mut search = TrustWorker::new(host, self.model.clone(), None);
        search.dice = Some(Dice::default());
        ProbingWorker { search, most: self.most }
    }
}

pub struct ProbingWorker<'a, R: Run, M, Q> {
    search: TrustWorker<'a, R, M, Q>,
    most: u64,
}

impl<'a, R: Run, M: MemoryModel, Q: TrustRules<M>> Worker<'a, R> for ProbingWorker<'a, R, M, Q> {
    type Part = ();

    fn explore(&mut self, (): ()) {
        for _ in 0..self.most {
            self.search.explore(TrustTask::default());
            let host = self.search.host();
            host.look_up();
            if host.is_stopped {
                return;
            }
            host.end_probe();
        }
    }

    fn host(&mut self) -> &mut Host<'a, R> {
        self.search.host()
    }
}

/// Pseudo-random numbers, the same in every run (xorshift64).
#[derive(Clone, Copy, Debug)]
pub(super) struct Dice(u64);

impl Default for Dice {
    fn default() -> Self {
        Dice(0x9e37_79b9_7f4a_7c15)
    }
}

impl Dice {
    /// A number below `n`.
    fn roll(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * n as u128) >> 64) as usize
    }
}

impl<R: Run, M: MemoryModel, Q: TrustRules<M>> TrustWorker<'_, R, M, Q> {
    /// Closes all alternatives of a node but a random one, and shows them to the observer.
    #[cold]
    pub(super) fn gamble(&mut self, node: &mut ChoicePoint, mut dice: Dice) {
        let ChoicePoint { pending, first, end, .. } = *node;
        node.next = first + dice.roll(end - first);
        node.end = node.next + 1;
        self.dice = Some(dice);
        let others: Vec<ThreadId> = self.choices[first..end]
            .iter()
            .filter_map(|choice| self.other_thread(&pending, choice))
            .collect();
        let PendingAccess { thread, label, .. } = pending;
        let is_second_half = matches!(label, Label::Write { exclusive: true, .. });
        let before = self.engine.graph.last_of(thread).filter(|_| is_second_half);
        let position = match before {
            Some(read) => self.engine.graph.event(read).before,
            None => self.engine.run.position(thread),
        };
        let access = label.access().expect("only accesses have alternatives");
        self.engine.probed(&ProbedChoice { thread, position, access, n_alternatives: end - first, others });
    }

    /// The thread whose access makes an alternative possible, if it is another one.
    fn other_thread(&self, pending: &PendingAccess, choice: &Choice) -> Option<ThreadId> {
        let other = match *choice {
            Choice::Source(source) => source?.thread(),
            Choice::Revisit(read) => read.thread(),
            Choice::LastOwner(_) => return None,
            Choice::Place(place) => {
                let next = *self.engine.graph.location(pending.loc).co.get(place as usize)?;
                self.engine.graph.event(next).id.thread()
            }
        };
        (other != pending.thread).then_some(other)
    }
}
