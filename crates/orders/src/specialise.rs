//! A copy of each function of the atomic types for each place where the user calls it.
//!
//! C++ and Rust have operations on atomics as functions of their libraries, to which the order is an argument. The order
//! belongs to the call, so each call of the user gets a copy of the function, whose atomic instructions count as the
//! call's own. The compiler makes a jump table of an order that is an argument. Which of its instructions can run follows
//! from the constants of the call ([`reachable`]); the others have no order that matters.

use atropos_vm::instr::CastOp;
use atropos_vm::{Function, FunctionId, Instr, Module, Operand, Reg, SourceId};
use std::collections::HashMap;

/// How deeply functions of the atomic types call each other.
const MOST_CALLS: usize = 4;

/// How the names of such functions begin: members of `std::atomic` and its bases, of `std::atomic_flag`, functions like
/// `std::atomic_load_explicit`, and those of Rust's `core::sync::atomic` in the older form of its names.
const STARTS: [&str; 13] = [
    "_ZNSt6atomicI",
    "_ZNKSt6atomicI",
    "_ZNVSt6atomicI",
    "_ZNVKSt6atomicI",
    "_ZNSt13__atomic_baseI",
    "_ZNKSt13__atomic_baseI",
    "_ZNVSt13__atomic_baseI",
    "_ZNVKSt13__atomic_baseI",
    "_ZNSt11atomic_flag",
    "_ZNKSt11atomic_flag",
    "_ZN4core4sync6atomic",
    "_ZNSt12__atomic_refI",
    "_ZNKSt12__atomic_refI",
];

/// The constants that parameters have in all calls of a function.
pub(crate) type Constants = HashMap<Reg, u64>;

/// A module, and the constants of the functions that were made for one call.
pub struct Specialised {
    pub module: Module,
    constants: HashMap<FunctionId, Constants>,
}

impl Specialised {
    pub fn new(module: Module) -> Specialised {
        let n_functions = module.functions.len();
        let mut specialised = Specialised { module, constants: HashMap::new() };
        for function in 0..n_functions {
            let id = FunctionId(function as u32);
            if !is_of_atomics(&specialised.module.functions[function].name) {
                specialised.copy_calls(id, None, MOST_CALLS);
            }
        }
        specialised
    }

    /// Gives the calls in `caller` copies of their own. The user's calls are those whose statement is in the user's code, or
    /// all if the caller itself was made for a call at `place`.
    fn copy_calls(&mut self, caller: FunctionId, place: Option<SourceId>, depth: usize) {
        if depth == 0 {
            return;
        }
        let known = self.constants_of(caller);
        for at in 0..self.module.functions[caller.index()].body.len() {
            let statement = &self.module.functions[caller.index()].body[at];
            let Instr::Call { function: Operand::Function(callee), args, .. } = &statement.instr else {
                continue;
            };
            let (callee, source) = (*callee, place.or(statement.source));
            let is_users = source.is_some_and(|id| !self.module.sources[id.index()].in_library);
            if !is_users || !is_of_atomics(&self.module.functions[callee.index()].name) {
                continue;
            }
            let args: Vec<Option<u64>> = args.iter().map(|arg| constant(*arg, &known)).collect();
            let copy = self.copy(callee, source, &args);
            let call = &mut self.module.functions[caller.index()].body[at].instr;
            if let Instr::Call { function, .. } = call {
                *function = Operand::Function(copy);
            }
            self.copy_calls(copy, source, depth - 1);
        }
    }

    fn copy(&mut self, callee: FunctionId, place: Option<SourceId>, args: &[Option<u64>]) -> FunctionId {
        let id = FunctionId(self.module.functions.len() as u32);
        let mut copy = self.module.functions[callee.index()].clone();
        copy.name = format!("{} (copy {})", copy.name, id.0);
        for statement in copy.body.iter_mut().filter(|statement| is_atomic(&statement.instr)) {
            statement.source = place;
        }
        let params = (0..copy.n_params).map(Reg).filter(|param| n_results(&copy, *param) == 0);
        let constants = params.filter_map(|param| Some((param, args.get(param.index()).copied()??)));
        self.constants.insert(id, constants.collect());
        self.module.functions.push(copy);
        id
    }

    /// Whether a function is the copy for one call.
    pub(crate) fn is_copy(&self, function: usize) -> bool {
        self.constants.contains_key(&FunctionId(function as u32))
    }

    fn constants_of(&self, function: FunctionId) -> Constants {
        let of_call = self.constants.get(&function).cloned().unwrap_or_default();
        constants(&self.module, &self.module.functions[function.index()], of_call)
    }

    /// For each statement of a function, whether it can run.
    pub(crate) fn reachable(&self, function: usize) -> Vec<bool> {
        let known = self.constants_of(FunctionId(function as u32));
        reachable(&self.module.functions[function], &known)
    }
}

fn is_of_atomics(name: &str) -> bool {
    let is_free = || {
        let rest = name.strip_prefix("_ZSt").unwrap_or_default();
        rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with("atomic_")
    };
    STARTS.iter().any(|start| name.starts_with(start)) || is_free() || is_of_rust_atomics(name)
}

/// Whether a name in Rust's present form is that of a function or a method of `core::sync::atomic`.
fn is_of_rust_atomics(name: &str) -> bool {
    let demangled = name.starts_with("_R").then(|| rustc_demangle::try_demangle(name).ok()).flatten();
    demangled
        .is_some_and(|name| format!("{name:#}").trim_start_matches('<').starts_with("core::sync::atomic::"))
}

fn is_atomic(instr: &Instr) -> bool {
    is_access(instr) || matches!(instr, Instr::Fence { .. })
}

/// Whether an instruction is an atomic access.
pub(crate) fn is_access(instr: &Instr) -> bool {
    match instr {
        Instr::Load { order, .. } => order.is_atomic(),
        Instr::Store { order, .. } => order.is_atomic(),
        Instr::Rmw { .. } | Instr::Cas { .. } => true,
        _ => false,
    }
}

fn constant(operand: Operand, known: &Constants) -> Option<u64> {
    match operand {
        Operand::Const(value) => Some(value),
        Operand::Reg(register) => known.get(&register).copied(),
        _ => None,
    }
}

/// How many statements set a register.
fn n_results(function: &Function, register: Reg) -> usize {
    let mut n_results = 0;
    for statement in &function.body {
        statement.instr.visit_results(&mut |result| n_results += usize::from(result == register));
    }
    n_results
}

/// The registers that can only have one value after they are set: they are set once, to a constant.
fn constants(module: &Module, function: &Function, mut known: Constants) -> Constants {
    let mut n_results: HashMap<Reg, usize> = HashMap::new();
    for statement in &function.body {
        statement.instr.visit_results(&mut |result| *n_results.entry(result).or_default() += 1);
    }
    loop {
        let before = known.len();
        for statement in &function.body {
            let (dst, value) = match &statement.instr {
                Instr::Move { dst, value } => (*dst, constant(*value, &known)),
                Instr::Cast { op: CastOp::ZeroExtend, dst, value, .. } => (*dst, constant(*value, &known)),
                Instr::Call { dst: Some(dst), function: Operand::Function(callee), args }
                    if is_failure_order(&module.functions[callee.index()].name) =>
                {
                    (*dst, args.first().and_then(|order| failure_order(constant(*order, &known)?)))
                }
                _ => continue,
            };
            if let (Some(value), 1) = (value, n_results[&dst]) {
                known.insert(dst, value);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// The function of libstdc++ for the order of a compare-and-swap that fails, if only one order is given.
fn is_failure_order(name: &str) -> bool {
    name.starts_with("_ZSt23__cmpexch_failure_order")
}

/// What that function returns, both as numbers of C.
fn failure_order(success: u64) -> Option<u64> {
    const RELAXED: u64 = 0;
    const ACQUIRE: u64 = 2;
    const RELEASE: u64 = 3;
    const ACQ_REL: u64 = 4;
    const SEQ_CST: u64 = 5;
    match success {
        ACQ_REL => Some(ACQUIRE),
        RELEASE => Some(RELAXED),
        ..=SEQ_CST => Some(success),
        _ => None,
    }
}

fn reachable(function: &Function, known: &Constants) -> Vec<bool> {
    let mut is_reachable = vec![false; function.body.len()];
    let mut next = vec![0];
    while let Some(at) = next.pop() {
        if at >= function.body.len() || std::mem::replace(&mut is_reachable[at], true) {
            continue;
        }
        let instr = &function.body[at].instr;
        let place = |target: atropos_vm::Target| function.targets[target.index()].at as usize;
        match instr {
            Instr::Switch { value, cases, default, .. } if constant(*value, known).is_some() => {
                let value = constant(*value, known);
                let case = cases.iter().find(|(case, _)| Some(*case) == value);
                next.push(place(case.map_or(*default, |(_, target)| *target)));
            }
            _ => instr.visit_targets(&mut |target| next.push(place(target))),
        }
        if instr.falls_through() {
            next.push(at + 1);
        }
    }
    is_reachable
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_vm::{Source, text};

    /// A call of a function of the library that switches on its argument, as compilers make it.
    const PROGRAM: &str = "
        global x: i32
        fn _ZNSt6atomicIiE5storeEiSt12memory_order(value, order) {
          m = order
          n = m
          switch.i32 n { 3: release, 5: seq_cst, else: relaxed }
        relaxed:
          store.rlx.i32 x, value
          return
        release:
          store.rel.i32 x, value
          return
        seq_cst:
          store.sc.i32 x, value
          return
        }
        fn main() {
          call _ZNSt6atomicIiE5storeEiSt12memory_order(1, 3)
          call _ZNSt6atomicIiE5storeEiSt12memory_order(2, 5)
        }";

    #[test]
    fn each_call_has_the_order_of_its_argument() {
        let mut module = text::parse("p.vm", PROGRAM).unwrap();
        module.sources.clear();
        for (line, in_library) in [(1, true), (2, false), (3, false)] {
            let file = if in_library { "/usr/include/atomic" } else { "p.cpp" };
            module.sources.push(Source { file: file.into(), line, in_library, ..Source::default() });
        }
        for statement in &mut module.functions[0].body {
            statement.source = Some(SourceId(0));
        }
        for (at, statement) in module.functions[1].body.iter_mut().enumerate() {
            statement.source = (at < 2).then_some(SourceId(1 + at as u32));
        }
        let orders = crate::sites::Orders::of(&[&Specialised::new(module)]);
        let found: Vec<_> = orders
            .all
            .iter()
            .map(|order| (order.location.as_ref().unwrap().line, order.written.name()))
            .collect();
        assert_eq!(found, [(2, "release"), (3, "seq_cst")]);
        assert!(orders.left_alone.is_empty());
    }
}
