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

/// How functions begin that are shown as operations, and what is shown instead of that.
const PREFIXES: [(&str, &str); 9] = [
    ("pthread_mutex_", ""),
    ("pthread_spin_", ""),
    ("pthread_rwlock_", ""),
    ("pthread_cond_", ""),
    ("pthread_barrier_", "barrier_"),
    ("mtx_", ""),
    ("cnd_", ""),
    ("sem_", "sem_"),
    ("__atropos_semaphore_", ""),
];

/// Functions of C++, and what they are called in source code.
const READABLE: [(&str, &str); 5] = [
    ("_ZNSt18condition_variableC1Ev", "std::condition_variable::condition_variable"),
    ("_ZNSt18condition_variableD1Ev", "std::condition_variable::~condition_variable"),
    ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "std::condition_variable::wait"),
    ("_ZNSt18condition_variable10notify_oneEv", "std::condition_variable::notify_one"),
    ("_ZNSt18condition_variable10notify_allEv", "std::condition_variable::notify_all"),
];

/// What a function is called in source code.
pub fn readable(function: &str) -> &str {
    READABLE.iter().find(|(mangled, _)| *mangled == function).map_or(function, |(_, name)| name)
}

/// What is shown instead of the accesses that a function makes; `None` if these are shown themselves.
fn verb(function: &str) -> Option<String> {
    if let "lock" | "trylock" | "unlock" = function {
        return Some(function.to_string());
    }
    if let Some(method) = readable(function).strip_prefix("std::condition_variable::") {
        return Some(method.to_string());
    }
    let found = PREFIXES.iter().find_map(|(prefix, shown)| Some((shown, function.strip_prefix(prefix)?)));
    found.map(|(shown, rest)| format!("{shown}{rest}"))
}

/// The outermost of `calls` that is shown as an operation.
pub fn outermost(calls: &[LibraryCall]) -> Option<&LibraryCall> {
    calls.iter().find(|call| verb(&call.function).is_some())
}

impl Operation {
    /// The operation of an event that is part of `call`.
    pub fn of(event: &Event, call: &LibraryCall, names: &Names<'_>) -> Option<Operation> {
        let is_second_half = matches!(event.label, Label::Write { exclusive: true, .. });
        Some(Operation {
            call: readable(&call.function).to_string(),
            object: names.object_name(call.object),
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
        ];
        for (function, expected) in verbs {
            assert_eq!(verb(function).as_deref(), Some(expected), "{function}");
        }
        for function in ["malloc", "pthread_mutexattr_init", "run thread", "main"] {
            assert_eq!(verb(function), None, "{function}");
        }
    }
}
