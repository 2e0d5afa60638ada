//! A process that takes part in a search.

use crate::timeline::Timed;
use crate::{Endpoint, Link, Presence, Timeline, WorkerLink};
use atropos_spread::cluster::{Offer, PartExplorer, take_turn};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often to look whether the search is over, and whether the server still offers it.
const LOOK: Duration = Duration::from_millis(20);
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(5);

/// How long to wait when the server does not answer.
const AWAY: Duration = Duration::from_millis(200);

/// How to take part in a search.
pub struct Membership<'a> {
    pub access: Endpoint,
    /// How long to wait for a server with an offer, and for one that has gone.
    pub wait: Duration,
    pub is_interrupted: &'a (dyn Fn() -> bool + Sync),
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
        let (start, url) = (Instant::now(), &self.access.url);
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
            let is_late = start.elapsed() > self.wait;
            match (attempt, link.take()) {
                (Ok(Some(offer)), Some(link)) if is_wanted(&offer) => {
                    return Ok(Some(Joined { offer, link: Arc::new(link) }));
                }
                _ if (self.is_interrupted)() => return Ok(None),
                (Ok(None), _) if is_late => return Err(io::Error::other(format!("{url} offers no check"))),
                (Ok(Some(offer)), _) if is_late => {
                    let other = format!("{url} offers another check: {}", offer.file);
                    return Err(io::Error::other(other));
                }
                (Err(error), _) if is_late => {
                    return Err(io::Error::other(format!("cannot reach {url}: {error}")));
                }
                (_, known) => link = known,
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for the end of the search.
    pub fn stand_by(&self, joined: &Joined, presence: &Presence) -> Departure {
        let mut heard = Instant::now();
        let mut asked = Instant::now();
        loop {
            if presence.is_over() {
                return Departure::Over;
            }
            if (self.is_interrupted)() {
                return Departure::Interrupted;
            }
            if asked.elapsed() > BETWEEN_QUESTIONS {
                match joined.link.offer() {
                    Ok(Some(other)) if other != joined.offer => return Departure::Over,
                    Ok(_) => heard = Instant::now(),
                    Err(_) if heard.elapsed() > self.wait => return Departure::Lost,
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
    /// Explores parts while it `goes_on`. Calls `count` with the number of executions of each task.
    pub fn work(
        self,
        parts: &mut impl PartExplorer,
        goes_on: &dyn Fn() -> bool,
        count: &(dyn Fn(u64) + Sync),
    ) {
        let WorkerThread { presence, timeline } = self;
        let mut side = Timed { side: WorkerLink::new(presence), timeline };
        while goes_on() {
            if take_turn(&mut side, parts, count).is_err() {
                std::thread::sleep(AWAY);
            }
        }
    }
}
