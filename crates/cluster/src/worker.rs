//! What a worker sees of the server.

use crate::link::{Link, Names, WORKERS, failed};
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::{AckKind, Message};
use atropos_spread::cluster::{Ending, Entry, News, Offer, Task, Wanted, WorkerSide};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

/// How long to wait for a task before looking up.
const WAIT: Duration = Duration::from_millis(500);

/// How long to try to append an entry, while the server is away.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often a worker says that it is there.
const BETWEEN_GREETINGS: Duration = Duration::from_secs(1);

/// How many entries may be on their way to the log before an explorer waits for them.
const MOST_UNSENT: usize = 4;

/// A worker says that it is there, with so many explorers; 0 if it leaves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Greeting {
    pub name: String,
    pub jobs: usize,
}

impl Greeting {
    pub fn read(bytes: &[u8]) -> Option<Greeting> {
        serde_json::from_slice(bytes).ok()
    }

    fn written(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("text and numbers become JSON")
    }
}

/// Tasks that were taken together with another one, and wait for an explorer of this worker.
type Taken = Mutex<VecDeque<(Task, Lease)>>;

/// A worker that takes part in a search: it says so from time to time, and hears when the search is over.
pub struct Presence {
    link: Arc<Link>,
    names: Names,
    greeting: Greeting,
    /// The message that the search is over.
    stop: Arc<OnceLock<Vec<u8>>>,
    wanted: Arc<Wanted>,
    taken: Arc<Taken>,
    greets: JoinHandle<()>,
    listens: JoinHandle<()>,
}

impl Presence {
    /// # Errors
    /// If there is no connection.
    pub fn new(link: Arc<Link>, offer: &Offer, jobs: usize) -> io::Result<Presence> {
        let names = Names::of(offer);
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let name = format!("{}-{}", host.trim(), std::process::id());
        let greeting = Greeting { name, jobs };
        let heard = Arc::new(OnceLock::new());
        let client = link.client().clone();
        let mut stop =
            link.wait(async { client.subscribe(names.stop_subject.clone()).await.map_err(failed) })?;
        let mut news =
            link.wait(async { client.subscribe(names.news_subject.clone()).await.map_err(failed) })?;
        let (wanted, taken) = (Arc::new(Wanted::default()), Arc::new(Taken::default()));
        let (announced, waiting) = (Arc::clone(&wanted), Arc::clone(&taken));
        let (jetstream, task_subject) = (link.jetstream().clone(), names.task_subject.clone());
        let listens = link.runtime().spawn(async move {
            let (chances, mut n_heard) = (RandomState::new(), 0_u64);
            while let Some(message) = news.next().await {
                n_heard += 1;
                let Some(news) = News::read(&message.payload) else { continue };
                announced.hear(&news, chances.hash_one(n_heard));
                // If there are few tasks, others should have those that wait here.
                let returned =
                    if news.n_tasks <= 1 { std::mem::take(&mut *lock(&waiting)) } else { VecDeque::new() };
                for (_, lease) in returned {
                    let message = &lease.message;
                    let returned = jetstream.publish(task_subject.clone(), message.payload.clone()).await;
                    let Ok(returned) = returned else { continue };
                    if returned.await.is_ok() {
                        let _ = message.ack().await;
                    }
                }
            }
        });
        let (subject, message) = (names.alive_subject.clone(), greeting.written());
        let is_heard = Arc::clone(&heard);
        let greets = link.runtime().spawn(async move {
            loop {
                let _ = client.publish(subject.clone(), message.clone().into()).await;
                if let Ok(Some(message)) = tokio::time::timeout(BETWEEN_GREETINGS, stop.next()).await {
                    return drop(is_heard.set(message.payload.to_vec()));
                }
            }
        });
        Ok(Presence { link, names, greeting, stop: heard, wanted, taken, greets, listens })
    }

    /// Whether the search is over.
    pub fn is_over(&self) -> bool {
        self.stop.get().is_some()
    }

    /// What the search has come to, if it is over and the leader has said so.
    pub fn ending(&self) -> Option<Ending> {
        Ending::read(self.stop.get()?)
    }

    /// Says that this worker leaves.
    pub fn leave(&self) {
        self.greets.abort();
        self.listens.abort();
        let farewell = Greeting { jobs: 0, ..self.greeting.clone() };
        let client = self.link.client();
        self.link.runtime().block_on(async {
            let send = async {
                let _ = client.publish(self.names.alive_subject.clone(), farewell.written().into()).await;
                let _ = client.flush().await;
            };
            let _ = tokio::time::timeout(BETWEEN_GREETINGS, send).await;
        });
    }
}

/// A worker's connection, for one explorer.
pub struct WorkerLink {
    presence: Arc<Presence>,
    consumer: Option<PullConsumer>,
    /// What is on its way to the server: the explorer does not wait for it.
    outgoing: Sender<Outgoing>,
}

/// What a worker sends, in this order.
enum Outgoing {
    Entry(Vec<u8>),
    /// All entries about this task were sent.
    Done(Lease),
}

/// A task in the hands of this worker. It is renewed until it is dropped.
pub struct Lease {
    message: Arc<Message>,
    /// When it was last renewed, and how long it lasts.
    renewed: Arc<Mutex<Instant>>,
    length: Duration,
    renews: JoinHandle<()>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds the lock")
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renews.abort();
    }
}

impl WorkerLink {
    pub fn new(presence: Arc<Presence>) -> WorkerLink {
        let (outgoing, queue) = channel(MOST_UNSENT);
        presence.link.runtime().spawn(send(Arc::clone(&presence), queue));
        WorkerLink { presence, consumer: None, outgoing }
    }

    /// The next messages of the queue. Waits for a while if there is none.
    async fn next_messages(&mut self) -> io::Result<Vec<Message>> {
        let Presence { link, names, wanted, .. } = &*self.presence;
        let consumer = match self.consumer.take() {
            Some(consumer) => consumer,
            None => {
                let tasks = link.jetstream().get_stream(&names.tasks).await.map_err(failed)?;
                tasks.get_consumer::<pull::Config>(WORKERS).await.map_err(failed)?
            }
        };
        let (mut messages, most) = (Vec::new(), wanted.n_tasks());
        if most > 1 {
            let mut batch = consumer.fetch().max_messages(most).messages().await.map_err(failed)?;
            while let Some(message) = batch.next().await {
                messages.push(message.map_err(failed)?);
            }
        }
        if messages.is_empty() {
            let batch = consumer.batch().max_messages(1).expires(WAIT).messages().await;
            messages.extend(batch.map_err(failed)?.next().await.transpose().map_err(failed)?);
        }
        self.consumer = Some(consumer);
        Ok(messages)
    }

    /// Holds the task of a message.
    fn hold(&self, message: Message) -> io::Result<(Task, Lease)> {
        let Some(task) = Task::read(&message.payload) else {
            return Err(io::Error::other("the queue has something else than tasks"));
        };
        let (message, renewed) = (Arc::new(message), Arc::new(Mutex::new(Instant::now())));
        let length = self.consumer.as_ref().map_or(WAIT, |consumer| consumer.cached_info().config.ack_wait);
        let (held, renewal) = (Arc::clone(&message), Arc::clone(&renewed));
        let renews = self.presence.link.runtime().spawn(async move {
            loop {
                tokio::time::sleep(length / 3).await;
                if held.ack_with(AckKind::Progress).await.is_ok() {
                    *lock(&renewal) = Instant::now();
                }
            }
        });
        Ok((task, Lease { message, renewed, length, renews }))
    }

    fn send(&self, outgoing: Outgoing) -> io::Result<()> {
        self.outgoing.blocking_send(outgoing).map_err(|_| io::Error::other("the connection is gone"))
    }
}

/// Sends what comes. A task stays in the queue if one of its entries cannot be appended.
async fn send(presence: Arc<Presence>, mut queue: Receiver<Outgoing>) {
    let mut is_lost = false;
    while let Some(outgoing) = queue.recv().await {
        match outgoing {
            Outgoing::Entry(_) if is_lost => {}
            Outgoing::Entry(message) => is_lost = !append(&presence, message).await,
            Outgoing::Done(lease) => {
                if !std::mem::take(&mut is_lost) {
                    let _ = lease.message.ack().await;
                }
            }
        }
    }
}

/// Appends an entry to the log, also if the server is away for a while. Returns whether it is kept.
async fn append(presence: &Presence, message: Vec<u8>) -> bool {
    let Presence { link, names, .. } = presence;
    let start = Instant::now();
    while link.publish(&names.log_subject, message.clone()).await.is_err() {
        if start.elapsed() > PATIENCE || presence.is_over() {
            return false;
        }
        tokio::time::sleep(WAIT).await;
    }
    true
}

impl WorkerSide for WorkerLink {
    type Lease = Lease;

    fn next_task(&mut self) -> io::Result<Option<(Task, Lease)>> {
        let waiting = lock(&self.presence.taken).pop_front();
        if waiting.is_some() {
            return Ok(waiting);
        }
        let link = Arc::clone(&self.presence.link);
        let held: io::Result<Vec<_>> =
            link.wait(self.next_messages())?.into_iter().map(|message| self.hold(message)).collect();
        let mut held = held?.into_iter();
        let next = held.next();
        lock(&self.presence.taken).extend(held);
        Ok(next)
    }

    fn was_held(&self, lease: &Lease) -> bool {
        lease.message.info().is_ok_and(|info| info.delivered > 1)
    }

    fn is_held(&self, lease: &Lease) -> bool {
        lock(&lease.renewed).elapsed() < lease.length * 2 / 3
    }

    fn append(&mut self, entry: &Entry) -> io::Result<()> {
        self.send(Outgoing::Entry(entry.written()))
    }

    fn finish(&mut self, lease: Lease) -> io::Result<()> {
        self.send(Outgoing::Done(lease))
    }

    fn wanted(&self) -> Arc<Wanted> {
        Arc::clone(&self.presence.wanted)
    }
}
