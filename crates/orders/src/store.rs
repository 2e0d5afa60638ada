//! What is known about programs, as text that a later search can read.
//!
//! Facts hold for the content of the programs, apart from the orders themselves: a search about the same code with other
//! orders, or for another purpose, uses them, too. A violation is kept as its execution and the orders that it was found
//! with; reading it runs the execution again, and forgets it if it is not wrong any more.

use crate::programs::{Driver, KnownViolation, Programs, check_of};
use crate::question::KnownFacts;
use crate::sites::Orders;
use crate::strength::{Assignment, OrderKind, Strength};
use atropos_check::{Check, Finds, Settings};
use atropos_explore::Control;
use atropos_explore::catalogue::Equivalence;
use atropos_graph::Canonical;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};
use std::sync::Arc;

#[derive(Serialize, Deserialize)]
struct StoredFacts {
    bounded: bool,
    verified: Vec<String>,
    violations: Vec<StoredViolation>,
    blocks: Vec<StoredBlock>,
}

#[derive(Serialize, Deserialize)]
struct StoredViolation {
    program: usize,
    at: String,
    execution: String,
}

#[derive(Serialize, Deserialize)]
struct StoredBlock {
    within: String,
    violation: usize,
}

/// A name for everything that facts depend on: the code of the programs, which of it has orders, and how it is checked.
pub fn key(drivers: &[Driver], orders: &Orders, settings: &Settings<'_>, tool: &str) -> String {
    let mut hash = Hasher(Sha256::new());
    let weakest = Assignment(vec![Strength::NONE; orders.all.len()]);
    let written = (|| {
        let Settings { method, config, needs_exact_sizes, .. } = settings;
        write!(hash, "{tool} {method:?} {} {needs_exact_sizes}", config.detect_races)?;
        for (program, driver) in drivers.iter().enumerate() {
            let module = orders.apply(&driver.module, program, &weakest);
            write!(hash, "{:?} {:?}", driver.machine, module.globals)?;
            for function in &module.functions {
                let body = function.body.iter().map(|statement| &statement.instr);
                write!(hash, "{} {:?} {:?}", function.name, function.slots, function.targets)?;
                body.into_iter().try_for_each(|instr| write!(hash, "{instr:?}"))?;
            }
        }
        orders.all.iter().try_for_each(|order| write!(hash, "{:?} {}", order.kind, order.positions_text()))
    })();
    written.expect("hashing does not fail");
    hash.0.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

struct Hasher(Sha256);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// The text of these facts.
pub fn write(facts: &KnownFacts, bounded: bool) -> String {
    let mut known: Vec<&Arc<KnownViolation>> = Vec::new();
    let mut blocks = Vec::new();
    for (block, violation) in &facts.blocks {
        let number = known.iter().position(|other| Arc::ptr_eq(other, violation)).unwrap_or_else(|| {
            known.push(violation);
            known.len() - 1
        });
        blocks.push(StoredBlock { within: spelled(block), violation: number });
    }
    let violations = known.iter().map(|known| {
        let KnownViolation { program, at, witness, .. } = known.as_ref();
        let execution = Canonical::of(&witness.graph, |thread| witness.key(thread), witness.tracks_co);
        StoredViolation { program: *program, at: spelled(at), execution: execution.to_string() }
    });
    let violations = violations.collect();
    let verified = facts.verified.iter().map(spelled).collect();
    let stored = StoredFacts { bounded, verified, violations, blocks };
    serde_json::to_string_pretty(&stored).expect("strings and numbers only")
}

/// The facts of a text, and whether a bound has limited what was explored. `None` if it is not such a text.
pub fn read(text: &str, programs: &Programs<'_>) -> Option<(KnownFacts, bool)> {
    let stored: StoredFacts = serde_json::from_str(text).ok()?;
    let kinds = programs.orders.kinds();
    let mut facts = KnownFacts::default();
    for verified in &stored.verified {
        facts.verified.push(parsed(verified, &kinds)?);
    }
    let found: Vec<Option<Arc<KnownViolation>>> =
        stored.violations.iter().map(|stored| again(stored, programs, &kinds).map(Arc::new)).collect();
    for block in &stored.blocks {
        let within = parsed(&block.within, &kinds)?;
        if let Some(known) = found.get(block.violation)? {
            facts.blocks.push((within, Arc::clone(known)));
        }
    }
    Some((facts, stored.bounded))
}

/// Runs a stored execution again.
fn again(stored: &StoredViolation, programs: &Programs<'_>, kinds: &[OrderKind]) -> Option<KnownViolation> {
    let execution: Canonical = stored.execution.parse().ok()?;
    let at = parsed(&stored.at, kinds)?;
    if stored.program >= programs.drivers.len() {
        return None;
    }
    let vm = programs.machine(stored.program, &at);
    let mut settings = programs.means.settings;
    settings.config.keep_going = true;
    if !execution.co.is_empty() {
        settings.method.equivalence = Equivalence::Co;
    }
    let (control, finds) = (Control::default(), Finds::default());
    let check = Check { replay: Some(&execution), ..check_of(&vm, settings) };
    let search = check.explore(&control, &finds);
    let met = check.found(&finds, false).violations.into_iter().next()?;
    drop(search);
    Some(KnownViolation { program: stored.program, at, witness: met.witness, violation: met.violation })
}

/// One letter for each order.
fn spelled(assignment: &Assignment) -> String {
    assignment.0.iter().map(|strength| letter(*strength)).collect()
}

fn letter(strength: Strength) -> char {
    match (strength.is_seq_cst(), strength.acquires(), strength.releases()) {
        (true, ..) => 's',
        (false, true, true) => 'b',
        (false, true, false) => 'a',
        (false, false, true) => 'r',
        (false, false, false) => '-',
    }
}

fn parsed(text: &str, kinds: &[OrderKind]) -> Option<Assignment> {
    let strength = |(letter_of, kind): (char, &OrderKind)| {
        kind.strengths().iter().copied().find(|strength| letter(*strength) == letter_of)
    };
    let is_complete = text.chars().count() == kinds.len();
    text.chars().zip(kinds).map(strength).collect::<Option<_>>().filter(|_| is_complete).map(Assignment)
}
