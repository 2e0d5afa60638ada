//! Random programs over the thread library.
//!
//! A program consists mostly of idioms: a critical section, a wait in a loop, a signal, a turn at a barrier. The main
//! thread initialises objects, creates the other threads, takes part, joins them, and may destroy the objects. Some
//! programs are then damaged: a statement is dropped, doubled, moved or inserted. Most misuse comes from that.

use crate::conformance::sanity::is_sane;
use atropos_testkit::Rng;
use atropos_testkit::oracle::runtime::{
    Argument, Call, Class, End, MutexKind, Op, RuntimeProgram, RuntimeStmt, SEM_VALUE_MAX, ThreadBody, errno,
};

/// The size of programs.
#[derive(Clone, Copy, Debug)]
pub struct ProgramSize {
    /// The number of statements of all threads together, without those that initialise, create, join and destroy.
    pub budget: usize,
    /// The percentage of programs that are damaged.
    pub damaged: usize,
}

impl Default for ProgramSize {
    fn default() -> Self {
        ProgramSize { budget: 7, damaged: 55 }
    }
}

/// The program of a seed.
pub fn generate(seed: u64, shape: ProgramSize) -> RuntimeProgram {
    let mut rng = Rng::new(seed);
    loop {
        let mut program = Author::new(&mut rng, shape).write();
        if rng.chance(shape.damaged) {
            for _ in 0..rng.between(1, 2) {
                damage(&mut program, &mut rng);
            }
        }
        if is_sane(&program) {
            return program;
        }
    }
}

/// A program under construction.
struct Author<'a> {
    rng: &'a mut Rng,
    shape: ProgramSize,
    classes: Vec<Class>,
    /// The main thread cancels others.
    cancels: bool,
    /// Mutexes are robust, and threads may end while they hold one.
    is_robust: bool,
    program: RuntimeProgram,
    /// The statements of the current thread.
    body: Vec<RuntimeStmt>,
}

const CLASSES: [(usize, Class); 9] = [
    (5, Class::Mutex),
    (5, Class::Cond),
    (4, Class::Rwlock),
    (3, Class::Spin),
    (4, Class::Semaphore),
    (3, Class::Barrier),
    (2, Class::Once),
    (3, Class::Key),
    (2, Class::Thread),
];

impl<'a> Author<'a> {
    fn new(rng: &'a mut Rng, shape: ProgramSize) -> Self {
        let n_classes = rng.pick_weighted(&[(4, 1), (4, 2), (2, 3)]);
        let mut classes: Vec<_> = (0..n_classes).map(|_| rng.pick_weighted(&CLASSES)).collect();
        let statics = [(6, 0), (1, 1), (1, 2), (1, 3)];
        let mutexes = [(); 2].map(|()| MutexKind::ALL[rng.pick_weighted(&statics)]);
        let n_threads = rng.pick_weighted(&[(1, 2), (2, 3)]);
        let thread = ThreadBody { body: Vec::new(), end: End::Return(0) };
        let program = RuntimeProgram { mutexes, threads: vec![thread; n_threads] };
        let (cancels, is_robust) = (rng.chance(12), rng.chance(12));
        if is_robust {
            classes.push(Class::Mutex);
        }
        Author { rng, shape, classes, cancels, is_robust, program, body: Vec::new() }
    }

    fn write(mut self) -> RuntimeProgram {
        let n_threads = self.program.threads.len();
        // The main thread takes part less often.
        let workers: Vec<_> = (1..n_threads).chain((1..n_threads).chain([0])).collect();
        let mut shares = vec![0; n_threads];
        for _ in 0..self.shape.budget {
            shares[self.rng.pick(&workers)] += 1;
        }
        for (thread, &share) in shares.iter().enumerate() {
            self.body.clear();
            while self.body.len() < share {
                self.idiom(thread);
            }
            self.program.threads[thread].body = self.body.clone();
            let value = self.rng.below(4) as i64;
            let ends = [(66, End::Return(value)), (30, End::Exit(value)), (4, End::Quit(value))];
            self.program.threads[thread].end = self.rng.pick_weighted(&ends);
        }
        self.write_main();
        self.program
    }

    fn push(&mut self, op: Op, object: usize, argument: i64) -> usize {
        self.body.push(RuntimeStmt { guard: None, call: Call { op, object, argument } });
        self.body.len() - 1
    }

    fn push_if(&mut self, guard: usize, op: Op, object: usize, argument: i64) {
        let call = Call { op, object, argument };
        self.body.push(RuntimeStmt { guard: Some((guard, 0)), call });
    }

    /// Usually the first of two objects.
    fn object(&mut self) -> usize {
        self.rng.pick_weighted(&[(4, 0), (1, 1)])
    }

    fn deadline(&mut self) -> i64 {
        i64::from(self.rng.chance(12))
    }

    fn idiom(&mut self, thread: usize) {
        let class = if self.rng.chance(15) { Class::Variable } else { self.rng.pick(&self.classes) };
        let object = self.object();
        if self.cancels && self.rng.chance(20) {
            let op = self.rng.pick_weighted(&[(3, Op::TestCancel), (1, Op::SetCancelState)]);
            let state = if op == Op::SetCancelState { self.rng.below(2) as i64 } else { 0 };
            self.push(op, thread, state);
            return;
        }
        match class {
            Class::Mutex => self.section(object, [Op::MutexLock, Op::MutexTrylock, Op::MutexTimedlock]),
            Class::Spin => self.section(object, [Op::SpinLock, Op::SpinTrylock, Op::SpinLock]),
            Class::Rwlock if self.rng.chance(50) => {
                self.section(object, [Op::Rdlock, Op::Tryrdlock, Op::Timedrdlock]);
            }
            Class::Rwlock => self.section(object, [Op::Wrlock, Op::Trywrlock, Op::Timedwrlock]),
            Class::Cond => self.cond(object),
            Class::Semaphore => {
                let op = self.rng.pick_weighted(&[
                    (4, Op::SemWait),
                    (5, Op::SemPost),
                    (2, Op::SemTrywait),
                    (2, Op::SemTimedwait),
                    (1, Op::SemGetvalue),
                ]);
                let deadline = self.deadline();
                self.push(op, object, if op == Op::SemTimedwait { deadline } else { 0 });
            }
            Class::Barrier => drop(self.push(Op::BarrierWait, object, 0)),
            Class::Once => drop(self.push(Op::Once, object, 0)),
            Class::Key => {
                let op = self.rng.pick_weighted(&[(5, Op::SetSpecific), (3, Op::GetSpecific)]);
                let value = if op == Op::SetSpecific { self.rng.below(6) as i64 } else { 0 };
                self.push(op, object, value);
            }
            Class::Thread => {
                let other = self.rng.below(self.program.threads.len());
                let target = if self.rng.chance(30) { thread } else { other };
                let op = if self.cancels { Op::TestCancel } else { self.rng.pick(&[Op::Join, Op::Detach]) };
                self.push(op, target, 0);
            }
            Class::Variable => self.variable(),
        }
    }

    fn variable(&mut self) {
        let object = self.object();
        let op = self.rng.pick_weighted(&[(4, Op::Load), (4, Op::Store), (4, Op::Add), (3, Op::Await)]);
        let argument = if op.argument() == Argument::Value { 1 } else { 0 };
        self.push(op, object, argument);
    }

    /// A critical section, perhaps empty, with a lock that waits, one that does not, or one with a deadline.
    fn section(&mut self, object: usize, [lock, trylock, timedlock]: [Op; 3]) {
        let unlock = match lock.class() {
            Class::Mutex => Op::MutexUnlock,
            Class::Spin => Op::SpinUnlock,
            _ => Op::RwlockUnlock,
        };
        let chosen = self.rng.pick_weighted(&[(5, lock), (2, trylock), (2, timedlock)]);
        let deadline = if chosen.argument() == Argument::Deadline { self.deadline() } else { 0 };
        let taken = self.push(chosen, object, deadline);
        if lock == Op::MutexLock && self.rng.chance(if self.is_robust { 40 } else { 2 }) {
            let guard = self.rng.chance(70).then_some((taken, errno::EOWNERDEAD));
            let call = Call { op: Op::MutexConsistent, object, argument: 0 };
            self.body.push(RuntimeStmt { guard, call });
        }
        if chosen != lock {
            if self.rng.chance(30) {
                self.push_if(taken, Op::Add, 0, 1);
            }
            return self.push_if(taken, unlock, object, 0);
        }
        let is_nested = lock == Op::MutexLock && self.rng.chance(20);
        if is_nested {
            let inner = if self.rng.chance(60) { object } else { 1 - object };
            let again = self.rng.pick(&[Op::MutexLock, Op::MutexTrylock, Op::MutexTimedlock]);
            let entered = self.push(again, inner, 0);
            self.push_if(entered, unlock, inner, 0);
        } else if self.rng.chance(50) {
            self.variable();
        }
        if self.rng.chance(if self.is_robust { 50 } else { 95 }) {
            self.push(unlock, object, 0);
        }
    }

    fn cond(&mut self, object: usize) {
        let mutex = self.rng.pick_weighted(&[(12, object), (1, 1 - object)]);
        let wake = self.rng.pick(&[Op::CondSignal, Op::CondBroadcast]);
        match self.rng.below(5) {
            0 => {
                self.push(Op::Store, object, 1);
                self.push(wake, object, 0);
            }
            1 | 2 => {
                self.push(Op::MutexLock, mutex, 0);
                if self.rng.chance(70) {
                    self.push(Op::Store, object, 1);
                }
                self.push(wake, object, 0);
                self.push(Op::MutexUnlock, mutex, 0);
            }
            _ => {
                let wait = self.rng.pick(&[Op::CondAwait, Op::CondWait, Op::CondTimedwait]);
                self.push(Op::MutexLock, mutex, 0);
                self.push(wait, object, mutex as i64);
                self.push(Op::MutexUnlock, mutex, 0);
            }
        }
    }

    /// Wraps the main thread's part in initialisation, creation, joins and destruction.
    fn write_main(&mut self) {
        let n_threads = self.program.threads.len();
        let part = std::mem::take(&mut self.program.threads[0].body);
        self.body = Vec::new();
        self.initialise(&part);
        let has_chain = n_threads == 3 && self.rng.chance(12);
        for thread in 1..n_threads {
            let is_detached = self.rng.chance(8);
            if has_chain && thread == 2 {
                let call = Call { op: Op::Create, object: 2, argument: i64::from(is_detached) };
                let body = &mut self.program.threads[1].body;
                shift_guards(body, 0, 1);
                body.insert(0, RuntimeStmt { guard: None, call });
            } else {
                self.push(Op::Create, thread, i64::from(is_detached));
            }
        }
        let n_before = self.body.len();
        for stmt in part {
            let guard = stmt.guard.map(|(index, value)| (index + n_before, value));
            self.body.push(RuntimeStmt { guard, ..stmt });
        }
        for thread in 1..n_threads {
            if self.cancels && self.rng.chance(60) {
                self.push(Op::Cancel, thread, 0);
            }
        }
        for thread in 1..n_threads {
            match self.rng.below(20) {
                0 => drop(self.push(Op::Detach, thread, 0)),
                1 => {}
                _ => drop(self.push(Op::Join, thread, 0)),
            }
            if self.cancels && self.rng.chance(10) {
                self.push(Op::Cancel, thread, 0);
            }
        }
        if self.rng.chance(40) {
            self.push(Op::Load, 0, 0);
        }
        if self.rng.chance(40) {
            self.destroy();
        }
        self.program.threads[0].body = std::mem::take(&mut self.body);
    }

    /// Whether the program, including the main thread's part, makes calls on an object.
    fn uses(&self, part: &[RuntimeStmt], class: Class, object: usize) -> bool {
        let is_such = |call: Call| {
            let mutex = call.op.argument() == Argument::Mutex && call.argument as usize == object;
            call.op.class() == class && call.object == object || class == Class::Mutex && mutex
        };
        self.program.calls().chain(part.iter().map(|stmt| stmt.call)).any(is_such)
    }

    fn initialise(&mut self, part: &[RuntimeStmt]) {
        for object in 0..2 {
            if self.uses(part, Class::Mutex, object) && (self.is_robust || self.rng.chance(45)) {
                self.program.mutexes[object] = MutexKind::Normal;
                let kind = if self.is_robust { self.rng.between(4, 5) } else { self.rng.below(4) } as i64;
                self.push(Op::MutexInit, object, kind);
            }
            for (class, op) in [(Class::Cond, Op::CondInit), (Class::Rwlock, Op::RwlockInit)] {
                if self.uses(part, class, object) && self.rng.chance(40) {
                    self.push(op, object, 0);
                }
            }
            if self.uses(part, Class::Spin, object) {
                self.push(Op::SpinInit, object, 0);
            }
            if self.uses(part, Class::Semaphore, object) {
                let top = (1, SEM_VALUE_MAX);
                let value = self.rng.pick_weighted(&[(20, 0), (20, 1), (6, 2), top, (1, SEM_VALUE_MAX + 1)]);
                self.push(Op::SemInit, object, value);
            }
            if self.uses(part, Class::Barrier, object) {
                let is_wait = |call: &Call| call.op == Op::BarrierWait && call.object == object;
                let calls = self.program.calls().chain(part.iter().map(|stmt| stmt.call));
                let n_waits = calls.filter(is_wait).count() as i64;
                let count = self.rng.pick_weighted(&[(12, n_waits), (4, 2), (2, 1), (1, 3), (1, 0)]);
                self.push(Op::BarrierInit, object, count);
            }
            // The other key exists for destructors that set it.
            if self.classes.contains(&Class::Key) {
                let destructor = self.rng.below(4) as i64;
                self.push(Op::KeyCreate, object, destructor);
            }
        }
    }

    fn destroy(&mut self) {
        for op in [
            Op::MutexDestroy,
            Op::CondDestroy,
            Op::RwlockDestroy,
            Op::SpinDestroy,
            Op::SemDestroy,
            Op::BarrierDestroy,
            Op::KeyDelete,
        ] {
            for object in 0..2 {
                let part = self.body.clone();
                if self.uses(&part, op.class(), object) && self.rng.chance(60) {
                    let n_calls = if self.rng.chance(4) { 2 } else { 1 };
                    for _ in 0..n_calls {
                        self.push(op, object, 0);
                    }
                }
            }
        }
    }
}

/// Makes conditions refer further back after inserting `n` statements at `at`.
fn shift_guards(body: &mut [RuntimeStmt], at: usize, n: usize) {
    for guard in body.iter_mut().filter_map(|stmt| stmt.guard.as_mut()) {
        if guard.0 >= at {
            guard.0 += n;
        }
    }
}

/// The body without a statement, and without conditions on it.
pub(crate) fn without_statement(body: &[RuntimeStmt], dropped: usize) -> Vec<RuntimeStmt> {
    let mut rest = Vec::new();
    for (_, stmt) in body.iter().enumerate().filter(|(index, _)| *index != dropped) {
        let guard = stmt.guard.filter(|(on, _)| *on != dropped);
        let guard = guard.map(|(on, value)| (on - usize::from(on > dropped), value));
        rest.push(RuntimeStmt { guard, call: stmt.call });
    }
    rest
}

fn insert_statement(body: &mut Vec<RuntimeStmt>, at: usize, call: Call) {
    shift_guards(body, at, 1);
    body.insert(at, RuntimeStmt { guard: None, call });
}

fn random_call(program: &RuntimeProgram, rng: &mut Rng) -> Call {
    let used: Vec<_> = program.calls().map(|call| call.op.class()).collect();
    let class = rng.pick(&used);
    let ops: Vec<_> = Op::ALL.iter().copied().filter(|op| op.class() == class && *op != Op::Create).collect();
    let op = rng.pick(&ops);
    let n = if class == Class::Thread { program.threads.len() } else { 2 };
    let object = if n == 2 { rng.pick_weighted(&[(4, 0), (1, 1)]) } else { rng.below(n) };
    let argument = match op.argument() {
        Argument::None => 0,
        Argument::Detached => 0,
        Argument::Kind => rng.below(6) as i64,
        Argument::Destructor => rng.below(4) as i64,
        Argument::Mutex => object as i64,
        Argument::Deadline => i64::from(rng.chance(15)),
        Argument::Value if op == Op::SemInit && rng.chance(30) => SEM_VALUE_MAX + 1,
        Argument::Value if op == Op::BarrierInit && rng.chance(30) => 0,
        Argument::Value => rng.between(1, 2) as i64,
    };
    Call { op, object, argument }
}

/// Changes one statement.
fn damage(program: &mut RuntimeProgram, rng: &mut Rng) {
    let thread = rng.below(program.threads.len());
    let call = random_call(program, rng);
    let n_objects = program.threads.len();
    let body = &mut program.threads[thread].body;
    if body.is_empty() {
        return insert_statement(body, 0, call);
    }
    let at = rng.below(body.len());
    let is_create = body[at].call.op == Op::Create;
    match rng.below(6) {
        0 if !is_create => *body = without_statement(body, at),
        1 if !is_create => {
            let copy = body[at].call;
            let place = rng.between(at + 1, body.len());
            insert_statement(body, place, copy);
        }
        2 => body[at].guard = None,
        3 if !is_create && body[at].call.op.class() == Class::Thread => {
            body[at].call.object = rng.below(n_objects);
        }
        3 if !is_create => body[at].call.object = 1 - body[at].call.object,
        4 if at + 1 < body.len() && body[at + 1].guard.is_none_or(|(on, _)| on != at) => {
            swap_statements(body, at);
        }
        _ => insert_statement(body, at, call),
    }
}

/// Exchanges a statement with the next one.
fn swap_statements(body: &mut [RuntimeStmt], at: usize) {
    body.swap(at, at + 1);
    for guard in body[at + 2..].iter_mut().filter_map(|stmt| stmt.guard.as_mut()) {
        match guard.0 {
            on if on == at => guard.0 = at + 1,
            on if on == at + 1 => guard.0 = at,
            _ => {}
        }
    }
}
