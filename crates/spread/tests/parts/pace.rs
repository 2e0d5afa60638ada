//! How long tasks are, and when workers split what they explore.

use super::Subject;
use atropos_explore::catalogue::{Equivalence, ModelName};
use atropos_spread::cluster::{News, OnePart, Pace, Task, TaskOutcome, Wanted};
use std::time::Duration;

fn pace(seconds: u64, n_workers: usize, record_us: u64) -> Pace {
    Pace { elapsed: Duration::from_secs(seconds), n_workers, record: Duration::from_micros(record_us) }
}

#[test]
fn tasks_are_short_at_first_and_long_enough_for_the_server() {
    let time = |seconds, n_workers, record_us| pace(seconds, n_workers, record_us).time().as_millis();
    assert_eq!(time(0, 16, 100), 50);
    assert_eq!(time(600, 16, 1500), 1000);
    assert_eq!(time(600, 1000, 1500), 4500, "a thousand records in four seconds and a half");
}

#[test]
fn pieces_are_wanted_while_there_are_few_parts() {
    let news = |n_workers, n_open| {
        let News { n_pieces, permille, .. } = pace(1, n_workers, 100).news(n_open);
        (n_pieces, permille)
    };
    assert_eq!(news(0, 1), (0, 0), "no worker is there");
    assert_eq!(news(1, 1), (0, 0), "no other worker is there");
    assert_eq!(news(16, 1), (8, 1000), "fifteen workers wait");
    assert_eq!(news(16, 15), (3, 1000), "33 more are enough for all");
    assert_eq!(news(16, 16), (8, 250), "four of them make 32");
    assert_eq!(news(16, 31), (8, 188));
    assert_eq!(news(16, 32), (0, 0));
}

#[test]
fn several_tasks_are_taken_at_once_when_there_are_many() {
    let n_tasks = |n_open| pace(1, 16, 100).news(n_open).n_tasks;
    assert_eq!([1, 16, 47, 48, 64, 1000].map(n_tasks), [1, 1, 1, 2, 3, 4]);
}

#[test]
fn parts_are_not_split_faster_than_the_server_keeps_records() {
    let least = |seconds, n_open, record_us| pace(seconds, 100, record_us).news(n_open).least_us;
    assert_eq!(least(0, 100, 0), 2000);
    assert_eq!(least(4, 100, 0), 20_000, "in a long search, small parts are not worth it");
    assert_eq!(least(600, 100, 0), 100_000);
    assert_eq!(least(0, 100, 1500), 450_000);
    assert_eq!(least(0, 1, 1500), 4500, "only one worker makes records");
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
fn a_part_ends_when_pieces_of_it_are_wanted() {
    let subject = Subject { program: WRITERS, model: ModelName::Rc11, equivalence: Equivalence::Co };
    let (lessons, part) = (String::new(), String::new());
    let task = Task { lessons, part, time_ms: 3_600_000, executions: None };
    let explore = |news: News, random| {
        let wanted = Wanted::default();
        wanted.hear(&news, random);
        match subject.explore_with(OnePart::of(&task, &wanted)) {
            TaskOutcome::Recorded(record) => (record.stats.executions, record.rest.len()),
            other => panic!("{other:?}"),
        }
    };
    let news = News { n_pieces: 2, permille: 500, least_us: 0, n_tasks: 1 };
    assert_eq!(explore(news, 499), (1, 3), "two pieces and what is left");
    assert_eq!(explore(news, 500), (5040, 0), "another worker was asked");
    assert_eq!(explore(News { n_pieces: 0, ..news }, 0), (5040, 0), "there are enough parts");
    let patient = News { least_us: 3_600_000_000, ..news };
    assert_eq!(explore(patient, 0), (5040, 0), "not before the least time");
}
