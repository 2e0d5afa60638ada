//! The server: nats-server with a configuration of ours, as a child of the leader.
//!
//! If the leader is killed, the server stays. The next leader ends it and starts its own, and workers connect again.

use crate::Endpoint;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fmt::Write;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The largest message: a program, a record or a sum. More is not possible.
pub(crate) const LARGEST_MESSAGE: usize = 64 << 20;

/// A server that dies sooner may do so every time.
const EARLY: Duration = Duration::from_secs(1);
const MOST_EARLY_DEATHS: u32 = 20;

/// How a server is started.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    pub listen: SocketAddr,
    /// The folder for everything that is kept.
    pub store: PathBuf,
    pub token: Option<String>,
    /// The files with the certificate and its key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Where to answer questions about the server.
    pub monitor: Option<SocketAddr>,
}

impl ServerOptions {
    /// How the leader itself reaches the server.
    pub fn endpoint(&self) -> Endpoint {
        let ServerOptions { listen, token, tls, .. } = self;
        let host = match listen.ip() {
            ip if ip.is_unspecified() => "localhost".to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let url = format!("nats://{host}:{}", listen.port());
        let certificate = tls.as_ref().map(|(certificate, _)| certificate.clone());
        Endpoint { url, token: token.clone(), certificate }
    }

    /// Whether others than this machine can connect.
    pub fn is_open(&self) -> bool {
        !self.listen.ip().is_loopback()
    }
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    program: PathBuf,
    options: ServerOptions,
    child: Child,
    started: Instant,
    /// How often in a row it has died soon after its start.
    n_early_deaths: u32,
    _lock: File,
}

/// The program, where Debian or the user has it; and its version.
pub fn nats_server() -> Option<(PathBuf, String)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/bin"].map(PathBuf::from));
    let program = folders.map(|folder| folder.join("nats-server")).find(|program| program.is_file())?;
    let output = Command::new(&program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_whitespace().last()?.trim_start_matches('v').to_string();
    Some((program, version))
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    /// If there is no nats-server, or another leader uses the folder.
    pub fn start(options: ServerOptions) -> io::Result<Server> {
        let options = ServerOptions { store: std::path::absolute(&options.store)?, ..options };
        let missing = "nats-server is not installed: Debian's package is nats-server, and `make setup-cluster` \
                       installs it";
        let (program, version) = nats_server().ok_or_else(|| io::Error::other(missing))?;
        fs::create_dir_all(&options.store)?;
        let lock = File::create(options.store.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let store = options.store.display();
                return Err(io::Error::other(format!("{store} is used by another `atropos serve`")));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        end_orphan(&options.store);
        let configuration = configuration(&options, &version)?;
        let mut file = OpenOptions::new();
        // It has the token.
        let file = file.write(true).create(true).truncate(true).mode(0o600);
        io::Write::write_all(&mut file.open(options.store.join(CONFIGURATION))?, configuration.as_bytes())?;
        let child = spawn(&program, &options.store)?;
        Ok(Server { program, options, child, started: Instant::now(), n_early_deaths: 0, _lock: lock })
    }

    /// Starts the server again if it has died, and returns whether it had.
    ///
    /// # Errors
    /// If it cannot be started or ends by itself at once, with what it said; or if it was killed too often.
    pub fn look_after(&mut self) -> io::Result<bool> {
        let Some(status) = self.child.try_wait()? else { return Ok(false) };
        let is_early = self.started.elapsed() < EARLY;
        self.n_early_deaths = if is_early { self.n_early_deaths + 1 } else { 0 };
        // One that ends because of its configuration or its address has an exit status. One that was killed has none.
        if is_early && (status.code().is_some() || self.n_early_deaths > MOST_EARLY_DEATHS) {
            let log = fs::read_to_string(self.options.store.join(LOG)).unwrap_or_default();
            let end: Vec<&str> = log.lines().rev().take(3).collect();
            let end = end.into_iter().rev().collect::<Vec<_>>().join("; ");
            return Err(io::Error::other(format!("nats-server has ended: {end}")));
        }
        self.child = spawn(&self.program, &self.options.store)?;
        self.started = Instant::now();
        Ok(true)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(self.child.id());
        let _ = self.child.wait();
        let _ = fs::remove_file(self.options.store.join(PID));
    }
}

const CONFIGURATION: &str = "nats.conf";
const PID: &str = "nats.pid";
const LOG: &str = "nats.log";

fn spawn(program: &Path, store: &Path) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.arg("--config").arg(store.join(CONFIGURATION));
    // Ctrl-C is for the leader, which ends the server when it has shown its verdict.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let log = OpenOptions::new().create(true).append(true).open(store.join(LOG))?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()
}

fn end(process: u32) {
    if let Ok(process) = i32::try_from(process) {
        let _ = kill(Pid::from_raw(process), Signal::SIGTERM);
    }
}

/// Ends the server of a leader that was killed.
fn end_orphan(store: &Path) {
    let process = fs::read_to_string(store.join(PID)).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let Some(process) = process else { return };
    let is_ours = || {
        let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let configuration = store.join(CONFIGURATION);
        String::from_utf8_lossy(&words).contains(&*configuration.to_string_lossy())
    };
    let start = Instant::now();
    while is_ours() && start.elapsed() < Duration::from_secs(10) {
        end(process);
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The configuration file. JSON strings are strings there, too.
fn configuration(options: &ServerOptions, version: &str) -> io::Result<String> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let path =
        |path: &Path| -> io::Result<String> { Ok(quoted(&std::path::absolute(path)?.to_string_lossy())) };
    let ServerOptions { listen, store, token, tls, monitor } = options;
    let mut text = String::from("# Written by `atropos serve`; changes are lost.\n");
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string");
    line(format!("listen: {}", quoted(&listen.to_string())));
    line(format!("max_payload: {LARGEST_MESSAGE}"));
    line(format!("max_pending: {}", 4 * LARGEST_MESSAGE));
    line(format!("pid_file: {}", path(&store.join(PID))?));
    let sync = if can_sync(version) { ", sync_interval: always" } else { "" };
    line(format!("jetstream {{ store_dir: {}{sync} }}", path(&store.join("streams"))?));
    if let Some(token) = token {
        line(format!("authorization {{ token: {} }}", quoted(token)));
    }
    if let Some((certificate, key)) = tls {
        line(format!("tls {{ cert_file: {}, key_file: {} }}", path(certificate)?, path(key)?));
    }
    if let Some(monitor) = monitor {
        line(format!("http: {}", quoted(&monitor.to_string())));
    }
    Ok(text)
}

/// Whether this version can sync every message to the disk. Otherwise the last two minutes may be lost if the machine
/// stops; they are explored again then.
fn can_sync(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (2, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_says_what_is_asked_for() {
        let options = ServerOptions {
            listen: "0.0.0.0:4222".parse().expect("an address"),
            store: "/a b".into(),
            token: Some("se\"cret".to_string()),
            tls: Some(("/c.pem".into(), "/k.pem".into())),
            monitor: Some("127.0.0.1:8222".parse().expect("an address")),
        };
        let expected = r#"# Written by `atropos serve`; changes are lost.
listen: "0.0.0.0:4222"
max_payload: 67108864
max_pending: 268435456
pid_file: "/a b/nats.pid"
jetstream { store_dir: "/a b/streams", sync_interval: always }
authorization { token: "se\"cret" }
tls { cert_file: "/c.pem", key_file: "/k.pem" }
http: "127.0.0.1:8222"
"#;
        assert_eq!(configuration(&options, "2.10.3").expect("a configuration"), expected);
        assert!(!configuration(&options, "2.9.10").expect("a configuration").contains("sync"));
    }
}
