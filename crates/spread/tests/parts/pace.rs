//! How long tasks are, and when workers split what they explore.

use super::{Subject, Wishes};
use atropos_explore::catalogue::{Equivalence, ModelName};
use atropos_spread::Fold;
use atropos_spread::cluster::{News, Pace, Parts, Takers, Task, TaskOutcome};
use std::time::Duration;

fn pace(seconds: u64, n_workers: usize, record_us: u64) -> Pace {
    Pace { elapsed: Duration::from_secs(seconds), n_workers, record: Duration::from_micros(record_us) }
}

#[test]
fn tasks_are_short_at_first_and_long_enough_for_the_server() {
    let time = |seconds, n_workers, record_us| pace(seconds, n_workers, record_us).time().as_millis();
    assert_eq!(time(0, 16, 100), 500);
    assert_eq!(time(600, 16, 1500), 1000);
    assert_eq!(time(600, 1000, 1500), 4500, "a thousand records in four seconds and a half");
}

#[test]
fn pieces_grow_with_the_search() {
    let news = |millis| Pace { elapsed: Duration::from_millis(millis), ..pace(0, 16, 10) }.news();
    assert_eq!(
        [0, 50, 100, 1000, 100_000].map(|millis| news(millis).piece_us),
        [512, 1024, 2048, 4096, 4096]
    );
    assert_eq!([0, 100_000].map(|millis| news(millis).least_us), [256, 256]);
}

#[test]
fn many_workers_split_and_wish_less_often() {
    let news = |n_workers, record_us| pace(0, n_workers, record_us).news();
    let few = News { least_us: 256, piece_us: 512, again_us: 800, n_ready: 8 };
    assert_eq!(news(16, 10), few);
    assert_eq!(news(1, 10), News { n_ready: 0, again_us: 250, ..few }, "no other worker is there");
    assert_eq!(
        news(16, 1000),
        News { least_us: 4096, piece_us: 4096, ..few },
        "the server takes long for a record"
    );
    let many = News { least_us: 131_072, piece_us: 4096, again_us: 500_000, n_ready: 5000 };
    assert_eq!(news(10_000, 40), many);
    assert_eq!([news(1, 10), few, many].map(|news| news.most_at_once()), [1, 1, 625], "pieces of one part");
}

const WRITERS: &str = "\
global x: i32 = 0
fn write(i) {
  store.rlx.i32 x, i
  return
}
threads write(1), write(2), write(3), write(4), write(5), write(6), write(7)
";

#[test]
fn pieces_are_given_away_and_the_part_goes_on() {
    let subject = Subject { program: WRITERS, model: ModelName::Rc11, equivalence: Equivalence::Co };
    let task =
        |time_ms, executions| Task { lessons: String::new(), part: String::new(), time_ms, executions };
    let hour = 3_600_000;
    let record = |task: &Task, takers: &dyn Takers| match subject.explore_with(Parts::of(task, takers)) {
        TaskOutcome::Recorded(record) => record,
        other => panic!("{other:?}"),
    };
    let none = Wishes::default();
    let all = record(&task(hour, None), &none);
    assert_eq!((all.stats.executions, all.rest.len()), (5040, 0));

    let three = Wishes { n_wanted: 3, ..Wishes::default() };
    let first = record(&task(hour, None), &three);
    let pieces = three.given.into_inner().expect("no panic");
    assert_eq!(
        pieces.iter().map(|piece| &piece.part).collect::<Vec<_>>(),
        first.rest.iter().collect::<Vec<_>>()
    );
    assert!(pieces.len() == 3 && pieces.iter().all(|piece| piece.time_ms <= hour), "{pieces:?}");
    let mut fold = Fold::default();
    // Pieces may be done before the part that they are of.
    for piece in &pieces {
        fold.add(record(piece, &none)).expect("a record");
    }
    assert!(first.stats.executions < 5040 && fold.stats().executions == 0, "{first:?}");
    fold.add(first).expect("a record");
    assert!(fold.is_done() && fold.stats().executions == 5040, "{:?}", fold.stats());

    let patient = Wishes { n_wanted: 3, least: Duration::from_secs(3600), ..Wishes::default() };
    assert_eq!(record(&task(hour, None), &patient).rest.len(), 0, "not before the least time");
    let three = Wishes { n_wanted: 3, ..Wishes::default() };
    let limited = record(&task(hour, Some(1)), &three);
    assert!(three.given.into_inner().expect("no panic").is_empty(), "a limit is for the whole task");
    assert!(
        limited.stats.executions == 1 && limited.rest.len() > 1,
        "but it is split at its end: {limited:?}"
    );
}
