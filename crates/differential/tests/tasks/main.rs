//! Searches in parts.

mod cluster;
mod parts;
mod subject;
mod threads;
