//! `make real`: data structures and locks of other projects, from their own sources.
//!
//! `corpus/real` has a driver for each, whose first comment is the recipe ([`recipe`]): which Debian packages have the
//! source, and what Atropos must say about it. [`fetch`] downloads and unpacks the packages, so that nothing of theirs
//! lies in the repository; [`changed`] changes a copy of them, to put a bug in or to mend one; [`run`] checks a driver;
//! [`document`] writes a page.

pub mod changed;
pub mod document;
pub mod fetch;
pub mod recipe;
pub mod run;
