//! Structs that are passed to functions and returned from them in registers.
//!
//! Registers do not record which bytes are written. So a function that takes or returns parts of structs in registers
//! has hidden parameters after the others: the addresses of places in the caller's private memory, one for the result
//! and one for each parameter. An address that is zero, or that the caller leaves out, means that there is no such
//! place. For an argument, the register is then used. For the result, it means that the caller uses it, so an unwritten
//! byte is an error; but callers that are optimised take the register apart, and such bytes count as zeroes there.
//!
//! A function that returns what another one returns passes its place on: what is written there stays known.
//!
//! A caller through a pointer does not know whether the function has hidden parameters. It passes values in registers,
//! too, and the function says whether it has put its result in the place ([`AWAITED`]). A result of several registers
//! goes through memory in any case. Before and after a call the mark is zero, so that a loop with a call leaves nothing
//! behind that tells its first iteration from the next one.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Block, Call, FunctionType, Op, Type, Value};
use crate::layout;
use crate::program::{Key, LinkedProgram, Symbol};
use crate::unwritten::{Compiler, Move, Uses};

/// The size of a place for a result, and where a mark in it says, during a call, that it is not filled yet.
pub(crate) const RESULT_SIZE: u64 = 16;
pub(crate) const AWAITED: u64 = 8;

/// The hidden parameters of one function.
#[derive(Default)]
pub(crate) struct Passing {
    /// Whether the function returns a part of a struct in one register.
    pub result: bool,
    /// The parameters that are parts of structs and only stored, by position, in order.
    pub params: Vec<usize>,
}

/// The hidden parameters of all functions that have any.
pub(crate) fn of_program(program: &LinkedProgram) -> HashMap<Key, Passing> {
    let each = program.bodies.iter().map(|(key, blocks)| (key.clone(), Passing::of(program, key, blocks)));
    let mut found: HashMap<Key, Passing> =
        each.filter(|(_, passing)| passing.result || !passing.params.is_empty()).collect();
    // What a function returns may come from another one, and from that one's.
    let forwarding = forwarding(program);
    let mut grows = true;
    while grows {
        grows = false;
        for (key, calls) in &forwarding {
            let is_known = found.get(key).is_some_and(|own| own.result);
            let is_part =
                |call: &&Call| callee(program, &found, key.0, call).is_some_and(|callee| callee.result);
            if !is_known && calls.iter().any(is_part) {
                found.entry(key.clone()).or_default().result = true;
                grows = true;
            }
        }
    }
    found
}

/// The functions that return what others return, and their calls of these.
fn forwarding(program: &LinkedProgram) -> Vec<(Key, Vec<&Call>)> {
    let mut found = Vec::new();
    for (key, blocks) in &program.bodies {
        if !is_part(&program.function(key).ty.result) {
            continue;
        }
        let uses = Uses::of(blocks);
        let calls = blocks.iter().flat_map(|block| &block.instrs).filter_map(|instr| {
            match (&instr.op, &instr.result) {
                (Op::Call(call) | Op::Invoke { call, .. }, Some(result)) if uses.is_returned(result) => {
                    Some(call)
                }
                _ => None,
            }
        });
        let calls: Vec<&Call> = calls.collect();
        if !calls.is_empty() {
            found.push((key.clone(), calls));
        }
    }
    found
}

/// The hidden parameters of the function that a call names.
fn callee<'p>(
    program: &LinkedProgram,
    passing: &'p HashMap<Key, Passing>,
    module: usize,
    call: &Call,
) -> Option<&'p Passing> {
    match &call.callee {
        Value::Global(name) => match program.resolve(module, name) {
            Symbol::Function(callee) => {
                passing.get(&callee).filter(|_| is_of_type(call, &program.function(&callee).ty))
            }
            _ => None,
        },
        _ => None,
    }
}

impl Passing {
    fn of(program: &LinkedProgram, key: &Key, blocks: &[Block]) -> Passing {
        let function = program.function(key);
        let uses = Uses::of(blocks);
        let compiler = Compiler::of(&program.modules[key.0]);
        let params = function.params.iter().zip(&function.ty.params).enumerate();
        let parts = params.filter(|(_, (name, ty))| {
            is_part(ty) && uses.is_stored(name, |to| uses.local_struct(to).is_some())
        });
        let params = parts.map(|(nth, _)| nth).collect();
        let mut instrs = blocks.iter().flat_map(|block| &block.instrs);
        let result = is_part(&function.ty.result)
            && instrs.any(|instr| match (&instr.op, &instr.result) {
                (Op::Load { ptr, order: None, .. }, Some(result)) => {
                    (uses.local_struct(ptr).is_some() || compiler.copies_struct(instr))
                        && uses.is_returned(result)
                }
                _ => false,
            });
        Passing { result, params }
    }
}

/// The values of a function that go to or come from another function and are otherwise only moved. `is_register` says
/// which variables are registers.
pub(crate) fn passed_values(
    program: &LinkedProgram,
    passing: &HashMap<Key, Passing>,
    key: &Key,
    blocks: &[Block],
    is_register: impl Fn(&str) -> bool,
) -> HashSet<Rc<str>> {
    let function = program.function(key);
    let uses = Uses::of(blocks);
    let known = |call: &Call| callee(program, passing, key.0, call);
    let is_place =
        |call: &Call, nth| is_pointer(call) || known(call).is_some_and(|callee| callee.params.contains(&nth));
    let own = passing.get(key);
    let params = own.into_iter().flat_map(|own| own.params.iter().map(|nth| function.params[*nth].clone()));
    let mut found: HashSet<Rc<str>> = params.collect();
    let returns_part = own.is_some_and(|own| own.result);
    let returns_several = is_several(&function.ty.result);
    let is_memory = |to: &Value| !matches!(to, Value::Local(name) if is_register(name));
    let keeps = |place: &Move| match place {
        Move::Stored(to) => is_memory(to),
        Move::Returned => returns_part,
        Move::Passed(call, nth) => is_place(call, *nth) && !call.args[*nth].noundef,
    };
    let is_kept = |value: &str| uses.moves(value).is_some_and(|moves| moves.iter().all(keeps));
    for instr in blocks.iter().flat_map(|block| &block.instrs) {
        let Some(result) = &instr.result else { continue };
        match &instr.op {
            Op::Load { ty, ptr: ptr @ Value::Local(from), order: None } if !is_register(from) => {
                let leaves = || uses.moves(result).is_some_and(|moves| moves.iter().any(Move::is_elsewhere));
                let returns_it =
                    || returns_several && uses.local_struct(ptr).is_some() && uses.is_only_returned(result);
                if returns_it() || (is_part(ty) && leaves() && is_kept(result)) {
                    found.insert(result.clone());
                }
            }
            Op::Call(call) | Op::Invoke { call, .. } => {
                if is_part(&call.result) {
                    let is_known = known(call).is_some_and(|callee| callee.result);
                    if (is_known || is_pointer(call)) && (uses.is_idle(result) || is_kept(result)) {
                        found.insert(result.clone());
                    }
                } else if is_several(&call.result) && is_own(program, key.0, call) {
                    let parts = uses.elements(result).unwrap_or_default();
                    if !parts.is_empty() && parts.iter().all(|part| uses.is_stored(part, is_memory)) {
                        found.extend(parts.into_iter().map(Rc::from));
                        found.insert(result.clone());
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a call agrees with the type of the function. Old C lets them differ.
fn is_of_type(call: &Call, ty: &FunctionType) -> bool {
    let args = call.args.iter().map(|arg| &arg.value.ty);
    call.result == ty.result && args.take(ty.params.len()).eq(&ty.params)
}

fn is_pointer(call: &Call) -> bool {
    matches!(call.callee, Value::Local(_))
}

/// Whether this calls a function of the program.
fn is_own(program: &LinkedProgram, module: usize, call: &Call) -> bool {
    match &call.callee {
        Value::Global(name) => matches!(program.resolve(module, name), Symbol::Function(_)),
        _ => is_pointer(call),
    }
}

/// Whether this may be the type of a struct, or a part of one, in one register.
pub(crate) fn is_part(ty: &Type) -> bool {
    !matches!(ty, Type::Struct(_)) && layout::bits_of(ty).is_some_and(|bits| bits % 8 == 0 && bits <= 64)
}

/// Whether this is the type of a struct in several registers of eight bytes.
fn is_several(ty: &Type) -> bool {
    let Ok(leaves) = layout::leaves(ty) else { return false };
    let size = 8 * leaves.len() as u64;
    matches!(ty, Type::Struct(_))
        && leaves.len() > 1
        && layout::size_of(ty) == Ok(size)
        && leaves.iter().enumerate().all(|(nth, leaf)| leaf.offset == 8 * nth as u64 && is_part(&leaf.ty))
}
