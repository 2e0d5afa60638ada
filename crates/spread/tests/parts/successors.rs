//! A worker goes on with the next task in the same search only if that task belongs to it.

use super::Wishes;
use atropos_event::Stats;
use atropos_explore::Record;
use atropos_spread::cluster::{
    Entry, Epoch, PartExplorer, Successors, Takers, Task, TaskOutcome, Turn, WorkerSide, take_turn,
};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

/// A queue, and what was recorded of its tasks.
struct Queue {
    tasks: VecDeque<Task>,
    log: Vec<(Epoch, String)>,
}

impl WorkerSide for Queue {
    type Lease = ();

    fn next_task(&mut self) -> io::Result<Option<(Task, ())>> {
        Ok(self.tasks.pop_front().map(|task| (task, ())))
    }

    fn takers(&self) -> Arc<dyn Takers> {
        Arc::new(Wishes::default())
    }

    fn finish(&mut self, (): (), entry: &Entry) -> io::Result<()> {
        let Entry::Record { epoch, record, .. } = entry else { panic!("a record") };
        self.log.push((epoch.clone(), record.part.clone()));
        Ok(())
    }
}

/// Goes on as long as there is a successor, and keeps the parts of each search.
struct Eager(Vec<Vec<String>>);

impl PartExplorer for Eager {
    fn explore(&mut self, task: &Task, _: &dyn Takers, successors: &dyn Successors) -> TaskOutcome {
        self.0.push(vec![task.part.clone()]);
        let search = self.0.last_mut().expect("it was just begun");
        while let Some(next) = successors.next(record(search.last().expect("a part"))) {
            search.push(next.part);
        }
        TaskOutcome::Sent
    }
}

fn record(part: &str) -> Record {
    let stats = Stats { executions: 1, ..Stats::default() };
    let (findings, notes) = ("{}".to_string(), String::new());
    Record { part: part.to_string(), stats, findings, notes, known: Vec::new(), rest: Vec::new() }
}

#[test]
fn a_search_goes_on_with_tasks_of_the_same_epoch_and_without_a_limit() {
    let task = |lessons: &str, part: &str, executions| Task {
        lessons: lessons.to_string(),
        part: part.to_string(),
        time_ms: 1,
        executions,
    };
    let tasks = [
        task("", "p:0", None),
        task("", "p:1", None),
        task("mutex:0x10", "p:0", None),
        task("mutex:0x10", "p:1", None),
        task("mutex:0x10", "p:2", Some(5)),
        task("mutex:0x10", "p:3", None),
    ];
    let log = tasks.iter().map(|task| (Epoch::of(&task.lessons), task.part.clone())).collect::<Vec<_>>();
    let mut queue = Queue { tasks: tasks.into(), log: Vec::new() };
    let mut eager = Eager(Vec::new());
    assert_eq!(take_turn(&mut queue, &mut eager, &|_| ()).expect("a connection"), Turn::Worked);
    assert_eq!(eager.0, [vec!["p:0", "p:1"], vec!["p:0", "p:1"], vec!["p:2", "p:3"]]);
    assert_eq!(queue.log, log);
    assert_eq!(take_turn(&mut queue, &mut eager, &|_| ()).expect("a connection"), Turn::Waited);
}
