//! Programs of Tracer's tables that are about locks and queues [Tracer §6].
//!
//! Waiting loops are bounded in the source, and a thread whose bound is used up ends. What the threads do in their
//! critical sections is left out where the paper removed the assertion that needed it.

use super::threads;

/// Two threads, N increments each in a lock.
pub fn pthread_demo(n: u64) -> String {
    let code = format!(
        "global g: i32\nglobal m: i32
fn worker() {{
  i = {n}
again:
  lock m
  v = load.i32 g
  v = add.i32 v, 1
  store.i32 g, v
  unlock m
  i = sub.i64 i, 1
  if i goto again
  return
}}\n"
    );
    code + &threads(["worker".into(), "worker".into()])
}

/// One thread pushes N times, one pops N times if there is something.
pub fn stack_true(n: u64) -> String {
    let code = format!(
        "global stack: [i32; {n}]\nglobal top: i32\nglobal m: i32
fn push() {{
  i = {n}
again:
  lock m
  t = load.i32 top
  p = addr stack + t*4
  store.i32 p, 1
  t = add.i32 t, 1
  store.i32 top, t
  unlock m
  i = sub.i64 i, 1
  if i goto again
  return
}}
fn pop() {{
  i = {n}
again:
  lock m
  t = load.i32 top
  if not t goto next
  t = sub.i32 t, 1
  store.i32 top, t
  p = addr stack + t*4
  v = load.i32 p
next:
  unlock m
  i = sub.i64 i, 1
  if i goto again
  return
}}\n"
    );
    code + &threads(["push".into(), "pop".into()])
}

/// N threads take one lock each once and fill or empty a queue of 12 entries there.
pub fn queue_ok(n: u64) -> String {
    let side = |name: &str, mine: &str, theirs: &str, access: &str| {
        format!(
            "fn {name}() {{
  lock m
  f = load.i32 {mine}
  if not f goto end
  i = 0
again:
  p = addr queue + i*4
  {access}
  i = add.i64 i, 1
  c = ult.i64 i, 12
  if c goto again
  store.i32 {mine}, 0
  store.i32 {theirs}, 1
end:
  unlock m
  return
}}\n"
        )
    };
    let globals = "global queue: [i32; 12]\nglobal may_fill: i32 = 1\nglobal may_empty: i32\nglobal m: i32\n";
    let calls = (0..n).map(|nth| if nth % 2 == 0 { "fill".to_string() } else { "empty".to_string() });
    globals.to_string()
        + &side("fill", "may_fill", "may_empty", "store.i32 p, i")
        + &side("empty", "may_empty", "may_fill", "v = load.i32 p")
        + &threads(calls)
}

/// Three threads draw a ticket and wait up to N times.
pub fn ticket_mutex(n: u64) -> String {
    let code = format!(
        "global ingress: i32\nglobal egress: i32
fn worker() {{
  k = rmw.add.acqrel.i32 ingress, 1
  i = {n}
wait:
  e = load.acq.i32 egress
  c = eq.i32 e, k
  if c goto enter
  i = sub.i64 i, 1
  if i goto wait
  return
enter:
  e = load.acq.i32 egress
  e = add.i32 e, 1
  store.rel.i32 egress, e
  return
}}\n"
    );
    code + &threads((0..3).map(|_| "worker".into()))
}

/// Three threads queue up and watch the flag of the one before them, up to N times.
pub fn clh(n: u64) -> String {
    let code = format!(
        "global flags: [i32; 4]\nglobal tail: i32
fn worker(id) {{
  mine = addr flags + id*4
  store.rel.i32 mine, 1
  p = rmw.xchg.acqrel.i32 tail, id
  theirs = addr flags + p*4
  i = {n}
  v = load.acq.i32 theirs
wait:
  if not v goto enter
  v = load.acq.i32 theirs
  i = sub.i64 i, 1
  if i goto wait
  return
enter:
  store.rel.i32 mine, 0
  return
}}\n"
    );
    code + &threads((1..=3).map(|id| format!("worker({id})")))
}

/// Three threads append themselves to a list and wait to be at its head, up to N times.
pub fn mpsc(n: u64) -> String {
    let code = format!(
        "global next: [i32; 4]\nglobal head: i32\nglobal tail: i32
fn worker(id) {{
  p = rmw.xchg.acqrel.i32 tail, id
  before = addr next + p*4
  store.rel.i32 before, id
  i = {n}
  h = load.acq.i32 head
wait:
  c = eq.i32 h, p
  if c goto enter
  h = load.acq.i32 head
  i = sub.i64 i, 1
  if i goto wait
  return
enter:
  q = load.acq.i32 head
  mine = addr next + q*4
  m = load.acq.i32 mine
  if not m goto end
  store.rel.i32 head, m
end:
  return
}}\n"
    );
    code + &threads((1..=3).map(|id| format!("worker({id})")))
}

/// Three threads, numbered from 0, exchange their number and wait for the one before, up to N times.
pub fn tidex(n: u64) -> String {
    let code = format!(
        "global ingress: i32\nglobal egress: i32
fn worker(me) {{
  e = load.acq.i32 egress
  c = eq.i32 e, me
  if not c goto draw
  me = sub.i32 0, me
draw:
  p = rmw.xchg.acqrel.i32 ingress, me
  i = {n}
wait:
  e = load.acq.i32 egress
  c = eq.i32 e, p
  if c goto enter
  i = sub.i64 i, 1
  if i goto wait
  return
enter:
  store.rel.i32 egress, me
  return
}}\n"
    );
    code + &threads((0..3).map(|id| format!("worker({id})")))
}

/// A barrier for one writer and three readers, who look up to N times.
pub fn barrier(n: u64) -> String {
    let code = format!(
        "global step: i32\nglobal waiting: i32\nglobal var: i32
fn wait() {{
  s = load.acq.i32 step
  k = rmw.add.acqrel.i32 waiting, 1
  c = eq.i32 k, 3
  if c goto last
  i = {n}
again:
  t = load.acq.i32 step
  c = ne.i32 t, s
  if c goto passed
  i = sub.i64 i, 1
  if i goto again
  return 0
last:
  store.rel.i32 waiting, 0
  k = rmw.add.acqrel.i32 step, 1
passed:
  return 1
}}
fn writer() {{ store.rel.i32 var, 1; ok = call wait(); return }}
fn reader() {{ ok = call wait(); if not ok goto end; v = load.acq.i32 var; end: return }}\n"
    );
    code + &threads(["writer".into(), "reader".into(), "reader".into(), "reader".into()])
}
