//! RCMC: stateless model checking for RC11 and its weak variant, with revisit sets [RCMC §4, §5].
//!
//! A *configuration* is an execution graph and a set of *revisitable* reads. A new read reads from one default write
//! and stays revisitable; reading from another source makes the read, and what it depends on, permanent. A new write
//! may revisit any set of revisitable reads at once, which deletes what depended on them ([`revisit`]); that set
//! becomes permanent too. Graphs need not satisfy RC11's `sc` axiom, which is checked at the end of an execution and
//! before an error is reported.
//!
//! Guarantees: every consistent execution is visited, up to `rf` and `co` under RC11, up to `rf` under WRC11, which
//! has no `co`. Without read-modify-writes each is visited once. With them some are visited again, as in the paper;
//! these are recognised by a fingerprint ([`fingerprint`]), counted apart and not shown to the observer. Memory: one
//! fingerprint per execution of a program with read-modify-writes, and along the current path what revisits have set
//! aside.
//!
//! Deviations from the paper:
//! 1. The default source is chosen before the atomicity filter, which may leave no earlier write
//!    ([`RcmcWorker::visit_read`](explorer)).
//! 2. Sets of reads to revisit are enumerated as antichains, not as subsets that are then rejected.
//! 3. A revisit changes the graph in place ([`rebuild`]); nothing is copied but what it changes.

mod explorer;
mod fingerprint;
mod rebuild;
mod revisit;
mod variant;
mod wrc11;

pub use explorer::RcmcWorker;
pub use variant::{Strong, Variant, Weak};

use crate::driver::Strategy;
use crate::engine::Engine;
use crate::host::Host;
use crate::pool::Pool;
use atropos_event::Run;
use atropos_model::{Rc11, ReleaseSequences};
use std::marker::PhantomData;

/// RCMC under RC11 ([`Strong`]) or WRC11 ([`Weak`]).
#[derive(Clone, Copy, Debug)]
pub struct Rcmc<V> {
    release_sequences: ReleaseSequences,
    variant: PhantomData<V>,
}

impl<V: Variant> Rcmc<V> {
    pub fn new(release_sequences: ReleaseSequences) -> Self {
        Rcmc { release_sequences, variant: PhantomData }
    }
}

impl<R: Run, V: Variant> Strategy<R> for Rcmc<V> {
    const NAME: &'static str = "rcmc";

    type Part = ();
    type Worker<'a>
        = RcmcWorker<'a, R, V>
    where
        Self: 'a,
        R: 'a;

    fn start<'a>(&'a self, host: Host<'a, R>, _pool: Option<&'a Pool<()>>) -> RcmcWorker<'a, R, V> {
        RcmcWorker::new(Engine::new(host, Rc11::new(self.release_sequences)))
    }
}
