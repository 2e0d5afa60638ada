//! A tiny language of programs that call the thread library.
//!
//! A program has a main thread and up to two more. Each is a list of statements, one call each; a statement may
//! depend on the result of an earlier one of its thread. There are two objects of every class, and two atomic
//! variables. The result of every statement is recorded, so the outcome of a program is a table of results.
//!
//! A program is written with one item per line:
//!
//! ```text
//! mutexes normal recursive
//! thread
//! thread_create 1 0
//! mutex_lock 0
//! if 1=0 mutex_unlock 0
//! return 0
//! thread
//! mutex_trylock 0
//! pthread_exit 7
//! ```

use std::fmt;
use std::str::FromStr;

/// The number of objects of each class.
pub const N_OBJECTS: usize = 2;

/// The maximum number of threads of a program, including the main one.
pub(crate) const MAX_THREADS: usize = 3;

/// The class of object that a call works on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    Thread,
    Mutex,
    Cond,
    Rwlock,
    Spin,
    Semaphore,
    Barrier,
    Once,
    Key,
    Variable,
}

/// The meaning of the number after an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    None,
    /// 1: the thread is created detached.
    Detached,
    /// A type of mutex: [`MutexKind`] as a number.
    Kind,
    /// The mutex that goes with a condition variable.
    Mutex,
    /// 0: a time that may come at any moment; 1: an invalid time.
    Deadline,
    /// Any small number.
    Value,
    /// The destructor of a key: [`Destructor`] as a number.
    Destructor,
}

macro_rules! ops {
    ($($name:ident $text:literal $class:ident $argument:ident,)*) => {
        /// The calls of the language.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Op {
            $($name,)*
        }

        impl Op {
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];

            /// Whether the call begins the life of its object.
            pub fn is_init(self) -> bool {
                self.name().ends_with("_init")
            }

            /// Whether the call ends the life of its object.
            pub fn is_destroy(self) -> bool {
                self.name().ends_with("_destroy")
            }

            /// Its name in programs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$name => $text,)*
                }
            }

            pub fn class(self) -> Class {
                match self {
                    $(Op::$name => Class::$class,)*
                }
            }

            pub fn argument(self) -> Argument {
                match self {
                    $(Op::$name => Argument::$argument,)*
                }
            }
        }
    };
}

ops! {
    Create "thread_create" Thread Detached,
    Join "thread_join" Thread None,
    Detach "thread_detach" Thread None,
    Cancel "thread_cancel" Thread None,
    TestCancel "thread_testcancel" Thread None,
    SetCancelState "thread_setcancelstate" Thread Value,
    MutexInit "mutex_init" Mutex Kind,
    MutexDestroy "mutex_destroy" Mutex None,
    MutexLock "mutex_lock" Mutex None,
    MutexTrylock "mutex_trylock" Mutex None,
    MutexTimedlock "mutex_timedlock" Mutex Deadline,
    MutexUnlock "mutex_unlock" Mutex None,
    MutexConsistent "mutex_consistent" Mutex None,
    CondInit "cond_init" Cond None,
    CondDestroy "cond_destroy" Cond None,
    CondWait "cond_wait" Cond Mutex,
    CondTimedwait "cond_timedwait" Cond Mutex,
    CondAwait "cond_await" Cond Mutex,
    CondSignal "cond_signal" Cond None,
    CondBroadcast "cond_broadcast" Cond None,
    RwlockInit "rwlock_init" Rwlock None,
    RwlockDestroy "rwlock_destroy" Rwlock None,
    Rdlock "rwlock_rdlock" Rwlock None,
    Wrlock "rwlock_wrlock" Rwlock None,
    Tryrdlock "rwlock_tryrdlock" Rwlock None,
    Trywrlock "rwlock_trywrlock" Rwlock None,
    Timedrdlock "rwlock_timedrdlock" Rwlock Deadline,
    Timedwrlock "rwlock_timedwrlock" Rwlock Deadline,
    RwlockUnlock "rwlock_unlock" Rwlock None,
    SpinInit "spin_init" Spin None,
    SpinDestroy "spin_destroy" Spin None,
    SpinLock "spin_lock" Spin None,
    SpinTrylock "spin_trylock" Spin None,
    SpinUnlock "spin_unlock" Spin None,
    SemInit "sem_init" Semaphore Value,
    SemDestroy "sem_destroy" Semaphore None,
    SemWait "sem_wait" Semaphore None,
    SemTrywait "sem_trywait" Semaphore None,
    SemTimedwait "sem_timedwait" Semaphore Deadline,
    SemPost "sem_post" Semaphore None,
    SemGetvalue "sem_getvalue" Semaphore None,
    BarrierInit "barrier_init" Barrier Value,
    BarrierDestroy "barrier_destroy" Barrier None,
    BarrierWait "barrier_wait" Barrier None,
    Once "once" Once None,
    KeyCreate "key_create" Key Destructor,
    KeyDelete "key_delete" Key None,
    SetSpecific "setspecific" Key Value,
    GetSpecific "getspecific" Key None,
    Load "load" Variable None,
    Store "store" Variable Value,
    Add "add" Variable Value,
    Await "await" Variable None,
}

/// The types of mutexes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MutexKind {
    Normal,
    Recursive,
    Errorcheck,
    Adaptive,
    /// Normal and robust.
    Robust,
    RobustRecursive,
}

impl MutexKind {
    pub const ALL: [MutexKind; 6] = [
        MutexKind::Normal,
        MutexKind::Recursive,
        MutexKind::Errorcheck,
        MutexKind::Adaptive,
        MutexKind::Robust,
        MutexKind::RobustRecursive,
    ];

    pub fn name(self) -> &'static str {
        match self {
            MutexKind::Normal => "normal",
            MutexKind::Recursive => "recursive",
            MutexKind::Errorcheck => "errorcheck",
            MutexKind::Adaptive => "adaptive",
            MutexKind::Robust => "robust",
            MutexKind::RobustRecursive => "robust_recursive",
        }
    }

    pub fn is_robust(self) -> bool {
        matches!(self, MutexKind::Robust | MutexKind::RobustRecursive)
    }

    pub fn is_recursive(self) -> bool {
        matches!(self, MutexKind::Recursive | MutexKind::RobustRecursive)
    }

    /// The type for an argument.
    pub fn of(argument: i64) -> MutexKind {
        MutexKind::ALL[argument.rem_euclid(6) as usize]
    }
}

/// What happens to a value of a key when its thread ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Destructor {
    None,
    /// Adds the value to variable 0.
    Add,
    /// Adds 1 to variable 0, and sets the value minus one again while it is more than one.
    Again,
    /// Adds 1 to variable 0, and gives the value minus one to the other key while it is more than one.
    Other,
}

impl Destructor {
    pub const ALL: [Destructor; 4] =
        [Destructor::None, Destructor::Add, Destructor::Again, Destructor::Other];

    pub fn of(argument: i64) -> Destructor {
        Destructor::ALL[argument.rem_euclid(4) as usize]
    }
}

/// A call with its operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Call {
    pub op: Op,
    pub object: usize,
    pub argument: i64,
}

/// A call, optionally only if an earlier statement of the thread had a certain result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeStmt {
    pub guard: Option<(usize, i64)>,
    pub call: Call,
}

/// How a thread ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Its function returns; if it is the main thread, the program ends.
    Return(i64),
    /// `pthread_exit`.
    Exit(i64),
    /// `exit`: the program ends.
    Quit(i64),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ThreadBody {
    pub body: Vec<RuntimeStmt>,
    pub end: End,
}

/// A program. The first thread is the main one; at most one statement creates each other thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeProgram {
    /// The static initialiser of each mutex.
    pub mutexes: [MutexKind; N_OBJECTS],
    pub threads: Vec<ThreadBody>,
}

impl RuntimeProgram {
    /// All calls.
    pub fn calls(&self) -> impl Iterator<Item = Call> {
        self.threads.iter().flat_map(|thread| &thread.body).map(|stmt| stmt.call)
    }
}

impl fmt::Display for RuntimeProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "mutexes {}", self.mutexes.map(MutexKind::name).join(" "))?;
        for thread in &self.threads {
            writeln!(f, "thread")?;
            for RuntimeStmt { guard, call } in &thread.body {
                if let Some((index, value)) = guard {
                    write!(f, "if {index}={value} ")?;
                }
                write!(f, "{} {}", call.op.name(), call.object)?;
                match call.op.argument() {
                    Argument::None => writeln!(f)?,
                    _ => writeln!(f, " {}", call.argument)?,
                }
            }
            match thread.end {
                End::Return(value) => writeln!(f, "return {value}")?,
                End::Exit(value) => writeln!(f, "pthread_exit {value}")?,
                End::Quit(value) => writeln!(f, "exit {value}")?,
            }
        }
        Ok(())
    }
}

impl FromStr for RuntimeProgram {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut program = RuntimeProgram { mutexes: [MutexKind::Normal; N_OBJECTS], threads: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            let words: Vec<_> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
            read_line(&mut program, &words).map_err(|error| format!("line {}: {error}", index + 1))?;
        }
        check(&program)?;
        Ok(program)
    }
}

fn read_line(program: &mut RuntimeProgram, words: &[&str]) -> Result<(), String> {
    let Some(&first) = words.first() else { return Ok(()) };
    if first == "mutexes" {
        for (index, name) in words[1..].iter().enumerate() {
            let kind = MutexKind::ALL.into_iter().find(|kind| kind.name() == *name);
            let slot = program.mutexes.get_mut(index).ok_or("too many mutexes")?;
            *slot = kind.ok_or_else(|| format!("no type of mutex is called {name}"))?;
        }
        return Ok(());
    }
    if first == "thread" {
        program.threads.push(ThreadBody { body: Vec::new(), end: End::Return(0) });
        return Ok(());
    }
    let thread = program.threads.last_mut().ok_or("a statement outside a thread")?;
    let number = |at: usize| -> Result<i64, String> {
        let word = words.get(at).ok_or("a number is missing")?;
        word.parse().map_err(|_| format!("{word} is not a number"))
    };
    match first {
        "return" => thread.end = End::Return(number(1)?),
        "pthread_exit" => thread.end = End::Exit(number(1)?),
        "exit" => thread.end = End::Quit(number(1)?),
        _ => thread.body.push(read_statement(words)?),
    }
    Ok(())
}

fn read_statement(words: &[&str]) -> Result<RuntimeStmt, String> {
    let number = |word: Option<&&str>| -> Result<i64, String> {
        let word = word.ok_or("a number is missing")?;
        word.parse().map_err(|_| format!("{word} is not a number"))
    };
    let (guard, words) = match words {
        ["if", test, rest @ ..] => {
            let (index, value) = test.split_once('=').ok_or("a condition is written INDEX=VALUE")?;
            (Some((number(Some(&index))? as usize, number(Some(&value))?)), rest)
        }
        _ => (None, words),
    };
    let name = words.first().ok_or("a call is missing")?;
    let op = Op::ALL.iter().copied().find(|op| op.name() == *name);
    let op = op.ok_or_else(|| format!("no call is named {name}"))?;
    let object = number(words.get(1))? as usize;
    let argument = if op.argument() == Argument::None { 0 } else { number(words.get(2))? };
    Ok(RuntimeStmt { guard, call: Call { op, object, argument } })
}

/// Requires that objects exist and conditions look back.
fn check(program: &RuntimeProgram) -> Result<(), String> {
    let n_threads = program.threads.len();
    if n_threads == 0 || n_threads > MAX_THREADS {
        return Err(format!("a program has between one and {MAX_THREADS} threads"));
    }
    for thread in &program.threads {
        for (index, RuntimeStmt { guard, call }) in thread.body.iter().enumerate() {
            let n = if call.op.class() == Class::Thread { n_threads } else { N_OBJECTS };
            if call.object >= n {
                return Err(format!("{} {}: there is no such object", call.op.name(), call.object));
            }
            if guard.is_some_and(|(earlier, _)| earlier >= index) {
                return Err("a condition must refer to an earlier statement".to_string());
            }
        }
    }
    for created in 0..n_threads {
        let is_create = |call: &Call| call.op == Op::Create && call.object == created;
        if program.calls().filter(is_create).count() > usize::from(created > 0) {
            return Err(format!("thread {created} is created too often"));
        }
    }
    Ok(())
}
