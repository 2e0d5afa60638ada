//! Races between searches that are only numbers, so that sizes and estimates are exactly as a case wants them.

use super::*;

/// Searches of given sizes, without a program.
struct Sizes {
    /// The executions up to `rf` and up to `co`, and what is estimated of them.
    leaders: [u64; 2],
    estimates: [f64; 2],
    challengers: Vec<(Way, u64)>,
    /// How many events each execution of a challenger has.
    events: u64,
    /// How many executions of the leader, in all, end the race by a limit.
    limit: u64,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// What the present leader has explored, and whether it was dismissed.
    explored: u64,
    is_dismissed: bool,
    leader: Option<(Way, Option<Reason>)>,
    /// What all searches have explored.
    total: u64,
    log: Vec<String>,
}

impl Sizes {
    fn of(leaders: [u64; 2], challengers: &[(Way, u64)]) -> Sizes {
        Sizes {
            leaders,
            estimates: leaders.map(|n| n as f64),
            challengers: challengers.to_vec(),
            events: 10,
            limit: u64::MAX,
            seen: Mutex::default(),
        }
    }

    /// The way that has ended, with the reason.
    fn race(&self, model: ModelName) -> (Way, Option<Reason>) {
        let challengers = self.challengers.iter().map(|(way, _)| *way).collect();
        let winner = Race { model, challengers }.run(self);
        winner.map_or_else(|| self.seen.lock().unwrap().leader.unwrap(), |(way, reason)| (way, Some(reason)))
    }

    fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap().log)
    }

    fn total(&self) -> u64 {
        self.seen.lock().unwrap().total
    }

    fn note(&self, text: String) {
        self.seen.lock().unwrap().log.push(text);
    }
}

impl Contest for Sizes {
    fn lead(&self, way: Way, reason: Option<Reason>, pace: &dyn Ledger) {
        self.note(format!("{} leads", way.equivalence.name()));
        let mut seen = self.seen.lock().unwrap();
        (seen.leader, seen.is_dismissed) = (Some((way, reason)), false);
        drop(seen);
        let mut left = self.leaders[usize::from(way == Way::BY_COHERENCE)];
        loop {
            let explored = left.min(pace.budget().executions);
            left -= explored;
            let mut seen = self.seen.lock().unwrap();
            seen.explored += explored;
            seen.total += explored;
            drop(seen);
            let stats = Stats { executions: explored, ..Stats::default() };
            pace.record(Record { stats, ..Record::default() });
            if left == 0 || self.is_stopped() || self.seen.lock().unwrap().is_dismissed {
                return;
            }
        }
    }

    fn dismiss(&self) {
        self.seen.lock().unwrap().is_dismissed = true;
    }

    fn is_stopped(&self) -> bool {
        self.seen.lock().unwrap().explored >= self.limit
    }

    fn challenge(&self, way: Way, most: u64) -> Try {
        self.note(format!("{} explores {most}", way.algorithm.name()));
        let size = self.challengers.iter().find(|(other, _)| *other == way).map(|(_, size)| *size);
        let size = size.expect("a challenger");
        self.seen.lock().unwrap().total += size.min(most);
        if size < most { Try::Answer } else { Try::More { events: most * self.events } }
    }

    fn estimate(&self, way: Way) -> Option<Estimate> {
        let executions = self.estimates[usize::from(way == Way::BY_COHERENCE)];
        (executions > 0.0).then(|| Estimate { executions, ..Estimate::default() })
    }
}

const SC: ModelName = ModelName::Sc;
/// Another challenger.
const OTHER: Way = Way { algorithm: Algorithm::Tracer, equivalence: Equivalence::Rf };
/// Far more than all others.
const MANY: u64 = 1_000_000_000;

#[test]
fn a_small_search_is_the_only_one() {
    let sizes = Sizes::of([FIRST_PAUSE, 1], &[(Way::BY_VALUES, 1)]);
    assert_eq!(sizes.race(SC), (Way::FIRST, None));
    assert_eq!(sizes.log(), ["rf leads"]);
}

#[test]
fn a_challenger_that_ends_is_the_answer() {
    let sizes = Sizes::of([MANY, MANY], &[(OTHER, MANY), (Way::BY_VALUES, 1000)]);
    let reason = Reason::Ended { leader: Way::BY_COHERENCE, executions: 4 * FIRST_PAUSE };
    assert_eq!(sizes.race(SC), (Way::BY_VALUES, Some(reason)));
    let log = [
        "rf leads",
        "tracer explores 32",
        "tracer explores 128",
        "tracer explores 512",
        "rvf explores 32",
        "rvf explores 128",
        "rvf explores 512",
        "co leads",
        "tracer explores 32",
        "tracer explores 128",
        "tracer explores 512",
        "tracer explores 2048",
        "rvf explores 32",
        "rvf explores 128",
        "rvf explores 512",
        "rvf explores 2048",
    ];
    assert_eq!(sizes.log(), log);
}

#[test]
fn co_leads_where_it_saves_work() {
    for (model, co, way) in [
        (SC, 100_000, Way::BY_COHERENCE),
        (SC, 190_000, Way::BY_COHERENCE),
        (SC, 210_000, Way::FIRST),
        (ModelName::Rc11, 110_000, Way::BY_COHERENCE),
        (ModelName::Rc11, 140_000, Way::FIRST),
    ] {
        let sizes = Sizes::of([100_000, co], &[]);
        assert_eq!(sizes.race(model).0, way, "{co} under {}", model.name());
    }
}

#[test]
fn an_estimate_that_is_far_too_low_does_little_harm() {
    let sizes = Sizes { estimates: [10_000.0, 10_000.0], ..Sizes::of([100_000, MANY], &[]) };
    assert_eq!(sizes.race(SC), (Way::FIRST, None));
    assert_eq!(sizes.log(), ["rf leads", "co leads", "rf leads"]);
    assert!(sizes.total() < 100_000 + LEAST + 2 * FIRST_PAUSE, "{}", sizes.total());
}

#[test]
fn without_an_estimate_the_first_way_goes_on() {
    let sizes = Sizes { estimates: [0.0, 10.0], ..Sizes::of([100_000, 10], &[]) };
    assert_eq!(sizes.race(SC), (Way::FIRST, None));
    assert_eq!(sizes.log(), ["rf leads"]);
}

#[test]
fn challengers_in_vain_cost_little() {
    for size in [FIRST_PAUSE + 1, 50_000, 65_537, 1_000_000] {
        let sizes = Sizes { estimates: [1.0, 1000.0], ..Sizes::of([size, MANY], &[(Way::BY_VALUES, MANY)]) };
        assert_eq!(sizes.race(SC), (Way::FIRST, None));
        assert!(sizes.total() * 3 <= size * 4, "{} for {size}", sizes.total());
    }
}

#[test]
fn a_challenger_whose_executions_are_expensive_stops_early() {
    let sizes = Sizes { events: 500, ..Sizes::of([50_000, MANY], &[(Way::BY_VALUES, 10_000)]) };
    assert_eq!(sizes.race(SC), (Way::FIRST, None));
    let log = ["rf leads", "rvf explores 32", "rvf explores 32", "rvf explores 128"];
    assert_eq!(sizes.log(), log);
}

#[test]
fn nothing_is_tried_after_a_limit() {
    let sizes = Sizes { limit: FIRST_PAUSE + 1, ..Sizes::of([MANY, 1], &[(Way::BY_VALUES, 1)]) };
    assert_eq!(sizes.race(SC), (Way::FIRST, None));
    assert_eq!(sizes.log(), ["rf leads"]);
}

/// Whatever the sizes of the parts in which several workers explore, the same is chosen.
#[test]
fn what_is_chosen_does_not_depend_on_the_parts() {
    for (size, is_beaten) in [(FIRST_PAUSE, false), (FIRST_PAUSE + 1, true), (9000, true)] {
        for part in [1, 7, 1000, 4096, 5000] {
            let sizes = Sizes::of([size, MANY], &[(Way::BY_VALUES, 100)]);
            let race = Race { model: SC, challengers: vec![Way::BY_VALUES] };
            let course = Course { race: &race, contest: &sizes, state: Mutex::new(State::new()) };
            let mut left = size;
            while left > 0 {
                let executions = left.min(part);
                left -= executions;
                let stats = Stats { executions, ..Stats::default() };
                course.record(Record { stats, ..Record::default() });
            }
            assert_eq!(course.state().turn.is_some(), is_beaten, "{size} in parts of {part}");
        }
    }
}
