//! FailureCause a program's runs learn about it. The search starts over whenever something is learned, so that a thread does the
//! same in all executions of a search.

use crate::context::{Failure, FailureCause, Where, with};
use crate::shared::lock;
use crate::{heap, perform};
use atropos_event::RefusalReason;
use rustc_hash::FxHashSet;

#[derive(Clone, Debug, Default)]
pub(crate) struct Lessons {
    /// Places where a thread has read twice without a change in between: see [`crate::idle`].
    pub loops: FxHashSet<usize>,
    /// Types whose reference counts matter: see [`crate::arc`].
    pub counted: FxHashSet<&'static str>,
}

/// FailureCause a run knows.
#[derive(Debug, Default)]
pub(crate) struct Learning {
    /// FailureCause was known when it started.
    pub lessons: Lessons,
    /// It has learned something, and the search starts over.
    pub is_over: bool,
}

/// Learns something, and makes the search start over.
#[cold]
pub(crate) fn learn(lesson: impl FnOnce(&mut Lessons), place: Where) -> ! {
    let failure = heap::outside(|| {
        with(|context| {
            lesson(&mut lock(&context.shared().lessons));
            context.learning.is_over = true;
        });
        let reason = RefusalReason::NotModelled("the search has to start over".to_string());
        Failure { cause: FailureCause::Refusal(reason.into()), source: None }
    });
    perform::fail(failure, place)
}

/// Runs the destructor of data of that type, whose reference count is not modelled. If it performs an event, it must be.
pub(crate) fn probe(name: &'static str, destroy: impl FnOnce()) {
    heap::outside(|| with(|context| context.running().library.probes.push(name)));
    destroy();
    with(|context| context.running().library.probes.pop());
}

/// The destructor performs an event. So does each one that it is a part of.
#[cold]
pub(crate) fn learn_counts(place: Where) -> ! {
    let names = with(|context| std::mem::take(&mut context.running().library.probes));
    learn(|lessons| lessons.counted.extend(&names), place)
}
