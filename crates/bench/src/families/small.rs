//! The small programs of the papers' running texts.

use super::{straight, threads};

const X: &str = "global x: i32";
const X_AND_Y: &str = "global x: i32\nglobal y: i32";

/// [RCMC §2.1].
pub fn w_r() -> String {
    straight(X, ["store.rlx.i32 x, 1", "a = load.rlx.i32 x"])
}

/// [RCMC §2.1].
pub fn coww_r() -> String {
    straight(X, ["store.rlx.i32 x, 1; store.rlx.i32 x, 2", "a = load.rlx.i32 x"])
}

/// [RCMC §2.2].
pub fn co2rrw() -> String {
    straight(X, ["a = load.rlx.i32 x; b = load.rlx.i32 x", "a = load.rlx.i32 x", "store.rlx.i32 x, 1"])
}

/// [RCMC §2.3].
pub fn corr2() -> String {
    let reads = "a = load.rlx.i32 x; b = load.rlx.i32 x";
    straight(X, ["store.rlx.i32 x, 1", "store.rlx.i32 x, 2", reads, reads])
}

/// [TruSt §2.1].
pub fn w_w_rr() -> String {
    let reads = "a = load.acq.i32 x; b = load.acq.i32 y";
    straight(X_AND_Y, ["store.rel.i32 x, 1", "store.rel.i32 y, 1", reads])
}

/// [TruSt §3.5].
pub fn r_w_w() -> String {
    straight(X, ["a = load.acq.i32 x", "store.rel.i32 x, 1", "store.rel.i32 x, 2"])
}

/// [Tracer §1].
pub fn tracer_fig_1a() -> String {
    straight(X, ["store.rel.i32 x, 1; a = load.acq.i32 x", "store.rel.i32 x, 2; a = load.acq.i32 x"])
}

/// [Tracer §5.3].
pub fn tracer_fig_7() -> String {
    let write = |value| format!("a = load.acq.i32 y; store.rel.i32 x, {value}");
    straight(X_AND_Y, ["a = load.acq.i32 x", "store.rel.i32 x, 2", &write(3), &write(4)])
}

/// [RVF-SMC §1].
pub fn rvf_fig_1() -> String {
    let writes = "store.sc.i32 x, 1; store.sc.i32 y, 1";
    let then_read = |of| format!("{writes}; a = load.sc.i32 {of}");
    straight(X_AND_Y, [writes, &then_read("x"), &then_read("y")])
}

/// [RCMC §5]: N writers of one variable.
pub fn n_writes(n: u64) -> String {
    let code = "global x: i32\nfn w(v) { store.rlx.i32 x, v; return }\n";
    code.to_string() + &threads((1..=n).map(|i| format!("w({i})")))
}
