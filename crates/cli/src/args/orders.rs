//! `atropos weaken` and `atropos repair` as written.

use super::{InputArgs, LimitArgs, OutputArgs, SearchArgs, one_of};
use crate::flags::Given;
use clap::Args;
use std::path::PathBuf;

const ORDERS_HELP: &str = "\
Each atomic access and fence of the user's own code has an order, which `weaken` makes weaker and `repair` stronger; \
`repair` may also add fences. The orders of libraries stay. The search works on the compiled program, so the source \
need not change. Of the options above, --jobs says how many candidates to check at once, and the limits on time and \
memory are for the whole search; options that only concern one check are refused.

Exit status:
  0    weaken: the orders found verify, and no weaker ones do; repair: the repaired program verifies, or the original
  1    weaken: the program does not verify as it is; repair: it does not verify with the strongest orders either
  2    bad usage or input
  3    inconclusive: a limit was hit
  101  a bug in Atropos";

/// `atropos weaken` and `atropos repair` as written.
#[derive(Args, Debug)]
#[command(after_help = ORDERS_HELP)]
pub struct OrdersArgs {
    #[command(flatten)]
    pub given: Given,

    /// The program: C or C++ (.c .cc .cpp .ll .bc), Rust (.rs) or a .vm program
    pub file: PathBuf,

    /// More programs that must verify with the same orders, such as other tests of the same header
    #[arg(value_name = "DRIVER")]
    pub drivers: Vec<PathBuf>,

    /// Flags for the C compiler
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,

    #[command(flatten)]
    pub orders: OrderArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Which orders to change, and what to do with the answer.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Orders")]
pub struct OrderArgs {
    /// Another file that belongs to each of the C or C++ programs; may be given several times
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,

    /// Change only the orders on these lines
    ///
    /// A line of any file, or of one: 12, 12-20, queue.h:12-20. The end of a file's name is enough.
    #[arg(long, value_name = "[FILE:]LINES,...", value_delimiter = ',')]
    pub only: Vec<LineRange>,

    /// Leave the orders on these lines as they are
    #[arg(long, value_name = "[FILE:]LINES,...", value_delimiter = ',')]
    pub keep: Vec<LineRange>,

    /// Find every assignment of orders that verifies while no weaker one does
    ///
    /// Without this option, weaken finds the cheapest one, and repair the cheapest of those that change the least.
    #[arg(long)]
    pub all: bool,

    /// weaken: the orders to start from [default: written]
    ///
    /// written: those of the program; seq-cst: the strongest ones.
    #[arg(long, value_name = "written|seq-cst", hide_possible_values = true)]
    #[arg(value_parser = one_of(&[("written", StartingOrders::Written), ("seq-cst", StartingOrders::SeqCst)]))]
    pub from: Option<StartingOrders>,

    /// Write the changes of the first answer into FILE, for `patch -p1`
    ///
    /// The patch covers orders that are written out, or left out, at the place that debug information gives.
    #[arg(long, value_name = "FILE")]
    pub patch: Option<PathBuf>,

    /// Where to keep results [default: $XDG_CACHE_HOME/atropos, ~/.cache/atropos]
    ///
    /// A later search about the same code uses them. off: nothing is read or kept.
    #[arg(long, value_name = "DIR|off")]
    pub cache: Option<PathBuf>,
}

/// The orders that a search for weaker ones starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartingOrders {
    Written,
    SeqCst,
}

/// Some lines of a file, or of any file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineRange {
    pub file: Option<String>,
    pub first: u32,
    pub last: u32,
}

impl LineRange {
    pub fn contains(&self, file: &str, line: u32) -> bool {
        let is_file = self.file.as_deref().is_none_or(|end| {
            file.strip_suffix(end)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
        });
        is_file && (self.first..=self.last).contains(&line)
    }
}

impl std::str::FromStr for LineRange {
    type Err = String;

    fn from_str(text: &str) -> Result<LineRange, String> {
        let (file, lines) = match text.rsplit_once(':') {
            Some((file, lines)) => (Some(file.to_string()), lines),
            None => (None, text),
        };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number =
            |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` is not the number of a line"));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("there are no lines from {first} to {last}"));
        }
        Ok(LineRange { file, first, last })
    }
}
