//! The weakest memory orders under which programs verify, and the smallest strengthening that repairs one.
//!
//! Reading order: [`strength`] says what an order demands, [`sites`] where a program has orders, [`fences`] where it
//! could have more; [`search`] looks for
//! answers and asks [`candidates`] what to check next; [`programs`] checks that, and learns from each violation with
//! [`relabel`].

pub mod by_hand;
pub mod candidates;
pub mod cost;
pub mod fence_text;
pub mod fences;
pub mod json;
pub mod patch;
pub mod programs;
pub mod question;
pub mod relabel;
pub mod search;
pub mod sites;
pub mod specialise;
pub mod store;
pub mod strength;
pub mod table;

pub use strength::{Assignment, OrderKind, Space, Strength};
