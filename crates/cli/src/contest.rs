//! `--algorithm auto`: runs the race of [`atropos_check::auto`] for a loaded program.

use crate::check::CheckCommand;
use crate::input::Input;
use crate::insight::{Patience, within};
use crate::options::CheckOptions;
use atropos_check::auto::{Contest, Race, Reason, Try, Way};
use atropos_check::{Check, Finds, Found, estimate};
use atropos_event::Stats;
use atropos_explore::{Config, Control, Ledger};
use atropos_report::human::grouped;
use atropos_report::{Estimate, Limit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// A search that has come to its end before the leader did.
pub struct Winner {
    pub input: Input,
    pub stats: Stats,
    pub found: Found,
}

/// How a race has ended: with a leader that a limit may have stopped, or with a winner.
pub enum Raced {
    Led(Option<Limit>),
    Won(Box<Winner>),
}

/// A race for a check.
struct Entry<'c> {
    check: &'c CheckCommand,
    input: &'c Input,
    ways: &'c [(Way, CheckOptions)],
    is_dismissed: AtomicBool,
    limit: Mutex<Option<Limit>>,
    winner: Mutex<Option<Winner>>,
}

/// Explores a program in the best way.
pub fn run(check: &CheckCommand, input: &Input, ways: &[(Way, CheckOptions)]) -> Raced {
    let entry = Entry {
        check,
        input,
        ways,
        is_dismissed: AtomicBool::new(false),
        limit: Mutex::new(None),
        winner: Mutex::new(None),
    };
    let race = Race::of(&check.check(input).settings, input.program()).expect("a model with several ways");
    let Some((way, reason)) = race.run(&entry) else {
        return Raced::Led(entry.limit.into_inner().expect("no search has panicked"));
    };
    check.explore_by(way, Some(words(reason)));
    let winner = entry.winner.into_inner().expect("no search has panicked");
    Raced::Won(Box::new(winner.expect("it has ended")))
}

/// Why a way was chosen.
fn words(reason: Reason) -> String {
    match reason {
        Reason::Estimates { rf, co } => {
            let [rf, co] = [rf, co].map(|executions| grouped(executions.round() as u64));
            format!(
                "chosen because it is faster and has hardly more executions: about {co}, and {rf} up to rf"
            )
        }
        Reason::Ended { leader: Way { algorithm, equivalence }, executions } => format!(
            "chosen because {} up to {} had not ended after {} executions",
            algorithm.name(),
            equivalence.name(),
            grouped(executions)
        ),
    }
}

impl Entry<'_> {
    fn options(&self, way: Way) -> &CheckOptions {
        let other = self.ways.iter().find(|(other, _)| *other == way);
        other.map_or(&self.check.options, |(_, options)| options)
    }
}

impl Contest for Entry<'_> {
    fn lead(&self, way: Way, reason: Option<Reason>, pace: &dyn Ledger) {
        self.is_dismissed.store(false, SeqCst);
        self.check.explore_by(way, reason.map(words));
        let control = self.check.work.next_search();
        let check = Check { ledger: Some(pace), ..self.check.check(self.input) };
        let search = self.check.search(self.input, &check, control);
        if !self.is_dismissed.load(SeqCst) {
            let limit = self.check.conclude(self.input, check, search, control);
            *self.limit.lock().expect("no search has panicked") = limit;
        }
    }

    fn dismiss(&self) {
        self.is_dismissed.store(true, SeqCst);
        self.check.work.control().stop();
    }

    fn is_stopped(&self) -> bool {
        self.check.work.control().is_stopped() || self.check.watch.limit().is_some()
    }

    fn challenge(&self, way: Way, most: u64) -> Try {
        let input = self.input.copy();
        let settings = self.options(way).search.settings(false);
        let config = Config { max_executions: Some(most), ..settings.config };
        let settings = atropos_check::Settings { config, ..settings };
        let check = Check {
            program: input.program(),
            condition: None,
            settings,
            replay: None,
            sink: None,
            ledger: None,
        };
        let (control, finds) = (Control::default(), Finds::default());
        let patience = Patience::Wall(Duration::MAX);
        let search =
            within(patience, &control, &|| self.is_stopped(), || input.explore(&check, &control, &finds));
        let (stats, found) = (search.stats, check.found(&finds, false));
        drop(search);
        if found.refusal.is_some() || !check.mixed_cells().is_empty() {
            return Try::Unable;
        }
        let is_answer = check.is_answered(&found, &control);
        if is_answer {
            *self.winner.lock().expect("no search has panicked") = Some(Winner { input, stats, found });
        }
        if is_answer { Try::Answer } else { Try::More { events: stats.events } }
    }

    fn estimate(&self, way: Way) -> Option<Estimate> {
        let settings = self.options(way).search.settings(false);
        let (control, twin) = (Control::default(), self.input.twin());
        let patience = Patience::Wall(Duration::MAX);
        within(patience, &control, &|| self.is_stopped(), || estimate(&*twin, &settings, &control))
    }
}
