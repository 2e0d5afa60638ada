//! One check on many machines: the executable with the closure is the leader and all workers.
//!
//! `ATROPOS_SERVE` makes the process lead: its checks start nats-server, one after the other, and add up what workers
//! record. `ATROPOS_WORK` makes it a worker: each check waits until the leader has come to it, and explores parts of
//! it. Both report the same in the end. A closure cannot be sent, so a worker is the same executable, started in the
//! same way.

use crate::outcome::{Outcome, Verdict};
use atropos_cluster::{
    Campaign, CampaignOptions, Endpoint, Membership, ServerOptions, Unled, WaitTimes, WorkerThread, build,
    read_token,
};
use atropos_explore::Control;
use atropos_native::on_own_thread;
use atropos_spread::cluster::{Ending, Offer, PartExplorer, Successors, Takers, Task, TaskOutcome};
use atropos_spread::{Ended, Job};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A worker that is silent for so long loses its part.
const LEASE: Duration = Duration::from_secs(10);

/// What this process does.
pub(crate) enum Role {
    Leader(Box<ServerOptions>),
    Worker { access: Endpoint, wait: WaitTimes },
}

/// A check takes part alone: its address and its place in the queue are those of the process.
static TURN: Mutex<()> = Mutex::new(());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn file(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
}

/// The role of this process, if it has one.
///
/// # Panics
/// If the environment makes no sense.
pub(crate) fn role() -> Option<Role> {
    let token = file("ATROPOS_TOKEN_FILE");
    let token = token.map(|path| read_token(&path).unwrap_or_else(|error| panic!("{error}")));
    match (variable("ATROPOS_SERVE"), variable("ATROPOS_WORK")) {
        (None, None) => None,
        (Some(_), Some(_)) => panic!("ATROPOS_SERVE is for the leader and ATROPOS_WORK for workers: set one"),
        (Some(listen), None) => {
            let address = listen.parse().ok().filter(|address: &std::net::SocketAddr| address.port() != 0);
            let listen =
                address.unwrap_or_else(|| panic!("ATROPOS_SERVE={listen}: no address like 127.0.0.1:4222"));
            let store = file("ATROPOS_STORE").unwrap_or_else(|| "atropos-store".into());
            let tls = file("ATROPOS_TLS_CERT").zip(file("ATROPOS_TLS_KEY"));
            let options = ServerOptions { listen, store, token, tls, monitor: None };
            assert!(
                !options.is_open() || (options.token.is_some() && options.tls.is_some()),
                "ATROPOS_SERVE={listen} is for other machines too, so it needs ATROPOS_TOKEN_FILE, ATROPOS_TLS_CERT \
                 and ATROPOS_TLS_KEY"
            );
            Some(Role::Leader(Box::new(options)))
        }
        (None, Some(url)) => {
            let wait = variable("ATROPOS_WAIT").map(|text| {
                let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                seconds.unwrap_or_else(|| panic!("ATROPOS_WAIT={text}: no number of seconds"))
            });
            let access = Endpoint { url, token, certificate: file("ATROPOS_TLS_CA") };
            Some(Role::Worker { access, wait: WaitTimes::new(wait) })
        }
    }
}

/// Explores parts of a check: one of this process's explorers.
pub(crate) trait TaskExplorer: Sync {
    fn explore(
        &self,
        task: &Task,
        takers: &dyn Takers,
        successors: &dyn Successors,
        control: &Control,
    ) -> TaskOutcome;
}

/// A check that is spread over processes.
pub(crate) struct Spread<'a> {
    /// What is checked: the name of the test, the place of the check, and how often it was made before.
    pub program: String,
    /// The same, for people.
    pub file: String,
    /// Everything else that decides which executions there are.
    pub settings: Vec<(String, String)>,
    pub most: Option<u64>,
    pub jobs: usize,
    /// Stops the check.
    pub control: &'a Control,
    pub explorer: &'a dyn TaskExplorer,
}

impl Spread<'_> {
    /// Has the check explored by many processes. Returns what they have come to, and whether they were stopped.
    ///
    /// # Errors
    /// The outcome of a worker whose leader is gone.
    ///
    /// # Panics
    /// If the leader cannot start, or a worker cannot join.
    pub fn run(&self, role: Role) -> Result<(Ended, bool), Box<Outcome>> {
        let _turn = lock(&TURN);
        let offer = self.offer();
        let ending = match role {
            Role::Leader(options) => self.lead(*options, offer),
            Role::Worker { access, wait } => self.work(access, wait, &offer)?,
        };
        let is_stopped = ending.is_stopped();
        Ok((Ended::new(ending.resumed()), is_stopped))
    }

    /// The check as all processes know it: this executable, and its name.
    fn offer(&self) -> Offer {
        let build = build().unwrap_or_else(|error| panic!("{error}"));
        let job = Job::new(&build, &self.program, self.settings.clone());
        Offer { job, file: self.file.clone(), program: self.program.clone(), options: Vec::new() }
    }

    fn lead(&self, mut server: ServerOptions, offer: Offer) -> Ending {
        // Each check has a folder of its own.
        server.store.push(offer.job.id());
        let options = CampaignOptions { server, lease: LEASE, most: self.most, n_awaited: 0 };
        let is_stopped = || self.control.is_stopped();
        let failed = |error: io::Error| -> ! { panic!("the check cannot be led: {error}") };
        let mut campaign = match Campaign::start(options, offer, &is_stopped) {
            Ok(campaign) => campaign,
            Err(Unled::Io(error)) => failed(error),
            Err(Unled::Other(differences)) => failed(io::Error::other(differences.join("; "))),
        };
        while !campaign.is_over() && !is_stopped() {
            campaign.step().unwrap_or_else(|error| failed(error));
        }
        campaign.end().ending()
    }

    fn work(&self, access: Endpoint, wait: WaitTimes, offer: &Offer) -> Result<Ending, Box<Outcome>> {
        let is_interrupted = || self.control.is_stopped();
        let membership = Membership { access, wait, is_interrupted: &is_interrupted, note: &|_| {} };
        let joined = membership.join(&|other| other.job == offer.job);
        let joined = joined.unwrap_or_else(|error| panic!("{}: {error}", self.file));
        let Some(joined) = joined else {
            return Err(unfinished("the time was over before the leader came to it"));
        };
        let presence = joined.appear(self.jobs).unwrap_or_else(|error| panic!("{}: {error}", self.file));
        let is_over = AtomicBool::new(false);
        let goes_on = || !is_over.load(SeqCst);
        let currents: Vec<CurrentPart> = (0..self.jobs).map(|_| CurrentPart::default()).collect();
        std::thread::scope(|scope| {
            for current in &currents {
                let presence = Arc::clone(&presence);
                let goes_on: &(dyn Fn() -> bool + Sync) = &goes_on;
                let mut parts = Parts { explorer: self.explorer, current, goes_on };
                scope.spawn(move || {
                    let explorer = WorkerThread { presence, timeline: None };
                    let explore = || explorer.work(&mut parts, goes_on, &|_| {});
                    on_own_thread(explore).unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                });
            }
            membership.stand_by(&joined, &presence);
            is_over.store(true, SeqCst);
            currents.iter().for_each(CurrentPart::stop);
            presence.leave();
        });
        presence.ending().ok_or_else(|| unfinished("the leader is gone"))
    }
}

/// The exploration that an explorer is in the middle of.
#[derive(Default)]
struct CurrentPart(Mutex<Arc<Control>>);

impl CurrentPart {
    /// A new exploration.
    fn next(&self) -> Arc<Control> {
        let control = Arc::new(Control::default());
        *lock(&self.0) = Arc::clone(&control);
        control
    }

    fn stop(&self) {
        lock(&self.0).stop();
    }
}

struct Parts<'a> {
    explorer: &'a dyn TaskExplorer,
    current: &'a CurrentPart,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

impl PartExplorer for Parts<'_> {
    fn explore(&mut self, task: &Task, takers: &dyn Takers, successors: &dyn Successors) -> TaskOutcome {
        // The end comes either before this, and is seen below, or after it, and stops this exploration.
        let control = self.current.next();
        let outcome = if (self.goes_on)() {
            self.explorer.explore(task, takers, successors, &control)
        } else {
            TaskOutcome::Stopped
        };
        if control.is_stopped() && !(self.goes_on)() { TaskOutcome::Stopped } else { outcome }
    }
}

/// The outcome of a worker that does not know what the search has come to.
fn unfinished(reason: &str) -> Box<Outcome> {
    Box::new(Outcome {
        verdict: Verdict::Inconclusive,
        stats: Default::default(),
        violations: Vec::new(),
        report: format!("this worker has not seen the end of the check: {reason}\n"),
        graphs: Vec::new(),
    })
}
