//! Broken inputs of every format, to find what breaks Atropos.
//!
//! A seed chooses a file of the [`corpus`] and [`mutate`] breaks it. Most inputs go through the libraries in this process
//! ([`subject`]): the reader of the format, the virtual machine, a short search, and the second check of what it finds.
//! A few go through the command with random options ([`command`]), and so do C and C++ files and bitcode. Worker
//! processes ([`worker`]) do the work, since one that overflows its stack is gone; [`hunt`] starts them, watches
//! them, and shrinks what they find.

pub mod command;
pub mod corpus;
pub mod hunt;
pub mod mutate;
pub mod subject;
pub mod worker;
