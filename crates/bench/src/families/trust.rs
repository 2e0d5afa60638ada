//! The programs of TruSt's tables [TruSt §6].

use super::threads;
use std::fmt::Write;

/// [TruSt §2.3]: one increment of `x`, N of `y`, the last of which increments `x` too.
pub fn exp_mem(n: u64) -> String {
    let code = "global x: i32\nglobal y: i32
fn incx() { a = rmw.add.rlx.i32 x, 1; return }
fn incy() { a = rmw.add.rlx.i32 y, 1; return }
fn both() { a = rmw.add.rlx.i32 y, 1; b = rmw.add.rlx.i32 x, 1; return }\n";
    let calls = ["incx".to_string()].into_iter().chain((1..n).map(|_| "incy".into())).chain(["both".into()]);
    code.to_string() + &threads(calls)
}

/// The paper does not show its exp-mem2; this program has the printed counts.
pub fn exp_mem2(n: u64) -> String {
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

/// A sequence lock: one reader, three that read and then write, N-4 writers.
pub fn seqlock_atomic(n: u64) -> String {
    let read = "again:
  s = load.rlx.i32 seq
  odd = and.i32 s, 1
  if odd goto again
  fence.acqrel
  v = load.rlx.i32 data
  fence.acqrel
  t = load.sc.i32 seq
  c = eq.i32 s, t
  if not c goto again\n";
    let write = "  lock m
  s = load.rlx.i32 seq
  s = add.i32 s, 1
  store.rlx.i32 seq, s
  fence.acqrel
  store.rlx.i32 data, v
  fence.acqrel
  s = load.rlx.i32 seq
  s = add.i32 s, 1
  store.rlx.i32 seq, s
  unlock m\n";
    let calls = std::iter::once("reader").chain(["both"; 3]).chain((4..n).map(|_| "writer"));
    let (mut spawns, mut joins) = (String::new(), String::new());
    for (nth, call) in calls.enumerate() {
        let _ = writeln!(spawns, "  t{nth} = spawn {call}()");
        let _ = writeln!(joins, "  join t{nth}");
    }
    format!(
        "global seq: i32\nglobal data: i32\nglobal m: i32
fn reader() {{\n{read}  return\n}}
fn both() {{\n{read}  v = add.i32 v, 1\n{write}  return\n}}
fn writer() {{\n  v = 42\n{write}  return\n}}
fn main() {{\n{spawns}{joins}  return\n}}\n"
    )
}
