//! Values that a function only copies from one place in memory to another.
//!
//! Copying memory that was never written is not a use of it. So a load whose value is only stored again, directly,
//! through a choice between values (a phi), or through local variables that are only stored again themselves, is lowered
//! as a copy: the bytes stay written or unwritten. Variables on the way are *carriers* and stay in memory instead of
//! becoming registers.
//!
//! Vectors are assigned element by element: without optimisation, clang loads all of one, replaces an element and
//! stores it. So operations that only move elements copy them, too, and taking an element out uses only that one.
//!
//! Any other load uses its value, even if the program only computes with it: arithmetic on an unwritten value gives
//! an unwritten result, and a program that computes it is about to use it. A variable whose address is never taken
//! must be assigned before it is read at all [C11 6.3.2.1p2], so a value loaded from a register is not carried.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Block, Cast, Op, Type, Value};
use crate::layout;
use crate::operands::each_value;
use crate::unwritten::Compiler;

/// The values that a function only copies.
#[derive(Default)]
pub(crate) struct Carried {
    values: HashSet<Rc<str>>,
    carriers: HashSet<Rc<str>>,
}

/// A load, a phi or a move of elements whose value is only stored, or joined by another one of them.
struct Copied<'b> {
    result: &'b Rc<str>,
    source: Source<'b>,
    /// The variables that could be registers among those that its value is stored in.
    to: Vec<&'b str>,
    /// The phis and moves that join it.
    phis: Vec<&'b str>,
}

enum Source<'b> {
    Memory,
    /// A variable that could be a register.
    Variable(&'b str),
    /// The values that a phi or a move joins.
    Values(Vec<&'b str>),
}

impl Carried {
    /// `is_register` says which variables could be registers. `passed` are values that other functions take or return
    /// ([`crate::passing`]).
    pub(crate) fn of(
        blocks: &[Block],
        is_register: impl Fn(&str) -> bool,
        passed: HashSet<Rc<str>>,
        compiler: Compiler,
    ) -> Carried {
        let mut copied = Destinations::of(blocks, compiler).copied(blocks, &is_register);
        let mut carriers = possible_carriers(blocks, &copied, &is_register);
        // A carrier's value must be carried on wherever it goes, and so must the value of a phi.
        loop {
            let known: HashSet<&str> = copied.iter().map(|value| &**value.result).collect();
            let is_kept = |value: &Copied| {
                value.to.iter().all(|to| carriers.contains(to))
                    && value.phis.iter().all(|phi| known.contains(phi))
            };
            let (kept, lost): (Vec<_>, Vec<_>) = copied.into_iter().partition(is_kept);
            copied = kept;
            if lost.is_empty() {
                break;
            }
            for value in lost {
                if let Source::Variable(from) = value.source {
                    carriers.remove(from);
                }
            }
        }
        // Keep only those that a value from memory reaches.
        let mut found = Carried { values: passed, carriers: HashSet::new() };
        let mut grows = true;
        while grows {
            grows = false;
            for value in &copied {
                let is_reached = match &value.source {
                    Source::Memory => true,
                    Source::Variable(from) => found.carriers.contains(*from),
                    Source::Values(values) => values.iter().any(|value| found.values.contains(*value)),
                };
                if is_reached && found.values.insert(value.result.clone()) {
                    found.carriers.extend(value.to.iter().map(|to| Rc::from(*to)));
                    grows = true;
                }
            }
        }
        found
    }

    /// Whether `value` is only stored again, or passed on.
    pub(crate) fn is_carried(&self, value: &str) -> bool {
        self.values.contains(value)
    }

    /// Whether a variable must stay in memory.
    pub(crate) fn is_carrier(&self, variable: &str) -> bool {
        self.carriers.contains(variable)
    }
}

/// Where the values of a function go.
#[derive(Default)]
struct Destinations<'b> {
    /// Where a value is stored.
    stored: HashMap<&'b str, Vec<&'b Value>>,
    /// The phis and moves that join a value.
    joined: HashMap<&'b str, Vec<&'b str>>,
    /// The vectors whose elements are taken out.
    divided: HashSet<&'b str>,
    /// The values that are used otherwise.
    used: HashSet<&'b str>,
    /// Addresses in global variables.
    globals: HashSet<&'b str>,
}

impl<'b> Destinations<'b> {
    fn of(blocks: &'b [Block], compiler: Compiler) -> Destinations<'b> {
        let mut found = Destinations::default();
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            match (&instr.op, &instr.result) {
                (Op::Store { value, ptr, order: None }, _) => {
                    if let Value::Local(name) = &value.value {
                        found.stored.entry(name).or_default().push(ptr);
                    }
                    found.used.extend(local(ptr));
                }
                (Op::Phi { incoming, .. }, Some(result)) => {
                    for name in incoming.iter().filter_map(|(value, _)| local(value)) {
                        found.joined.entry(name).or_default().push(result);
                    }
                }
                // An optimiser may take out an element that is not used ([`crate::speculated`]).
                (Op::ExtractElement { vector, index }, _) if is_moved(&vector.ty) && !compiler.optimises => {
                    found.divided.extend(local(&vector.value));
                    found.used.extend(local(&index.value));
                }
                (op, Some(result)) if !moved_vectors(op).is_empty() => {
                    for name in moved_vectors(op).into_iter().filter_map(local) {
                        found.joined.entry(name).or_default().push(result);
                    }
                    if let Op::InsertElement { element, index, .. } = op {
                        found.used.extend([&element.value, &index.value].into_iter().filter_map(local));
                    }
                }
                (op, _) => each_value(op, &mut |value| found.used.extend(local(value))),
            }
            if let (Op::Gep { args, .. }, Some(result)) = (&instr.op, &instr.result)
                && is_global(&args[0].value, &found.globals)
            {
                found.globals.insert(result);
            }
        }
        found
    }

    /// The values that could be copies.
    fn copied(&self, blocks: &'b [Block], is_register: &impl Fn(&str) -> bool) -> Vec<Copied<'b>> {
        let source = |op: &'b Op| match op {
            Op::Load { ty, ptr, order: None } if is_simple(ty) && !is_global(ptr, &self.globals) => {
                let variable = local(ptr).filter(|name| is_register(name));
                Some(variable.map_or(Source::Memory, Source::Variable))
            }
            Op::Phi { ty, incoming } if is_simple(ty) => {
                Some(Source::Values(incoming.iter().filter_map(|(value, _)| local(value)).collect()))
            }
            op => Some(moved_vectors(op).into_iter().filter_map(local).collect())
                .filter(|values: &Vec<_>| !values.is_empty())
                .map(Source::Values),
        };
        let possible = blocks.iter().flat_map(|block| &block.instrs).filter_map(|instr| {
            let result = instr.result.as_ref().filter(|result| !self.used.contains(&***result))?;
            let stored = self.stored.get(&**result);
            let joined = self.joined.get(&**result);
            let is_copied = stored.is_some() || joined.is_some() || self.divided.contains(&**result);
            let to = stored.into_iter().flatten().filter_map(|ptr| local(ptr));
            let (to, phis) = (to.filter(|name| is_register(name)), joined.into_iter().flatten().copied());
            let source = source(&instr.op).filter(|_| is_copied)?;
            Some(Copied { result, source, to: to.collect(), phis: phis.collect() })
        });
        possible.collect()
    }
}

/// The variables whose values are never used, only stored elsewhere.
fn possible_carriers<'b>(
    blocks: &'b [Block],
    copied: &[Copied<'b>],
    is_register: &impl Fn(&str) -> bool,
) -> HashSet<&'b str> {
    let moves: HashSet<&str> = copied.iter().map(|value| &**value.result).collect();
    let variables = copied.iter().filter_map(|value| match value.source {
        Source::Variable(from) => Some(from),
        Source::Memory | Source::Values(_) => None,
    });
    let mut carriers: HashSet<&str> = variables.collect();
    for instr in blocks.iter().flat_map(|block| &block.instrs) {
        if let Op::Load { ptr: Value::Local(name), .. } = &instr.op
            && is_register(name)
            && !instr.result.as_ref().is_some_and(|result| moves.contains(&**result))
        {
            carriers.remove(&**name);
        }
    }
    carriers
}

fn local(value: &Value) -> Option<&str> {
    match value {
        Value::Local(name) => Some(name),
        _ => None,
    }
}

/// Whether this is an address in a global variable, which has always been written.
fn is_global(ptr: &Value, known: &HashSet<&str>) -> bool {
    match ptr {
        Value::Local(name) => known.contains(&**name),
        _ => true,
    }
}

/// Whether a value of this type is one access in memory, or a vector of such values.
fn is_simple(ty: &Type) -> bool {
    layout::bits_of(ty).is_some_and(|bits| matches!(bits, 8 | 16 | 32 | 64)) || is_moved(ty)
}

/// Whether this is a vector whose elements can be moved by themselves.
fn is_moved(ty: &Type) -> bool {
    matches!(ty, Type::Vector(n, element) if *n <= layout::MAX_LEAVES as u64 && is_simple(element))
}

/// The vectors that an operation takes elements from to make a vector of them, without a look at their values.
fn moved_vectors(op: &Op) -> Vec<&Value> {
    match op {
        Op::InsertElement { vector, .. } if is_moved(&vector.ty) => vec![&vector.value],
        Op::ShuffleVector { left, right, .. } if is_moved(&left.ty) => vec![&left.value, right],
        Op::Cast { op: Cast::Bits, value, to } if is_moved(&value.ty) && is_moved(to) => vec![&value.value],
        _ => Vec::new(),
    }
}
