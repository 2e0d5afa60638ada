//! What the leader sees of the server.

use crate::link::{Link, Names, WORKERS, failed, file};
use crate::server::LARGEST_MESSAGE;
use crate::worker::Greeting;
use async_nats::Subscriber;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::stream;
use atropos_spread::cluster::{Ending, Entry, LeaderSide, Offer, Sum, Task};
use futures_util::{FutureExt, StreamExt};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most workers that may hold a task, or wait for one.
const MOST_WORKERS: i64 = 1_000_000;

/// How many entries of the log to read at a time.
const BATCH: usize = 1000;

/// How long the server may take to answer that the log has nothing new. If it takes longer, it has died.
const ANSWER: Duration = Duration::from_secs(2);

/// A worker that says nothing for so long is gone.
const SILENCE: Duration = Duration::from_millis(3500);

/// The leader's connection.
pub struct LeaderLink {
    link: Arc<Link>,
    names: Names,
    lease: Duration,
    /// A reader of the log, and the number of the entry before the next one.
    reader: Option<(PullConsumer, u64)>,
    greetings: Option<Subscriber>,
    /// How many explorers each worker has, and when it was last heard of.
    workers: BTreeMap<String, (usize, Instant)>,
}

impl LeaderLink {
    /// The connection of the leader of `offer`. A worker that does not renew its hold on a task for `lease` loses it.
    pub fn new(link: Arc<Link>, offer: &Offer, lease: Duration) -> Self {
        let (names, reader, greetings) = (Names::of(offer), None, None);
        LeaderLink { link, names, lease, reader, greetings, workers: BTreeMap::new() }
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
        })
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
    pub fn n_workers(&mut self) -> (usize, usize) {
        let LeaderLink { link, names, greetings, workers, .. } = self;
        if greetings.is_none() {
            let subscribed =
                async { link.client().subscribe(names.alive_subject.clone()).await.map_err(failed) };
            *greetings = link.wait(subscribed).ok();
        }
        let now = Instant::now();
        let received = || greetings.as_mut().and_then(|greetings| greetings.next().now_or_never().flatten());
        let messages = link.runtime().block_on(async { std::iter::from_fn(received).collect::<Vec<_>>() });
        for message in messages {
            let Some(greeting) = Greeting::read(&message.payload) else { continue };
            match greeting.jobs {
                0 => drop(workers.remove(&greeting.name)),
                jobs => drop(workers.insert(greeting.name, (jobs, now))),
            }
        }
        workers.retain(|_, (_, heard)| now.duration_since(*heard) < SILENCE);
        (workers.len(), workers.values().map(|(jobs, _)| jobs).sum())
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
        // To end a subscription, its client starts a task.
        let _context = self.link.runtime().enter();
        self.greetings = None;
    }
}

impl LeaderSide for LeaderLink {
    fn next_entries(&mut self, after: u64, wait: Duration) -> io::Result<Vec<(u64, u64, Option<Entry>)>> {
        let LeaderLink { link, names, .. } = self;
        let kept = self.reader.take().filter(|(_, before)| *before == after);
        let (reader, entries) = link.wait_for(wait + ANSWER, async {
            let reader = match kept {
                Some((reader, _)) => reader,
                None => Self::reader(link, names, after).await?,
            };
            let mut messages = reader.fetch().max_messages(BATCH).messages().await.map_err(failed)?;
            let mut entries = Vec::new();
            let mut waited = wait.is_zero();
            loop {
                while let Some(message) = messages.next().await {
                    let message = message.map_err(failed)?;
                    let number = message.info().map_err(failed)?.stream_sequence;
                    entries.push((number, message.payload.len() as u64, Entry::read(&message.payload)));
                }
                if !entries.is_empty() || waited {
                    return Ok::<_, io::Error>((reader, entries));
                }
                waited = true;
                let batch = reader.batch().max_messages(1).expires(wait).messages().await;
                messages = batch.map_err(failed)?;
            }
        })?;
        let last = entries.last().map_or(after, |(number, _, _)| *number);
        self.reader = Some((reader, last));
        Ok(entries)
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
            let log = link.jetstream().get_stream(&names.log).await.map_err(failed)?;
            log.purge().sequence(last + 1).await.map_err(failed)?;
            Ok(())
        })
    }
}
