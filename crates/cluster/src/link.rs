//! A connection to the server.

use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::{self, stream};
use async_nats::{Client, ConnectOptions, Event};
use atropos_spread::cluster::Offer;
use futures_util::future::{Either, select};
use sha2::{Digest, Sha256};
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// How to reach a server.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Like `nats://host:4222`.
    pub url: String,
    pub token: Option<String>,
    /// The certificate to trust. Then the connection is encrypted.
    pub certificate: Option<PathBuf>,
}

/// A connection, and a thread that serves it.
#[derive(Debug)]
pub struct Link {
    runtime: Runtime,
    client: Client,
    jetstream: jetstream::Context,
    /// How often it broke.
    n_breaks: Arc<watch::Sender<u64>>,
}

/// The stream that has the offer.
const OFFER: &str = "atropos-offer";
const OFFER_SUBJECT: &str = "atropos.offer";

/// How long to wait for an answer of the server.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait before connecting again: twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The names of what belongs to one search.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub log: String,
    pub log_subject: String,
    pub sum: String,
    pub sum_subject: String,
    pub tasks: String,
    pub task_subject: String,
    pub alive_subject: String,
    pub news_subject: String,
    pub wish_subject: String,
    pub stop_subject: String,
}

/// Workers fetch tasks through this consumer.
pub(crate) const WORKERS: &str = "workers";

impl Names {
    pub fn of(offer: &Offer) -> Names {
        let digest = Sha256::digest(offer.written());
        let id: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let stream = |kind: &str| format!("atropos-{id}-{kind}");
        let subject = |kind: &str| format!("atropos.{id}.{kind}");
        Names {
            log: stream("log"),
            log_subject: subject("log"),
            sum: stream("sum"),
            sum_subject: subject("sum"),
            tasks: stream("tasks"),
            task_subject: subject("tasks"),
            alive_subject: subject("alive"),
            news_subject: subject("news"),
            wish_subject: subject("wish"),
            stop_subject: subject("stop"),
        }
    }
}

/// An error of the client, whatever its type.
pub(crate) fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

impl Link {
    /// Connects to a server that is there. A connection that breaks later is made again.
    ///
    /// # Errors
    /// If there is no server, or it refuses.
    pub fn connect(access: &Endpoint) -> io::Result<Link> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let n_breaks = Arc::new(watch::Sender::new(0));
        let notes = Arc::clone(&n_breaks);
        let mut options = ConnectOptions::new()
            .max_reconnects(None)
            .connection_timeout(PATIENCE)
            .request_timeout(Some(PATIENCE))
            .reconnect_delay_callback(|attempts| (FIRST_PAUSE * (1 << attempts.min(10))).min(LONGEST_PAUSE))
            .event_callback(move |event| {
                if matches!(event, Event::Disconnected) {
                    notes.send_modify(|n_breaks| *n_breaks += 1);
                }
                std::future::ready(())
            });
        if let Some(token) = &access.token {
            options = options.token(token.clone());
        }
        if let Some(certificate) = &access.certificate {
            options = options.add_root_certificates(certificate.clone()).require_tls(true);
        }
        let client = runtime.block_on(options.connect(access.url.clone())).map_err(failed)?;
        // It starts a task.
        let jetstream = runtime.block_on(async { jetstream::new(client.clone()) });
        Ok(Link { runtime, client, jetstream, n_breaks })
    }

    /// Waits for an answer of the server, though not forever: it may die before it gives one.
    pub(crate) fn wait<T>(&self, answer: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        self.wait_for(2 * PATIENCE, answer)
    }

    pub(crate) fn wait_for<T>(
        &self,
        most: Duration,
        answer: impl Future<Output = io::Result<T>>,
    ) -> io::Result<T> {
        let late = || io::Error::new(io::ErrorKind::TimedOut, "the server does not answer");
        let answer = self.unless_broken(answer);
        self.runtime
            .block_on(async { tokio::time::timeout(most, answer).await.unwrap_or_else(|_| Err(late())) })
    }

    /// Waits for an answer until the connection breaks: then it will not come, even if there is a new connection.
    async fn unless_broken<T>(&self, answer: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        let mut n_breaks = self.n_breaks.subscribe();
        match select(pin!(answer), pin!(n_breaks.changed())).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the connection broke")),
        }
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn jetstream(&self) -> &jetstream::Context {
        &self.jetstream
    }

    /// The offer on the server, if there is one.
    ///
    /// # Errors
    /// If there is no connection, or the offer cannot be read.
    pub fn offer(&self) -> io::Result<Option<Offer>> {
        self.wait(async {
            let stream = match self.jetstream.get_stream(OFFER).await {
                Ok(stream) => stream,
                Err(error) if is_absent(&error) => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
            match stream.get_last_raw_message_by_subject(OFFER_SUBJECT).await {
                Ok(message) => Offer::read(&message.payload).map(Some).ok_or_else(|| {
                    let reason = "the server has the offer of another version of Atropos";
                    io::Error::new(io::ErrorKind::InvalidData, reason)
                }),
                Err(error) if error.kind() == stream::LastRawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(failed(error)),
            }
        })
    }

    /// Makes an offer, in place of an earlier one.
    ///
    /// # Errors
    /// If there is no connection, or the offer is too large.
    pub fn make_offer(&self, offer: &Offer) -> io::Result<()> {
        self.wait(async {
            self.create(OFFER, OFFER_SUBJECT, stream::Config { max_messages_per_subject: 1, ..file() })
                .await?;
            self.publish(OFFER_SUBJECT, offer.written()).await
        })
    }

    pub(crate) async fn create(&self, name: &str, subject: &str, config: stream::Config) -> io::Result<()> {
        let config = stream::Config { name: name.to_string(), subjects: vec![subject.to_string()], ..config };
        self.jetstream.get_or_create_stream(config).await.map_err(failed)?;
        Ok(())
    }

    /// Publishes a message. When it returns, the server keeps it.
    pub(crate) async fn publish(&self, subject: &str, message: Vec<u8>) -> io::Result<()> {
        self.unless_broken(async {
            let kept = self.jetstream.publish(subject.to_string(), message.into()).await.map_err(failed)?;
            kept.await.map_err(failed)?;
            Ok(())
        })
        .await
    }
}

/// Whether the answer is that there is no such stream. A server that has just started may say something else.
fn is_absent(error: &GetStreamError) -> bool {
    let absent = jetstream::ErrorCode::STREAM_NOT_FOUND;
    matches!(error.kind(), GetStreamErrorKind::JetStream(error) if error.error_code() == absent)
}

/// A stream that is kept in files.
pub(crate) fn file() -> stream::Config {
    stream::Config { storage: stream::StorageType::File, ..stream::Config::default() }
}
