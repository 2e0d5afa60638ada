//! Two builds of `atropos` on the same rows, by turns: which rows have become slower, and whether figures differ.
//!
//! A single run says little on a machine with other work, so the times are the best of several runs. A row that looks
//! slower after those is run more often before it counts as slower.

use crate::check::{self, CheckAnswer};
use crate::row::Row;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// A row is slower if it takes so many times as long.
const SLOWER: f64 = 1.05;

/// How much more often a row is run that looks slower.
const DOUBTS: usize = 5;

/// Rows that take less with the old build, in microseconds, do not count: starting a search takes as long.
const LEAST_US: u64 = 1000;

/// The best runs of a row by both builds.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    pub row: Row,
    pub old: CheckAnswer,
    pub new: CheckAnswer,
}

impl Compared {
    /// The time of the new build over that of the old one.
    pub fn ratio(&self) -> f64 {
        self.new.explore_cpu_us.max(1) as f64 / self.old.explore_cpu_us.max(1) as f64
    }

    /// Whether the row takes long enough to be compared.
    pub fn counts(&self) -> bool {
        self.old.explore_cpu_us >= LEAST_US
    }

    pub fn is_slower(&self) -> bool {
        self.counts() && self.ratio() > SLOWER
    }

    /// Whether both builds have found the same.
    pub fn agrees(&self) -> bool {
        self.old.found == self.new.found
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |us: u64| us as f64 / 1e3;
        let (old, new) = (ms(self.old.explore_cpu_us), ms(self.new.explore_cpu_us));
        write!(f, "{:6.3} {old:10.2} {new:10.2}  {}", self.ratio(), self.row)?;
        if !self.agrees() {
            write!(f, "  (before: {}; now: {})", self.old.found, self.new.found)?;
        }
        Ok(())
    }
}

/// Compares all rows and prints each as soon as it is known; returns those without a result, and what is wrong there.
pub fn compare(old: &Path, new: &Path, rows: Vec<Row>, n_rounds: usize) -> (Vec<Compared>, Vec<String>) {
    println!("{:>6} {:>10} {:>10}  row", "ratio", "before ms", "now ms");
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    let is_old_without_reductions = !knows_reductions(old);
    for row in rows {
        let run = |atropos: &Path, lacks: bool| check::ask(command(atropos, &row, lacks));
        let runs = || Ok((run(old, is_old_without_reductions)?, run(new, false)?));
        match best_of(n_rounds, runs) {
            Ok((old, new)) => {
                let compared = Compared { row, old, new };
                println!("{compared}");
                all.push(compared);
            }
            Err(error) => failed.push(format!("{row}: {error}")),
        }
    }
    (all, failed)
}

/// The best of several pairs of runs.
fn best_of(
    n_rounds: usize,
    run: impl Fn() -> Result<(CheckAnswer, CheckAnswer), String>,
) -> Result<(CheckAnswer, CheckAnswer), String> {
    let (mut old, mut new) = run()?;
    let better = |best: &mut CheckAnswer, next: CheckAnswer| {
        if next.explore_cpu_us < best.explore_cpu_us {
            *best = next;
        }
    };
    for round in 1..DOUBTS * n_rounds {
        let is_slower = new.explore_cpu_us as f64 > SLOWER * old.explore_cpu_us as f64;
        let is_long_enough = old.explore_cpu_us >= LEAST_US;
        if round >= n_rounds && !(is_slower && is_long_enough) {
            break;
        }
        let (next_old, next_new) = run()?;
        better(&mut old, next_old);
        better(&mut new, next_new);
    }
    Ok((old, new))
}

/// Whether this build has reductions, which must be off.
fn knows_reductions(atropos: &Path) -> bool {
    let help = Command::new(atropos).args(["check", "--help"]).output();
    help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--reduce"))
}

/// The command for a row; a build without reductions cannot switch them off.
fn command(atropos: &Path, row: &Row, lacks_reductions: bool) -> Command {
    let asked = check::command(atropos, row, 1);
    let mut command = Command::new(atropos);
    let mut words = asked.get_args();
    while let Some(word) = words.next() {
        if lacks_reductions && word == "--reduce" {
            words.next();
        } else {
            command.arg(word);
        }
    }
    command
}

/// The end of the report.
pub fn summary(all: &[Compared], failed: &[String]) -> String {
    let counted: Vec<&Compared> = all.iter().filter(|row| row.counts()).collect();
    let mean = counted.iter().map(|row| row.ratio().ln()).sum::<f64>() / counted.len().max(1) as f64;
    let mut text = format!(
        "\n{} rows, {} of them of 1 ms or more: geometric mean {:.3}\n",
        all.len(),
        counted.len(),
        mean.exp()
    );
    let mut section = |title: &str, lines: Vec<String>| {
        text += &format!("{}: {title}\n", lines.len());
        lines.iter().for_each(|line| text += &format!("  {line}\n"));
    };
    let lines = |is_wanted: &dyn Fn(&Compared) -> bool| {
        all.iter().filter(|&row| is_wanted(row)).map(Compared::to_string).collect::<Vec<_>>()
    };
    section("slower by more than 5 %", lines(&Compared::is_slower));
    section("with other figures", lines(&|row| !row.agrees()));
    section("without a result", failed.to_vec());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Figures;
    use crate::row::rows;
    use std::cell::Cell;

    fn answer(explore_cpu_us: u64) -> CheckAnswer {
        CheckAnswer { found: Figures::default(), explore_us: 0, explore_cpu_us, events: 0 }
    }

    fn compared(old: u64, new: u64) -> Compared {
        let row = rows(Path::new("a.c"), "// row: T | N=1 | --model sc | executions 1").unwrap().remove(0);
        Compared { row, old: answer(old), new: answer(new) }
    }

    #[test]
    fn the_best_runs_count_and_a_slow_row_is_run_more_often() {
        let n_runs = Cell::new(0);
        let run = || {
            n_runs.set(n_runs.get() + 1);
            Ok((answer(10_000), answer(if n_runs.get() < 5 { 12_000 } else { 9_000 })))
        };
        assert_eq!(best_of(2, run), Ok((answer(10_000), answer(9_000))));
        assert_eq!(n_runs.get(), 5);
        n_runs.set(9);
        assert_eq!(best_of(2, run), Ok((answer(10_000), answer(9_000))));
        assert_eq!(n_runs.get(), 11);
    }

    #[test]
    fn the_summary_names_slow_rows_of_some_length_and_other_figures() {
        let mut other = compared(10, 10);
        other.new.found.executions = Some(7);
        let text = summary(&[compared(2000, 2200), compared(500, 1000), other], &["b.c: no".to_string()]);
        assert!(text.contains("3 rows, 1 of them of 1 ms or more: geometric mean 1.100"), "{text}");
        assert!(text.contains("1: slower by more than 5 %\n   1.100"), "{text}");
        assert!(text.contains("1: with other figures\n") && text.contains("(before: -; now: 7)"), "{text}");
        assert!(text.contains("1: without a result\n  b.c: no\n"), "{text}");
    }

    #[test]
    fn an_old_build_is_not_asked_for_reductions() {
        let row = compared(1, 1).row;
        let words = |lacks| command(Path::new("a"), &row, lacks).get_args().count();
        assert_eq!(words(false), words(true) + 2);
    }
}
