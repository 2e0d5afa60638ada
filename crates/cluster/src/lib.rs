//! A search on many machines over NATS JetStream: [`atropos_spread::cluster`] is the protocol, this is the wire.
//!
//! One server, which the leader starts ([`Server`]), has four streams: the offer of the search, the log, the sum of the
//! log, and the queue of tasks. All but the queue are files, and the queue is made again from the log whenever it is
//! lost. The names of the streams depend on the search, so that a worker never takes part in another one than it has
//! agreed to.
//!
//! A [`Campaign`] is all of it from the side of the leader, a [`Membership`] from the side of a worker.
//! [`Link`] is a connection. Its calls block: explorers are threads, not futures.

mod build;
mod campaign;
mod configuration;
mod leader;
mod link;
mod member;
mod patience;
mod port;
mod server;
mod timeline;
mod worker;

pub use build::{build, read_token};
pub use campaign::{Campaign, CampaignOptions, Unled};
pub use leader::LeaderLink;
pub use link::{Endpoint, Link};
pub use member::{Departure, Joined, Membership, WorkerThread};
pub use patience::WaitTimes;
pub use port::free_port;
pub use server::{Server, ServerOptions, nats_server};
pub use timeline::Timeline;
pub use worker::{Presence, WorkerLink};
