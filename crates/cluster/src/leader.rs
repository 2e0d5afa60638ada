//! What the leader sees of the server.

use crate::link::{Link, Names, WORKERS, failed, file};
use crate::server::LARGEST_MESSAGE;
use crate::worker::Greeting;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::{Message, stream};
use atropos_spread::cluster::{Ending, Entry, LeaderSide, News, NumberedEntry, Offer, Sum, Task};
use futures_util::future::{Either, select};
use futures_util::{FutureExt, StreamExt};
use std::collections::BTreeMap;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The most workers that may hold a task, or wait for one.
const MOST_WORKERS: i64 = 1_000_000;

/// How many entries of the log to read at a time.
const BATCH: usize = 1000;

/// How long the server may take to answer that the log has nothing new. If it takes longer, it has died.
const ANSWER: Duration = Duration::from_secs(2);

/// A worker that says nothing for so long is gone.
const SILENCE: Duration = Duration::from_millis(3500);

/// How long a reader of the log may hear nothing of the server.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// How many records to try to see how long the server takes to keep one.
const N_TRIED: u32 = 20;

/// The leader's connection.
pub struct LeaderLink {
    link: Arc<Link>,
    names: Names,
    lease: Duration,
    reader: Option<Reader>,
    crowd: Arc<Crowd>,
    listens: Option<JoinHandle<()>>,
    /// How long the server takes to keep a record.
    record: Duration,
}

/// A reader of the log.
struct Reader {
    consumer: PullConsumer,
    /// What comes, once the leader waits for it.
    messages: Option<pull::Stream>,
    /// The number of the entry before the next one.
    before: u64,
}

/// The workers that were heard of.
#[derive(Default)]
struct Crowd {
    /// How many explorers each of them has, and when it was last heard of.
    workers: Mutex<BTreeMap<String, (usize, Instant)>>,
    /// One has come or gone.
    has_changed: Notify,
}

impl Crowd {
    fn hear(&self, greeting: Greeting) {
        let mut workers = self.workers.lock().expect("nothing panics while it holds the lock");
        let before = match greeting.jobs {
            0 => workers.remove(&greeting.name),
            jobs => workers.insert(greeting.name, (jobs, Instant::now())),
        };
        if before.is_none_or(|(jobs, _)| jobs != greeting.jobs) {
            self.has_changed.notify_one();
        }
    }

    fn size(&self) -> (usize, usize) {
        let mut workers = self.workers.lock().expect("nothing panics while it holds the lock");
        workers.retain(|_, (_, heard)| heard.elapsed() < SILENCE);
        (workers.len(), workers.values().map(|(jobs, _)| jobs).sum())
    }
}

impl LeaderLink {
    /// The connection of the leader of `offer`. A worker that does not renew its hold on a task for `lease` loses it.
    pub fn new(link: Arc<Link>, offer: &Offer, lease: Duration) -> Self {
        let (names, crowd, record) = (Names::of(offer), Arc::default(), Duration::ZERO);
        LeaderLink { link, names, lease, reader: None, crowd, listens: None, record }
    }

    /// Creates the streams that do not exist.
    ///
    /// # Errors
    /// If there is no connection.
    pub fn prepare(&mut self) -> io::Result<()> {
        let LeaderLink { link, names, lease, .. } = self;
        self.reader = None;
        link.wait(async {
            link.create(&names.log, &names.log_subject, file()).await?;
            let two = stream::Config { max_messages_per_subject: 2, ..file() };
            link.create(&names.sum, &names.sum_subject, two).await?;
            let queue = stream::Config {
                storage: stream::StorageType::Memory,
                retention: stream::RetentionPolicy::WorkQueue,
                ..stream::Config::default()
            };
            link.create(&names.tasks, &names.task_subject, queue).await?;
            let workers = pull::Config {
                durable_name: Some(WORKERS.to_string()),
                ack_wait: *lease,
                max_ack_pending: MOST_WORKERS,
                max_waiting: MOST_WORKERS,
                ..pull::Config::default()
            };
            let tasks = link.jetstream().get_stream(&names.tasks).await.map_err(failed)?;
            tasks.create_consumer(workers).await.map_err(failed)?;
            Ok(())
        })?;
        self.listen()?;
        self.try_records()
    }

    /// Hears of workers.
    fn listen(&mut self) -> io::Result<()> {
        let LeaderLink { link, names, crowd, listens, .. } = self;
        if listens.is_some() {
            return Ok(());
        }
        let subject = names.alive_subject.clone();
        let mut greetings = link.wait(async { link.client().subscribe(subject).await.map_err(failed) })?;
        let crowd = Arc::clone(crowd);
        *listens = Some(link.runtime().spawn(async move {
            while let Some(message) = greetings.next().await {
                if let Some(greeting) = Greeting::read(&message.payload) {
                    crowd.hear(greeting);
                }
            }
        }));
        Ok(())
    }

    /// Measures how long the server takes to keep a record, with some that say nothing.
    fn try_records(&mut self) -> io::Result<()> {
        let LeaderLink { link, names, .. } = self;
        let start = Instant::now();
        link.wait(async {
            let mut kept = Vec::new();
            for _ in 0..N_TRIED {
                let subject = names.log_subject.clone();
                kept.push(link.jetstream().publish(subject, Vec::new().into()).await.map_err(failed)?);
            }
            for record in kept {
                record.await.map_err(failed)?;
            }
            Ok(())
        })?;
        self.record = start.elapsed() / N_TRIED;
        Ok(())
    }

    /// How long the server takes to keep a record.
    pub fn time_of_record(&self) -> Duration {
        self.record
    }

    /// Waits until a worker comes or goes, though not for long.
    pub(crate) fn wait_for_worker(&self, most: Duration) {
        let _ = self.link.wait_for(most, self.crowd.has_changed.notified().map(Ok));
    }

    /// The sum of the log that was kept, if any.
    ///
    /// # Errors
    /// If there is no connection.
    pub fn sum(&self) -> io::Result<Option<Sum>> {
        self.link.wait(async {
            let stream = self.link.jetstream().get_stream(&self.names.sum).await.map_err(failed)?;
            match stream.get_last_raw_message_by_subject(&self.names.sum_subject).await {
                Ok(message) => Ok(Sum::read(&message.payload)),
                Err(error) if error.kind() == stream::LastRawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(failed(error)),
            }
        })
    }

    /// The number of workers that were heard of lately, and of their explorers.
    pub fn n_workers(&self) -> (usize, usize) {
        self.crowd.size()
    }

    /// Tells all workers that the search is over, and what it has come to.
    ///
    /// # Errors
    /// If there is no connection.
    pub(crate) fn say_stop(&self, ending: &Ending) -> io::Result<()> {
        let LeaderLink { link, names, .. } = self;
        let message = Some(ending.written()).filter(|message| message.len() < LARGEST_MESSAGE);
        link.wait_for(ANSWER, async {
            let message = message.unwrap_or_default().into();
            link.client().publish(names.stop_subject.clone(), message).await.map_err(failed)?;
            link.client().flush().await.map_err(failed)
        })
    }

    async fn reader(link: &Link, names: &Names, after: u64) -> io::Result<PullConsumer> {
        let config = pull::Config {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: after + 1 },
            ack_policy: AckPolicy::None,
            inactive_threshold: Duration::from_secs(60),
            ..pull::Config::default()
        };
        let log = link.jetstream().get_stream(&names.log).await.map_err(failed)?;
        log.create_consumer(config).await.map_err(failed)
    }
}

impl Drop for LeaderLink {
    fn drop(&mut self) {
        if let Some(listens) = &self.listens {
            listens.abort();
        }
    }
}

impl Reader {
    /// What is there.
    async fn fetch(&mut self) -> io::Result<Vec<NumberedEntry>> {
        let mut messages = self.consumer.fetch().max_messages(BATCH).messages().await.map_err(failed)?;
        let mut entries = Vec::new();
        while let Some(message) = messages.next().await {
            entries.push(numbered(&message.map_err(failed)?)?);
        }
        Ok(entries)
    }

    /// What comes next: at least one entry.
    async fn receive(&mut self) -> io::Result<Vec<NumberedEntry>> {
        if self.messages.is_none() {
            let stream = self.consumer.stream().max_messages_per_batch(BATCH).heartbeat(HEARTBEAT);
            self.messages = Some(stream.messages().await.map_err(failed)?);
        }
        let messages = self.messages.as_mut().expect("just made");
        let gone = || io::Error::other("the reader of the log is gone");
        let mut entries = Vec::new();
        let mut next = messages.next().await;
        loop {
            let entry = numbered(&next.ok_or_else(gone)?.map_err(failed)?)?;
            // What was on its way when the connection broke is still in the log.
            if entry.0 != self.before + 1 {
                return Err(io::Error::other("an entry of the log was lost on the way"));
            }
            self.before = entry.0;
            entries.push(entry);
            match messages.next().now_or_never() {
                Some(more) if entries.len() < BATCH => next = more,
                _ => return Ok(entries),
            }
        }
    }
}

fn numbered(message: &Message) -> io::Result<NumberedEntry> {
    let number = message.info().map_err(failed)?.stream_sequence;
    Ok((number, message.payload.len() as u64, Entry::read(&message.payload)))
}

impl LeaderSide for LeaderLink {
    fn next_entries(&mut self, after: u64, wait: Duration) -> io::Result<Option<Vec<NumberedEntry>>> {
        let LeaderLink { link, names, crowd, .. } = self;
        let kept = self.reader.take().filter(|reader| reader.before == after);
        let (reader, entries) = link.wait_for(wait + ANSWER, async {
            let mut reader = match kept {
                Some(reader) => reader,
                None => {
                    let consumer = Self::reader(link, names, after).await?;
                    Reader { consumer, messages: None, before: after }
                }
            };
            if wait.is_zero() {
                let entries = reader.fetch().await?;
                reader.before = entries.last().map_or(after, |(number, _, _)| *number);
                return Ok((reader, Some(entries)));
            }
            let received = async { tokio::time::timeout(wait, reader.receive()).await };
            let entries = match select(pin!(received), pin!(crowd.has_changed.notified())).await {
                Either::Left((Ok(entries), _)) => Some(entries?),
                Either::Left((Err(_), _)) => Some(Vec::new()),
                Either::Right(_) => None,
            };
            Ok::<_, io::Error>((reader, entries))
        })?;
        self.reader = Some(reader);
        Ok(entries)
    }

    fn tell(&mut self, news: &News) -> io::Result<()> {
        let LeaderLink { link, names, .. } = self;
        link.wait(async {
            let message = news.written().into();
            link.client().publish(names.news_subject.clone(), message).await.map_err(failed)
        })
    }

    fn offer(&mut self, tasks: &[Task]) -> io::Result<()> {
        let LeaderLink { link, names, .. } = self;
        link.wait(async {
            let mut kept = Vec::new();
            for task in tasks {
                let (subject, message) = (names.task_subject.clone(), task.written().into());
                kept.push(link.jetstream().publish(subject, message).await.map_err(failed)?);
            }
            for task in kept {
                task.await.map_err(failed)?;
            }
            Ok(())
        })
    }

    fn withdraw_all(&mut self) -> io::Result<()> {
        let LeaderLink { link, names, .. } = self;
        link.wait(async {
            let tasks = link.jetstream().get_stream(&names.tasks).await.map_err(failed)?;
            tasks.purge().await.map_err(failed)?;
            Ok(())
        })
    }

    fn n_offered(&mut self) -> io::Result<usize> {
        let LeaderLink { link, names, .. } = self;
        link.wait(async {
            let tasks = link.jetstream().get_stream(&names.tasks).await.map_err(failed)?;
            let info = tasks.consumer_info(WORKERS).await.map_err(failed)?;
            Ok(info.num_pending as usize + info.num_ack_pending)
        })
    }

    fn keep_sum(&mut self, sum: &Sum, last: u64) -> io::Result<()> {
        let LeaderLink { link, names, .. } = self;
        link.wait(async {
            link.publish(&names.sum_subject, sum.written()).await?;
            // The server takes an end before the first entry for no end, and would remove everything.
            if last == 0 {
                return Ok(());
            }
            let log = link.jetstream().get_stream(&names.log).await.map_err(failed)?;
            log.purge().sequence(last + 1).await.map_err(failed)?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Server, ServerOptions, free_port, nats_server};
    use atropos_spread::Job;
    use atropos_spread::cluster::Leader;

    /// The numbers of the first and the last entry of the log.
    fn ends(side: &mut LeaderLink) -> Option<(u64, u64)> {
        let entries = side.next_entries(0, Duration::ZERO).expect("the log").unwrap_or_default();
        Some((entries.first()?.0, entries.last()?.0))
    }

    /// Where nats-server is not installed, this is left out, as the tests of the commands are.
    #[test]
    fn a_sum_takes_the_place_of_the_entries_in_the_one_before_and_of_no_others() {
        if nats_server().is_none() {
            assert!(std::env::var_os("ATROPOS_REQUIRE_NATS").is_none(), "nats-server is missing");
            return;
        }
        let store = std::env::temp_dir().join(format!("atropos-log-{}", std::process::id()));
        let listen = free_port([127, 0, 0, 1].into()).expect("a port");
        let options = ServerOptions { listen, store: store.clone(), token: None, tls: None, monitor: None };
        let server = Server::start(&options).expect("the server starts");
        let connect = || {
            std::thread::sleep(Duration::from_millis(50));
            Link::connect(&options.endpoint()).ok()
        };
        let link = (0..200).find_map(|_| connect()).expect("the server is there");
        let job = Job::new("a build", "a program", Vec::new());
        let offer = Offer { job, file: String::new(), program: String::new(), options: Vec::new() };
        let mut side = LeaderLink::new(Arc::new(link), &offer, Duration::from_secs(10));
        let n = u64::from(N_TRIED);
        side.prepare().expect("streams, and entries that say nothing");
        let mut leader = Leader::new(None);
        leader.catch_up(&mut side).expect("the log");
        side.prepare().expect("as many entries that the leader has not read");
        leader.keep_sum(&mut side).expect("the first sum");
        assert_eq!(ends(&mut side), Some((1, 2 * n)), "there was no sum before");
        leader.keep_sum(&mut side).expect("the second sum");
        assert_eq!(ends(&mut side), Some((n + 1, 2 * n)));
        drop(server);
        let _ = std::fs::remove_dir_all(store);
    }
}
