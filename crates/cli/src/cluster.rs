//! `atropos serve` and `atropos work`: one check on many machines.
//!
//! The leader compiles the program, offers its text, and adds up what workers record. At the end it is like a check that
//! continues from a checkpoint with nothing left to do: it checks the findings again and reports.

mod flags;
mod lead;
mod notices;
mod progress;
mod work;

pub use lead::{OnTurn, ServeOptions, Served, lead};
pub use work::command as work;

use atropos_report::human::grouped;

/// A number of things.
fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}
