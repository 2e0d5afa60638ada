//! Marks in rare branches, so that tests can demand that a branch was reached.
//!
//! `mark!("name")` notes that the branch was taken by this thread; [`take_marks`] answers the names noted since it was
//! last asked. Builds without debug assertions have no marks: the macro expands to nothing there.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static MARKS: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Notes that a branch was taken. Called by [`mark!`](crate::mark!).
pub fn note(name: &'static str) {
    MARKS.with_borrow_mut(|marks| marks.insert(name));
}

/// The marks that this thread has passed since the last call.
pub fn take_marks() -> BTreeSet<&'static str> {
    MARKS.take()
}

/// Marks a rare branch, in builds with debug assertions.
#[macro_export]
macro_rules! mark {
    ($name:literal) => {
        #[cfg(debug_assertions)]
        $crate::mark::note($name);
    };
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_once() {
        mark!("a");
        mark!("a");
        mark!("b");
        assert_eq!(take_marks(), BTreeSet::from(["a", "b"]));
        assert_eq!(take_marks(), BTreeSet::new());
    }
}
