//! The parametric programs of the papers that need no C, as VM text.
//!
//! Each function returns the program of its family for one parameter, with the memory orders that the papers'
//! versions use.

use std::fmt::Write;

/// A family: its name and how to make a member of it.
pub struct Family {
    pub name: &'static str,
    pub program: fn(u64) -> String,
}

pub const FAMILIES: &[Family] = &[
    Family { name: "w+w+rr", program: |_| w_w_rr() },
    Family { name: "r+w+w", program: |_| r_w_w() },
    Family { name: "corr2", program: |_| corr2() },
    Family { name: "n_writers_a_reader", program: n_writers_a_reader },
    Family { name: "redundant_co", program: redundant_co },
    Family { name: "lastzero", program: lastzero },
    Family { name: "readers", program: readers },
    Family { name: "ainc", program: ainc },
    Family { name: "binc", program: binc },
    Family { name: "casrot", program: casrot },
    Family { name: "casw", program: casw },
    Family { name: "fib", program: fib },
    Family { name: "exp-mem", program: exp_mem },
    Family { name: "exp-mem2", program: exp_mem2 },
    Family { name: "indexer", program: indexer },
    Family { name: "control_flow", program: control_flow },
];

/// The main function: it creates the threads and does not wait for them.
fn threads(calls: impl IntoIterator<Item = String>) -> String {
    let spawns: String = calls
        .into_iter()
        .map(|call| {
            let call = if call.ends_with(')') { call } else { call + "()" };
            format!("  t = spawn {call}\n")
        })
        .collect();
    format!("fn main() {{\n{spawns}  return\n}}\n")
}

/// [TruSt §2.1].
fn w_w_rr() -> String {
    let code = "global x: i32\nglobal y: i32
fn wx() { store.rel.i32 x, 1; return }
fn wy() { store.rel.i32 y, 1; return }
fn rr() { a = load.acq.i32 x; b = load.acq.i32 y; return }\n";
    code.to_string() + &threads(["wx".into(), "wy".into(), "rr".into()])
}

/// [TruSt §3.5].
fn r_w_w() -> String {
    let code = "global x: i32
fn w(v) { store.rel.i32 x, v; return }
fn r() { a = load.acq.i32 x; return }\n";
    code.to_string() + &threads(["r".into(), "w(1)".into(), "w(2)".into()])
}

/// [RCMC §2.3].
fn corr2() -> String {
    let code = "global x: i32
fn w(v) { store.rlx.i32 x, v; return }
fn rr() { a = load.rlx.i32 x; b = load.rlx.i32 x; return }\n";
    code.to_string() + &threads(["w(1)".into(), "w(2)".into(), "rr".into(), "rr".into()])
}

/// [Tracer §6.2]: N writers of one variable, one reader.
fn n_writers_a_reader(n: u64) -> String {
    let code = "global x: i32
fn w(v) { store.rel.i32 x, v; return }
fn r() { a = load.acq.i32 x; return }\n";
    code.to_string() + &threads((1..=n).map(|i| format!("w({i})")).chain(["r".into()]))
}

/// [Tracer §6.2]: two threads write a variable N times each, a third reads it twice.
fn redundant_co(n: u64) -> String {
    let writes = "  store.rel.i32 x, 1\n".repeat(n as usize);
    let code = format!(
        "global x: i32
fn w() {{\n{writes}  return\n}}
fn rr() {{ a = load.acq.i32 x; b = load.acq.i32 x; return }}\n"
    );
    code + &threads(["w".into(), "w".into(), "rr".into()])
}

/// [TruSt §6, RCMC §6]: thread `j` increments what `j-1` wrote; thread 0 looks for the last zero.
fn lastzero(n: u64) -> String {
    let code = format!(
        "global a: [i32; {}]
fn reader(i) {{
again:
  p = addr a + i*4
  r = load.acq.i32 p
  i = sub.i64 i, 1
  if r goto again
  return
}}
fn writer(j) {{
  p = addr a + j*4
  q = sub.i64 p, 4
  v = load.acq.i32 q
  v = add.i32 v, 1
  store.rel.i32 p, v
  return
}}\n",
        n + 1
    );
    code + &threads([format!("reader({n})")].into_iter().chain((1..=n).map(|j| format!("writer({j})"))))
}

/// [RCMC §6].
fn readers(n: u64) -> String {
    let code = "global x: i32
fn w() { store.rel.i32 x, 42; return }
fn r() { a = load.acq.i32 x; return }\n";
    code.to_string() + &threads(["w".into()].into_iter().chain((0..n).map(|_| "r".into())))
}

/// [RCMC §6]: N atomic increments of one variable.
fn ainc(n: u64) -> String {
    let code = "global x: i32\nfn inc() { a = rmw.add.rlx.i32 x, 1; return }\n";
    code.to_string() + &threads((0..n).map(|_| "inc".into()))
}

/// [RCMC §6]: N atomic increments of two variables.
fn binc(n: u64) -> String {
    let code = "global x: i32\nglobal y: i32
fn inc() { a = rmw.add.rlx.i32 x, 1; b = rmw.add.rlx.i32 y, 1; return }\n";
    code.to_string() + &threads((0..n).map(|_| "inc".into()))
}

/// [RCMC §6]: thread `i` replaces `i-1` by `i`.
fn casrot(n: u64) -> String {
    let code = "global x: i32
fn rot(i) { e = sub.i32 i, 1; a, ok = cas.rlx.rlx.i32 x, e, i; return }\n";
    code.to_string() + &threads((1..=n).map(|i| format!("rot({i})")))
}

/// [RCMC §6]: a compare-and-swap that may fail, then a store.
fn casw(n: u64) -> String {
    let code = "global x: i32
fn casw(i) { a, ok = cas.rlx.rlx.i32 x, 0, i; v = add.i32 i, 3; store.rel.i32 x, v; return }\n";
    code.to_string() + &threads((1..=n).map(|i| format!("casw({i})")))
}

/// [RCMC §6]: two threads add two variables to each other N times; a third looks at the sums.
fn fib(n: u64) -> String {
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

/// [TruSt §2.3]: one increment of `x`, N of `y`, the last of which increments `x` too.
fn exp_mem(n: u64) -> String {
    let code = "global x: i32\nglobal y: i32
fn incx() { a = rmw.add.rlx.i32 x, 1; return }
fn incy() { a = rmw.add.rlx.i32 y, 1; return }
fn both() { a = rmw.add.rlx.i32 y, 1; b = rmw.add.rlx.i32 x, 1; return }\n";
    let calls = ["incx".to_string()].into_iter().chain((1..n).map(|_| "incy".into())).chain(["both".into()]);
    code.to_string() + &threads(calls)
}

/// Two copies of: a write of `x`, N writes of `y`, and a thread that writes `x` if it sees the first of them.
/// The paper does not show its exp-mem2; this program has the printed counts.
fn exp_mem2(n: u64) -> String {
    let mut code = String::new();
    let mut calls = Vec::new();
    for copy in ["p", "q"] {
        let _ = write!(
            code,
            "global {copy}x: i32\nglobal {copy}y: i32
fn {copy}_first() {{ store.rlx.i32 {copy}x, 1; return }}
fn {copy}_write(v) {{ store.rlx.i32 {copy}y, v; return }}
fn {copy}_second() {{
  r = load.rlx.i32 {copy}y
  c = eq.i32 r, 1
  if not c goto end
  store.rlx.i32 {copy}x, 2
end:
  return
}}\n"
        );
        calls.push(format!("{copy}_first"));
        calls.extend((1..=n).map(|i| format!("{copy}_write({i})")));
        calls.push(format!("{copy}_second"));
    }
    code + &threads(calls)
}

/// [Tracer §6.2]: N threads enter four numbers each into a hash table of 128 slots with a lock each.
fn indexer(n: u64) -> String {
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

/// [Tracer §6.2]: whether `x` is written depends on N writers of `y`; N threads read `x`.
fn control_flow(n: u64) -> String {
    let code = "global x: i32\nglobal y: i32\nglobal z: i32
fn rx() { a = load.acq.i32 x; return }
fn wy() { store.rel.i32 y, 1; return }
fn wz() { a = load.acq.i32 y; if a goto end; store.rel.i32 z, 1; end: return }
fn wx() { a = load.acq.i32 z; if not a goto end; b = load.acq.i32 y; if b goto end; store.rel.i32 x, 1; end: return }\n";
    let calls = (0..n).map(|_| "rx".to_string()).chain((0..n).map(|_| "wy".to_string()));
    code.to_string() + &threads(calls.chain(["wz".into(), "wx".into()]))
}
