//! How time and memory grow with the length of threads: programs with one execution of more and more events, by every
//! algorithm under every model.
//!
//! A curve ends before its first point that takes too long. The exponent between its last two points is 1 if the cost
//! is linear.

use crate::figures::Figures;
use crate::measure::{self, Cost};
use crate::row::Row;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The numbers of events; the last one only with `--growth` or `--all`.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// What a point may take, as options of `atropos check`.
const LIMITS: [&str; 4] = ["--timeout", "30", "--memory-limit", "4096"];

/// What each thread repeats on a variable `X` of its own, the number of events that it makes, and the number of threads.
const PROGRAMS: [(&str, &str, usize, usize); 4] = [
    ("stores", "store.rlx.i32 X, 1", 1, 1),
    ("updates", "rmw.add.rlx.i32 X, 1", 2, 1),
    ("sc stores and loads", "store.sc.i32 X, 1; r = load.sc.i32 X", 2, 1),
    ("updates of two threads", "rmw.add.rlx.i32 X, 1", 2, 2),
];

const SEARCHES: [&str; 22] = [
    "--model sc",
    "--model sc --equivalence co",
    "--model sc --algorithm source-dpor",
    "--model sc --algorithm optimal-dpor",
    "--model sc --algorithm rvf",
    "--model tso",
    "--model tso --equivalence co",
    "--model tso --algorithm source-dpor",
    "--model tso --algorithm optimal-dpor",
    "--model pso",
    "--model pso --equivalence co",
    "--model pso --algorithm source-dpor",
    "--model pso --algorithm optimal-dpor",
    "--model ra",
    "--model ra --equivalence co",
    "--model ra --algorithm tracer",
    "--model sra",
    "--model sra --equivalence co",
    "--model rc11",
    "--model rc11 --equivalence co",
    "--model rc11 --algorithm rcmc",
    "--model wrc11 --algorithm rcmc",
];

/// The costs of one program by one search.
pub struct GrowthCurve {
    pub program: &'static str,
    pub search: &'static str,
    /// Per size, up to the first that takes too long.
    pub points: Vec<Cost>,
}

/// The sizes of the points.
pub fn sizes(all: bool) -> &'static [usize] {
    &SIZES[..if all { SIZES.len() } else { SIZES.len() - 1 }]
}

/// Measures all curves and prints each as soon as it is known.
///
/// # Errors
/// A program cannot be written.
pub fn measure(atropos: &Path, all: bool) -> Result<Vec<GrowthCurve>, String> {
    let folder = env::temp_dir().join(format!("atropos-growth-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    println!("\nGrowth\n{}", columns(all).join("  "));
    let mut curves = Vec::new();
    for (program, body, n_events, n_threads) in PROGRAMS {
        for search in SEARCHES {
            let mut points = Vec::new();
            for &size in sizes(all) {
                let text = text(body, size / n_events / n_threads, n_threads);
                let file = folder.join("growth.vm");
                fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
                let Ok(measured) = measure::run(atropos, &row(file, search), 1) else { break };
                points.push(measured.cost);
            }
            let curve = GrowthCurve { program, search, points };
            println!("{}", cells(&curve, all).join("  "));
            curves.push(curve);
        }
    }
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(curves)
}

fn row(file: PathBuf, search: &str) -> Row {
    let options = search.split(' ').chain(LIMITS).map(str::to_string).collect();
    let (source, paper) = ("growth".to_string(), Figures::default());
    Row { file, source, is_slow: false, defines: Vec::new(), options, paper, ours: None }
}

/// The program whose threads repeat `body`.
fn text(body: &str, n_times: usize, n_threads: usize) -> String {
    let mut text = String::new();
    for thread in 0..n_threads {
        let body = body.replace('X', &format!("x{thread}")).replace("; ", "\n  ");
        text += &format!(
            "global x{thread}: i32 = 0\nfn worker{thread}() {{\n  n = add.i32 {n_times}, 0\nagain:\n  {body}\n  \
             n = sub.i32 n, 1\n  if n goto again\n  return\n}}\n"
        );
    }
    let threads: Vec<String> = (0..n_threads).map(|thread| format!("worker{thread}()")).collect();
    format!("{text}threads {}\n", threads.join(", "))
}

/// The headings of a table of curves.
pub fn columns(all: bool) -> Vec<String> {
    let sizes = sizes(all).iter().map(|size| format!("10^{}", size.ilog10()));
    ["program", "search"]
        .map(str::to_string)
        .into_iter()
        .chain(sizes)
        .chain(["exponent".to_string()])
        .collect()
}

/// The row of a curve.
pub fn cells(curve: &GrowthCurve, all: bool) -> Vec<String> {
    let point =
        |cost: &Cost| format!("{:.2} s, {:.0} MiB", cost.cpu_us as f64 / 1e6, cost.peak_kib as f64 / 1024.0);
    let mut cells = vec![curve.program.to_string(), curve.search.to_string()];
    cells.extend(curve.points.iter().map(point));
    cells.resize(2 + sizes(all).len(), "-".to_string());
    cells.push(exponent(&curve.points).map_or_else(String::new, |exponent| format!("{exponent:.1}")));
    cells
}

/// The exponent of the time between the last two points, if they are long enough to tell.
fn exponent(points: &[Cost]) -> Option<f64> {
    let [.., before, last] = points else { return None };
    let factor = |cost: &Cost| cost.cpu_us.max(1) as f64;
    (last.cpu_us >= 50_000).then(|| (factor(last) / factor(before)).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(times: &[u64]) -> GrowthCurve {
        let cost = |&cpu_ms: &u64| Cost { wall_ms: cpu_ms, cpu_us: 1000 * cpu_ms, peak_kib: 2048 };
        GrowthCurve { program: "stores", search: "--model sc", points: times.iter().map(cost).collect() }
    }

    #[test]
    fn a_row_has_a_cell_for_each_size_and_the_exponent() {
        let cells = cells(&curve(&[1, 20, 2000]), false);
        assert_eq!(cells[2..], ["0.00 s, 2 MiB", "0.02 s, 2 MiB", "2.00 s, 2 MiB", "2.0"]);
        assert_eq!(cells.len(), columns(false).len());
    }

    #[test]
    fn a_curve_that_ends_early_has_empty_cells() {
        assert_eq!(cells(&curve(&[40]), true)[2..], ["0.04 s, 2 MiB", "-", "-", "-", ""]);
        assert_eq!(exponent(&curve(&[1, 2]).points), None);
    }

    #[test]
    fn each_thread_has_a_variable_of_its_own() {
        let text = text("rmw.add.rlx.i32 X, 1", 7, 2);
        assert!(
            text.contains("add.rlx.i32 x0")
                && text.contains("add.rlx.i32 x1")
                && text.contains("add.i32 7, 0")
        );
        assert!(text.ends_with("threads worker0(), worker1()\n"));
    }
}
