//! Litmus tests made from cycles of relations, like diy's.
//!
//! [`edge`] is the vocabulary, [`cycle`] checks a cycle and finds the execution it describes, and the condition of a
//! test asks whether that execution exists: every read sees the value that the cycle gives it, and every location
//! that is written twice ends with the later value. With at most two writes to each location this determines the
//! execution, and [`enumerate`] makes no other cycles. A handwritten cycle may have more writes, and its condition
//! then leaves the order of the earlier ones open.
//!
//! ```
//! use atropos_litmus::ast::Dialect;
//! use atropos_litmus::generate::{Cycle, litmus};
//!
//! let cycle: Cycle = "PodWW Rel Rfe Acq PodRR Fre".parse().unwrap();
//! let test = litmus(&cycle, Dialect::C).unwrap();
//! assert_eq!(test.name, "MP+rlx-rel+acq-rlx");
//! assert_eq!(test.condition.unwrap().to_string(), "exists (1:r0=1 /\\ 1:r1=0)");
//! ```

mod c;
mod cycle;
mod edge;
mod enumerate;
mod name;
mod x86;

pub use cycle::Cycle;
pub use edge::{Annotation, Edge};
pub use enumerate::{CycleLimits, cycles};

use crate::ast::{Code, Dialect, Init, Litmus};
use crate::condition::{Condition, Constant, Observable, Prop, Quantifier};
use atropos_event::Span;
use cycle::CycleAccess;
use edge::Direction;

/// The test that asks for the execution that `cycle` describes.
///
/// # Errors
/// What the dialect cannot express.
pub fn litmus(cycle: &Cycle, dialect: Dialect) -> Result<Litmus, String> {
    let accesses = cycle.accesses();
    let locations: Vec<String> = (0..cycle.n_locations()).map(location_name).collect();
    let code = match dialect {
        Dialect::C => Code::C(c::threads(&accesses)),
        Dialect::X86 => Code::X86 { mode: crate::ast::x86::Mode::B32, threads: x86::threads(&accesses)? },
    };
    let init = locations.iter().map(|name| Init {
        ty: None,
        target: Observable::location(name),
        value: Constant::Int(0),
        span: Span::default(),
    });
    Ok(Litmus {
        name: name::name(cycle),
        doc: None,
        info: vec![("Cycle".to_owned(), cycle.to_string())],
        init: init.collect(),
        code,
        locations: Vec::new(),
        filter: None,
        condition: Some(Condition { quantifier: Quantifier::Exists, prop: condition(&accesses, dialect) }),
    })
}

/// `x`, `y`, `z`, then `a`, `b` and so on to `w`, then `x1`.
fn location_name(index: usize) -> String {
    const LETTERS: &[u8] = b"xyzabcdefghijklmnopqstuvw";
    let letter = char::from(LETTERS[index % LETTERS.len()]);
    match index / LETTERS.len() {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// The name of the register for the `n`th read of a thread.
fn register_name(n: usize, dialect: Dialect) -> String {
    match dialect {
        Dialect::C => format!("r{n}"),
        Dialect::X86 => x86::register(n).map_or_else(String::new, |register| register.to_string()),
    }
}

/// The accesses of each thread.
fn by_thread(accesses: &[CycleAccess]) -> impl Iterator<Item = &[CycleAccess]> {
    accesses.chunk_by(|left, right| left.thread == right.thread)
}

fn condition(accesses: &[CycleAccess], dialect: Dialect) -> Prop {
    let mut atoms = Vec::new();
    for thread in by_thread(accesses) {
        let reads = thread.iter().filter(|access| access.direction == Direction::R);
        for (n, read) in reads.enumerate() {
            let register = Observable::register(read.thread, register_name(n, dialect));
            atoms.push(Prop::equals(register, read.value));
        }
    }
    let n_locations = accesses.iter().map(|access| access.location + 1).max().unwrap_or(0);
    for location in 0..n_locations {
        let writes =
            accesses.iter().filter(|access| access.location == location && access.direction == Direction::W);
        let last = writes.map(|write| write.value).max().unwrap_or(0);
        if last > 1 {
            atoms.push(Prop::equals(Observable::location(location_name(location)), last));
        }
    }
    Prop::all(atoms)
}
