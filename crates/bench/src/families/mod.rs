//! The parametric programs of the papers that need no C, as VM text.
//!
//! Each function returns the program of its family for one parameter, with the memory orders that the papers'
//! versions use. One file per paper.

mod rcmc;
mod rvf;
mod small;
mod tracer;
mod tracer_locks;
mod trust;

/// A family: its name and how to make a member of it.
pub struct Family {
    pub name: &'static str,
    pub program: fn(u64) -> String,
}

pub const FAMILIES: &[Family] = &[
    Family { name: "w+r", program: |_| small::w_r() },
    Family { name: "coww+r", program: |_| small::coww_r() },
    Family { name: "co2rrw", program: |_| small::co2rrw() },
    Family { name: "corr2", program: |_| small::corr2() },
    Family { name: "w+w+rr", program: |_| small::w_w_rr() },
    Family { name: "r+w+w", program: |_| small::r_w_w() },
    Family { name: "tracer-fig1a", program: |_| small::tracer_fig_1a() },
    Family { name: "tracer-fig7", program: |_| small::tracer_fig_7() },
    Family { name: "rvf-fig1", program: |_| small::rvf_fig_1() },
    Family { name: "n-writes", program: small::n_writes },
    Family { name: "readers", program: rcmc::readers },
    Family { name: "ainc", program: rcmc::ainc },
    Family { name: "binc", program: rcmc::binc },
    Family { name: "casrot", program: rcmc::casrot },
    Family { name: "casw", program: rcmc::casw },
    Family { name: "fib", program: rcmc::fib },
    Family { name: "lastzero", program: rcmc::lastzero },
    Family { name: "lastzero1", program: rcmc::lastzero_backwards },
    Family { name: "indexer-cas", program: rcmc::indexer },
    Family { name: "indexer", program: tracer::indexer },
    Family { name: "filesystem", program: tracer::filesystem },
    Family { name: "n_writers_a_reader", program: tracer::n_writers_a_reader },
    Family { name: "redundant_co", program: tracer::redundant_co },
    Family { name: "sigma", program: tracer::sigma },
    Family { name: "control_flow", program: tracer::control_flow },
    Family { name: "exponential_bug", program: tracer::exponential_bug },
    Family { name: "pthread_demo", program: tracer_locks::pthread_demo },
    Family { name: "stack_true", program: tracer_locks::stack_true },
    Family { name: "queue_ok", program: tracer_locks::queue_ok },
    Family { name: "ticket_mutex", program: tracer_locks::ticket_mutex },
    Family { name: "clh", program: tracer_locks::clh },
    Family { name: "mpsc", program: tracer_locks::mpsc },
    Family { name: "tidex", program: tracer_locks::tidex },
    Family { name: "barrier", program: tracer_locks::barrier },
    Family { name: "exp-mem", program: trust::exp_mem },
    Family { name: "exp-mem2", program: trust::exp_mem2 },
    Family { name: "seqlock-atomic", program: trust::seqlock_atomic },
    Family { name: "45_monabsex1", program: rvf::monabsex1 },
    Family { name: "13_unverif", program: rvf::unverif },
    Family { name: "reorder_5", program: rvf::reorder },
    Family { name: "singleton", program: rvf::singleton },
    Family { name: "pgsql", program: rvf::pgsql },
    Family { name: "approxds_append", program: rvf::approxds_append },
];

/// The family of that name.
pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

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

/// Threads without parameters, by their statements; `globals` goes before.
fn straight<'a>(globals: &str, bodies: impl IntoIterator<Item = &'a str>) -> String {
    let mut code = globals.to_string() + "\n";
    let mut calls = Vec::new();
    for (nth, body) in bodies.into_iter().enumerate() {
        code += &format!("fn thread_{nth}() {{ {body}; return }}\n");
        calls.push(format!("thread_{nth}"));
    }
    code + &threads(calls)
}
