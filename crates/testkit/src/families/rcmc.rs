//! The programs of RCMC's tables [RCMC §6].

use super::threads;

/// [TruSt §6, RCMC §6]: thread `j` increments what `j-1` wrote; thread 0 searches for the last zero.
pub fn lastzero(n: u64) -> String {
    LASTZERO.replace("LENGTH", &(n + 1).to_string())
        + &threads([format!("reader({n})")].into_iter().chain((1..=n).map(|j| format!("writer({j})"))))
}

const LASTZERO: &str = "global a: [i32; LENGTH]
fn reader(i) {
again:
  p = addr a + i*4
  r = load.acq.i32 p
  i = sub.i64 i, 1
  if r goto again
  return
}
fn writer(j) {
  p = addr a + j*4
  q = sub.i64 p, 4
  v = load.acq.i32 q
  v = add.i32 v, 1
  store.rel.i32 p, v
  return
}\n";

/// [RCMC §6].
pub fn readers(n: u64) -> String {
    let code = "global x: i32
fn w() { store.rel.i32 x, 42; return }
fn r() { a = load.acq.i32 x; return }\n";
    code.to_string() + &threads(["w".into()].into_iter().chain((0..n).map(|_| "r".into())))
}

/// [RCMC §6]: N atomic increments of one variable.
pub fn ainc(n: u64) -> String {
    let code = "global x: i32\nfn inc() { a = rmw.add.rlx.i32 x, 1; return }\n";
    code.to_string() + &threads((0..n).map(|_| "inc".into()))
}

/// [RCMC §6]: N atomic increments of two variables.
pub fn binc(n: u64) -> String {
    let code = "global x: i32\nglobal y: i32
fn inc() { a = rmw.add.rlx.i32 x, 1; b = rmw.add.rlx.i32 y, 1; return }\n";
    code.to_string() + &threads((0..n).map(|_| "inc".into()))
}

/// [RCMC §6]: thread `i` replaces `i-1` by `i`.
pub fn casrot(n: u64) -> String {
    let code = "global x: i32
fn rot(i) { e = sub.i32 i, 1; a, ok = cas.rlx.rlx.i32 x, e, i; return }\n";
    code.to_string() + &threads((1..=n).map(|i| format!("rot({i})")))
}

/// [RCMC §6]: a compare-and-swap that may fail, then a store.
pub fn casw(n: u64) -> String {
    let code = "global x: i32
fn casw(i) { a, ok = cas.rlx.rlx.i32 x, 0, i; v = add.i32 i, 3; store.rel.i32 x, v; return }\n";
    code.to_string() + &threads((1..=n).map(|i| format!("casw({i})")))
}

/// [RCMC §6]: two threads add two variables to each other N times; a third reads the sums.
pub fn fib(n: u64) -> String {
    let (mut last, mut largest) = (1_u64, 1_u64);
    for _ in 0..2 * n {
        (last, largest) = (largest, last + largest);
    }
    let adder = |name: &str, target: &str| {
        format!(
            "fn {name}() {{
  i = {n}
again:
  a = load.acq.i32 x
  b = load.acq.i32 y
  s = add.i32 a, b
  store.rel.i32 {target}, s
  i = sub.i64 i, 1
  if i goto again
  return
}}\n"
        )
    };
    let check = format!(
        "fn check() {{
  a = load.acq.i32 x
  c = ugt.i32 a, {largest}
  if c goto wrong
  b = load.acq.i32 y
  c = ugt.i32 b, {largest}
  if c goto wrong
  return
wrong:
  assert 0, \"a sum is too large\"
  return
}}\n"
    );
    let globals = "global x: i32 = 1\nglobal y: i32 = 1\n";
    globals.to_string()
        + &adder("add_to_x", "x")
        + &adder("add_to_y", "y")
        + &check
        + &threads(["add_to_x".into(), "add_to_y".into(), "check".into()])
}

/// [RCMC §2.3].
pub fn corr2() -> String {
    let code = "global x: i32
fn w(v) { store.rlx.i32 x, v; return }
fn rr() { a = load.rlx.i32 x; b = load.rlx.i32 x; return }\n";
    code.to_string() + &threads(["w(1)", "w(2)", "rr", "rr"].map(String::from))
}
