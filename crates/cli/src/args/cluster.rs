//! `atropos serve` and `atropos work` as written.

use super::{CheckArgs, parse_seconds};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

const SERVE_HELP: &str = "\
Atropos starts nats-server, gives parts of the search to workers, and reports like `atropos check`. `atropos work` starts \
a worker, on any machine and at any time. A server that was killed continues when it is started again with the same \
store. docs/cluster.md has recipes.

The exit status is that of `atropos check`.";

/// `atropos serve` as written.
#[derive(Args, Debug)]
#[command(after_help = SERVE_HELP)]
pub struct ServeArgs {
    #[command(flatten)]
    pub check: CheckArgs,
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Where workers find the search.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub struct ServerArgs {
    /// Where workers connect [default: 127.0.0.1:4222]
    ///
    /// Port 0 is any free port. An address that other machines can reach needs --token-file, --tls-cert and --tls-key.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4222", hide_default_value = true)]
    pub listen: SocketAddr,

    /// The folder for what was explored; started again, continue from there [default: atropos-store]
    #[arg(long, value_name = "DIR", default_value = "atropos-store", hide_default_value = true)]
    pub store: PathBuf,

    /// A file with a secret that workers must know
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// The server's certificate, for encrypted connections
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// The key of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Where nats-server answers questions about itself over HTTP
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub monitor: Option<SocketAddr>,

    /// How long a worker may be silent before others get its part [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "10")]
    #[arg(hide_default_value = true)]
    pub lease: Duration,

    /// Explore nothing before workers have N threads
    #[arg(long = "await", value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub n_awaited: usize,

    /// Write a line of JSON about the progress to FILE every second
    #[arg(long, value_name = "FILE")]
    pub progress: Option<PathBuf>,
}

const WORK_HELP: &str = "\
The worker gets the program and all options from the server, and needs no compiler. It must be the same build of Atropos \
as the server. It may be killed at any time.

Exit status:
  0    the check is over; the server has the verdict
  2    bad usage, there is no such server, or it is of another build
  101  a bug in Atropos";

/// `atropos work` as written.
#[derive(Args, Debug)]
#[command(after_help = WORK_HELP)]
pub struct WorkArgs {
    /// The server, as in nats://host:4222
    pub url: String,

    /// Explorers, each on a thread of its own [default: all cores]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// A file with the server's secret
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// The certificate to trust; the connection is encrypted
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,

    /// How long to wait for the server [default: 60 at the start, 600 while it is away]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub wait: Option<Duration>,

    /// Write what each thread does, and when, to FILE
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
}
