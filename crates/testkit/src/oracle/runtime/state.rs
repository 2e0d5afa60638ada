//! The state of a program: its threads and its objects.

use super::program::{Destructor, MAX_THREADS, MutexKind, N_OBJECTS, Op, RuntimeProgram};

/// The result of a statement that was not executed.
pub const NOT_EXECUTED: i64 = -999;

/// The state of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Life {
    /// Zeroed memory, or the content of a static initialiser.
    Static,
    Initialised,
    Destroyed,
}

/// Whether what a robust mutex protects is in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Health {
    Consistent,
    /// An owner has died, and nothing has been done about it.
    Inconsistent,
    /// It was unlocked while it was inconsistent.
    Lost,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mutex {
    pub life: Life,
    pub kind: MutexKind,
    pub health: Health,
    pub owner: Option<u8>,
    /// How many times its owner has locked it.
    pub count: u8,
    /// Larger than that of a robust mutex that its owner has locked before and still holds; 0 if it is not robust.
    pub rank: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rwlock {
    pub life: Life,
    pub writer: Option<u8>,
    /// How many times each thread has locked it for reading.
    pub readers: [u8; MAX_THREADS],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Spin {
    pub life: Life,
    pub holder: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Semaphore {
    pub life: Life,
    pub value: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BarrierObject {
    pub life: Life,
    pub count: i64,
    /// The number of threads blocked in it.
    pub waiting: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Once {
    Never,
    Running,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpecificKey {
    pub life: Life,
    pub destructor: Destructor,
    /// How many keys were created before it.
    pub number: u8,
}

/// The progress of a thread with its current statement, or with its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// The thread has not been created.
    Absent,
    /// The next call has not begun.
    Start,
    /// The identifier of a created thread is not yet known to others.
    Publish,
    /// The call has begun and has to wait.
    Blocked,
    /// The thread is about to wait on a condition variable, because it found its variable to be zero.
    AwaitCall,
    /// The thread is blocked on a condition variable.
    OnCond,
    /// The thread is no longer blocked there, and must lock its mutex again before it returns this value.
    Relock(i64),
    /// The same, but the thread was cancelled and does not return.
    RelockToEnd,
    /// The thread may leave the barrier.
    Released,
    /// The thread runs the function of a once object, or has run it.
    InOnce,
    AfterOnce,
    /// The thread looks for values to destroy from the key with this number on, in this round.
    Destroying {
        round: u8,
        key: u8,
        found: bool,
    },
    /// The thread is in the destructor of this key: about to add to the variable, or about to set a value.
    InDestructor {
        round: u8,
        key: u8,
        value: i64,
    },
    AfterAdd {
        round: u8,
        key: u8,
        value: i64,
    },
    Ended,
    /// The thread is not the main one, and has ended the program with `exit`.
    HasQuit,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeThread {
    pub phase: Phase,
    pub statement: usize,
    pub results: Vec<i64>,
    /// Others know the thread's identifier.
    pub is_known: bool,
    pub is_detached: bool,
    pub is_joined: bool,
    /// The value that a join returns.
    pub value: i64,
    /// A thread has asked it to end.
    pub is_cancelled: bool,
    /// It does not end when asked.
    pub is_unwilling: bool,
    /// The thread's values of the keys.
    pub specific: [i64; N_OBJECTS],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeState {
    pub threads: Vec<RuntimeThread>,
    pub mutexes: [Mutex; N_OBJECTS],
    pub conds: [Life; N_OBJECTS],
    pub rwlocks: [Rwlock; N_OBJECTS],
    pub spins: [Spin; N_OBJECTS],
    pub semaphores: [Semaphore; N_OBJECTS],
    pub barriers: [BarrierObject; N_OBJECTS],
    pub onces: [Once; N_OBJECTS],
    pub keys: [SpecificKey; N_OBJECTS],
    pub variables: [i64; N_OBJECTS],
    /// The main thread has returned, or a thread has called `exit`: waiting is no longer an error.
    pub has_exited: bool,
}

impl RuntimeState {
    /// The state in which `program` starts.
    pub fn of(program: &RuntimeProgram) -> RuntimeState {
        let life = Life::Static;
        let thread = |index: usize| RuntimeThread {
            phase: if index == 0 { Phase::Start } else { Phase::Absent },
            statement: 0,
            results: vec![NOT_EXECUTED; program.threads[index].body.len()],
            is_known: index == 0,
            is_detached: false,
            is_joined: false,
            value: 0,
            is_cancelled: false,
            is_unwilling: false,
            specific: [0; N_OBJECTS],
        };
        RuntimeState {
            threads: (0..program.threads.len()).map(thread).collect(),
            mutexes: program.mutexes.map(|kind| Mutex::new(life, kind)),
            conds: [life; N_OBJECTS],
            rwlocks: [Rwlock { life, writer: None, readers: [0; MAX_THREADS] }; N_OBJECTS],
            spins: [Spin { life, holder: None }; N_OBJECTS],
            semaphores: [Semaphore { life, value: 0 }; N_OBJECTS],
            barriers: [BarrierObject { life, count: 0, waiting: 0 }; N_OBJECTS],
            onces: [Once::Never; N_OBJECTS],
            keys: [SpecificKey { life, destructor: Destructor::None, number: 0 }; N_OBJECTS],
            variables: [0; N_OBJECTS],
            has_exited: false,
        }
    }

    /// A thread gets a mutex.
    pub fn enter_mutex(&mut self, at: usize, thread: u8) {
        let mutex = self.mutexes[at];
        if mutex.owner.is_none() && mutex.kind.is_robust() {
            let held = self.mutexes.iter().filter(|other| other.owner == Some(thread));
            self.mutexes[at].rank = 1 + held.map(|other| other.rank).max().unwrap_or(0);
        }
        self.mutexes[at].enter(thread);
    }

    /// Whether every created thread has ended.
    pub fn has_ended(&self) -> bool {
        (0..self.threads.len()).all(|thread| self.has_left(thread))
    }

    /// Whether a thread has ended, or does not exist.
    pub(crate) fn has_left(&self, thread: usize) -> bool {
        matches!(self.threads[thread].phase, Phase::Ended | Phase::Absent)
    }

    /// What a thread calls, unless it is at its end.
    pub(crate) fn call_of(&self, program: &RuntimeProgram, thread: usize) -> Option<Op> {
        let stmt = program.threads[thread].body.get(self.threads[thread].statement);
        stmt.map(|stmt| stmt.call.op)
    }
}
