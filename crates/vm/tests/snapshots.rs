//! Positions: rewinding to any of them gives the same steps as running there again.

mod common;

use atropos_event::{Label, Position, Run, Step, ThreadId, Value};
use atropos_vm::{Vm, VmRun};
use common::{Rng, vm};

/// Uses everything that a snapshot must hold: frames, private memory, allocation, locks, children, loops.
const PROGRAM: &str = "
    global x: i32
    global y: i32
    global m: i32
    thread_local global mine: i32
    fn helper(p, v) {
      private local: 300
      q = addr local + 280
      store.i32 q, v
      w = load.i32 p
      w = add.i32 w, v
      store.i32 p, w
      z = load.acq.i32 x
      u = load.i32 q
      c = eq.i32 u, v
      assert c, \"private memory changed\"
      if not z goto out
      less = sub.i64 v, 1
      if not less goto out
      r = call helper(p, less)
      w = add.i32 w, r
    out:
      return w
    }
    fn worker(n) {
      private sum: 600
      p = addr sum + 550
      store.i32 p, n
      i = 0
    head:
      r = call helper(p, 2)
      old = rmw.add.acqrel.i32 y, r
      _, ok = cas.acqrel.rlx.i32 x, old, r
      q = malloc 12
      store.i32 q, r
      lock m
      v = load.i32 mine
      v = add.i32 v, ok
      store.i32 mine, v
      unlock m
      copy p, q, 12
      free q
      i = add.i64 i, 1
      c = ult.i64 i, 3
      if c goto head
      if n goto done
      t = spawn worker(1)
      v = join t
    done:
      s = load.i32 p
      return s
    }
    threads worker(0), worker(1)";

/// A random answer to a label.
fn answer(rng: &mut Rng, label: Label) -> Value {
    match label {
        Label::Read { access, .. } => access.truncate([0, 1, 2, rng.next()][rng.below(4)]),
        _ => 0,
    }
}

/// The observable state of a thread.
fn view(run: &mut VmRun<'_>, thread: ThreadId) -> (Step, String) {
    (run.pending(thread), run.place(thread).text)
}

/// A thread's past: its positions and the answers between them.
struct Past {
    thread: ThreadId,
    points: Vec<(Position, (Step, String))>,
    answers: Vec<Value>,
}

/// Repeats the past of `thread`'s ancestors and its own in a fresh run and compares the observations.
fn check_afresh(vm: &Vm, pasts: &[Past], run: &VmRun<'_>) {
    let mut fresh = vm.start_run();
    let mut ids = vec![(ThreadId::MAIN, ThreadId::MAIN)];
    let mut at = 0;
    // Parents come before their children in `ids`. Ids may differ between runs, but keys do not.
    while at < ids.len() {
        let (old, new) = ids[at];
        let past = pasts.iter().find(|past| past.thread == old).expect("every thread has a past");
        for (nth, (_, seen)) in past.points.iter().enumerate() {
            let (step, text) = view(&mut fresh, new);
            match (step, seen.0) {
                (Step::Do(Label::Spawn { child: new, .. }), Step::Do(Label::Spawn { child: old, .. })) => {
                    assert_eq!(fresh.key(new), run.key(old));
                    if nth < past.answers.len() {
                        ids.push((old, new));
                    }
                }
                (Step::Do(Label::Join { child: new }), Step::Do(Label::Join { child: old })) => {
                    assert_eq!(fresh.key(new), run.key(old));
                }
                _ => assert_eq!((step, &text), (seen.0, &seen.1)),
            }
            if let Some(&value) = past.answers.get(nth) {
                fresh.resume(new, value);
            }
        }
        at += 1;
    }
}

fn random_walk(seed: u64) {
    let vm = vm(PROGRAM);
    let mut run = vm.start_run();
    let mut rng = Rng(seed);
    let first = view(&mut run, ThreadId::MAIN);
    let mut pasts = vec![Past {
        thread: ThreadId::MAIN,
        points: vec![(run.position(ThreadId::MAIN), first)],
        answers: vec![],
    }];
    for _ in 0..400 {
        let nth = rng.below(pasts.len());
        let thread = pasts[nth].thread;
        let (step, text) = view(&mut run, thread);
        assert_eq!(&(step, text), &pasts[nth].points.last().unwrap().1);
        // Sometimes go back, if no thread was created or joined since.
        if rng.below(4) == 0 {
            let points = &pasts[nth].points;
            let to = rng.below(points.len());
            let undone = &points[to..];
            let creates = |step: &Step| matches!(step, Step::Do(Label::Spawn { .. }));
            if !undone[..undone.len() - 1].iter().any(|(_, (step, _))| creates(step)) {
                run.rewind(thread, points[to].0);
                assert_eq!(view(&mut run, thread), points[to].1);
                pasts[nth].points.truncate(to + 1);
                pasts[nth].answers.truncate(to);
            }
            continue;
        }
        let Step::Do(label) = step else { continue };
        let value = answer(&mut rng, label);
        run.resume(thread, value);
        let seen = view(&mut run, thread);
        let past = &mut pasts[nth];
        past.points.push((run.position(thread), seen));
        past.answers.push(value);
        if let Label::Spawn { child, .. } = label {
            let seen = view(&mut run, child);
            assert_eq!(seen.0, Step::Do(Label::Begin));
            pasts.retain(|past| past.thread != child);
            pasts.push(Past { thread: child, points: vec![(run.position(child), seen)], answers: vec![] });
        }
    }
    check_afresh(&vm, &pasts, &run);
}

#[test]
fn a_random_walk_sees_what_a_fresh_run_sees() {
    for seed in 1..200 {
        random_walk(seed);
    }
}

/// Creates the first worker, takes it some steps further, and takes everything back.
fn there_and_back(run: &mut VmRun<'_>, mut answer: impl FnMut(Label) -> Value) -> Vec<Label> {
    let (mark, main, worker) = (run.mark(), run.position(ThreadId::MAIN), ThreadId::new(1));
    (0..2).for_each(|_| run.resume(ThreadId::MAIN, 0));
    let mut steps = Vec::new();
    while let Step::Do(label) = run.pending(worker)
        && steps.len() < 60
    {
        steps.push(label);
        run.resume(worker, answer(label));
    }
    run.rewind(ThreadId::MAIN, main);
    run.release(mark);
    steps
}

#[test]
fn releasing_positions_gives_their_room_back() {
    let vm = vm(PROGRAM);
    let mut run = vm.start_run();
    for seed in 1..2000 {
        let seen = [(); 2].map(|()| {
            let mut rng = Rng(seed);
            there_and_back(&mut run, |label| answer(&mut rng, label))
        });
        assert_eq!(seen[0], seen[1]);
        assert!(run.mark().0 < 1 << 14, "{:?} positions", run.mark());
    }
    let full = run.mark();
    (0..2000).for_each(|_| {
        there_and_back(&mut run, |_| 1);
    });
    // The same steps are kept at most once.
    assert!(run.mark().0 <= full.0 + 64, "{full:?} and then {:?}", run.mark());
}

#[test]
fn the_same_answers_lead_to_the_same_positions() {
    let vm = vm(PROGRAM);
    let mut run = vm.start_run();
    let steps = there_and_back(&mut run, |_| 0);
    let mark = run.mark();
    for _ in 0..3 {
        assert_eq!(there_and_back(&mut run, |_| 0), steps);
        assert_eq!(run.mark(), mark);
    }
}
