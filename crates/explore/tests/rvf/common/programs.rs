//! The programs of the paper, as VM text.

use atropos_vm::{Config, Vm, text};

pub fn machine(text: &str) -> Vm {
    let module = text::parse("test.vm", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    Vm::new(module, Config::default()).expect("a well-formed program")
}

/// A main function that spawns these calls and joins them.
fn threads(calls: impl IntoIterator<Item = String>) -> String {
    format!("threads {}\n", calls.into_iter().collect::<Vec<_>>().join(", "))
}

/// [RVF-SMC Fig. 1].
pub fn figure_1() -> String {
    let code = "global x: i32\nglobal y: i32
fn one() { store.sc.i32 x, 1; store.sc.i32 y, 1; return }
fn two() { store.sc.i32 x, 1; store.sc.i32 y, 1; a = load.sc.i32 x; return }
fn three() { store.sc.i32 x, 1; store.sc.i32 y, 1; a = load.sc.i32 y; return }\n";
    code.to_string() + "threads one(), two(), three()\n"
}

/// [RVF-SMC Fig. 6], with its threads in this order or the other.
pub fn figure_6(order: [&str; 2]) -> String {
    let code = "global x: i32\nglobal y: i32
fn one() { store.sc.i32 x, 1; a = load.sc.i32 x; store.sc.i32 y, 1; return }
fn two() { store.sc.i32 x, 1; store.sc.i32 y, 1; a = load.sc.i32 y; store.sc.i32 x, 2; return }\n";
    code.to_string() + &threads(order.map(|name| format!("{name}()")))
}

/// 45_monabsex1: U threads write the same value and read it.
pub fn monabsex(u: u64) -> String {
    let code = "global s: i32
fn work() { store.sc.i32 s, 4; a = load.sc.i32 s; c = eq.i32 a, 4; assert c, \"another value\"; return }\n";
    code.to_string() + &threads((0..u).map(|_| "work()".into()))
}

/// reorder_5: U threads set two variables, one checks them in the other order.
pub fn reorder(u: u64) -> String {
    let code = "global a: i32\nglobal b: i32
fn set() { store.sc.i32 a, 1; store.sc.i32 b, -1; return }
fn check() {
  v = load.sc.i32 a
  if v goto second
  w = load.sc.i32 b
  if not w goto end
second:
  v = load.sc.i32 a
  c = eq.i32 v, 1
  if not c goto wrong
  w = load.sc.i32 b
  c = eq.i32 w, -1
  if not c goto wrong
end:
  return
wrong:
  return
}\n";
    code.to_string() + &threads((0..u).map(|_| "set()".into()).chain(["check()".into()]))
}

/// singleton: U threads write a cell, one of them another value; main reads it after joining them.
pub fn singleton(u: u64) -> String {
    let mut code = String::from("global cell: i32\nfn w(v) { store.sc.i32 cell, v; return }\nfn main() {\n");
    (0..u).for_each(|i| {
        code += &format!("  t{i} = spawn w({})\n", if i == 0 { 'Y' as u32 } else { 'X' as u32 })
    });
    (0..u).for_each(|i| code += &format!("  join t{i}\n"));
    code + "  a = load.sc.i32 cell\n  return\n}\n"
}

/// 13_unverif: U threads count under a lock; a thread that sees 1 continues without it.
pub fn unverif(u: u64) -> String {
    let code = format!(
        "global m: i32\nglobal r: i32\nglobal s: i32
fn work() {{
  lock m
  a = load.sc.i32 r
  a = add.i32 a, 1
  store.sc.i32 r, a
  unlock m
  a = load.sc.i32 r
  c = eq.i32 a, 1
  if not c goto end
  l = 0
  i = {u}
again:
  v = load.sc.i32 s
  v = add.i32 v, 1
  store.sc.i32 s, v
  l = add.i32 l, 1
  w = load.sc.i32 s
  c = eq.i32 w, l
  assert c, \"another count\"
  i = sub.i64 i, 1
  if i goto again
end:
  return
}}\n"
    );
    code + &threads((0..u).map(|_| "work()".into()))
}

/// pgsql: two workers pass a token, U rounds each; waiting is some tests of the own latch, then one that decides.
pub fn pgsql(u: u64) -> String {
    let code = format!(
        "global latch: [i32; 2] = {{ 1, 0 }}\nglobal flag: [i32; 2] = {{ 1, 0 }}
fn work(me) {{
  other = sub.i64 1, me
  l = addr latch + me*4
  f = addr flag + me*4
  lo = addr latch + other*4
  fo = addr flag + other*4
  i = {u}
round:
  if not i goto end
  i = sub.i64 i, 1
  j = 0
wait:
  a = load.sc.i32 l
  if a goto last
  c = ult.i64 j, {u}
  if not c goto last
  j = add.i64 j, 1
  goto wait
last:
  a = load.sc.i32 l
  if not a goto end
  a = load.sc.i32 l
  if not a goto passed
  b = load.sc.i32 f
  assert b, \"a latch without its flag\"
passed:
  store.sc.i32 l, 0
  b = load.sc.i32 f
  if not b goto round
  store.sc.i32 f, 0
  store.sc.i32 fo, 1
  store.sc.i32 lo, 1
  goto round
end:
  return
}}\n"
    );
    code + &threads((0..2).map(|me| format!("work({me})")))
}

/// approxds_append: U threads append to a list of U-2 slots without atomicity; main joins them and pops.
pub fn approxds(u: u64) -> String {
    let n = u - 2;
    let mut code = format!(
        "global next: i64\nglobal slot: [i32; {n}]
fn append(id) {{
  i = load.sc.i64 next
  c = ult.i64 i, {n}
  if not c goto end
  p = addr slot + i*4
  store.sc.i32 p, id
  i = add.i64 i, 1
  store.sc.i64 next, i
end:
  return
}}
fn main() {{\n"
    );
    (0..u).for_each(|i| code += &format!("  t{i} = spawn append({i})\n"));
    (0..u).for_each(|i| code += &format!("  join t{i}\n"));
    code + "pop:
  i = load.sc.i64 next
  if not i goto end
  k = sub.i64 i, 1
again:
  p = addr slot + k*4
  v = load.sc.i32 p
  j = load.sc.i64 next
  c = eq.i64 i, j
  if not c goto again
  store.sc.i64 next, k
  goto pop
end:
  return
}\n"
}
