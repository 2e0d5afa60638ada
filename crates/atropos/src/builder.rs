//! The settings of a check.

use crate::outcome::{Outcome, Verdict};
use crate::search;
use atropos_explore::catalogue::{Algorithm, Equivalence, ModelName};
use std::panic::Location;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a check.
///
/// ```
/// use atropos::{Builder, ModelName};
///
/// let mut builder = Builder::new();
/// builder.model = ModelName::Tso;
/// builder.max_executions = Some(1_000_000);
/// builder.check(|| {});
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// The memory model. [`ModelName::Rc11`] is that of Rust.
    pub model: ModelName,
    /// The algorithm. Not every algorithm supports every model: see [`Algorithm::models`].
    pub algorithm: Algorithm,
    /// What distinguishes executions; an algorithm other than [`Algorithm::Trust`] has a fixed equivalence.
    pub equivalence: Equivalence,
    /// The number of worker threads.
    pub jobs: usize,
    /// The maximum number of executions.
    pub max_executions: Option<u64>,
    /// The maximum time.
    pub max_duration: Option<Duration>,
    /// Whether time may run out for a thread that waits with a limit on the time, at any moment. Without, such a thread
    /// waits as if there were no limit, unless the limit is zero.
    pub timeouts: bool,
    /// Whether to explore executions in which a thread fails to exchange a value, and tries again in the same state with
    /// the value that it has seen instead. Another execution, in which it sees this value before its first try, shows the
    /// same.
    pub retries: bool,
    /// Whether to continue after a violation, to find others.
    pub keep_going: bool,
    /// Whether to estimate, before the search, how many executions there are and where they come from, by random descents
    /// for two seconds. The report has the result.
    pub profile: bool,
    /// Files to write the report to. The extension of a name says what is written: `.html` is a page that shows the
    /// guilty execution, `.svg` and `.dot` are pictures of it, `.json`, `.sarif` and `.xml` (JUnit) are for other
    /// programs.
    pub reports: Vec<PathBuf>,
    /// Whether to keep all executions: for tests of Atropos itself.
    #[doc(hidden)]
    pub keeps_graphs: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            model: ModelName::Rc11,
            algorithm: Algorithm::Trust,
            equivalence: Equivalence::Rf,
            jobs: 1,
            max_executions: None,
            max_duration: None,
            timeouts: true,
            retries: false,
            keep_going: false,
            profile: false,
            reports: Vec::new(),
            keeps_graphs: false,
        }
    }
}

impl Builder {
    /// Explores all executions under RC11, up to reads-from, with one worker.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Explores all executions of `body`.
    ///
    /// # Panics
    /// If some execution goes wrong, or if `body` cannot be checked. The message is the report.
    #[track_caller]
    pub fn check(&self, body: impl Fn() + Send + Sync + 'static) {
        let outcome = self.explore(body);
        if matches!(outcome.verdict(), Verdict::Violation | Verdict::Refused) {
            panic!("{}", outcome.report());
        }
    }

    /// Explores all executions of `body`, and returns the outcome.
    ///
    /// ```
    /// use atropos::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// use atropos::{Builder, Verdict, thread};
    ///
    /// static X: AtomicUsize = AtomicUsize::new(0);
    /// let outcome = Builder::new().explore(|| {
    ///     let thread = thread::spawn(|| X.store(1, Relaxed));
    ///     X.load(Relaxed);
    ///     thread.join().unwrap();
    /// });
    /// assert_eq!((outcome.verdict(), outcome.executions()), (Verdict::Verified, 2));
    /// ```
    ///
    /// # Panics
    /// If the algorithm does not support the model, or a report cannot be written.
    #[track_caller]
    pub fn explore(&self, body: impl Fn() + Send + Sync + 'static) -> Outcome {
        assert!(
            self.algorithm.models().contains(&self.model),
            "the algorithm {} does not support the model {}",
            self.algorithm.name(),
            self.model.name()
        );
        search::explore(self, &body, Location::caller())
    }
}
