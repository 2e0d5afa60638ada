//! Running the program under test.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A directory of one test's own, with its input files.
pub struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("atropos-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let root = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&root).unwrap();
        Sandbox { root }
    }

    /// The sandbox with a file of this name in it.
    pub fn with(self, name: &str, text: &str) -> Self {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    /// `atropos` with these arguments, separated by spaces, started in the sandbox.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_atropos"));
        command.args(args.split_whitespace()).current_dir(&self.root).stdin(Stdio::null());
        command.env("XDG_CACHE_HOME", self.root.join(".cache"));
        command
    }

    pub fn run(&self, args: &str) -> Run {
        Run::of(self.command(args).output().unwrap())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Run {
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program speaks UTF-8");
        Run { exit: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The whole output and the exit code, without times.
    pub fn transcript(&self) -> String {
        let stdout = self.stdout.lines().map(|line| match line.split_once(" blocked, in ") {
            Some((counts, _)) => format!("{counts} blocked, in TIME\n"),
            None => format!("{line}\n"),
        });
        let stderr = self.stderr.lines().map(|line| format!("stderr: {line}\n"));
        let exit = self.exit.map_or("killed".to_string(), |code| format!("exit {code}"));
        stdout.chain(stderr).collect::<String>() + &exit + "\n"
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// Message passing with a relaxed flag: the message may arrive after the flag.
pub const MP: &str = "\
C MP
{}
P0(atomic_int *x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1(atomic_int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
";

/// The same where the message is not atomic.
pub const RACE: &str = "\
C RACE
{}
P0(int *x, atomic_int *y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1(int *x, atomic_int *y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = 0;
  if (r0) { r1 = *x; }
}
exists (1:r0=1 /\\ 1:r1=0)
";

pub const SB_X86: &str = "\
X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

/// A failing assertion.
pub const LOST_UPDATE: &str = "\
global x: i32 = 0

fn worker() {
  r = load.rlx.i32 x
  s = add.i32 r, 1
  store.rlx.i32 x, s
  return
}

fn main() {
  a = spawn worker()
  b = spawn worker()
  join a
  join b
  r = load.rlx.i32 x
  good = eq.i32 r, 2
  assert good, \"an update is lost\"
  return
}
";

/// More executions than a test can wait for.
pub const LONG: &str = "\
global x: i32 = 0

fn worker(i) {
  store.rlx.i32 x, i
  r = load.rlx.i32 x
  store.rlx.i32 x, r
  r = load.rlx.i32 x
  return
}

threads worker(1), worker(2), worker(3), worker(4), worker(5), worker(6), worker(7), worker(8)
";

/// One execution that never ends.
pub const ENDLESS: &str = "\
global x: i32 = 0

fn worker() {
again:
  rmw.add.rlx.i32 x, 1
  goto again
}

threads worker(), worker()
";

/// One execution that needs more and more memory.
pub const BOTTOMLESS: &str = "\
global result: i64

fn put(p, v) { store.i64 p, v }

fn deeper(n) {
  shared cell: 8
  call put(cell, n)
  m = add.i64 n, 1
  s = call deeper(m)
  v = load.i64 cell
  return v
}

fn main() { r = call deeper(3); store.i64 result, r }
";
