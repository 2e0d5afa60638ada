//! Which way is best: `--algorithm auto`.
//!
//! Under one model, several algorithms and equivalences answer the same question, and which of them is fastest depends
//! on the program. Estimates alone do not tell: of some searches there are none, and a few random descents may miss
//! almost all of a search. So nearly all work is done by one search, the *leader*, which goes on as long as nothing is
//! clearly better:
//!
//! 1. TruSt up to `rf` leads. If it ends within [`FIRST_PAUSE`] executions, nothing else is tried.
//! 2. It pauses after so many executions, after four times as many, and so on. At each pause, every *challenger* may
//!    explore an eighth of that number, unless they add too many events. One that comes to its end is the answer.
//! 3. At the first pause, descents also estimate how many executions there are up to `co`. If they are hardly more, TruSt
//!    up to `co` leads from then on, because it does not look for coherence orders. If it explores far more than
//!    estimated, `rf` leads again, for good.
//!
//! A leader loses nothing by a pause, so what is spent in vain is a part of the leader's work, and the descents.
//! Everything is measured in executions and events, whose numbers are properties of the program: what is chosen does not
//! depend on the machine, on its load or on the number of workers [ALGORITHMS §N].

use crate::Settings;
use atropos_event::Program;
use atropos_explore::catalogue::{Algorithm, Equivalence, ModelChoice, ModelName};
use atropos_explore::{Budget, Ledger, Record, Resumed, Stats};
use atropos_report::Estimate;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// The executions, complete and blocked, after which the leader pauses first.
pub const FIRST_PAUSE: u64 = 4096;

/// How many times as many there are at each further pause.
const FURTHER: u64 = 4;

/// What part of the leader's executions each challenger may explore.
const STAKE: u64 = 8;

/// How many events an execution of a challenger may add, on average, if it explores all that it may. Most add ten to
/// thirty, but some programs take RVF-SMC hundreds.
const EVENTS: u64 = 40;

/// How many executions a challenger explores first. If it has not come to its end, it starts again with four times as
/// many, as long as that many would not add too many events.
const FIRST_TRY: u64 = 32;

/// How many times as many executions as estimated the search up to `co` may explore.
const PATIENCE: f64 = 4.0;

/// How many it may explore in any case. Estimates are often too low, for `rf` and `co` alike.
const LEAST: u64 = 1 << 20;

/// A way to explore all executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    pub algorithm: Algorithm,
    pub equivalence: Equivalence,
}

impl Way {
    /// The one that leads first.
    pub const FIRST: Way = Way { algorithm: Algorithm::Trust, equivalence: Equivalence::Rf };
    /// The one that may lead next.
    pub const BY_COHERENCE: Way = Way { algorithm: Algorithm::Trust, equivalence: Equivalence::Co };

    const BY_VALUES: Way = Way { algorithm: Algorithm::Rvf, equivalence: Equivalence::Values };

    /// All ways that can be chosen under a model, the first one first. The others have no chance against these, because
    /// they visit at least the complete executions that TruSt visits.
    pub fn all(model: ModelName) -> &'static [Way] {
        match model {
            ModelName::Sc => &[Way::FIRST, Way::BY_COHERENCE, Way::BY_VALUES],
            ModelName::Tso | ModelName::Pso | ModelName::Ra | ModelName::Sra | ModelName::Rc11 => {
                &[Way::FIRST, Way::BY_COHERENCE]
            }
            // Only RCMC explores it.
            ModelName::Wrc11 => &[],
        }
    }

    /// Whether it answers all that is asked about `program`. RVF-SMC does not look for leaks.
    fn is_complete(self, settings: &Settings<'_>, program: &dyn Program) -> bool {
        self.algorithm != Algorithm::Rvf || !(program.has_heap() || settings.forbids_leaks)
    }
}

/// Why a way was chosen that is not the first one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reason {
    /// By the estimates of the executions up to `rf` and up to `co`.
    Estimates { rf: f64, co: f64 },
    /// It has come to its end, and the leader had not when it had explored so many executions.
    Ended { leader: Way, executions: u64 },
}

/// The searches of a race, as its caller can make them.
pub trait Contest: Sync {
    /// Explores as `way` says, which has a `reason` if it is not the first one, until the end, or until it is stopped.
    /// `pace` is the ledger of the search.
    fn lead(&self, way: Way, reason: Option<Reason>, pace: &dyn Ledger);

    /// Stops the leader, whose findings do not count: another way is better.
    fn dismiss(&self);

    /// Whether the leader was stopped by a limit or by what it has found.
    fn is_stopped(&self) -> bool;

    /// Explores up to `most` executions as `way` says, with one worker.
    fn challenge(&self, way: Way, most: u64) -> Try;

    /// How many executions there are, as [`crate::estimate`] has it.
    fn estimate(&self, way: Way) -> Option<Estimate>;
}

/// What a challenger has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Try {
    /// That was the whole search, and it is the answer.
    Answer,
    /// There is more, and what was explored had so many events.
    More { events: u64 },
    /// It cannot answer what is asked about this program.
    Unable,
}

/// A race under a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    model: ModelName,
    challengers: Vec<Way>,
}

impl Race {
    /// The race for a program; `None` if there is only one way.
    pub fn of(settings: &Settings<'_>, program: &dyn Program) -> Option<Race> {
        let ModelChoice::Builtin(model) = settings.method.model else { return None };
        let ways = Way::all(model).iter().skip(2).copied();
        let challengers = ways.filter(|way| way.is_complete(settings, program)).collect();
        (model != ModelName::Wrc11).then_some(Race { model, challengers })
    }

    /// Runs it until a leader has ended or is stopped. If a challenger has ended instead, says which, and why.
    pub fn run(&self, contest: &dyn Contest) -> Option<(Way, Reason)> {
        let course = Course { race: self, contest, state: Mutex::new(State::new()) };
        loop {
            let State { leader, reason, .. } = *course.state();
            contest.lead(leader, reason, &course);
            let mut state = course.state();
            match state.turn.take() {
                Some(Turn::Won(way, reason)) => return Some((way, reason)),
                Some(Turn::Lead(leader, reason)) => {
                    (state.leader, state.reason, state.explored) = (leader, reason, 0);
                }
                None => return None,
            }
        }
    }

    /// How many executions up to `co` cost less than one up to `rf`, on most programs [ALGORITHMS §N.2]. Under models of
    /// machines, the search for a coherence order is long.
    fn price_of_rf(&self) -> f64 {
        if self.model.is_language() { 1.25 } else { 2.0 }
    }
}

/// A race that goes on: the ledger of its leaders.
struct Course<'a> {
    race: &'a Race,
    contest: &'a dyn Contest,
    state: Mutex<State>,
}

struct State {
    leader: Way,
    reason: Option<Reason>,
    /// How many executions the leader has explored, and when it pauses next.
    explored: u64,
    pause: u64,
    /// How many it may explore, if it leads because of an estimate.
    most: Option<u64>,
    has_estimated: bool,
    /// What happens when the leader has stopped, unless it has ended.
    turn: Option<Turn>,
}

enum Turn {
    Lead(Way, Option<Reason>),
    Won(Way, Reason),
}

impl State {
    fn new() -> State {
        State {
            leader: Way::FIRST,
            reason: None,
            explored: 0,
            pause: FIRST_PAUSE,
            most: None,
            has_estimated: false,
            turn: None,
        }
    }

    /// The number of executions after which there is something to decide.
    fn due(&self) -> u64 {
        self.most.unwrap_or(u64::MAX).min(self.pause)
    }
}

impl Course<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    /// The leader has explored all executions that were due. Workers that come to an end of their parts wait.
    fn decide(&self, state: &mut State) -> Option<Turn> {
        if state.most.is_some_and(|most| state.explored > most) {
            state.most = None;
            return Some(Turn::Lead(Way::FIRST, None));
        }
        let executions = state.pause;
        state.pause = executions.saturating_mul(FURTHER);
        for &way in &self.race.challengers {
            if self.has_answer(way, executions / STAKE) {
                return Some(Turn::Won(way, Reason::Ended { leader: state.leader, executions }));
            }
        }
        if std::mem::replace(&mut state.has_estimated, true) {
            return None;
        }
        let [rf, co] = [Way::FIRST, Way::BY_COHERENCE]
            .map(|way| self.contest.estimate(way).map(|estimate| estimate.executions));
        let (rf, co, price) = (rf?, co?, self.race.price_of_rf());
        if co > rf * price {
            return None;
        }
        // A number that is too large for an integer is as good as no limit.
        state.most = Some(((rf * price * PATIENCE) as u64).max(LEAST));
        Some(Turn::Lead(Way::BY_COHERENCE, Some(Reason::Estimates { rf, co })))
    }
}

impl Course<'_> {
    /// Whether a search of at most so many executions is the answer.
    fn has_answer(&self, way: Way, most: u64) -> bool {
        let mut tried = FIRST_TRY.min(most);
        loop {
            match self.contest.challenge(way, tried) {
                Try::Answer => return true,
                Try::Unable => return false,
                Try::More { events } => {
                    let next = tried.saturating_mul(FURTHER).min(most);
                    let expected = (events / tried).saturating_mul(next);
                    if tried == most || expected > most.saturating_mul(EVENTS) {
                        return false;
                    }
                    tried = next;
                }
            }
        }
    }
}

impl Ledger for Course<'_> {
    fn budget(&self) -> Budget {
        let state = self.state();
        // One more than is due tells whether there are more.
        let executions = state.due().saturating_sub(state.explored).saturating_add(1);
        Budget { time: Duration::MAX, executions, n_shed: 0, is_elsewhere: false }
    }

    fn resume(&self) -> Resumed {
        Resumed {
            lessons: String::new(),
            parts: vec![String::new()],
            stats: Stats::default(),
            findings: String::new(),
            notes: String::new(),
            known: Vec::new(),
        }
    }

    fn start_over(&self, _lessons: &str) {
        self.state().explored = 0;
    }

    fn record(&self, record: Record) {
        let mut state = self.state();
        state.explored += record.stats.executions + record.stats.blocked;
        while state.turn.is_none() && state.explored > state.due() && !self.contest.is_stopped() {
            state.turn = self.decide(&mut state);
            if state.turn.is_some() {
                self.contest.dismiss();
            }
        }
    }
}

#[cfg(test)]
mod tests;
