//! The speed-up with more workers.

use crate::measure;
use crate::row::Row;
use std::path::Path;

const JOBS: [usize; 5] = [1, 2, 4, 8, 16];

/// Rows of one program with more and more workers.
pub struct Curve {
    pub row: Row,
    pub points: Vec<Point>,
}

pub struct Point {
    pub jobs: usize,
    pub executions: u64,
    pub explore_us: u64,
    pub cpu_ms: u64,
    /// Exploring time with one worker over that with `jobs`.
    pub speed_up: f64,
}

/// Measures the row with more and more workers and prints each point as soon as it is known.
///
/// # Errors
/// A run failed, or the totals depend on the number of workers.
pub fn measure(atropos: &Path, row: &Row) -> Result<Curve, String> {
    println!(
        "{row}\n{:>7} {:>10} {:>9} {:>9} {:>8}",
        "workers", "executions", "explore s", "cpu s", "speed-up"
    );
    let mut points: Vec<Point> = Vec::new();
    let mut first = None;
    for jobs in JOBS {
        let measured = measure::run(atropos, row, jobs)?;
        let (found, explore_us) = (measured.answer.found, measured.answer.explore_us);
        let (before, time_of_one) = first.get_or_insert_with(|| (found.clone(), explore_us));
        if *before != found {
            return Err(format!("{row}: {before} with one worker, {found} with {jobs}"));
        }
        let speed_up = *time_of_one as f64 / explore_us.max(1) as f64;
        let executions = found.executions.unwrap_or(0);
        let point = Point { jobs, executions, explore_us, cpu_ms: measured.cost.cpu_us / 1000, speed_up };
        println!("{}", cells(&point, [7, 10, 9, 9, 8]).join(" "));
        points.push(point);
    }
    Ok(Curve { row: row.clone(), points })
}

/// The numbers of a point, padded to these widths.
pub fn cells(point: &Point, widths: [usize; 5]) -> [String; 5] {
    let seconds = |ms: u64| format!("{:.3}", ms as f64 / 1e3);
    let mut cells = [
        point.jobs.to_string(),
        point.executions.to_string(),
        format!("{:.3}", point.explore_us as f64 / 1e6),
        seconds(point.cpu_ms),
        format!("{:.2}", point.speed_up),
    ];
    for (cell, width) in cells.iter_mut().zip(widths) {
        *cell = format!("{cell:>width$}");
    }
    cells
}
