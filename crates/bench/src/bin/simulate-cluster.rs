//! Simulates `atropos serve` with many workers, from measured costs; docs/cluster.md has the results.

use atropos_bench::cluster::{Costs, simulate};
use clap::Parser;

/// Costs are in microseconds.
#[derive(Parser)]
struct Args {
    /// The server: a task handed out and acknowledged
    #[arg(long, default_value_t = 30.0)]
    take: f64,
    /// The server: a record kept, synced
    #[arg(long, default_value_t = 60.0)]
    keep: f64,
    /// The server: a task taken in
    #[arg(long, default_value_t = 15.0)]
    put: f64,
    /// The server: a wish passed on
    #[arg(long, default_value_t = 2.0)]
    wish: f64,
    /// The leader: a record added up
    #[arg(long, default_value_t = 20.0)]
    add: f64,
    /// The leader: a task offered
    #[arg(long, default_value_t = 10.0)]
    offer: f64,
    /// From a worker to the server and back
    #[arg(long, default_value_t = 500.0)]
    round_trip: f64,
    /// A worker: a part begun
    #[arg(long, default_value_t = 100.0)]
    begin: f64,
    /// The length of the search with all workers, in seconds, if nothing were lost
    #[arg(long, default_value_t = 600.0)]
    seconds: f64,
    /// The numbers of workers
    #[arg(default_values_t = [16, 100, 1000, 2000, 5000, 10_000])]
    workers: Vec<usize>,
}

fn main() {
    let args = Args::parse();
    let seconds = |micros: f64| micros / 1e6;
    let costs = Costs {
        take: seconds(args.take),
        keep: seconds(args.keep),
        put: seconds(args.put),
        wish: seconds(args.wish),
        add: seconds(args.add),
        offer: seconds(args.offer),
        round_trip: seconds(args.round_trip),
        begin: seconds(args.begin),
    };
    println!("| workers | seconds | efficiency | records per second | server busy | leader busy |");
    println!("|---|---|---|---|---|---|");
    for workers in args.workers {
        let result = simulate(costs, workers, args.seconds * workers as f64, 1);
        println!(
            "| {workers} | {:.2} | {:.1} % | {:.0} | {:.0} % | {:.0} % |",
            result.seconds,
            100.0 * result.efficiency,
            result.n_records as f64 / result.seconds,
            100.0 * result.server_load,
            100.0 * result.leader_load
        );
    }
}
