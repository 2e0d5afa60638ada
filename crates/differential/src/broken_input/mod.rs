//! Broken inputs of every format, to find what breaks Atropos.
//!
//! A seed selects a file of the [`corpus`], and [`mutate`] breaks it. Most inputs go through the libraries in this
//! process ([`subject`]): the reader of the format, the virtual machine, a short search, and the re-check of its
//! findings. A few go through the command with random options ([`command`]), as do C and C++ files and bitcode. Worker
//! processes ([`worker`]) run the inputs, because one may overflow its stack; [`hunt`] starts the workers, watches
//! them, and shrinks what they find.

pub mod command;
pub mod corpus;
pub mod hunt;
pub mod kept;
pub mod mutate;
pub mod subject;
pub mod worker;
