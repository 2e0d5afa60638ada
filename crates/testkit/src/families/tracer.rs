//! Programs of the tables 2 to 5 of Tracer, without their assertions [Tracer §6].

use super::threads;

/// N writers of one variable, one reader.
pub fn n_writers_a_reader(n: u64) -> String {
    let code = "global x: i32
fn w(v) { store.rel.i32 x, v; return }
fn r() { a = load.acq.i32 x; return }\n";
    code.to_string() + &threads((1..=n).map(|i| format!("w({i})")).chain(["r".into()]))
}

/// Two threads write a variable N times each, a third reads it twice.
pub fn redundant_co(n: u64) -> String {
    let writes = "  store.rel.i32 x, 1\n".repeat(n as usize);
    let code = format!(
        "global x: i32
fn w() {{\n{writes}  return\n}}
fn rr() {{ a = load.acq.i32 x; b = load.acq.i32 x; return }}\n"
    );
    code + &threads(["w".into(), "w".into(), "rr".into()])
}

/// Each of N threads enters four numbers into a hash table of 128 slots, each with a lock.
pub fn indexer(n: u64) -> String {
    let code = "global table: [i32; 128]\nglobal locks: [i32; 128]
fn worker(tid) {
  m = 1
next:
  w = mul.i64 m, 11
  w = add.i64 w, tid
  h = mul.i64 w, 7
probe:
  h = urem.i64 h, 128
  l = addr locks + h*4
  s = addr table + h*4
  lock l
  v = load.i32 s
  if v goto taken
  store.i32 s, w
  unlock l
  m = add.i64 m, 1
  c = ule.i64 m, 4
  if c goto next
  return
taken:
  unlock l
  h = add.i64 h, 1
  goto probe
}\n";
    code.to_string() + &threads((0..n).map(|tid| format!("worker({tid})")))
}

/// Whether `x` is written depends on N writers of `y`; N threads read `x`.
pub fn control_flow(n: u64) -> String {
    let code = "global x: i32\nglobal y: i32\nglobal z: i32
fn rx() { a = load.acq.i32 x; return }
fn wy() { store.rel.i32 y, 1; return }
fn wz() { a = load.acq.i32 y; if a goto end; store.rel.i32 z, 1; end: return }
fn wx() { a = load.acq.i32 z; if not a goto end; b = load.acq.i32 y; if b goto end; store.rel.i32 x, 1; end: return }\n";
    let calls = (0..n).map(|_| "rx".to_string()).chain((0..n).map(|_| "wy".to_string()));
    code.to_string() + &threads(calls.chain(["wz".into(), "wx".into()]))
}

/// N threads assign blocks to inodes. There are 32 inodes and 26 blocks, each with a lock.
pub fn filesystem(n: u64) -> String {
    let code = "global inodes: [i32; 32]\nglobal inode_locks: [i32; 32]
global busy: [i32; 26]\nglobal block_locks: [i32; 26]
fn worker(tid) {
  i = urem.i64 tid, 32
  il = addr inode_locks + i*4
  ip = addr inodes + i*4
  lock il
  v = load.i32 ip
  if v goto end
  b = mul.i64 i, 2
  tries = 20
probe:
  b = urem.i64 b, 26
  bl = addr block_locks + b*4
  bp = addr busy + b*4
  b = add.i64 b, 1
  lock bl
  v = load.i32 bp
  if v goto taken
  store.i32 bp, 1
  store.i32 ip, b
  unlock bl
end:
  unlock il
  return
taken:
  unlock bl
  tries = sub.i64 tries, 1
  if tries goto probe
  goto end
}\n";
    code.to_string() + &threads((0..n).map(|tid| format!("worker({tid})")))
}

/// Main hands out indices while the threads use them: two may write the same slot.
pub fn sigma(n: u64) -> String {
    let create = |i: u64| {
        format!("  v = load.acq.i32 index; v = add.i32 v, 1; store.rel.i32 index, v; t{i} = spawn worker()\n")
    };
    let creations: String = (0..n).map(create).collect();
    let joins: String = (0..n).map(|i| format!("  join t{i}\n")).collect();
    format!(
        "global a: [i32; {n}]\nglobal index: i32 = -1
fn worker() {{ k = load.acq.i32 index; p = addr a + k*4; store.rel.i32 p, 1; return }}
fn main() {{\n{creations}{joins}  return\n}}\n"
    )
}

/// A lock that protects only some accesses of `x` and `y`.
pub fn exponential_bug(n: u64) -> String {
    let writes = "  store.rel.i32 y, 1\n".repeat(n as usize);
    let twice =
        |body: &str| format!("  i = 2\nagain:\n{body}  i = sub.i64 i, 1\n  if i goto again\n  return\n");
    let first = twice(&format!("  lock m\n  store.rel.i32 x, 1\n{writes}  unlock m\n"));
    let second = twice(
        "  lock m\n  store.rel.i32 x, 0\n  unlock m
  a = load.acq.i32 x
  if not a goto next
  v = load.acq.i32 y
  v = add.i32 v, 1
  store.rel.i32 y, v
  store.rel.i32 x, 2
next:\n",
    );
    let third = twice(
        "  a = load.acq.i32 x
  c = ugt.i32 a, 1
  if not c goto next
  b = load.acq.i32 y
  c = eq.i32 b, 3
  if c goto end
  store.rel.i32 y, 2
next:\n",
    );
    format!(
        "global x: i32\nglobal y: i32\nglobal m: i32
fn first() {{\n{first}}}\nfn second() {{\n{second}}}\nfn third() {{\n{third}end:\n  return\n}}\n"
    ) + &threads(["first".into(), "second".into(), "third".into()])
}
