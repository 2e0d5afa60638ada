//! The programs of the paper's tables that the benchmarks do not have [Tracer §6.2].

/// The main function: it creates the threads and does not wait for them.
fn threads(calls: impl IntoIterator<Item = String>) -> String {
    let spawns: String = calls.into_iter().map(|call| format!("  t = spawn {call}\n")).collect();
    format!("fn main() {{\n{spawns}  return\n}}\n")
}

/// N threads, each created after an increment of `index`, write where they find it.
pub fn sigma(n: u64) -> String {
    let create = "  i = load.acq.i64 index\n  i = add.i64 i, 1\n  store.rel.i64 index, i\n  t = spawn worker()\n";
    format!(
        "global index: i64\nglobal array: [i32; {}]
fn worker() {{ k = load.acq.i64 index; p = addr array + k*4; store.rel.i32 p, 1; return }}
fn main() {{\n{}  return\n}}\n",
        n + 1,
        create.repeat(n as usize)
    )
}

/// A bug that few schedules show; every loop runs twice.
pub fn exponential_bug(n: u64) -> String {
    let first = format!(
        "  lock m\n  store.rel.i32 x, 1\n{}  unlock m\n",
        "  store.rel.i32 y, 1\n".repeat(n as usize)
    );
    let second = |end: &str| {
        format!(
            "  lock m
  store.rel.i32 x, 0
  unlock m
  a = load.acq.i32 x
  c = sgt.i32 a, 0
  if not c goto {end}
  v = load.acq.i32 y
  v = add.i32 v, 1
  store.rel.i32 y, v
  store.rel.i32 x, 2
{end}:\n"
        )
    };
    let third = |end: &str| {
        format!(
            "  a = load.acq.i32 x
  c = sgt.i32 a, 1
  if not c goto {end}
  b = load.acq.i32 y
  c = eq.i32 b, 3
  if c goto out
  store.rel.i32 y, 2
{end}:\n"
        )
    };
    let code = format!(
        "global x: i32\nglobal y: i32\nglobal m: i32
fn one() {{\n{first}{first}  return\n}}
fn two() {{\n{}{}  return\n}}
fn three() {{\n{}{}out:\n  return\n}}\n",
        second("again"),
        second("end"),
        third("again"),
        third("end")
    );
    code + &threads(["one()", "two()", "three()"].map(String::from))
}

/// N threads claim blocks for their inodes, both with a lock each.
pub fn filesystem(n: u64) -> String {
    let code = "global inodes: [i32; 32]\nglobal inode_locks: [i32; 32]
global busy: [i32; 26]\nglobal block_locks: [i32; 26]
fn worker(tid) {
  i = urem.i64 tid, 32
  il = addr inode_locks + i*4
  ip = addr inodes + i*4
  lock il
  v = load.i32 ip
  if v goto out
  b = mul.i64 i, 2
  b = urem.i64 b, 26
  n = 20
probe:
  bl = addr block_locks + b*4
  bp = addr busy + b*4
  lock bl
  v = load.i32 bp
  if v goto taken
  store.i32 bp, 1
  w = add.i64 b, 1
  store.i32 ip, w
  unlock bl
  goto out
taken:
  unlock bl
  b = add.i64 b, 1
  b = urem.i64 b, 26
  n = sub.i64 n, 1
  if n goto probe
out:
  unlock il
  return
}\n";
    code.to_string() + &threads((0..n).map(|tid| format!("worker({tid})")))
}
