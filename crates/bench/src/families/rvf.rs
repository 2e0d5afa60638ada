//! Programs of RVF-SMC's tables that are determined [RVF-SMC §6]; every access is sequentially consistent.

use super::threads;

/// N threads write the same value and look at it.
pub fn monabsex1(n: u64) -> String {
    let code = "global s: i32\nfn worker() { store.sc.i32 s, 4; v = load.sc.i32 s; return }\n";
    code.to_string() + &threads((0..n).map(|_| "worker".into()))
}

/// N threads count in a lock; the one that sees 1 counts on its own, N times.
pub fn unverif(n: u64) -> String {
    let code = format!(
        "global r: i32\nglobal s: i32\nglobal m: i32
fn worker() {{
  lock m
  v = load.sc.i32 r
  v = add.i32 v, 1
  store.sc.i32 r, v
  unlock m
  v = load.sc.i32 r
  c = eq.i32 v, 1
  if not c goto end
  i = {n}
again:
  v = load.sc.i32 s
  v = add.i32 v, 1
  store.sc.i32 s, v
  v = load.sc.i32 s
  i = sub.i64 i, 1
  if i goto again
end:
  return
}}\n"
    );
    code + &threads((0..n).map(|_| "worker".into()))
}

/// N threads write two variables, one looks whether it sees both or none.
pub fn reorder(n: u64) -> String {
    let code = "global a: i32\nglobal b: i32
fn setter() { store.sc.i32 a, 1; store.sc.i32 b, -1; return }
fn checker() {
  v = load.sc.i32 a
  if v goto second
  v = load.sc.i32 b
  if not v goto end
second:
  v = load.sc.i32 a
  c = eq.i32 v, 1
  if not c goto end
  v = load.sc.i32 b
end:
  return
}\n";
    code.to_string() + &threads((0..n).map(|_| "setter".into()).chain(["checker".into()]))
}

/// N writers of one cell; main waits for them and reads it.
pub fn singleton(n: u64) -> String {
    let spawns: String = (0..n).map(|i| format!("  t{i} = spawn writer({})\n", u64::from(i == 0))).collect();
    let joins: String = (0..n).map(|i| format!("  join t{i}\n")).collect();
    format!(
        "global cell: i32
fn writer(v) {{ store.sc.i32 cell, v; return }}
fn main() {{\n{spawns}{joins}  v = load.sc.i32 cell\n  return\n}}\n"
    )
}

/// Two workers pass a latch to each other in N rounds; each waits by looking up to N times.
pub fn pgsql(n: u64) -> String {
    let worker = |mine: u64, theirs: u64| {
        format!(
            "fn worker{mine}() {{
  round = {n}
rounds:
  j = {n}
wait:
  v = load.sc.i32 latch{mine}
  if v goto waited
  if not j goto waited
  j = sub.i64 j, 1
  goto wait
waited:
  v = load.sc.i32 latch{mine}
  if not v goto end
  v = load.sc.i32 latch{mine}
  if not v goto checked
  v = load.sc.i32 flag{mine}
checked:
  store.sc.i32 latch{mine}, 0
  v = load.sc.i32 flag{mine}
  if not v goto next
  store.sc.i32 flag{mine}, 0
  store.sc.i32 flag{theirs}, 1
  store.sc.i32 latch{theirs}, 1
next:
  round = sub.i64 round, 1
  if round goto rounds
end:
  return
}}\n"
        )
    };
    let globals = "global latch1: i32 = 1\nglobal flag1: i32 = 1\nglobal latch2: i32\nglobal flag2: i32\n";
    globals.to_string() + &worker(1, 2) + &worker(2, 1) + &threads(["worker1".into(), "worker2".into()])
}

/// N threads append to a list of N-2 slots without a lock; main waits for them and takes everything out.
pub fn approxds_append(n: u64) -> String {
    let size = n - 2;
    let spawns: String = (0..n).map(|i| format!("  t{i} = spawn append({i})\n")).collect();
    let joins: String = (0..n).map(|i| format!("  join t{i}\n")).collect();
    format!(
        "global slots: [i32; {size}]\nglobal next: i32
fn append(id) {{
  i = load.sc.i32 next
  c = ult.i32 i, {size}
  if not c goto end
  p = addr slots + i*4
  store.sc.i32 p, id
  i = add.i32 i, 1
  store.sc.i32 next, i
end:
  return
}}
fn main() {{
{spawns}{joins}pop:
  i = load.sc.i32 next
  if not i goto end
  i = sub.i32 i, 1
  p = addr slots + i*4
again:
  v = load.sc.i32 p
  k = load.sc.i32 next
  k = sub.i32 k, 1
  c = eq.i32 k, i
  if not c goto again
  store.sc.i32 next, i
  goto pop
end:
  return
}}\n"
    )
}
