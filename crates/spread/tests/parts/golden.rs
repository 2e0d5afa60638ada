//! The text of parts and messages, as a table. It may change, but not by accident: stores, checkpoints and workers of
//! other builds have the old one.

use super::Subject;
use atropos_event::Stats;
use atropos_explore::catalogue::{Equivalence, ModelName};
use atropos_explore::{Budget, Record};
use atropos_spread::Job;
use atropos_spread::cluster::{Entry, Epoch, News, Offer, Task, TaskOutcome};
use expect_test::{Expect, expect};
use std::collections::VecDeque;
use std::time::Duration;

const STORE_BUFFERING: &str = "\
global x: i32 = 0
global y: i32 = 0
fn left() {
  store.rlx.i32 x, 1
  r = load.rlx.i32 y
  return
}
fn right() {
  store.rlx.i32 y, 1
  r = load.rlx.i32 x
  return
}
threads left(), right()
";

const WRITERS: &str = "\
global x: i32 = 0
fn write(i) {
  store.rlx.i32 x, i
  return
}
threads write(1), write(2), write(3)
";

const COUNTER: &str = "\
global x: i32 = 0
fn count() {
  old = rmw.add.rlx.i32 x, 1
  return
}
threads count(), count(), count()
";

/// All records of a search, part by part, with a budget of one execution.
fn check(subject: &Subject, expected: &Expect) {
    let time = Duration::from_secs(3600);
    let budget = Budget { time, executions: 1, n_shed: 1, is_elsewhere: true };
    let (mut text, mut lessons) = (String::new(), String::new());
    let mut parts = VecDeque::from([String::new()]);
    while let Some(part) = parts.pop_front() {
        match subject.explore(&lessons, &part, budget) {
            TaskOutcome::Recorded(Record { stats: Stats { executions, blocked, .. }, rest, .. }) => {
                text += &format!("({part}) {executions}+{blocked}");
                text.extend(rest.iter().map(|part| format!(" ({part})")));
                text += "\n";
                parts.extend(rest);
            }
            TaskOutcome::Learned(more) => {
                text += &format!("start over: {more}\n");
                (lessons, parts) = (more, VecDeque::from([String::new()]));
            }
            other => panic!("{other:?}"),
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn sources_and_revisits() {
    let subject = Subject { program: STORE_BUFFERING, model: ModelName::Rc11, equivalence: Equivalence::Rf };
    check(
        &subject,
        &expect![[r#"
        () 1+0 (p:1/2 s:0.1[1])
        (p:1/2 s:0.1[1]) 1+0 (r:0.1[2])
        (r:0.1[2]) 1+0 (r:0.1[2] s:0.1[1])
        (r:0.1[2] s:0.1[1]) 1+0
    "#]],
    );
}

#[test]
fn places() {
    let subject = Subject { program: WRITERS, model: ModelName::Sc, equivalence: Equivalence::Co };
    check(
        &subject,
        &expect![[r#"
        () 1+0 (p:2/2 p:2/3)
        (p:2/2 p:2/3) 1+0 (p:2/2 p:1)
        (p:2/2 p:1) 1+0 (p:1)
        (p:1) 1+0 (p:1 p:2/3)
        (p:1 p:2/3) 1+0 (p:1 p:1)
        (p:1 p:1) 1+0
    "#]],
    );
}

#[test]
fn read_modify_writes() {
    let subject = Subject { program: COUNTER, model: ModelName::Tso, equivalence: Equivalence::Rf };
    check(
        &subject,
        &expect![[r#"
        () 1+0 (s:0.1[2]) (s:init r:0.1[1] s:0.1[2])
        (s:0.1[2]) 1+0 (s:0.1[2] s:0.2[2]) (s:0.1[2] s:init/2 r:0.1[1] s:0.1[2])
        (s:init r:0.1[1] s:0.1[2]) 1+0
        (s:0.1[2] s:0.2[2]) 1+0
        (s:0.1[2] s:init/2 r:0.1[1] s:0.1[2]) 1+0 (s:0.1[2] s:0.1[2])
        (s:0.1[2] s:0.1[2]) 1+0
    "#]],
    );
}

#[test]
fn messages() {
    let epoch = Epoch::of("a lesson");
    let stats = Stats { executions: 3, blocked: 1, events: 40, largest: 12, ..Stats::default() };
    let (part, rest) = ("s:init".to_string(), vec!["s:init p:1/2".to_string()]);
    let (findings, notes) = (r#"{"states":[[[1],3]]}"#.to_string(), "n".to_string());
    let known = vec!["read.write".to_string()];
    let record = Record { part: part.clone(), stats, findings, notes, known, rest };
    let job = Job::new("1", "fn main", vec![("--model".to_string(), "rc11".to_string())]);
    let (file, program) = ("p.c.vm".to_string(), "fn main".to_string());
    let offer = Offer { job, file, program, options: vec!["--model".to_string(), "rc11".to_string()] };
    let lessons = "a lesson".to_string();
    let task = |executions| Task { lessons: lessons.clone(), part: part.clone(), time_ms: 50, executions };
    let messages = [
        offer.written(),
        task(None).written(),
        task(Some(7)).written(),
        Entry::Record { epoch: epoch.clone(), record: record.clone(), n_offered: 0 }.written(),
        Entry::Record { epoch: epoch.clone(), record: record.clone(), n_offered: 1 }.written(),
        Entry::Start { epoch: epoch.clone(), lessons: lessons.clone() }.written(),
        Entry::Violation { epoch: epoch.clone(), record }.written(),
        Entry::Refused { epoch, part: part.clone() }.written(),
        News { least_us: 256, piece_us: 512, again_us: 1000, n_ready: 4 }.written(),
    ];
    let text: Vec<String> =
        messages.into_iter().map(|message| String::from_utf8(message).expect("text") + "\n").collect();
    expect![[r#"
        {"job":{"version":"1","program":"47d969f3dcee855ffaff0f878c734856da86b37cc94846ed4d47bb8f13a9cce7","settings":[["--model","rc11"]]},"file":"p.c.vm","program":"fn main","options":["--model","rc11"]}
        {"lessons":"a lesson","part":"s:init","time_ms":50}
        {"lessons":"a lesson","part":"s:init","time_ms":50,"executions":7}
        {"record":{"epoch":"9e13058316849c2b8e4581f974642e3e","record":{"part":"s:init","counts":{"executions":3,"blocked":1,"duplicates":0,"bounded":0,"wasted":0,"events":40,"dead":0,"mirrored":0,"counted":0,"gathered":0,"parted":0,"revisits":0,"largest":12},"findings":"{\"states\":[[[1],3]]}","notes":"n","known":["read.write"],"rest":["s:init p:1/2"]}}}
        {"record":{"epoch":"9e13058316849c2b8e4581f974642e3e","record":{"part":"s:init","counts":{"executions":3,"blocked":1,"duplicates":0,"bounded":0,"wasted":0,"events":40,"dead":0,"mirrored":0,"counted":0,"gathered":0,"parted":0,"revisits":0,"largest":12},"findings":"{\"states\":[[[1],3]]}","notes":"n","known":["read.write"],"rest":["s:init p:1/2"]},"n_offered":1}}
        {"start":{"epoch":"9e13058316849c2b8e4581f974642e3e","lessons":"a lesson"}}
        {"violation":{"epoch":"9e13058316849c2b8e4581f974642e3e","record":{"part":"s:init","counts":{"executions":3,"blocked":1,"duplicates":0,"bounded":0,"wasted":0,"events":40,"dead":0,"mirrored":0,"counted":0,"gathered":0,"parted":0,"revisits":0,"largest":12},"findings":"{\"states\":[[[1],3]]}","notes":"n","known":["read.write"],"rest":["s:init p:1/2"]}}}
        {"refused":{"epoch":"9e13058316849c2b8e4581f974642e3e","part":"s:init"}}
        {"least_us":256,"piece_us":512,"again_us":1000,"n_ready":4}
    "#]].assert_eq(&text.concat());
}
