//! Checks, with loom's settings.
//!
//! These have an effect: [`Builder::max_permutations`], [`Builder::max_duration`], [`Builder::log`]. The others exist
//! so that tests compile. They bound what loom explores or say how it does so; Atropos always explores everything.

use atropos::Verdict;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The settings of a check.
#[derive(Debug)]
#[non_exhaustive]
pub struct Builder {
    /// No effect: there may be as many threads as Atropos supports.
    pub max_threads: usize,
    /// No effect: there is no limit on the length of an execution.
    pub max_branches: usize,
    /// The maximum number of executions. The variable `LOOM_MAX_PERMUTATIONS` sets it.
    pub max_permutations: Option<usize>,
    /// The maximum time. The variable `LOOM_MAX_DURATION` sets it, in seconds.
    pub max_duration: Option<Duration>,
    /// No effect: the number of preemptions is not bounded.
    pub preemption_bound: Option<usize>,
    /// No effect.
    pub checkpoint_file: Option<PathBuf>,
    /// No effect.
    pub checkpoint_interval: usize,
    /// No effect: everything is explored.
    pub expect_explicit_explore: bool,
    /// No effect: reports always show places.
    pub location: bool,
    /// Whether to print the number of executions. The variable `LOOM_LOG` sets it.
    pub log: bool,
    /// Whether waiting with a limit on the time may end because the time is over. As under loom, it never does, unless
    /// the variable `ATROPOS_TIMEOUTS` is set.
    pub timeouts: bool,
    /// Whether to print an estimate of the number of executions, and where they come from, before the search. The variable
    /// `ATROPOS_PROFILE` sets it.
    pub profile: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// The settings of the environment.
    ///
    /// # Panics
    /// If a variable of the environment has a value that is not a number.
    pub fn new() -> Builder {
        Builder {
            max_threads: crate::MAX_THREADS,
            max_branches: number("LOOM_MAX_BRANCHES").unwrap_or(1_000),
            max_permutations: number("LOOM_MAX_PERMUTATIONS"),
            max_duration: number("LOOM_MAX_DURATION").map(Duration::from_secs),
            preemption_bound: number("LOOM_MAX_PREEMPTIONS"),
            checkpoint_file: std::env::var_os("LOOM_CHECKPOINT_FILE").map(PathBuf::from),
            checkpoint_interval: number("LOOM_CHECKPOINT_INTERVAL").unwrap_or(20_000),
            expect_explicit_explore: false,
            location: std::env::var_os("LOOM_LOCATION").is_some(),
            log: std::env::var_os("LOOM_LOG").is_some(),
            timeouts: std::env::var_os("ATROPOS_TIMEOUTS").is_some(),
            profile: std::env::var_os("ATROPOS_PROFILE").is_some(),
        }
    }

    /// Sets [`Builder::checkpoint_file`].
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Explores all executions of `body`.
    ///
    /// # Panics
    /// If one of them goes wrong.
    #[track_caller]
    pub fn check<F: Fn() + Sync + Send + 'static>(&self, body: F) {
        let mut builder = atropos::Builder::new();
        builder.max_executions = self.max_permutations.map(|most| most as u64);
        builder.max_duration = self.max_duration;
        builder.timeouts = self.timeouts;
        builder.profile = self.profile;
        let outcome = builder.explore(body);
        if self.profile {
            eprintln!("{}", outcome.report());
        }
        if self.log {
            eprintln!("Completed in {} iterations, {} blocked", outcome.executions(), outcome.blocked());
        }
        if matches!(outcome.verdict(), Verdict::Violation | Verdict::Refused) {
            panic!("{}", outcome.report());
        }
    }
}

/// The number that a variable of the environment holds.
fn number<T: FromStr>(variable: &str) -> Option<T> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("invalid value for `{variable}`: {text}")))
}

/// Explores all executions of `body`, with the settings of the environment.
///
/// ```
/// use loom::sync::Arc;
/// use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// loom::model(|| {
///     let n = Arc::new(AtomicUsize::new(0));
///     let other = Arc::clone(&n);
///     let thread = loom::thread::spawn(move || other.fetch_add(1, Relaxed));
///     thread.join().unwrap();
///     assert_eq!(n.load(Relaxed), 1);
/// });
/// ```
///
/// # Panics
/// If one of them goes wrong.
#[track_caller]
pub fn model<F: Fn() + Sync + Send + 'static>(body: F) {
    Builder::new().check(body);
}
