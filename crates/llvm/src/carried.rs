//! Values that a function only copies from one place in memory to another.
//!
//! Copying memory that was never written is not a use of it. So a load whose value is only stored again, directly or
//! through local variables that are only stored again themselves, is lowered as a copy: the bytes stay written or
//! unwritten. Variables on the way are *carriers* and stay in memory instead of becoming registers.
//!
//! Any other load uses its value, even if the program only computes with it: arithmetic on an unwritten value gives
//! an unwritten result, and a program that computes it is about to use it. A variable whose address is never taken
//! must be assigned before it is read at all [C11 6.3.2.1p2], so a value loaded from a register is not carried.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Block, Op, Type, Value};
use crate::layout;
use crate::program::each_value;

/// The values that a function only copies.
#[derive(Default)]
pub(crate) struct Carried {
    values: HashSet<Rc<str>>,
    carriers: HashSet<Rc<str>>,
}

/// A load that could be a copy.
struct Load<'b> {
    result: &'b Rc<str>,
    /// The variable that it loads from, if that could be a register.
    from: Option<&'b str>,
    /// The variables that could be registers among those that its value is stored in.
    to: Vec<&'b str>,
}

impl Carried {
    /// `is_register` says which variables could be registers.
    pub(crate) fn of(blocks: &[Block], is_register: impl Fn(&str) -> bool) -> Carried {
        let loads = loads(blocks, &is_register);
        let mut carriers = possible_carriers(blocks, &loads, &is_register);
        // A carrier's value must be carried on wherever it goes.
        let mut shrinks = true;
        while shrinks {
            let is_lost = |load: &&Load| !load.to.iter().all(|to| carriers.contains(to));
            let lost: Vec<&str> = loads.iter().filter(is_lost).filter_map(|load| load.from).collect();
            let before = carriers.len();
            lost.iter().for_each(|variable| {
                carriers.remove(variable);
            });
            shrinks = carriers.len() < before;
        }
        // Keep only those that a value from memory reaches.
        let mut found = Carried::default();
        let mut grows = true;
        while grows {
            grows = false;
            for load in &loads {
                let is_source = load.from.is_none_or(|from| found.carriers.contains(from));
                let is_carried = is_source && load.to.iter().all(|to| carriers.contains(to));
                if is_carried && found.values.insert(load.result.clone()) {
                    found.carriers.extend(load.to.iter().map(|to| Rc::from(*to)));
                    grows = true;
                }
            }
        }
        found
    }

    /// Whether `value`, the result of a load, is only stored again.
    pub(crate) fn is_carried(&self, value: &str) -> bool {
        self.values.contains(value)
    }

    /// Whether a variable must stay in memory.
    pub(crate) fn is_carrier(&self, variable: &str) -> bool {
        self.carriers.contains(variable)
    }
}

/// The loads whose values are only stored.
fn loads<'b>(blocks: &'b [Block], is_register: &impl Fn(&str) -> bool) -> Vec<Load<'b>> {
    let mut stored: HashMap<&str, Vec<&Value>> = HashMap::new();
    let mut used: HashSet<&str> = HashSet::new();
    let mut globals: HashSet<&str> = HashSet::new();
    let instrs = || blocks.iter().flat_map(|block| &block.instrs);
    for instr in instrs() {
        match &instr.op {
            Op::Store { value, ptr, order: None } => {
                if let Value::Local(name) = &value.value {
                    stored.entry(name).or_default().push(ptr);
                }
                used.extend(local(ptr));
            }
            op => each_value(op, &mut |value| used.extend(local(value))),
        }
        if let (Op::Gep { args, .. }, Some(result)) = (&instr.op, &instr.result)
            && is_global(&args[0].value, &globals)
        {
            globals.insert(result);
        }
    }
    let possible = instrs().filter_map(|instr| match (&instr.op, &instr.result) {
        (Op::Load { ty, ptr, order: None }, Some(result))
            if is_simple(ty) && !used.contains(&**result) && !is_global(ptr, &globals) =>
        {
            let from = local(ptr).filter(|name| is_register(name));
            let to = stored.get(&**result)?.iter().filter_map(|ptr| local(ptr));
            Some(Load { result, from, to: to.filter(|name| is_register(name)).collect() })
        }
        _ => None,
    });
    possible.collect()
}

/// The variables whose values are never used, only stored elsewhere.
fn possible_carriers<'b>(
    blocks: &'b [Block],
    loads: &[Load<'b>],
    is_register: &impl Fn(&str) -> bool,
) -> HashSet<&'b str> {
    let moves: HashSet<&str> = loads.iter().map(|load| &**load.result).collect();
    let mut carriers: HashSet<&str> = loads.iter().filter_map(|load| load.from).collect();
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

/// Whether a value of this type is one access in memory.
fn is_simple(ty: &Type) -> bool {
    layout::bits_of(ty).is_some_and(|bits| matches!(bits, 8 | 16 | 32 | 64))
}
