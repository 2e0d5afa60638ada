//! What a worker sees of the server.

use crate::link::{Link, Names, WORKERS, failed};
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::{AckKind, Message};
use atropos_spread::cluster::{Ending, Entry, Offer, Task, WorkerSide};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How long to wait for a task before looking up.
const WAIT: Duration = Duration::from_millis(500);

/// How long to try to append an entry, while the server is away.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often a worker says that it is there.
const BETWEEN_GREETINGS: Duration = Duration::from_secs(1);

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

/// A worker that takes part in a search: it says so from time to time, and hears when the search is over.
pub struct Presence {
    link: Arc<Link>,
    names: Names,
    greeting: Greeting,
    /// The message that the search is over.
    stop: Arc<OnceLock<Vec<u8>>>,
    greets: JoinHandle<()>,
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
        Ok(Presence { link, names, greeting, stop: heard, greets })
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
}

/// A task in the hands of this worker. It is renewed until it is dropped.
pub struct Lease {
    message: Arc<Message>,
    renews: JoinHandle<()>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renews.abort();
    }
}

impl WorkerLink {
    pub fn new(presence: Arc<Presence>) -> WorkerLink {
        WorkerLink { presence, consumer: None }
    }

    async fn next_message(&mut self) -> io::Result<Option<Message>> {
        let Presence { link, names, .. } = &*self.presence;
        let consumer = match self.consumer.take() {
            Some(consumer) => consumer,
            None => {
                let tasks = link.jetstream().get_stream(&names.tasks).await.map_err(failed)?;
                tasks.get_consumer::<pull::Config>(WORKERS).await.map_err(failed)?
            }
        };
        let batch = consumer.batch().max_messages(1).expires(WAIT).messages().await;
        let message = batch.map_err(failed)?.next().await.transpose().map_err(failed)?;
        self.consumer = Some(consumer);
        Ok(message)
    }
}

impl WorkerSide for WorkerLink {
    type Lease = Lease;

    fn next_task(&mut self) -> io::Result<Option<(Task, Lease)>> {
        let link = Arc::clone(&self.presence.link);
        let runtime = link.runtime();
        let Some(message) = link.wait(self.next_message())? else { return Ok(None) };
        let Some(task) = Task::read(&message.payload) else {
            return Err(io::Error::other("the queue has something else than tasks"));
        };
        let message = Arc::new(message);
        let renewed = Arc::clone(&message);
        let interval =
            self.consumer.as_ref().map_or(WAIT, |consumer| consumer.cached_info().config.ack_wait / 3);
        let renews = runtime.spawn(async move {
            loop {
                tokio::time::sleep(interval).await;
                let _ = renewed.ack_with(AckKind::Progress).await;
            }
        });
        Ok(Some((task, Lease { message, renews })))
    }

    fn append(&mut self, entry: &Entry) -> io::Result<()> {
        let Presence { link, names, .. } = &*self.presence;
        let (start, message) = (Instant::now(), entry.written());
        loop {
            match link.wait(link.publish(&names.log_subject, message.clone())) {
                Err(_) if start.elapsed() < PATIENCE && !self.presence.is_over() => {
                    std::thread::sleep(WAIT);
                }
                result => return result,
            }
        }
    }

    fn finish(&mut self, lease: Lease) -> io::Result<()> {
        lease.renews.abort();
        self.presence.link.wait(async { lease.message.ack().await.map_err(failed) })
    }
}
