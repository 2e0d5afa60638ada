//! Globals that only one thread writes to.
//!
//! If a loop stores to such a global what the thread has read there, nothing changes, and the store does not tell one
//! iteration from the next [ALGORITHMS §L.1]. Which threads write is decided before the program runs: all accesses of
//! the global name it, and only one thread reaches those that store: the main thread, or one whose creation is a
//! statement that is executed at most once.

use crate::claims::taken_functions;
use crate::flow;
use crate::instr::Instr;
use crate::ir::{FunctionId, Global, Module, Operand, Symbol};

/// How deep the calls may be nested that lead to the creation of a thread.
const MOST_CALLS: usize = 8;

/// A thread: what creates it, unless it is the main thread, and the functions that it may run.
struct Root {
    created_at: Option<(usize, usize)>,
    reaches: Vec<bool>,
}

/// For each global, whether only one thread writes to it. Those that no function both loads and stores are left out.
pub fn own_globals(module: &Module, entry: FunctionId) -> Vec<bool> {
    let writers = writers(module);
    if writers.iter().all(Option::is_none) {
        return vec![false; writers.len()];
    }
    let roots = roots(module, entry);
    let is_own = |writers: &Option<Vec<usize>>| {
        let Some(writers) = writers else { return false };
        let mut threads = roots.iter().filter(|root| writers.iter().any(|&function| root.reaches[function]));
        match (threads.next(), threads.next()) {
            (Some(thread), None) => thread
                .created_at
                .is_none_or(|(function, at)| is_executed_once(module, entry, function, at, MOST_CALLS)),
            _ => false,
        }
    };
    writers.iter().map(is_own).collect()
}

/// How a global is accessed.
#[derive(Clone, Default)]
struct Uses {
    /// Some statement does more than to load or store the whole of it.
    has_others: bool,
    writers: Vec<usize>,
    /// The last function that loads it, and whether some function loads and stores it.
    loads_in: Option<usize>,
    is_reread: bool,
}

/// For each global, the functions that store to it, if all accesses are loads and stores of the whole of it.
fn writers(module: &Module) -> Vec<Option<Vec<usize>>> {
    let mut uses = vec![Uses::default(); module.globals.len()];
    for relocation in module.globals.iter().flat_map(|global| &global.relocations) {
        if let Symbol::Global(id) = relocation.target {
            uses[id.index()].has_others = true;
        }
    }
    for (function, code) in module.functions.iter().enumerate() {
        for statement in &code.body {
            let mut rest = match statement.instr {
                Instr::Load { addr: Operand::Global(id), size, .. }
                    if u64::from(size) == module.globals[id.index()].size() =>
                {
                    let known = &mut uses[id.index()];
                    known.loads_in = Some(function);
                    known.is_reread |= known.writers.last() == Some(&function);
                    Some(id)
                }
                Instr::Store { addr: Operand::Global(id), size, .. }
                    if u64::from(size) == module.globals[id.index()].size() =>
                {
                    let known = &mut uses[id.index()];
                    known.writers.push(function);
                    known.is_reread |= known.loads_in == Some(function);
                    Some(id)
                }
                _ => None,
            };
            statement.instr.visit_operands(&mut |operand| {
                if let Operand::Global(id) = operand {
                    // The first use is the access itself.
                    uses[id.index()].has_others |= rest.take() != Some(id);
                }
            });
        }
    }
    let of = |(uses, global): (Uses, &Global)| {
        let fits = uses.is_reread && !uses.has_others && !global.constant && !global.thread_local;
        fits.then_some(uses.writers)
    };
    uses.into_iter().zip(&module.globals).map(of).collect()
}

/// The threads that the program may create, as far as its text tells them apart.
fn roots(module: &Module, entry: FunctionId) -> Vec<Root> {
    let taken = taken_functions(module);
    let mut roots =
        vec![Root { created_at: None, reaches: reached(module, &taken, Operand::Function(entry)) }];
    for (function, code) in module.functions.iter().enumerate() {
        for (at, statement) in code.body.iter().enumerate() {
            if let Instr::Spawn { function: started, .. } = statement.instr {
                let reaches = reached(module, &taken, started);
                roots.push(Root { created_at: Some((function, at)), reaches });
            }
        }
    }
    roots
}

/// The functions that run when `start` is called, if the address of `taken` ones may be anywhere.
fn reached(module: &Module, taken: &[usize], start: Operand) -> Vec<bool> {
    let mut is_reached = vec![false; module.functions.len()];
    let mut open = Vec::new();
    let call = |function: Operand, open: &mut Vec<usize>| match function {
        Operand::Function(id) => open.push(id.index()),
        _ => open.extend(taken),
    };
    call(start, &mut open);
    while let Some(function) = open.pop() {
        if !std::mem::replace(&mut is_reached[function], true) {
            for statement in &module.functions[function].body {
                if let Instr::Call { function, .. } = statement.instr {
                    call(function, &mut open);
                }
            }
        }
    }
    is_reached
}

/// Whether a program executes a statement at most once: it is in no loop, and so is the only call of its function.
fn is_executed_once(
    module: &Module,
    entry: FunctionId,
    function: usize,
    at: usize,
    most_calls: usize,
) -> bool {
    if flow::loops(&module.functions[function]).iter().any(|l| l.contains(at)) {
        return false;
    }
    let is_it = |symbol: FunctionId| symbol.index() == function;
    let is_relocated = module
        .globals
        .iter()
        .flat_map(|global| &global.relocations)
        .any(|relocation| matches!(relocation.target, Symbol::Function(id) if is_it(id)));
    let mut uses = Vec::new();
    for (user, code) in module.functions.iter().enumerate() {
        for (at, statement) in code.body.iter().enumerate() {
            statement.instr.visit_operands(&mut |operand| {
                if matches!(operand, Operand::Function(id) if is_it(id)) {
                    uses.push((user, at));
                }
            });
        }
    }
    match uses[..] {
        _ if is_relocated || most_calls == 0 => false,
        [] => is_it(entry),
        [(user, at)] if !is_it(entry) => {
            let names = |operand: Operand| matches!(operand, Operand::Function(id) if is_it(id));
            let is_call = match module.functions[user].body[at].instr {
                Instr::Call { function, .. } | Instr::Spawn { function, .. } => names(function),
                _ => false,
            };
            is_call && is_executed_once(module, entry, user, at, most_calls - 1)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn owned(source: &str) -> Vec<String> {
        let module = text::parse("test.vm", source).unwrap();
        let entry = module.function("main").unwrap();
        let globals = module.globals.iter().zip(own_globals(&module, entry));
        globals.filter(|(_, is_own)| *is_own).map(|(global, _)| global.name.clone()).collect()
    }

    #[test]
    fn one_thread_writes() {
        let source = "global mine: i32\nglobal both: i32\nglobal passed: i32\nglobal early: i32
            fn helper() { a = load.i32 mine\n store.i32 mine, 1\n return }
            fn t() { call helper()\n a = load.i32 both\n store.i32 both, 1\n a = load.i32 passed
                store.i32 passed, 1\n call u(passed)\n return }
            fn u(p) { store.i32 both, 2\n return }
            fn main() { r = load.i32 early\n store.i32 early, 1\n a = spawn t()\n b = spawn u(0)
                r = load.i32 mine\n return }\n";
        assert_eq!(owned(source), ["mine", "early"]);
        let twice = source.replace("b = spawn u(0)", "b = spawn t()");
        assert_eq!(owned(&twice), ["early"]);
        let repeated = source.replace("a = spawn t()", "again: a = spawn t()\n if a goto again");
        assert_eq!(owned(&repeated), ["early"]);
        let indirect = source.replace("r = load.i32 mine\n", "f = helper\n call *f()\n");
        assert_eq!(owned(&indirect), ["early"]);
    }
}
