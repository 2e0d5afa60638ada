//! The speed-up by more workers.

use crate::child;
use crate::measure::Measurement;
use crate::rows::Case;

const JOBS: [usize; 5] = [1, 2, 4, 8, 16];

pub struct Curve {
    pub case: Case,
    pub points: Vec<Point>,
}

pub struct Point {
    pub jobs: usize,
    pub measured: Measurement,
    /// Wall time with one worker over that with `jobs`.
    pub speed_up: f64,
}

/// Measures the case with more and more workers, printing each point as it is known.
///
/// # Errors
/// A process failed, or the totals depend on the number of workers.
pub fn measure(case: &Case) -> Result<Curve, String> {
    println!(
        "{case}\n{:>7} {:>10} {:>9} {:>9} {:>8}",
        "workers", "executions", "wall s", "cpu s", "speed-up"
    );
    let mut points: Vec<Point> = Vec::new();
    for jobs in JOBS {
        let measured = child::measure(case, jobs)?;
        let first = points.first().map_or(measured, |point| point.measured);
        let totals = |m: &Measurement| (m.executions, m.blocked);
        if totals(&first) != totals(&measured) {
            let (before, now) = (totals(&first), totals(&measured));
            return Err(format!("{case}: {before:?} executions with one worker, {now:?} with {jobs}"));
        }
        let speed_up = first.wall_ns as f64 / measured.wall_ns as f64;
        let (wall, cpu) = (measured.wall_ns as f64 / 1e9, measured.cpu_ns as f64 / 1e9);
        println!("{jobs:>7} {:>10} {wall:>9.3} {cpu:>9.3} {speed_up:>8.2}", measured.executions);
        points.push(Point { jobs, measured, speed_up });
    }
    Ok(Curve { case: case.clone(), points })
}
