//! Reports from outside: what they say, and what the re-check accepts.

mod axioms;
mod common;
mod forged;
mod leaks;
mod recheck;
mod text;
mod words;
