//! Tracer: stateless model checking under release-acquire, one execution per weak trace [Tracer].
//!
//! A *weak trace* is `po` and `rf`; coherence is part of it only as far as these force it. The paper's *saturated
//! semantics* keeps exactly the forced part ([`saturated`]), and from it reads off which writes a read may read
//! from, so that no extension is ever taken back as inconsistent. The search ([`explorer`]) adds events in front
//! only. A read that was answered before some write existed is served later: when the write is taken back, a
//! *schedule* is left at the read, which brings in what the write needs, the write, and the read reading from it
//! ([`schedule`]).
//!
//! Guarantees: every execution that is consistent under release-acquire is visited exactly once up to `po` and `rf`;
//! under [`Config::abandon_doomed`](crate::Config) those that end blocked for no good reason are left out
//! ([`schedule`], rule 3). Memory: the schedules of the reads under way, which may be exponentially many
//! [TruSt §2.3]. Branches of a read do not depend on their order, so they can be explored by different workers ([`task`]);
//! of what each other do, these know which schedules have been left at the reads that they have in common.
//!
//! Deviations from the paper:
//! 1. Writes executed by a schedule leave schedules too; the printed Algorithm 3 does not let them, and loses
//!    traces: `a:=x || b:=x || c:=y; x:=1` has 4, of which it finds 2.
//! 2. Read-modify-writes, which the paper leaves out: see [`saturated`] and [`schedule`]. Locks are
//!    read-modify-writes; a rule of their own saves work.
//! 3. Any thread may move next, not writes before reads.

mod explorer;
mod history;
mod saturated;
mod schedule;
mod task;

pub use explorer::Explorer;
pub use task::Task;

use crate::driver::Strategy;
use crate::engine::Engine;
use crate::host::Host;
use crate::pool::Pool;
use atropos_event::Program;
use atropos_model::Ra;

/// Tracer, under release-acquire.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracer;

impl<P: Program> Strategy<P> for Tracer {
    type Part = Task;
    type Worker<'a>
        = Explorer<'a, P>
    where
        P: 'a;

    const CAN_SPLIT: bool = true;

    fn start<'a>(&'a self, host: Host<'a, P>, pool: Option<&'a Pool<Task>>) -> Explorer<'a, P> {
        Explorer::new(Engine::new(host, Ra::default()), pool)
    }
}
