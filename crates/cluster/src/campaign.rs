//! A search from the side of its leader: the server, the connection to it, and the sum of the log.
//!
//! The server may die at any time, also while the search starts or ends. It is started again then, and everything is
//! read from it again, because it may have forgotten the last entries.

use crate::{LeaderLink, Link, Server, ServerOptions};
use atropos_spread::cluster::{Leader, LeaderSide, Offer, Pace};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for news before looking up.
const WAIT: Duration = Duration::from_millis(100);

/// How long the server may take to start, and to answer at first.
const START: Duration = Duration::from_secs(30);

/// What to do when it does not answer at first.
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// How long workers may take to hear that the search is over.
const FAREWELL: Duration = Duration::from_secs(2);

/// How to lead a search.
#[derive(Clone, Debug)]
pub struct CampaignOptions {
    pub server: ServerOptions,
    /// A worker that is silent for so long loses its task.
    pub lease: Duration,
    /// The most executions to count, complete and blocked.
    pub most: Option<u64>,
    /// Nothing is offered before so many explorers are there.
    pub n_awaited: usize,
}

/// A search that workers can join.
pub struct Campaign {
    options: CampaignOptions,
    server: Server,
    side: LeaderLink,
    leader: Leader,
    /// The server may have forgotten something.
    is_behind: bool,
    started: Instant,
    n_workers: (usize, usize),
    /// Workers have something to do.
    has_begun: bool,
}

/// Why a search cannot be led.
#[derive(Debug)]
pub enum Unled {
    Io(io::Error),
    /// The store is that of another search: how this one differs.
    Other(Vec<String>),
}

impl From<io::Error> for Unled {
    fn from(error: io::Error) -> Unled {
        Unled::Io(error)
    }
}

impl Campaign {
    /// Starts the server, makes the offer, and reads what is known. The offer of an earlier leader stays.
    ///
    /// # Errors
    /// If the server cannot be started, or the store is that of another search.
    pub fn start(
        options: CampaignOptions,
        offer: Offer,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Campaign, Unled> {
        if offer.written().len() > crate::server::LARGEST_MESSAGE {
            return Err(io::Error::other("the program is too large to be offered to workers").into());
        }
        let mut server = Server::start(&options.server)?;
        let access = options.server.endpoint();
        let mut attempts = Attempts { server: &mut server, start: Instant::now(), is_stopped };
        let link = attempts.until(|| Link::connect(&access))?;
        attempts.server.note_answer();
        let known = attempts.until(|| match link.offer()? {
            Some(known) => Ok(known),
            None => link.make_offer(&offer).map(|()| offer.clone()),
        })?;
        let differences = offer.job.differences(&known.job);
        if !differences.is_empty() {
            return Err(Unled::Other(differences));
        }
        let mut side = LeaderLink::new(Arc::new(link), &known, options.lease);
        let has_begun = options.n_awaited == 0;
        let leader = attempts.until(|| resume(&mut side, &options, has_begun))?;
        let (started, n_workers) = (Instant::now(), (0, 0));
        Ok(Campaign { options, server, side, leader, is_behind: false, started, n_workers, has_begun })
    }

    /// Adds what is new. Waits for a while if nothing is.
    ///
    /// # Errors
    /// If the server has died and cannot be started again.
    pub fn step(&mut self) -> io::Result<()> {
        let n_workers = self.side.n_workers();
        if n_workers != std::mem::replace(&mut self.n_workers, n_workers) {
            self.leader.tell_again();
        }
        self.is_behind |= self.server.look_after()?;
        if self.is_behind {
            match resume(&mut self.side, &self.options, self.has_begun) {
                Ok(leader) => (self.leader, self.is_behind) = (leader, false),
                Err(_) => self.server.wait(WAIT),
            }
        } else if !self.has_begun && n_workers.1 < self.options.n_awaited {
            self.side.wait_for_worker(WAIT);
        } else if !self.has_begun {
            (self.has_begun, self.started) = (true, Instant::now());
            let pace = self.pace();
            self.is_behind = self.leader.offer_all(&mut self.side, pace).is_err();
        } else {
            let pace = self.pace();
            self.is_behind = self.leader.step(&mut self.side, pace, WAIT).is_err();
        }
        Ok(())
    }

    fn pace(&self) -> Pace {
        let (elapsed, record) = (self.started.elapsed(), self.side.time_of_record());
        Pace { elapsed, n_workers: self.n_workers.1, record }
    }

    /// Whether workers are there that have something to do.
    pub fn is_explored(&self) -> bool {
        self.has_begun && self.n_workers.0 > 0
    }

    /// Whether there is nothing to wait for.
    pub fn is_over(&self) -> bool {
        self.leader.end().is_some() || self.leader.has_enough()
    }

    pub fn leader(&self) -> &Leader {
        &self.leader
    }

    /// Why the server is not there, if it has died lately.
    pub fn trouble(&self) -> Option<String> {
        self.server.trouble()
    }

    /// The number of workers that were heard of lately, and of their explorers.
    pub fn n_workers(&self) -> (usize, usize) {
        self.n_workers
    }

    /// Tells all workers that the search is over, and waits until they have heard it, though not for long. Then the
    /// server ends.
    pub fn end(mut self) -> Leader {
        let (start, ending) = (Instant::now(), self.leader.ending());
        while start.elapsed() < FAREWELL {
            let is_heard = self.side.say_stop(&ending).is_ok() && self.side.n_workers().0 == 0;
            if is_heard || self.server.look_after().is_err() {
                break;
            }
            std::thread::sleep(WAIT / 2);
        }
        self.leader
    }
}

/// A leader that knows what is kept, and has offered what is left to do if the search `has_begun`.
fn resume(side: &mut LeaderLink, options: &CampaignOptions, has_begun: bool) -> io::Result<Leader> {
    side.prepare()?;
    let mut leader = Leader::new(side.sum()?).at_most(options.most);
    let pace = Pace { elapsed: Duration::ZERO, n_workers: 1, record: side.time_of_record() };
    match has_begun {
        true => leader.start(side, pace)?,
        false => {
            leader.catch_up(side)?;
            side.withdraw_all()?;
        }
    }
    Ok(leader)
}

/// What is tried again until the server answers.
struct Attempts<'a> {
    server: &'a mut Server,
    start: Instant,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Attempts<'_> {
    fn until<T>(&mut self, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        loop {
            self.server.look_after()?;
            match attempt() {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(error),
                Err(error) if self.start.elapsed() > START || (self.is_stopped)() => {
                    return Err(io::Error::other(format!("nats-server does not answer: {error}")));
                }
                Err(_) => std::thread::sleep(BETWEEN_TRIES),
                Ok(result) => return Ok(result),
            }
        }
    }
}
