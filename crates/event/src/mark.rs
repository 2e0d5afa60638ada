//! Marks in rare branches, so that tests can demand that a branch was reached.
//!
//! `mark!("name")` records that this thread took the branch; [`take_marks`] returns the names recorded since its last
//! call. In builds without debug assertions, the macro expands to nothing.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static MARKS: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Records that a branch was taken. Called by [`mark!`](crate::mark!).
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
