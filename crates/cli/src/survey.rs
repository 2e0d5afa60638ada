//! How many executions there will be: random descents before the search (`--estimate`, `--profile`), and beside it for
//! the progress line.
//!
//! They run on a twin of the program, so that what they learn about it changes nothing in the search.

use crate::insight::{Patience, within};
use crate::options::SurveyRequest;
use atropos_check::{Settings, SurveyProgress, survey};
use atropos_event::Program;
use atropos_explore::Control;
use atropos_report::Survey;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The time, and the number of descents.
const MOST_TIME: Duration = Duration::from_secs(2);
const MOST_DESCENTS: u64 = 10_000;

/// How long a search runs before its size is estimated for the progress line.
const WAIT: Duration = Duration::from_secs(1);

/// What is known before the search.
pub fn before(
    request: SurveyRequest,
    twin: &dyn Program,
    settings: &Settings<'_>,
    is_late: &(dyn Fn() -> bool + Sync),
) -> Option<Survey> {
    let (control, progress) = (Control::default(), SurveyProgress::default());
    let found = within(Patience::Cpu(MOST_TIME), &control, is_late, || {
        survey(twin, settings, &control, MOST_DESCENTS, &progress)
    })?;
    let profile = found.profile.filter(|_| request == SurveyRequest::Profile);
    Some(Survey { profile, ..found })
}

/// Runs a search. If it takes long, descends beside it until it is over.
pub fn beside<T>(
    twin: &(dyn Fn() -> Box<dyn Program> + Sync),
    settings: &Settings<'_>,
    progress: &SurveyProgress,
    search: impl FnOnce() -> T,
) -> T {
    let (is_running, has_ended) = channel::<()>();
    let is_over = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if has_ended.recv_timeout(WAIT) == Err(RecvTimeoutError::Timeout) {
                let control = Control::default();
                within(Patience::Wall(MOST_TIME), &control, &|| is_over.load(Relaxed), || {
                    survey(&*twin(), settings, &control, MOST_DESCENTS, progress)
                });
            }
        });
        let result = search();
        is_over.store(true, Relaxed);
        drop(is_running);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_explore::catalogue::{Algorithm, Equivalence, ModelName};
    use atropos_vm::Vm;
    use std::time::Instant;

    #[test]
    fn a_search_that_takes_long_is_estimated_beside_it() {
        let text = "global x: i32 = 0\nfn f() {\n  store.rlx.i32 x, 1\n  return\n}\n\
                    fn g() {\n  r = load.rlx.i32 x\n  return\n}\nthreads f(), g()\n";
        let module = atropos_vm::text::parse("p.vm", text).expect("a program");
        let twin = || -> Box<dyn Program> {
            Box::new(Vm::new(module.clone(), atropos_vm::Config::default()).expect("well-formed"))
        };
        let settings = Settings::new(Algorithm::Trust, ModelName::Rc11, Equivalence::Rf);
        let progress = SurveyProgress::default();
        let (start, patience) = (Instant::now(), Duration::from_secs(60));
        let estimate = beside(&twin, &settings, &progress, || {
            while progress.estimate().is_none() && start.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(10));
            }
            progress.estimate()
        });
        assert_eq!(estimate.map(|estimate| estimate.executions.round()), Some(2.0));
    }
}
