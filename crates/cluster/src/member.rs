//! A process that takes part in a search.

use crate::patience::Patience;
use crate::timeline::Timed;
use crate::{Endpoint, Link, Presence, Timeline, WaitTimes, WorkerLink};
use atropos_spread::cluster::{Offer, PartExplorer, take_turn};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often to look whether the search is over, and whether the server still offers it.
const LOOK: Duration = Duration::from_millis(20);
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(5);

/// How long to wait between two attempts to connect: each of many workers makes them.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(50);

/// How long to wait when the server does not answer.
const AWAY: Duration = Duration::from_millis(200);

/// How much a thread that explores gives way to others (`nice`): those that handle messages must not wait for it.
const NICENESS: i32 = 5;

/// A worker that waits for so long for the server says so.
const NOTICEABLE: Duration = Duration::from_secs(2);

/// How to take part in a search.
pub struct Membership<'a> {
    pub access: Endpoint,
    pub wait: WaitTimes,
    pub is_interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Tells the user something.
    pub note: &'a dyn Fn(&str),
}

/// A search that this process takes part in.
pub struct Joined {
    pub offer: Offer,
    link: Arc<Link>,
}

/// Why a process leaves a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Departure {
    /// The search is over.
    Over,
    Interrupted,
    /// The server is gone.
    Lost,
}

impl Membership<'_> {
    /// Waits until there is a server with an offer that `is_wanted`; `None` if interrupted.
    ///
    /// # Errors
    /// If there is none in time.
    pub fn join(&self, is_wanted: &dyn Fn(&Offer) -> bool) -> io::Result<Option<Joined>> {
        let (mut patience, mut has_noted) = (Patience::new(self.wait.first), false);
        let mut link = None;
        loop {
            let attempt = match link.take() {
                None => Link::connect(&self.access),
                Some(link) => Ok(link),
            };
            let attempt = attempt.and_then(|known| {
                let offer = known.offer();
                link = Some(known);
                offer
            });
            let missing = match (attempt, link.take()) {
                (Ok(Some(offer)), Some(link)) if is_wanted(&offer) => {
                    return Ok(Some(Joined { offer, link: Arc::new(link) }));
                }
                // It will not become another one.
                (Err(error), _) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(io::Error::other(format!("{}: {error}", self.access.url)));
                }
                (attempt, known) => {
                    link = known;
                    self.what_is_missing(attempt)
                }
            };
            if (self.is_interrupted)() {
                return Ok(None);
            }
            if patience.has_ended() {
                return Err(io::Error::other(missing));
            }
            if patience.waited() > NOTICEABLE && !std::mem::replace(&mut has_noted, true) {
                (self.note)(&format!("waiting for the server: {missing}"));
            }
            std::thread::sleep(if link.is_some() { LOOK } else { BETWEEN_ATTEMPTS });
        }
    }

    /// Why there is no search to join.
    fn what_is_missing(&self, attempt: io::Result<Option<Offer>>) -> String {
        let url = &self.access.url;
        match attempt {
            Ok(None) => format!("{url} offers no check"),
            Ok(Some(offer)) => format!("{url} offers another check: {}", offer.file),
            Err(error) => format!("cannot reach {url}: {error}"),
        }
    }

    /// Waits for the end of the search.
    pub fn stand_by(&self, joined: &Joined, presence: &Presence) -> Departure {
        let (mut patience, mut asked, mut is_away) = (Patience::new(self.wait.again), Instant::now(), false);
        loop {
            if presence.is_over() {
                return Departure::Over;
            }
            if (self.is_interrupted)() {
                return Departure::Interrupted;
            }
            if asked.elapsed() > if is_away { AWAY } else { BETWEEN_QUESTIONS } {
                match joined.link.offer() {
                    Ok(Some(other)) if other != joined.offer => return Departure::Over,
                    Ok(_) => {
                        patience.renew();
                        if std::mem::replace(&mut is_away, false) {
                            (self.note)("the server is there again");
                        }
                    }
                    Err(_) if patience.has_ended() => return Departure::Lost,
                    Err(_) if patience.waited() > NOTICEABLE => {
                        if !std::mem::replace(&mut is_away, true) {
                            (self.note)("the server is away: waiting for it");
                        }
                    }
                    Err(_) => {}
                }
                asked = Instant::now();
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Joined {
    /// Says that this process takes part, with so many explorers.
    ///
    /// # Errors
    /// If there is no connection.
    pub fn appear(&self, jobs: usize) -> io::Result<Arc<Presence>> {
        Presence::new(Arc::clone(&self.link), &self.offer, jobs).map(Arc::new)
    }
}

/// One thread of a worker, which explores.
pub struct WorkerThread<'a> {
    pub presence: Arc<Presence>,
    /// Where to note what it does, and its number there.
    pub timeline: Option<(&'a Timeline, usize)>,
}

impl WorkerThread<'_> {
    /// Explores parts while it `goes_on`. Calls `count` with the number of executions of each task. From now on the
    /// thread gives way to others.
    pub fn work(
        self,
        parts: &mut impl PartExplorer,
        goes_on: &dyn Fn() -> bool,
        count: &(dyn Fn(u64) + Sync),
    ) {
        let WorkerThread { presence, timeline } = self;
        // On Linux this is for the calling thread and for those that it starts. It is only faster that way.
        let _ = rustix::process::nice(NICENESS);
        let mut side = Timed { side: WorkerLink::new(presence), timeline };
        while goes_on() {
            if take_turn(&mut side, parts, count).is_err() {
                std::thread::sleep(AWAY);
            }
        }
    }
}
