//! Threads that never learn their names, so that two of them with the same code and arguments are interchangeable.
//!
//! A thread learns its name from its handle, from what it creates, and from addresses that depend on the name: those of
//! objects that it allocates, of its thread-locals and of its shared stack objects. Addresses of private slots depend on
//! it too, but stay within the thread, and those of all threads compare alike. Other threads learn it from what the
//! thread returns or offers to those that have its handle, and from joins and detaches where these are recorded.

use crate::claims::taken_functions;
use crate::instr::Instr;
use crate::ir::{Function, Module, Operand, SlotKind};
use crate::run::VmRun;
use atropos_event::{Label, Position, Step, ThreadId};

/// For each function, whether a thread that starts there never learns its name.
pub fn anonymous(module: &Module) -> Vec<bool> {
    let mut statements = module.functions.iter().flat_map(|function| &function.body);
    let is_followed = |instr: &Instr| {
        matches!(instr, Instr::Join { dst: Some(_), .. } | Instr::Detach { .. } | Instr::Offered { .. })
    };
    let is_life_recorded = module.globals.iter().any(|global| global.thread_local && global.escapes);
    if is_life_recorded || statements.any(|statement| is_followed(&statement.instr)) {
        return vec![false; module.functions.len()];
    }
    let mut is_anonymous: Vec<bool> =
        module.functions.iter().map(|function| !learns(module, function)).collect();
    let taken = taken_functions(module);
    loop {
        let knows_any = taken.iter().any(|&function| !is_anonymous[function]);
        let calls_learner = |function: &Function| {
            function.body.iter().any(|statement| match statement.instr {
                Instr::Call { function: Operand::Function(id), .. } => !is_anonymous[id.index()],
                Instr::Call { .. } => knows_any,
                _ => false,
            })
        };
        let found: Vec<usize> = (0..module.functions.len())
            .filter(|&index| is_anonymous[index] && calls_learner(&module.functions[index]))
            .collect();
        if found.is_empty() {
            return is_anonymous;
        }
        found.into_iter().for_each(|index| is_anonymous[index] = false);
    }
}

/// Whether a thread that runs the function learns its name there, not in what the function calls.
fn learns(module: &Module, function: &Function) -> bool {
    let has_objects =
        function.slots.iter().any(|slot| matches!(slot.kind, SlotKind::Shared | SlotKind::List));
    has_objects || function.body.iter().any(|statement| is_lesson(module, &statement.instr))
}

fn is_lesson(module: &Module, instr: &Instr) -> bool {
    let names_thread = matches!(
        instr,
        Instr::Current { .. }
            | Instr::NextChild { .. }
            | Instr::Spawn { .. }
            | Instr::Join { .. }
            | Instr::Alloc { .. }
    );
    let mut is_own = false;
    instr.visit_operands(&mut |operand| {
        is_own |= matches!(operand, Operand::Global(id) if module.globals[id.index()].thread_local);
    });
    names_thread || is_own
}

impl VmRun<'_> {
    /// The function and the arguments of the `Spawn` at `parent`.
    pub(crate) fn spawned_at(&self, parent: Position) -> (u32, Vec<u64>) {
        let parent = &self.snapshots[parent.0 as usize];
        let code = &self.vm.code.functions[parent.state.function as usize];
        let frame = parent.words_at + parent.state.frames.top as usize;
        code.spawned(parent.state.pc, &self.words[frame..], self.vm.code.functions.len())
    }

    /// Whether the `Spawn`s at these positions create interchangeable threads.
    pub(crate) fn create_twins(&self, first: Position, second: Position) -> bool {
        let [first, second] = [first, second].map(|position| self.spawned_at(position));
        first == second && self.vm.code.anonymous[first.0 as usize]
    }

    /// What `thread` joins next, as far as its next steps have been computed.
    pub(crate) fn next_joins(&self, thread: ThreadId) -> Vec<ThreadId> {
        let mut joined = Vec::new();
        for snapshot in &self.snapshots[self.threads.position(thread).0 as usize..] {
            let Step::Do(Label::Join { child }) = snapshot.step else { break };
            joined.push(child);
            if !snapshot.has_next {
                break;
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(source: &str) -> Vec<String> {
        let module = crate::text::parse("test.vm", source).unwrap();
        let is_anonymous = anonymous(&module);
        let functions = module.functions.iter().zip(is_anonymous);
        functions.filter(|(_, is)| *is).map(|(function, _)| function.name.clone()).collect()
    }

    #[test]
    fn a_thread_learns_its_name() {
        let source = "global x: i32\nthread_local global mine: i32
            fn plain() { store.rlx.i32 x, 1\n return }
            fn calls() { call plain()\n return }
            fn indirect(f) { call *f()\n return }
            fn asks() { me = self\n store.rlx.i32 x, me\n return }
            fn calls_asks() { call asks()\n return }
            fn local() { store.i32 mine, 1\n return }
            fn makes() { p = malloc 4\n return }
            fn main() { a = spawn plain()\n join a\n return }\n";
        assert_eq!(named(source), ["plain", "calls", "indirect"]);
        let taken = source.replace("fn main() {", "fn main() { b = spawn asks()\n join b\n");
        assert_eq!(named(&taken), ["plain", "calls"]);
        let returns = source.replace("join a", "r = join a");
        assert_eq!(named(&returns), [""; 0]);
    }
}
