//! What the runs of a program learn about it. The search starts over whenever a run learns something, so a thread does
//! the same in all executions of a search.

use crate::context::{Failure, FailureCause, Where, is_inside, with};
use crate::shared::lock;
use crate::spread::Numbers;
use crate::{heap, perform};
use atropos_event::{GapKind, RefusalReason, ThreadKey};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::panic::Location;

#[derive(Clone, Debug, Default)]
pub(crate) struct Lessons {
    /// Places where a thread has read twice without a change in between: see [`crate::idle`].
    pub loops: FxHashSet<usize>,
    /// Types whose destructors perform events: see [`crate::counts`].
    pub dropped: FxHashSet<Cow<'static, str>>,
    /// Which drops of such types are events: the thread, how often it has dropped the same data, and the type.
    pub last_drops: FxHashSet<(ThreadKey, u64, Cow<'static, str>)>,
    /// Types whose reference counts the program looks at.
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

/// If more drops than this must be events, all are.
const MOST_LAST_DROPS: usize = 200;

impl Lessons {
    /// Whether the `nth` drop of the same data of type `name` by this thread is an event.
    pub fn is_drop_needed(&self, thread: ThreadKey, nth: u64, name: &'static str) -> bool {
        self.last_drops.len() > MOST_LAST_DROPS
            || self.last_drops.contains(&(thread, nth, Cow::Borrowed(name)))
    }
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
    if with(|context| context.is_trying()) {
        perform::abandon();
    }
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

/// All owners of the data with counts at `addr` are gone, and none was the last: some thread does not drop it again.
#[cold]
pub(crate) fn learn_drops(addr: usize, name: &'static str, place: Where) -> ! {
    let latest: Vec<_> = heap::outside(|| {
        with(|context| {
            let all = context.threads.iter().filter(|thread| thread.exists);
            let drops =
                all.flat_map(|thread| thread.library.drops.iter().map(move |drops| (thread.key, drops)));
            let latest = drops.filter(|(_, drops)| drops.addr == addr && drops.n_skipped > 0);
            latest.map(|(key, drops)| (key, drops.n_all, Cow::Borrowed(name))).collect()
        })
    });
    learn(move |lessons| lessons.last_drops.extend(latest), place)
}

/// The destructor does what other threads could notice, and so does each destructor that it is a part of.
#[cold]
pub(crate) fn learn_counts(place: Where) -> ! {
    let probes = with(|context| std::mem::take(&mut context.running().library.probes));
    learn(|lessons| lessons.dropped.extend(probes.iter().map(|probe| Cow::Borrowed(probe.name))), place)
}

/// The running thread asks which one it is. If it is in a destructor, it matters which thread that is.
#[track_caller]
pub(crate) fn notice_thread() {
    if is_inside() && with(|context| context.running().is_probing()) {
        learn_counts(Location::caller());
    }
}

/// The running thread accesses an object that a destructor has accessed.
#[cold]
pub(crate) fn learn_late_access(name: u64, place: Where) -> ! {
    let types: Vec<_> =
        heap::outside(|| with(|context| context.tracked.buried_with(name).map(Cow::Borrowed).collect()));
    learn(move |lessons| lessons.dropped.extend(types), place)
}
