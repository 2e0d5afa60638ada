//! Random concurrent C programs at every level of optimisation.
//!
//! A program has threads that share volatile atomics of several sizes, and variables below a mutex; between these
//! accesses they compute with variables of their own, as the sequential programs do ([`generate`]). Optimisers may change
//! only that. So the outcomes of a program, and the violations, must be the same at all levels ([`compare`]).

pub mod compare;
pub mod generate;
