//! What a worker sees of the server.

use crate::link::{Link, Names, WORKERS, failed};
use async_nats::Subscriber;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::{AckKind, Context, Message};
use atropos_spread::cluster::{Ending, Entry, News, Offer, Takers, Task, WorkerSide};
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use serde::{Deserialize, Serialize};
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;

/// How long to wait for a task before looking up.
const WAIT: Duration = Duration::from_millis(500);

/// How long the server may take to say that there is none.
const SILENCE: Duration = Duration::from_secs(3);

/// A worker that has ended a task waits so long before it wishes for a piece of another one: usually some are ready.
const FIRST_PAUSE: Duration = Duration::from_micros(200);

/// How long to try to append an entry, while the server is away.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often a worker says that it is there.
const BETWEEN_GREETINGS: Duration = Duration::from_secs(1);

/// How many entries may be on their way to the log before an explorer waits for one of them.
const MOST_UNSENT: usize = 16;

/// The most pieces to split off at once.
const MOST_WANTED: usize = 16;

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
    news: Arc<Mutex<News>>,
    /// News were heard.
    has_heard: Arc<Notify>,
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
        let (known, has_heard) = (Arc::new(Mutex::new(News::default())), Arc::new(Notify::new()));
        let (latest, notices) = (Arc::clone(&known), Arc::clone(&has_heard));
        let listens = link.runtime().spawn(async move {
            while let Some(message) = news.next().await {
                if let Some(news) = News::read(&message.payload) {
                    *lock(&latest) = news;
                    notices.notify_waiters();
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
        Ok(Presence { link, names, greeting, stop: heard, news: known, has_heard, greets, listens })
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
    inbox: Option<Inbox>,
    /// The last time, there was a task.
    has_worked: bool,
    takers: Arc<Others>,
    /// How many more entries may be on their way to the server: the explorer does not wait for them.
    unsent: Arc<Semaphore>,
}

/// Where tasks from the queue come.
struct Inbox {
    context: Context,
    consumer: PullConsumer,
    subject: String,
    messages: Subscriber,
    /// There was no answer yet.
    is_asked: bool,
}

impl Inbox {
    async fn open(Presence { link, names, .. }: &Presence) -> io::Result<Inbox> {
        let tasks = link.jetstream().get_stream(&names.tasks).await.map_err(failed)?;
        let consumer = tasks.get_consumer::<pull::Config>(WORKERS).await.map_err(failed)?;
        let subject = link.client().new_inbox();
        let messages = link.client().subscribe(subject.clone()).await.map_err(failed)?;
        Ok(Inbox { context: link.jetstream().clone(), consumer, subject, messages, is_asked: false })
    }

    /// Asks for one task, unless it was asked for.
    async fn ask(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_asked, true) {
            return Ok(());
        }
        let one = pull::BatchConfig { batch: 1, expires: Some(WAIT), ..pull::BatchConfig::default() };
        self.consumer.request_batch(one, self.subject.clone().into()).await.map_err(failed)
    }

    /// The task that was asked for; `None` if there was none in time.
    async fn receive(&mut self) -> io::Result<Option<Message>> {
        let silent = || io::Error::new(io::ErrorKind::TimedOut, "the server does not answer");
        let message = tokio::time::timeout(SILENCE, self.messages.next()).await.map_err(|_| silent())?;
        let message = message.ok_or_else(silent)?;
        self.is_asked = false;
        let context = self.context.clone();
        Ok(message.status.is_none().then_some(Message { message, context }))
    }
}

/// A task in the hands of this worker. It is renewed until it is dropped.
pub struct Lease {
    message: Arc<Message>,
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

/// The other workers, as one explorer sees them. Those without a task publish a wish, and the server hands each wish to
/// one of the explorers that have something to split.
struct Others {
    presence: Arc<Presence>,
    n_wanted: Arc<AtomicUsize>,
    /// Hears wishes while there is something to split.
    hears: Mutex<Option<JoinHandle<()>>>,
    /// Those on their way to the queue: whether they are kept there.
    pieces: Mutex<Vec<JoinHandle<bool>>>,
}

impl Others {
    /// Wishes for pieces of what others explore.
    async fn wish(&self, n_pieces: usize) {
        let Presence { link, names, .. } = &*self.presence;
        let message = n_pieces.to_string().into_bytes();
        let _ = link.client().publish(names.wish_subject.clone(), message.into()).await;
    }

    /// This explorer has nothing to split. What was wanted of it, others may have.
    async fn close(&self) {
        let hears = lock(&self.hears).take();
        if let Some(hears) = hears {
            hears.abort();
        }
        match self.n_wanted.swap(0, Relaxed) {
            0 => {}
            n_left => self.wish(n_left).await,
        }
    }
}

impl Takers for Others {
    fn least(&self) -> Duration {
        Duration::from_micros(lock(&self.presence.news).least_us)
    }

    fn least_piece(&self) -> Duration {
        Duration::from_micros(lock(&self.presence.news).piece_us)
    }

    fn open(&self) {
        let hears = &mut *lock(&self.hears);
        if hears.is_some() {
            return;
        }
        let (presence, n_wanted) = (Arc::clone(&self.presence), Arc::clone(&self.n_wanted));
        *hears = Some(self.presence.link.runtime().spawn(async move {
            let (subject, group) = (presence.names.wish_subject.clone(), WORKERS.to_string());
            let Ok(mut wishes) = presence.link.client().queue_subscribe(subject, group).await else { return };
            while let Some(wish) = wishes.next().await {
                let n = std::str::from_utf8(&wish.payload).ok().and_then(|text| text.parse::<usize>().ok());
                let n = n.unwrap_or_default().min(MOST_WANTED);
                let _ = n_wanted.fetch_update(Relaxed, Relaxed, |before| Some((before + n).min(MOST_WANTED)));
            }
        }));
    }

    fn n_wanted(&self) -> usize {
        match self.n_wanted.load(Relaxed) {
            0 => 0,
            n_wanted => n_wanted.min(lock(&self.presence.news).most_at_once()),
        }
    }

    fn give(&self, piece: Task) {
        let _ = self.n_wanted.fetch_update(Relaxed, Relaxed, |before| before.checked_sub(1));
        let presence = Arc::clone(&self.presence);
        let publish =
            async move { presence.link.publish(&presence.names.task_subject, piece.written()).await.is_ok() };
        lock(&self.pieces).push(self.presence.link.runtime().spawn(publish));
    }
}

impl WorkerLink {
    pub fn new(presence: Arc<Presence>) -> WorkerLink {
        let takers = Arc::new(Others {
            presence: Arc::clone(&presence),
            n_wanted: Arc::default(),
            hears: Mutex::default(),
            pieces: Mutex::default(),
        });
        let unsent = Arc::new(Semaphore::new(MOST_UNSENT));
        WorkerLink { presence, inbox: None, has_worked: false, takers, unsent }
    }

    /// The next message of the queue. Waits for a while if there is none, and wishes for a piece of what others explore.
    async fn next_message(&mut self) -> io::Result<Option<Message>> {
        let mut inbox = match self.inbox.take() {
            Some(inbox) => inbox,
            None => Inbox::open(&self.presence).await?,
        };
        inbox.ask().await?;
        let (others, presence) = (&*self.takers, &*self.presence);
        let wishes = async {
            let mut pause = if self.has_worked { FIRST_PAUSE } else { Duration::ZERO };
            loop {
                let _ = tokio::time::timeout(pause, presence.has_heard.notified()).await;
                others.close().await;
                others.wish(1).await;
                pause = Duration::from_micros(lock(&presence.news).again_us);
            }
        };
        let message = match select(pin!(inbox.receive()), pin!(wishes)).await {
            Either::Left((message, _)) => message?,
            Either::Right((never, _)) => never,
        };
        self.has_worked = message.is_some();
        if let Some(message) = &message {
            let n_waiting = message.info().map_err(failed)?.pending;
            let n_ready = lock(&presence.news).n_ready;
            // A worker that takes a task when few are left wishes for the next one, so that others need not wait.
            if n_waiting < n_ready {
                others.wish(1).await;
            }
        }
        self.inbox = Some(inbox);
        Ok(message)
    }

    /// Holds the task of a message.
    fn hold(&self, message: Message) -> io::Result<(Task, Lease)> {
        let Some(task) = Task::read(&message.payload) else {
            // No worker can read it. The leader offers again what is missing.
            let remove = async move { message.ack_with(AckKind::Term).await };
            drop(self.presence.link.runtime().spawn(remove));
            return Err(io::Error::other("the queue has something else than tasks"));
        };
        let message = Arc::new(message);
        let length = self.inbox.as_ref().map_or(WAIT, |inbox| inbox.consumer.cached_info().config.ack_wait);
        let held = Arc::clone(&message);
        let renews = self.presence.link.runtime().spawn(async move {
            loop {
                tokio::time::sleep(length / 3).await;
                let _ = held.ack_with(AckKind::Progress).await;
            }
        });
        Ok((task, Lease { message, renews }))
    }
}

/// Sends what became of a task, which stays in the queue if its entry or one of its pieces cannot be kept.
async fn send(presence: &Presence, lease: Lease, pieces: Vec<JoinHandle<bool>>, entry: Vec<u8>) {
    let mut are_kept = true;
    for piece in pieces {
        are_kept &= piece.await.unwrap_or(false);
    }
    if are_kept && append(presence, entry).await {
        let _ = lease.message.ack().await;
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
        let link = Arc::clone(&self.presence.link);
        let message = link.wait(self.next_message())?;
        message.map(|message| self.hold(message)).transpose()
    }

    fn takers(&self) -> Arc<dyn Takers> {
        Arc::clone(&self.takers) as Arc<dyn Takers>
    }

    fn finish(&mut self, lease: Lease, entry: &Entry) -> io::Result<()> {
        let (presence, unsent) = (Arc::clone(&self.presence), Arc::clone(&self.unsent));
        let runtime = self.presence.link.runtime();
        // The next task can come meanwhile.
        if let Some(inbox) = &mut self.inbox {
            runtime.block_on(inbox.ask())?;
        }
        let pieces = std::mem::take(&mut *lock(&self.takers.pieces));
        let entry = entry.written();
        let turn = runtime.block_on(unsent.acquire_owned()).map_err(failed)?;
        runtime.spawn(async move {
            send(&presence, lease, pieces, entry).await;
            drop(turn);
        });
        Ok(())
    }
}
