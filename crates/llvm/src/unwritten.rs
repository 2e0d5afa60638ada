//! Reads of unwritten memory: which of them are errors.
//!
//! Reading memory that was never written is an error if the value is used. Clang without optimisation makes a load
//! for every mention of a variable, so the load itself counts as the use, except for loads that only *move* bytes:
//!
//! 1. the value is not used at all, as in `(void)x`;
//! 2. a bit-field is set: the bits beside it are read, kept, and written back to the same place;
//! 3. the value is passed to a function that may not rely on it: clang marks arguments that are no structs `noundef`;
//! 4. a local struct or union is loaded as one integer, gaps and all, or in parts, and its value is returned or stored
//!    atomically;
//! 5. rustc makes the load, and does not mark it `!noundef`: it moves what may be uninitialised, such as the payload of
//!    an enum;
//! 6. an optimiser makes the load of a copy of a struct: it loads several fields at once, and takes the number apart.
//!    Clang gives all other loads a type.
//!
//! Other loads of an optimiser are in [`crate::speculated`].
//!
//! Moved bytes that were not written count as zeroes from then on. Values that are loaded and stored again
//! ([`crate::carried`]), structs that are passed to functions and returned ([`crate::passing`]) and copies of whole
//! objects keep track of which bytes are written; the VM does that.
//!
//! A variable that became a register needs a flag that says whether it was assigned, unless every path to every load
//! contains a store.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use atropos_event::RmwOp;
use atropos_vm::instr::BinaryOp;

use crate::ast::{Arg, Block, Call, Cast, Instr, Op, Operator, Type, Value};
use crate::operands::each_value;
use crate::passing::is_part;
use crate::read::Module;

/// The compiler of a function.
#[derive(Clone, Copy)]
pub(crate) struct Compiler {
    pub is_rustc: bool,
    pub optimises: bool,
    /// It gives accesses types.
    pub has_types: bool,
}

impl Compiler {
    pub(crate) fn of(module: &Module) -> Compiler {
        Compiler {
            is_rustc: module.metadata.rustc_version().is_some(),
            optimises: module.is_optimised,
            has_types: module.has_types,
        }
    }

    /// Whether it made this load of a copy of a struct.
    pub(crate) fn copies_struct(self, load: &Instr) -> bool {
        self.has_types && !load.has_type && !load.noundef
    }
}

/// What is known about the reads of one function.
#[derive(Default)]
pub(crate) struct Reads {
    /// The results of loads that only move bytes.
    moved: HashSet<Rc<str>>,
    /// Variables in registers that may be read before they are assigned.
    doubtful: HashSet<Rc<str>>,
    /// For the results of loads from local structs and vectors, the variable.
    variables: HashMap<Rc<str>, Rc<str>>,
}

impl Reads {
    /// `is_register` says which variables became registers.
    pub(crate) fn of(blocks: &[Block], compiler: Compiler, is_register: impl Fn(&str) -> bool) -> Reads {
        let uses = Uses::of(blocks);
        let mut reads = Reads::default();
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            let (Op::Load { ty, ptr, .. }, Some(result)) = (&instr.op, &instr.result) else { continue };
            let variable = uses.local_struct(ptr);
            let named = variable.or_else(|| uses.local_vector(ptr));
            reads.variables.extend(named.map(|variable| (result.clone(), variable.clone())));
            let copies_struct = || match compiler.has_types {
                true => compiler.copies_struct(instr),
                false => compiler.optimises && uses.is_taken_apart(result, 8),
            };
            if (compiler.is_rustc && !instr.noundef)
                || (is_part(ty) && copies_struct())
                || uses.is_idle(result)
                || uses.is_kept(result, ptr, 8)
                || (variable.is_some() && uses.is_handed_on(result, 8))
                || (instr.location.is_some() && uses.is_passed_as_part(result))
            {
                reads.moved.insert(result.clone());
            }
        }
        reads.doubtful = doubtful(blocks, &reads.moved, is_register);
        reads.doubtful.retain(|variable| !uses.is_result(blocks, variable));
        reads
    }

    pub(crate) fn is_moved(&self, result: &str) -> bool {
        self.moved.contains(result)
    }

    /// The local struct or vector that a load takes a part of.
    pub(crate) fn variable(&self, result: &str) -> Option<&Rc<str>> {
        self.variables.get(result)
    }

    pub(crate) fn is_doubtful(&self, variable: &str) -> bool {
        self.doubtful.contains(variable)
    }
}

/// The sources and uses of values.
pub(crate) struct Uses<'b> {
    made: HashMap<&'b str, &'b Op>,
    used: HashMap<&'b str, Vec<(&'b Op, Option<&'b str>)>>,
}

impl<'b> Uses<'b> {
    pub(crate) fn of(blocks: &'b [Block]) -> Uses<'b> {
        let mut uses = Uses { made: HashMap::new(), used: HashMap::new() };
        for instr in blocks.iter().flat_map(|block| &block.instrs) {
            let result = instr.result.as_deref();
            uses.made.extend(result.map(|result| (result, &instr.op)));
            each_value(&instr.op, &mut |value| {
                if let Value::Local(name) = value {
                    uses.used.entry(name).or_default().push((&instr.op, result));
                }
            });
        }
        uses
    }

    pub(crate) fn is_idle(&self, value: &str) -> bool {
        !self.used.contains_key(value)
    }

    /// Whether a variable holds the result of the function. A function without a `return` is correct as long as its
    /// result is not used, which this analysis does not follow. Without names, it is the first variable, which is
    /// assigned and returned.
    fn is_result(&self, blocks: &[Block], variable: &str) -> bool {
        let first = blocks.first().and_then(|block| block.instrs.first()?.result.as_deref());
        let is_unnamed = variable.bytes().all(|byte| byte.is_ascii_digit()) && first == Some(variable);
        let users = || self.used.get(variable).into_iter().flatten();
        let returns = |(op, result): &(&Op, Option<&str>)| match (op, result) {
            (Op::Load { .. }, Some(result)) => {
                let mut users = self.used.get(result).into_iter().flatten();
                users.all(|(op, _)| matches!(op, Op::Ret(_)))
            }
            (Op::Store { .. }, _) => true,
            _ => false,
        };
        let is_stored = || users().any(|(op, _)| matches!(op, Op::Store { .. }));
        variable == "retval" || (is_unnamed && is_stored() && users().all(returns))
    }

    /// Whether `value` is only masked, merged and stored at `ptr` again.
    fn is_kept(&self, value: &str, ptr: &Value, depth: u32) -> bool {
        let mut users = self.used.get(value).into_iter().flatten();
        depth > 0
            && users.all(|(op, result)| match op {
                Op::Binary { op: Operator::Int(BinaryOp::And | BinaryOp::Or), .. } => {
                    result.is_some_and(|result| self.is_kept(result, ptr, depth - 1))
                }
                Op::Store { ptr: to, value: stored, .. } => to == ptr && stored.value != *ptr,
                _ => false,
            })
    }

    /// Whether `value` is only passed to functions that may not rely on it. Clang marks all other arguments, so this
    /// says nothing about IR that it did not make.
    pub(crate) fn is_passed_as_part(&self, value: &str) -> bool {
        self.used.get(value).into_iter().flatten().all(|(op, _)| passes_part(op, value))
    }

    /// Whether `value` is only returned, stored atomically or passed as a part of a struct. Optimisers load a struct part
    /// by part, and put the parts together to return them.
    fn is_handed_on(&self, value: &str, depth: u32) -> bool {
        let is_value = |other: &Value| matches!(other, Value::Local(name) if &**name == value);
        let mut users = self.used.get(value).into_iter().flatten();
        depth > 0
            && users.all(|(op, result)| match op {
                Op::Ret(_) => true,
                Op::InsertValue { .. } | Op::Phi { .. } => {
                    result.is_some_and(|result| self.is_handed_on(result, depth - 1))
                }
                Op::Store { ptr, order: Some(_), .. } | Op::CmpXchg { ptr, .. } => !is_value(ptr),
                Op::Rmw { op, ptr, .. } => *op == RmwOp::Exchange && !is_value(ptr),
                op => passes_part(op, value),
            })
    }

    /// Whether `value` is only moved, or taken apart by masks and shifts.
    fn is_taken_apart(&self, value: &str, depth: u32) -> bool {
        let mut users = self.used.get(value).into_iter().flatten();
        let is_value = |other: &Value| matches!(other, Value::Local(name) if &**name == value);
        depth > 0
            && users.all(|(op, result)| match op {
                Op::Binary { op: Operator::Int(BinaryOp::And | BinaryOp::LogicalShiftRight), .. }
                | Op::Cast { op: Cast::Truncate, .. }
                | Op::Ret(_) => true,
                Op::InsertValue { .. } | Op::Phi { .. } | Op::Select { .. } => {
                    result.is_some_and(|result| self.is_taken_apart(result, depth - 1))
                }
                Op::Store { ptr, .. } => !is_value(ptr),
                op => passes_part(op, value),
            })
    }

    /// Where `value` goes, if it is only moved.
    pub(crate) fn moves(&self, value: &str) -> Option<Vec<Move<'b>>> {
        let is_value = |other: &Value| matches!(other, Value::Local(name) if &**name == value);
        let mut found = Vec::new();
        for &(op, _) in self.used.get(value)? {
            match op {
                Op::Ret(_) => found.push(Move::Returned),
                Op::Store { ptr, order: None, .. } if !is_value(ptr) => found.push(Move::Stored(ptr)),
                Op::Call(call) | Op::Invoke { call, .. } if !is_value(&call.callee) => {
                    let args = call.args.iter().enumerate();
                    found.extend(
                        args.filter(|(_, arg)| is_value(&arg.value.value))
                            .map(|(nth, _)| Move::Passed(call, nth)),
                    );
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// Whether `value` is only stored, to places that `is_place` accepts.
    pub(crate) fn is_stored(&self, value: &str, is_place: impl Fn(&Value) -> bool) -> bool {
        let is_stored = |place: &Move| matches!(place, Move::Stored(ptr) if is_place(ptr));
        self.moves(value).is_some_and(|moves| moves.iter().all(is_stored))
    }

    pub(crate) fn is_only_returned(&self, value: &str) -> bool {
        let is_return = |place: &Move| matches!(place, Move::Returned);
        self.moves(value).is_some_and(|moves| moves.iter().all(is_return))
    }

    /// Whether `value` is returned, and otherwise only moved.
    pub(crate) fn is_returned(&self, value: &str) -> bool {
        let is_return = |place: &Move| matches!(place, Move::Returned);
        self.moves(value).is_some_and(|moves| moves.iter().any(is_return))
    }

    /// The elements that are taken out of `value`, if it is not used otherwise.
    pub(crate) fn elements(&self, value: &str) -> Option<Vec<&'b str>> {
        let users = self.used.get(value)?.iter();
        let elements = users.map(|(op, result)| result.filter(|_| matches!(op, Op::ExtractValue { .. })));
        elements.collect()
    }

    /// The local struct or union whose address, or that of a fixed place in it, `ptr` is. Clang takes an integer of an
    /// odd size for a struct of that size.
    pub(crate) fn local_struct<'v>(&self, ptr: &'v Value) -> Option<&'v Rc<str>>
    where
        'b: 'v,
    {
        let mut ptr = ptr;
        // In code that is never reached, an address may be computed from itself.
        for _ in 0..self.made.len() {
            let Value::Local(name) = ptr else { return None };
            match *self.made.get(&**name)? {
                Op::Alloca { ty: Type::Struct(_), .. } => return Some(name),
                Op::Alloca { ty: Type::Int(bits), .. } if *bits > 1 && !bits.is_power_of_two() => {
                    return Some(name);
                }
                Op::Gep { args, .. }
                    if args[1..].iter().all(|index| matches!(index.value, Value::Int(_) | Value::Zero)) =>
                {
                    ptr = &args[0].value;
                }
                _ => return None,
            }
        }
        None
    }

    /// The local vector whose address `ptr` is.
    fn local_vector<'v>(&self, ptr: &'v Value) -> Option<&'v Rc<str>> {
        let Value::Local(name) = ptr else { return None };
        matches!(self.made.get(&**name), Some(Op::Alloca { ty: Type::Vector(..), .. })).then_some(name)
    }
}

/// Where a value is moved.
pub(crate) enum Move<'b> {
    Stored(&'b Value),
    Returned,
    /// To this argument of a call.
    Passed(&'b Call, usize),
}

impl Move<'_> {
    /// Whether it leads to another function.
    pub(crate) fn is_elsewhere(&self) -> bool {
        !matches!(self, Move::Stored(_))
    }
}

/// Whether a function gets `value` and may not rely on it.
fn passes_part(op: &Op, value: &str) -> bool {
    let is_value = |arg: &&Arg| matches!(&arg.value.value, Value::Local(name) if &**name == value);
    let (Op::Call(call) | Op::Invoke { call, .. }) = op else { return false };
    let is_function = match &call.callee {
        Value::Global(name) => !name.starts_with("llvm."),
        Value::Local(name) => &**name != value,
        _ => false,
    };
    is_function && call.args.iter().filter(is_value).all(|arg| !arg.noundef)
}

/// The variables that some path loads before it stores.
fn doubtful(
    blocks: &[Block],
    moved: &HashSet<Rc<str>>,
    is_register: impl Fn(&str) -> bool,
) -> HashSet<Rc<str>> {
    let index: HashMap<&str, usize> = blocks.iter().enumerate().map(|(nth, b)| (&*b.name, nth)).collect();
    // By block: what is assigned on every path to it, once a path is known.
    let mut assigned: Vec<Option<HashSet<Rc<str>>>> = vec![None; blocks.len()];
    let mut found = HashSet::new();
    let mut open: Vec<usize> = (0..blocks.len().min(1)).collect();
    assigned.iter_mut().take(1).for_each(|first| *first = Some(HashSet::new()));
    while let Some(nth) = open.pop() {
        let mut now = assigned[nth].clone().unwrap_or_default();
        for instr in &blocks[nth].instrs {
            match &instr.op {
                Op::Store { ptr: Value::Local(to), .. } if is_register(to) => {
                    now.insert(to.clone());
                }
                Op::Load { ptr: Value::Local(from), .. } if is_register(from) && !now.contains(from) => {
                    let is_moved = instr.result.as_ref().is_some_and(|result| moved.contains(result));
                    if !is_moved {
                        found.insert(from.clone());
                    }
                }
                op => each_successor(op, &mut |to| {
                    let Some(&to) = index.get(to) else { return };
                    let merged = match &assigned[to] {
                        Some(known) => known.intersection(&now).cloned().collect(),
                        None => now.clone(),
                    };
                    if assigned[to].as_ref() != Some(&merged) {
                        assigned[to] = Some(merged);
                        open.push(to);
                    }
                }),
            }
        }
    }
    found
}

fn each_successor<'o>(op: &'o Op, visit: &mut dyn FnMut(&'o str)) {
    match op {
        Op::Br(to) => visit(to),
        Op::CondBr { then, otherwise, .. } | Op::Invoke { normal: then, unwind: otherwise, .. } => {
            [then, otherwise].into_iter().for_each(|to| visit(to));
        }
        Op::Switch { default, cases, .. } => {
            visit(default);
            cases.iter().for_each(|(_, to)| visit(to));
        }
        _ => {}
    }
}
