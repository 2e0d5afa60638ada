//! Optimal-DPOR: plans sequences instead of single steps [ALGORITHMS §F.4].
//!
//! At the end of a trace, for every race between *e* and *e'*, the sequence `v.e'` is planned from the prefix before
//! *e*, where *v* are all steps after *e* that do not happen after it. It is not planned if a sleeping process could
//! begin an equivalent execution; otherwise it is merged into what is already planned there. So no trace ever ends
//! asleep.
//!
//! Both tests ask whether a step is a *weak initial* of a sequence. A step in the sequence is one if no earlier step
//! of it happens before it. Another step is one if it could be taken first without any step of the sequence coming
//! after it. The second question concerns a trace that was not executed. Comparing locations does not answer it,
//! since a load may be served from the buffer in one trace and from memory in the other; [`DporWorker::precedes`]
//! answers it from which stores are in memory at the start of the sequence.

use super::explorer::DporWorker;
use super::process::ProcId;
use super::sleep::{Effect, Move};
use super::step::{Act, TraceStep};
use super::trace::Race;
use super::wakeup::{NO_TWIG, Twig};
use crate::journal;
use atropos_event::{Run, ThreadId, mark};
use log::Level;
use std::borrow::Cow;

impl<'a, R: Run> DporWorker<'a, R> {
    /// Plans the reversal of all races of the trace, which has ended.
    pub(crate) fn plan_reversals(&mut self) {
        for race in 0..self.machine.races.len() {
            let race = self.machine.races[race];
            self.collect_sequence(race);
            self.scratch.path.clear();
            let sleep = &self.nodes[race.first as usize].sleep;
            if !sleep.moves().iter().any(|sleeper| self.is_weak_initial(sleeper, race)) {
                self.insert(race);
            }
        }
    }

    /// `v.e'`: each step with its place in the trace.
    fn collect_sequence(&mut self, race: Race) {
        let Race { first, second } = race;
        let mut sequence = std::mem::take(&mut self.scratch.sequence);
        sequence.clear();
        let beside = self.machine.steps_beside(first);
        sequence.extend(beside.map(|place| (place, self.machine.as_move(place))));
        sequence.push((second, self.reversed(race)));
        self.scratch.sequence = sequence;
    }

    /// The second step of a race when it comes first: a compare-and-swap reads another value then.
    fn reversed(&self, race: Race) -> Move {
        let mut step = self.machine.as_move(race.second);
        if self.machine.steps[race.second as usize].act == Act::Rmw {
            step.effect = match self.machine.writes_if_reversed(race) {
                true => Effect::Write { commits: 0 },
                false => Effect::Read,
            };
        }
        step
    }

    /// Merges the sequence into what is planned at the prefix before the race.
    fn insert(&mut self, race: Race) {
        let depth = race.first as usize;
        let mut forest = self.nodes[depth].planned;
        'descend: loop {
            let mut twig = forest;
            while twig != NO_TWIG {
                let Twig { step, first_child, sibling } = *self.tree.twig(twig);
                if self.is_weak_initial(&step, race) {
                    if let Some(place) = self.occurrence(step.proc) {
                        self.scratch.sequence.remove(place);
                    } else {
                        mark!("wakeup tree: a planned step outside of the sequence");
                    }
                    if self.scratch.sequence.is_empty() || first_child == NO_TWIG {
                        return;
                    }
                    self.scratch.path.push(step);
                    forest = first_child;
                    continue 'descend;
                }
                twig = sibling;
            }
            break;
        }
        if journal::is_on(Level::Debug) {
            self.log_sequence(race, &self.scratch.sequence);
        }
        let branch = self.tree.branch(self.scratch.sequence.iter().map(|&(_, step)| step));
        match forest {
            NO_TWIG => self.nodes[depth].planned = branch,
            _ => self.tree.append(forest, branch),
        }
    }

    /// The first move of `proc` in the sequence.
    fn occurrence(&self, proc: ProcId) -> Option<usize> {
        self.scratch.sequence.iter().position(|(_, step)| step.proc == proc)
    }

    /// Whether `step`, a step that can be taken after the prefix before the race and `path`, is a weak initial of the
    /// sequence there.
    fn is_weak_initial(&self, step: &Move, race: Race) -> bool {
        match self.occurrence(step.proc) {
            Some(index) => {
                let (place, _) = self.scratch.sequence[index];
                let clock = match place {
                    _ if place == race.second => self.machine.reversed_row(race),
                    _ => Cow::Borrowed(self.machine.clocks.row(place)),
                };
                let is_before = |&(place, _): &(u32, Move)| {
                    let TraceStep { proc, index, .. } = self.machine.steps[place as usize];
                    clock[proc.index()] >= index
                };
                !self.scratch.sequence[..index].iter().any(is_before)
            }
            None => !self.precedes(step, race.first),
        }
    }

    /// Whether some step of the sequence would come after `step` if that was taken first.
    fn precedes(&self, step: &Move, depth: u32) -> bool {
        let Move { thread, loc, effect, .. } = *step;
        let here = self.scratch.sequence.iter().map(|(_, other)| other).filter(|other| other.loc == loc);
        let is_write = |other: &&Move| matches!(other.effect, Effect::Write { .. });
        match effect {
            Effect::Nothing => false,
            Effect::Read => here.clone().any(|other| is_write(&other)),
            Effect::Load { own } if self.is_buffered(thread, own, depth) => {
                mark!("wakeup tree: a load from the buffer");
                // Only what overwrites its store comes after it.
                let commit = Effect::Write { commits: own };
                let mut rest = here.skip_while(|other| other.thread != thread || other.effect != commit);
                rest.next().is_some() && rest.any(|other| other.thread != thread && is_write(&other))
            }
            Effect::Load { .. } => here.clone().any(|other| other.thread != thread && is_write(&other)),
            Effect::Write { .. } => {
                here.clone().filter(|other| other.thread != thread).any(|other| match other.effect {
                    Effect::Nothing => false,
                    Effect::Read | Effect::Write { .. } => true,
                    Effect::Load { own } => !self.is_buffered(other.thread, own, depth),
                })
            }
        }
    }

    /// Whether that store of `thread` is not yet in memory after the prefix of length `depth` and `path`.
    fn is_buffered(&self, thread: ThreadId, store: u32, depth: u32) -> bool {
        if store == 0 {
            return false;
        }
        let commit = Effect::Write { commits: store };
        if self.scratch.path.iter().any(|step| step.thread == thread && step.effect == commit) {
            return false;
        }
        let place = self.machine.numbered(thread, store).filter(|&place| place < depth);
        place.is_none_or(|place| self.machine.steps[place as usize].buffer.updated_at >= depth)
    }
}
