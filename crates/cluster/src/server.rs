//! The server: nats-server with a configuration of ours, as a child of the leader.
//!
//! A thread starts it again whenever it dies, whatever the leader waits for at that moment. If the leader is killed, the
//! server stays. The next leader ends it and starts its own, and workers connect again.

use crate::Endpoint;
use crate::configuration::{CONFIGURATION, LOG, PID, configuration};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The largest message: a program, a record or a sum. More is not possible.
pub(crate) const LARGEST_MESSAGE: usize = 64 << 20;

/// How often to look whether the server is there.
const LOOK: Duration = Duration::from_millis(5);

/// A server that dies sooner may do so every time. So it is started again after a pause, which grows.
const EARLY: Duration = Duration::from_secs(1);
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// One that was killed need not be.
const AFTER_KILL: Duration = Duration::from_millis(100);

/// How long to start it again and again: one that has answered before, and one that has not because its address is taken
/// or because it was killed. The other end of a broken connection may hold the address for some seconds.
const PATIENCE: Duration = Duration::from_secs(300);
const FIRST_PATIENCE: Duration = Duration::from_secs(8);

/// How long the server of a leader that was killed may take to end.
const ORPHAN: Duration = Duration::from_secs(10);

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

/// A running server, and the thread that starts it again.
pub struct Server {
    kept: Arc<Kept>,
    keeper: Option<JoinHandle<()>>,
    /// The deaths that [`Server::look_after`] has reported.
    n_reported: u64,
    _lock: File,
}

/// What the thread and the leader share.
struct Kept {
    program: PathBuf,
    store: PathBuf,
    state: Mutex<State>,
    has_changed: Condvar,
}

struct State {
    child: Child,
    is_ending: bool,
    /// It has answered the leader at least once.
    has_answered: bool,
    n_deaths: u64,
    /// Why it is not there, until it stays again.
    trouble: Option<String>,
    /// Why it is not started again.
    end: Option<String>,
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
    pub fn start(options: &ServerOptions) -> io::Result<Server> {
        let options = ServerOptions { store: std::path::absolute(&options.store)?, ..options.clone() };
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
        let logged = log_len(&options.store);
        let child = spawn(&program, &options.store)?;
        let (is_ending, has_answered, n_deaths) = (false, false, 0);
        let state = Mutex::new(State { child, is_ending, has_answered, n_deaths, trouble: None, end: None });
        let kept = Arc::new(Kept { program, store: options.store, state, has_changed: Condvar::new() });
        let keeper = {
            let kept = Arc::clone(&kept);
            let keeper = std::thread::Builder::new().name("nats-server".to_string());
            keeper.spawn(move || kept.keep(logged))
        };
        // Without the thread, dropping it ends the server.
        let mut server = Server { kept, keeper: None, n_reported: 0, _lock: lock };
        server.keeper = Some(keeper?);
        Ok(server)
    }

    /// It has answered. From now on, much is done to have it back.
    pub fn note_answer(&self) {
        self.kept.state().has_answered = true;
    }

    /// Whether the server has died since the last call. It was started again then, or will be.
    ///
    /// # Errors
    /// If it cannot be started or ends by itself at once, with what it said; or if it was killed too often.
    pub fn look_after(&mut self) -> io::Result<bool> {
        let state = self.kept.state();
        if let Some(end) = &state.end {
            return Err(io::Error::other(end.clone()));
        }
        Ok(state.n_deaths != std::mem::replace(&mut self.n_reported, state.n_deaths))
    }

    /// Why the server is not there, if it has died and was not there for a second since then.
    pub fn trouble(&self) -> Option<String> {
        self.kept.state().trouble.clone()
    }

    /// Waits until the server has died or been started, though not for long.
    pub(crate) fn wait(&self, most: Duration) {
        let state = self.kept.state();
        drop(self.kept.has_changed.wait_timeout(state, most));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut state = self.kept.state();
        state.is_ending = true;
        // It has not been waited for, so that no other process has its number.
        if matches!(state.child.try_wait(), Ok(None)) {
            end(state.child.id(), Signal::SIGTERM);
        }
        drop(state);
        self.kept.has_changed.notify_all();
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        let _ = self.kept.state().child.wait();
        let _ = fs::remove_file(self.kept.store.join(PID));
    }
}

/// How often in a row the server has died soon after its start.
struct Row {
    began: Instant,
    n_deaths: u32,
}

impl Kept {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }

    /// Starts the server again whenever it dies. `logged` is the length of its log before it was started.
    fn keep(&self, mut logged: u64) {
        let (mut started, mut row) = (Instant::now(), None);
        let mut state = self.state();
        while !state.is_ending {
            match state.child.try_wait() {
                Ok(Some(status)) => {
                    let is_early = started.elapsed() < EARLY || status.code().is_some();
                    let said = said_since(&self.store, logged);
                    state.n_deaths += 1;
                    state = self.pause(state, status, &said, is_early, &mut row);
                    if state.is_ending || state.end.is_some() {
                        return;
                    }
                    logged = log_len(&self.store);
                    match spawn(&self.program, &self.store) {
                        Ok(child) => (state.child, started) = (child, Instant::now()),
                        Err(error) => state.end = Some(format!("nats-server cannot be started: {error}")),
                    }
                    self.has_changed.notify_all();
                }
                Ok(None) if started.elapsed() > EARLY => (row, state.trouble) = (None, None),
                Ok(None) => {}
                Err(error) => state.end = Some(format!("nats-server is out of reach: {error}")),
            }
            if state.end.is_some() {
                return;
            }
            state = self.has_changed.wait_timeout(state, LOOK).expect("nothing panics with the lock").0;
        }
    }

    /// The server has died. Decides whether to start it again, and waits until then.
    fn pause<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        status: ExitStatus,
        said: &str,
        is_early: bool,
        row: &mut Option<Row>,
    ) -> MutexGuard<'a, State> {
        let reason = match status.signal() {
            Some(signal) => format!("nats-server was killed by signal {signal}"),
            None => format!("nats-server has ended: {said}"),
        };
        let row = row.get_or_insert(Row { began: Instant::now(), n_deaths: 0 });
        row.n_deaths += 1;
        let elapsed = row.began.elapsed();
        // One that ends because of its configuration has an exit status, and will always have it.
        let is_hopeless = match state.has_answered {
            true => elapsed > PATIENCE,
            false => {
                (status.code().is_some() && !said.contains("address already in use"))
                    || elapsed > FIRST_PATIENCE
            }
        };
        if is_hopeless {
            state.end = Some(reason);
            return state;
        }
        state.trouble = Some(reason);
        self.has_changed.notify_all();
        let pause = if is_early { FIRST_PAUSE * (1 << row.n_deaths.min(10)) } else { Duration::ZERO };
        let longest = if status.code().is_some() { LONGEST_PAUSE } else { AFTER_KILL };
        let until = Instant::now() + pause.min(longest);
        while !state.is_ending && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            state = self.has_changed.wait_timeout(state, left).expect("nothing panics with the lock").0;
        }
        state
    }
}

fn log_len(store: &Path) -> u64 {
    fs::metadata(store.join(LOG)).map_or(0, |data| data.len())
}

/// The last lines of the server's log after the first `logged` bytes.
fn said_since(store: &Path, logged: u64) -> String {
    let read = || {
        let (mut file, mut bytes) = (File::open(store.join(LOG))?, Vec::new());
        file.seek(SeekFrom::Start(logged))?;
        file.read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("; ")
}

fn spawn(program: &Path, store: &Path) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.arg("--config").arg(store.join(CONFIGURATION));
    // Ctrl-C is for the leader, which ends the server when it has shown its verdict.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let log = OpenOptions::new().create(true).append(true).open(store.join(LOG))?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()
}

fn end(process: u32, signal: Signal) {
    if let Ok(process) = i32::try_from(process) {
        let _ = kill(Pid::from_raw(process), signal);
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
    while is_ours() && start.elapsed() < ORPHAN {
        end(process, if start.elapsed() < ORPHAN / 2 { Signal::SIGTERM } else { Signal::SIGKILL });
        std::thread::sleep(Duration::from_millis(50));
    }
}
