//! The parametric programs of the papers, as VM text, for tests that need no compiler.
//!
//! Each function returns the program of its family for one parameter, with the memory orders of the papers' versions.
//! There is one file per paper. The papers' tables use the C programs in `benchmarks/`.

mod rcmc;
mod tracer;

/// A family: its name and the function that makes its members.
struct Family {
    name: &'static str,
    program: fn(u64) -> String,
}

const FAMILIES: &[Family] = &[
    Family { name: "corr2", program: |_| rcmc::corr2() },
    Family { name: "readers", program: rcmc::readers },
    Family { name: "ainc", program: rcmc::ainc },
    Family { name: "binc", program: rcmc::binc },
    Family { name: "casrot", program: rcmc::casrot },
    Family { name: "casw", program: rcmc::casw },
    Family { name: "fib", program: rcmc::fib },
    Family { name: "lastzero", program: rcmc::lastzero },
    Family { name: "indexer", program: tracer::indexer },
    Family { name: "filesystem", program: tracer::filesystem },
    Family { name: "n_writers_a_reader", program: tracer::n_writers_a_reader },
    Family { name: "redundant_co", program: tracer::redundant_co },
    Family { name: "sigma", program: tracer::sigma },
    Family { name: "control_flow", program: tracer::control_flow },
    Family { name: "exponential_bug", program: tracer::exponential_bug },
];

/// Member `n` of the family with that name.
///
/// # Panics
/// There is no such family.
pub fn member(name: &str, n: u64) -> String {
    let family = FAMILIES.iter().find(|family| family.name == name);
    (family.expect("a family of that name").program)(n)
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
