//! The files of `--report` and the annotations of `--format github`, the page in a real browser, and the book.

mod book;
mod browser;
mod files;
mod integrations;
mod page;
#[path = "../cli/run.rs"]
#[expect(dead_code, reason = "the tests of the command line use the rest")]
mod run;
mod sarif;
