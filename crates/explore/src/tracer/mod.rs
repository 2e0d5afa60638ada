//! Tracer: stateless model checking under release-acquire, one execution per weak trace [Tracer].
//!
//! A *weak trace* is `po` and `rf`; coherence is part of it only as far as these force it. The paper's *saturated
//! semantics* keeps exactly the forced part ([`saturated`]), which determines the writes that a read may read from,
//! so no extension is ever inconsistent. The search ([`explorer`]) only appends events. A read that was answered
//! before some write existed is served later: when the write is taken back, it leaves a *schedule* at the read, which
//! adds what the write needs, the write, and the read reading from it ([`schedule`]).
//!
//! Guarantees: every execution that is consistent under release-acquire is visited exactly once up to `po` and `rf`;
//! under [`Config::abandon_doomed`](crate::Config) those that needlessly end blocked are left out ([`schedule`], rule
//! 3). Memory: the schedules of the current reads, which may be exponentially many [TruSt §2.3]. The branches of a
//! read do not depend on their order, so different workers can explore them ([`task`]); workers share which schedules
//! have been left at their common reads, and workers of other processes name them in their records.
//!
//! Deviations from the paper:
//! 1. Writes executed by a schedule leave schedules too. In the printed Algorithm 3 they do not, which loses traces:
//!    `a:=x || b:=x || c:=y; x:=1` has 4, of which it finds 2.
//! 2. Read-modify-writes, which the paper leaves out: see [`saturated`] and [`schedule`]. Locks are
//!    read-modify-writes; a rule of their own saves work.
//! 3. Any thread may move next, not writes before reads.

mod explorer;
mod history;
mod replay;
mod saturated;
mod schedule;
mod share;
mod task;

pub use explorer::TracerWorker;
pub use task::TracerTask;

use crate::driver::Strategy;
use crate::engine::Engine;
use crate::host::Host;
use crate::pool::Pool;
use atropos_event::Run;
use atropos_model::Ra;

/// Tracer, under release-acquire.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracer;

impl<R: Run> Strategy<R> for Tracer {
    const NAME: &'static str = "tracer";

    type Part = TracerTask;
    type Worker<'a>
        = TracerWorker<'a, R>
    where
        R: 'a;

    const CAN_SPLIT: bool = true;

    fn text_of(part: &TracerTask) -> String {
        part.to_string()
    }

    fn read_parts(texts: &[String], known: &[String]) -> Option<Vec<TracerTask>> {
        task::read_all(texts, known)
    }

    fn start<'a>(&'a self, host: Host<'a, R>, pool: Option<&'a Pool<TracerTask>>) -> TracerWorker<'a, R> {
        TracerWorker::new(Engine::new(host, Ra::default()), pool)
    }
}
