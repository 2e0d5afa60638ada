//! Calls of the thread library, as reports show them: `lock m`, not the compare-and-swap behind it.

use crate::names::Names;
use atropos_event::{Label, LibraryCall, Rmw};
use atropos_graph::Event;

/// What a thread does by a call of the thread library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The function that is called.
    pub call: String,
    pub object: String,
    /// The statement of the library that makes the event; `None` for the second event of a statement.
    pub statement: Option<u64>,
    verb: String,
    /// The event finds the lock held.
    is_held: bool,
}

/// Prefixes of functions that are shown as operations, and what is shown instead of the prefix.
const PREFIXES: [(&str, &str); 12] = [
    ("pthread_mutex_", ""),
    ("pthread_spin_", ""),
    ("pthread_rwlock_", ""),
    ("pthread_cond_", ""),
    ("pthread_barrier_", "barrier_"),
    ("mtx_", ""),
    ("cnd_", ""),
    ("sem_", "sem_"),
    ("std::condition_variable::", ""),
    ("std::counting_semaphore::", ""),
    ("std::latch::", ""),
    ("std::barrier::", ""),
];

/// Functions of C++, and their names in source code.
const READABLE: [(&str, &str); 13] = [
    ("_ZNSt18condition_variableC1Ev", "std::condition_variable::condition_variable"),
    ("_ZNSt18condition_variableD1Ev", "std::condition_variable::~condition_variable"),
    ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "std::condition_variable::wait"),
    ("_ZNSt18condition_variable10notify_oneEv", "std::condition_variable::notify_one"),
    ("_ZNSt18condition_variable10notify_allEv", "std::condition_variable::notify_all"),
    ("__atropos_semaphore_acquire", "std::counting_semaphore::acquire"),
    ("__atropos_semaphore_try_acquire", "std::counting_semaphore::try_acquire"),
    ("__atropos_semaphore_release", "std::counting_semaphore::release"),
    ("__atropos_latch_count_down", "std::latch::count_down"),
    ("__atropos_latch_try_wait", "std::latch::try_wait"),
    ("__atropos_latch_wait", "std::latch::wait"),
    ("__atropos_barrier_arrive", "std::barrier::arrive"),
    ("__atropos_barrier_wait", "std::barrier::wait"),
];

/// The name of a function in source code.
pub fn readable(function: &str) -> &str {
    READABLE.iter().find(|(mangled, _)| *mangled == function).map_or(function, |(_, name)| name)
}

/// What is shown instead of the accesses that a function makes; `None` if these are shown themselves.
fn verb(function: &str) -> Option<String> {
    match function {
        "lock" | "trylock" | "unlock" => return Some(function.to_string()),
        "futex wait" => return Some("futex_wait".to_string()),
        "futex wake" => return Some("futex_wake".to_string()),
        _ => {}
    }
    let function = readable(function);
    let found = PREFIXES.iter().find_map(|(prefix, shown)| Some((shown, function.strip_prefix(prefix)?)));
    found.map(|(shown, rest)| format!("{shown}{rest}"))
}

/// The outermost of `calls` that is shown as an operation.
pub fn outermost(calls: &[LibraryCall]) -> Option<&LibraryCall> {
    calls.iter().find(|call| verb(&call.function).is_some())
}

/// The outermost of `calls` that is shown as an operation, in words.
pub(crate) fn shown_call(calls: &[LibraryCall], names: &Names<'_>) -> Option<String> {
    let call = outermost(calls)?;
    Some(format!("{} {}", verb(&call.function)?, names.name_of_part(call.object)))
}

impl Operation {
    /// Whether it is a system call. Libraries make them, and then the library's function is what the user knows.
    pub(crate) fn is_system_call(&self) -> bool {
        self.call.starts_with("futex ")
    }

    /// Whether the event finds a lock held.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// The operation of an event that is part of `call`.
    pub fn of(event: &Event, call: &LibraryCall, names: &Names<'_>) -> Option<Operation> {
        let is_second_half = matches!(event.label, Label::Write { exclusive: true, .. });
        Some(Operation {
            call: readable(&call.function).to_string(),
            object: names.name_of_part(call.object),
            statement: (!is_second_half).then_some(call.statement),
            verb: verb(&call.function)?,
            is_held: matches!(event.label, Label::Read { rmw: Rmw::Cas { .. }, .. }) && !event.exclusive,
        })
    }

    /// Whether an event with this operation belongs to the same call as the one before it, which has `earlier` and begins
    /// with the event of `first`. A call that comes to its first statement again is taken for another call.
    pub fn continues(&self, earlier: &Operation, first: Option<u64>) -> bool {
        let is_same = self.call == earlier.call && self.object == earlier.object;
        is_same && (self.statement.is_none() || self.statement != first)
    }

    /// The operation in words.
    pub fn shown(&self) -> String {
        let held = if self.is_held && self.verb.ends_with("lock") { " (held)" } else { "" };
        format!("{} {}{held}", self.verb, self.object)
    }
}

#[cfg(test)]
mod tests {
    use super::verb;

    #[test]
    fn calls_of_the_thread_library_have_verbs() {
        let verbs = [
            ("pthread_mutex_lock", "lock"),
            ("mtx_unlock", "unlock"),
            ("pthread_rwlock_rdlock", "rdlock"),
            ("pthread_cond_wait", "wait"),
            ("cnd_broadcast", "broadcast"),
            ("pthread_barrier_wait", "barrier_wait"),
            ("sem_post", "sem_post"),
            ("_ZNSt18condition_variable10notify_oneEv", "notify_one"),
            ("__atropos_semaphore_release", "release"),
            ("__atropos_latch_wait", "wait"),
            ("__atropos_barrier_arrive", "arrive"),
            ("futex wait", "futex_wait"),
        ];
        for (function, expected) in verbs {
            assert_eq!(verb(function).as_deref(), Some(expected), "{function}");
        }
        for function in ["malloc", "pthread_mutexattr_init", "run thread", "main"] {
            assert_eq!(verb(function), None, "{function}");
        }
    }
}
