//! Two builds of `atropos` on the same rows, by turns: which rows have become slower, and whether figures differ.
//!
//! Two times are compared: that of exploring, and that of the whole process without clang, which has made LLVM IR of the
//! program before. A row is slower if both are. Exploring alone misleads for searches of few milliseconds, which touch most
//! of their memory for the first time, unless the build has already touched as much while it read the program. The whole
//! process misleads where a violation is found: a newer build may explore more to explain it.
//!
//! A single run says little on a machine with other work, so the times are the best of several runs. A row that looks
//! slower after those is run more often before it counts as slower.

use crate::check;
use crate::measure::{self, Measurement};
use crate::row::Row;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A row is slower if it takes so many times as long.
const SLOWER: f64 = 1.05;

/// How much more often a row is run that looks slower.
const DOUBTS: usize = 5;

/// The compiler, and what makes it write the IR that `atropos` would ask for.
const COMPILER: &str = "clang-19";
const FLAGS: [&str; 6] = ["-S", "-emit-llvm", "-O0", "-g", "-Xclang", "-disable-O0-optnone"];

/// The best runs of a row by both builds.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    pub row: Row,
    pub old: Measurement,
    pub new: Measurement,
}

impl Compared {
    /// The time of the new build over that of the old one.
    pub fn ratio(&self) -> f64 {
        self.new.cost.cpu_us.max(1) as f64 / self.old.cost.cpu_us.max(1) as f64
    }

    pub fn is_slower(&self) -> bool {
        is_slower(&self.old, &self.new)
    }

    /// The same for exploring alone.
    pub fn explore_ratio(&self) -> f64 {
        self.new.answer.explore_cpu_us.max(1) as f64 / self.old.answer.explore_cpu_us.max(1) as f64
    }

    /// Whether both builds have found the same.
    pub fn agrees(&self) -> bool {
        self.old.answer.found == self.new.answer.found
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |us: u64| us as f64 / 1e3;
        let (old, new) = (ms(self.old.cost.cpu_us), ms(self.new.cost.cpu_us));
        let explored = ms(self.old.answer.explore_cpu_us);
        write!(f, "{:6.3} {old:10.2} {new:10.2}", self.ratio())?;
        write!(f, " {:8.3} {explored:10.2}  {}", self.explore_ratio(), self.row)?;
        if !self.agrees() {
            write!(f, "  (before: {}; now: {})", self.old.answer.found, self.new.answer.found)?;
        }
        Ok(())
    }
}

fn is_slower(old: &Measurement, new: &Measurement) -> bool {
    let is_more = |new: u64, old: u64| new as f64 > SLOWER * old as f64;
    is_more(new.cost.cpu_us, old.cost.cpu_us) && is_more(new.answer.explore_cpu_us, old.answer.explore_cpu_us)
}

/// Compares all rows and prints each as soon as it is known; returns those without a result, and what is wrong there.
pub fn compare(old: &Path, new: &Path, rows: Vec<Row>, n_rounds: usize) -> (Vec<Compared>, Vec<String>) {
    println!("{:>6} {:>10} {:>10} {:>8} {:>10}  row", "ratio", "before ms", "now ms", "explore", "before ms");
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    let is_old_without_reductions = !knows_reductions(old);
    for row in rows {
        let compared = lower(&row).and_then(|lowered| {
            let run = |atropos: &Path, lacks: bool| measure::measure(&command(atropos, &lowered, lacks));
            best_of(n_rounds, || Ok((run(old, is_old_without_reductions)?, run(new, false)?)))
        });
        match compared {
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

/// The row with the LLVM IR of its program in place of the program.
fn lower(row: &Row) -> Result<Row, String> {
    let folder = std::env::temp_dir().join("atropos-compare");
    let name: Vec<&str> = [row.file.to_str().unwrap_or("program")]
        .into_iter()
        .chain(row.defines.iter().map(String::as_str))
        .collect();
    let name: String = name.join(" ").chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let lowered: PathBuf = folder.join(name).with_extension("ll");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let defines = row.defines.iter().map(|define| format!("-D{define}"));
    let output =
        Command::new(COMPILER).args(FLAGS).arg("-o").arg(&lowered).args(defines).arg(&row.file).output();
    let output = output.map_err(|error| format!("{COMPILER}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_string());
    }
    Ok(Row { file: lowered, defines: Vec::new(), ..row.clone() })
}

/// The best of several pairs of runs.
fn best_of(
    n_rounds: usize,
    run: impl Fn() -> Result<(Measurement, Measurement), String>,
) -> Result<(Measurement, Measurement), String> {
    let (mut old, mut new) = run()?;
    let better = |best: &mut Measurement, next: Measurement| {
        best.answer.explore_cpu_us = best.answer.explore_cpu_us.min(next.answer.explore_cpu_us);
        best.cost.cpu_us = best.cost.cpu_us.min(next.cost.cpu_us);
    };
    for round in 1..DOUBTS * n_rounds {
        if round >= n_rounds && !is_slower(&old, &new) {
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
        } else if word == "--" {
            break;
        } else {
            command.arg(word);
        }
    }
    command
}

/// The end of the report.
pub fn summary(all: &[Compared], failed: &[String]) -> String {
    let mean = |ratio: fn(&Compared) -> f64| {
        (all.iter().map(|row| ratio(row).ln()).sum::<f64>() / all.len().max(1) as f64).exp()
    };
    let mut text = format!(
        "\n{} rows: geometric mean {:.3}; of exploring alone {:.3}\n",
        all.len(),
        mean(Compared::ratio),
        mean(Compared::explore_ratio)
    );
    let mut section = |title: &str, lines: Vec<String>| {
        text += &format!("{}: {title}\n", lines.len());
        lines.iter().for_each(|line| text += &format!("  {line}\n"));
    };
    let lines = |is_wanted: &dyn Fn(&Compared) -> bool| {
        all.iter().filter(|&row| is_wanted(row)).map(Compared::to_string).collect::<Vec<_>>()
    };
    section("slower by more than 5 %", lines(&Compared::is_slower));
    let explores_slower = |row: &Compared| !row.is_slower() && row.explore_ratio() > SLOWER;
    section("slower only in exploring", lines(&explores_slower));
    let is_other_slower = |row: &Compared| !row.is_slower() && row.ratio() > SLOWER;
    section("slower, but not in exploring", lines(&is_other_slower));
    section("with other figures", lines(&|row| !row.agrees()));
    section("without a result", failed.to_vec());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckAnswer;
    use crate::figures::Figures;
    use crate::measure::Cost;
    use crate::row::rows;
    use std::cell::Cell;

    fn measured(cpu_us: u64, explore_cpu_us: u64) -> Measurement {
        let answer = CheckAnswer { found: Figures::default(), explore_us: 0, explore_cpu_us, events: 0 };
        Measurement { answer, cost: Cost { wall_ms: 0, cpu_us, peak_kib: 0 } }
    }

    fn compared(old: Measurement, new: Measurement) -> Compared {
        let row = rows(Path::new("a.c"), "// row: T | N=1 | --model sc | executions 1").unwrap().remove(0);
        Compared { row, old, new }
    }

    #[test]
    fn the_best_runs_count_and_a_slow_row_is_run_more_often() {
        let n_runs = Cell::new(0);
        let run = || {
            n_runs.set(n_runs.get() + 1);
            let new = if n_runs.get() < 5 { 12_000 } else { 9_000 };
            Ok((measured(10_000, 70), measured(new, 200 - n_runs.get())))
        };
        assert_eq!(best_of(2, run), Ok((measured(10_000, 70), measured(9_000, 195))));
        assert_eq!(n_runs.get(), 5);
        n_runs.set(9);
        assert_eq!(best_of(2, run), Ok((measured(10_000, 70), measured(9_000, 189))));
        assert_eq!(n_runs.get(), 11);
    }

    #[test]
    fn the_summary_names_slow_rows_and_other_figures() {
        let mut other = compared(measured(10, 10), measured(10, 10));
        other.new.answer.found.executions = Some(7);
        let slow = compared(measured(2000, 1000), measured(2200, 1100));
        let explores_slowly = compared(measured(2000, 1000), measured(2000, 1200));
        let explains = compared(measured(2000, 1000), measured(2800, 1000));
        let text = summary(&[slow, explores_slowly, explains, other], &["b.c: no".to_string()]);
        assert!(text.contains("4 rows: geometric mean 1.114; of exploring alone 1.072"), "{text}");
        assert!(text.contains("1: slower by more than 5 %\n   1.100"), "{text}");
        assert!(text.contains("1: slower only in exploring\n   1.000"), "{text}");
        assert!(text.contains("1: slower, but not in exploring\n   1.400"), "{text}");
        assert!(text.contains("1: with other figures\n") && text.contains("(before: -; now: 7)"), "{text}");
        assert!(text.contains("1: without a result\n  b.c: no\n"), "{text}");
    }

    #[test]
    fn an_old_build_is_not_asked_for_reductions_and_ir_needs_no_compiler() {
        let row = compared(measured(1, 1), measured(1, 1)).row;
        let words = |lacks| command(Path::new("a"), &row, lacks).get_args().count();
        assert_eq!(words(false), words(true) + 2);
        assert!(command(Path::new("a"), &row, false).get_args().all(|word| word != "--"));
    }
}
