//! What the runs of a program learn about it. The search starts over whenever a run learns something, so a thread does
//! the same in all executions of a search.

use crate::context::{Failure, FailureCause, Where, with};
use crate::shared::lock;
use crate::spread::Numbers;
use crate::{heap, perform};
use atropos_event::{GapKind, RefusalReason};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

#[derive(Clone, Debug, Default)]
pub(crate) struct Lessons {
    /// Places where a thread has read twice without a change in between: see [`crate::idle`].
    pub loops: FxHashSet<usize>,
    /// Types whose reference counts matter: see [`crate::counts`].
    pub counted: FxHashSet<Cow<'static, str>>,
    /// Types that have weak owners.
    pub weakened: FxHashSet<Cow<'static, str>>,
    /// Places that create something that is never freed: see [`crate::tracked`].
    pub leaky: FxHashSet<usize>,
    /// Whether allocations are events.
    pub watches_heap: bool,
    /// The numbers that were given so far, if all processes must give the same: see [`crate::spread`].
    pub numbers: Numbers,
}

/// What a run knows.
#[derive(Debug, Default)]
pub(crate) struct Learning {
    /// What was known when it started.
    pub lessons: Lessons,
    /// Whether it has learned something, so that the search starts over.
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
        let reason = RefusalReason::NotModelled(GapKind::Lesson.into());
        Failure { cause: FailureCause::Refusal(Box::new(reason.into())), source: None }
    });
    perform::fail(failure, place)
}

/// Runs the destructor of data of this type, whose reference count is not modelled. If the destructor performs an
/// event, the count must be.
pub(crate) fn probe(name: &'static str, destroy: impl FnOnce()) {
    heap::outside(|| with(|context| context.running().library.probes.push(name)));
    destroy();
    with(|context| context.running().library.probes.pop());
}

/// The destructor performs an event, and so does each destructor that it is a part of.
#[cold]
pub(crate) fn learn_counts(place: Where) -> ! {
    let names = with(|context| std::mem::take(&mut context.running().library.probes));
    learn(|lessons| lessons.counted.extend(names.iter().map(|&name| Cow::Borrowed(name))), place)
}
