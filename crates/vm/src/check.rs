//! When a module is well-formed. The machine accepts checked modules only, so running one never panics.
//!
//! 1. Every index names something that exists.
//! 2. Functions and globals have distinct names; so have the registers and slots of a function, and its
//!    labels. No register or slot has the name of a function or global.
//! 3. A body is not empty and its last instruction does not fall through.
//! 4. Plain accesses have 1, 2, 4 or 8 bytes; read-modify-writes are atomic.
//! 5. A function called by name gets as many arguments as it has parameters, or more.
//! 6. Initial bytes and relocations lie inside their global.
//! 7. Alignments are powers of two, sizes stay under the limits of the machine.

use std::collections::HashSet;

use atropos_event::{Diagnostic, ReadOrder, RmwOp, WriteOrder};

use crate::flow::Liveness;
use crate::instr::{Instr, UnaryOp};
use crate::ir::{Function, Global, Module, Operand, SourceId, Symbol};
use crate::layout::{GLOBAL_RED_ZONE, RED_ZONE, ThreadRegion};

/// Registers, constants and other words that one frame can address.
pub const FRAME_LIMIT: usize = 1 << 14;
pub const GLOBAL_SIZE_LIMIT: u64 = 1 << 36;
const GLOBAL_ALIGN_LIMIT: u64 = 1 << 32;
const GLOBALS_LIMIT: u64 = 1 << 40;
pub const SLOT_SIZE_LIMIT: u64 = 1 << 24;
const ARGUMENT_LIMIT: usize = 1 << 10;

/// The maximum size of an atomic object in bytes.
pub const LARGE_LIMIT: u8 = 127;

/// All broken rules of `module`; empty if it is well-formed.
pub fn check(module: &Module) -> Vec<Diagnostic> {
    let mut checker = Checker { module, problems: Vec::new(), place: String::new(), source: None };
    checker.names();
    checker.total_sizes();
    for global in &module.globals {
        checker.place = format!("in global `{}`: ", global.name);
        checker.global(global);
    }
    for function in &module.functions {
        checker.place = format!("in function `{}`: ", function.name);
        checker.function(function);
    }
    checker.problems
}

struct Checker<'m> {
    module: &'m Module,
    problems: Vec<Diagnostic>,
    /// How messages begin.
    place: String,
    /// Where the statement comes from.
    source: Option<SourceId>,
}

impl Checker<'_> {
    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            let source = self.source.and_then(|id| self.module.sources.get(id.index()));
            let problem = Diagnostic::error(format!("{}{}", self.place, message()));
            self.problems.push(match source {
                Some(source) => problem.at_line(&source.file, source.line, source.column),
                None => problem,
            });
        }
    }

    fn names(&mut self) {
        self.place.clear();
        let mut seen = HashSet::new();
        let functions = self.module.functions.iter().map(|function| &function.name);
        for name in functions.chain(self.module.globals.iter().map(|global| &global.name)) {
            self.require(seen.insert(name), || format!("the name `{name}` is used twice"));
        }
        for function in &self.module.functions {
            self.place = format!("in function `{}`: ", function.name);
            let mut local = HashSet::new();
            for name in function.registers.iter().chain(function.slots.iter().map(|slot| &slot.name)) {
                let free = local.insert(name) && !seen.contains(name);
                self.require(free, || format!("the name `{name}` is used twice"));
            }
            let mut targets = HashSet::new();
            for target in &function.targets {
                let free = targets.insert(&target.name);
                self.require(free, || format!("the label `{}` is placed twice", target.name));
            }
        }
    }

    fn total_sizes(&mut self) {
        self.place.clear();
        let total = |thread_local: bool| {
            let chosen = self.module.globals.iter().filter(|global| global.thread_local == thread_local);
            let gap = if thread_local { RED_ZONE } else { GLOBAL_RED_ZONE };
            chosen.fold(0u64, |sum, global| {
                sum.saturating_add(global.size()).saturating_add(global.align).saturating_add(2 * gap)
            })
        };
        let (shared, thread_local) = (total(false), total(true));
        self.require(shared <= GLOBALS_LIMIT, || {
            format!("globals of {shared} bytes are over the limit of {GLOBALS_LIMIT}")
        });
        let limit = ThreadRegion::thread_local_limit();
        self.require(thread_local <= limit, || {
            format!("thread-local globals of {thread_local} bytes are over the limit of {limit}")
        });
    }

    fn global(&mut self, global: &Global) {
        let size = global.size();
        self.require(matches!(global.element, 1 | 2 | 4 | 8), || {
            format!("elements of {} bytes", global.element)
        });
        self.require(size <= GLOBAL_SIZE_LIMIT, || {
            format!("{size} bytes are over the limit of {GLOBAL_SIZE_LIMIT}")
        });
        self.alignment(global.align, GLOBAL_ALIGN_LIMIT);
        self.require(global.bytes.len() as u64 <= size, || {
            "it has more initial bytes than it is large".to_string()
        });
        for relocation in &global.relocations {
            let fits = relocation.offset.checked_add(8).is_some_and(|end| end <= size);
            self.require(fits, || format!("the address at offset {} does not fit", relocation.offset));
            let exists = match relocation.target {
                Symbol::Global(id) => {
                    self.module.globals.get(id.index()).is_some_and(|target| !target.thread_local)
                }
                Symbol::Function(id) => id.index() < self.module.functions.len(),
            };
            self.require(exists, || "an address leads to nothing, or to a thread-local global".to_string());
        }
    }

    fn alignment(&mut self, align: u64, limit: u64) {
        self.require(align == 0 || align.is_power_of_two(), || {
            format!("the alignment {align} is not a power of two")
        });
        self.require(align <= limit, || format!("the alignment {align} is over the limit of {limit}"));
    }

    fn function(&mut self, function: &Function) {
        self.source = None;
        let (n_registers, n_statements) = (function.registers.len(), function.body.len());
        self.require(function.n_params as usize <= n_registers, || {
            "some parameters have no name".to_string()
        });
        self.require(function.n_optional <= function.n_params, || "too many optional parameters".to_string());
        self.require(n_registers <= FRAME_LIMIT, || {
            format!("{n_registers} registers are over the limit of {FRAME_LIMIT}")
        });
        self.require(n_registers.saturating_mul(n_statements) <= Liveness::LIMIT, || {
            format!("{n_statements} statements with {n_registers} registers are too many to analyse")
        });
        let slot_bytes = function
            .slots
            .iter()
            .fold(0u64, |sum, slot| sum.saturating_add(slot.size).saturating_add(slot.align));
        self.require(slot_bytes <= SLOT_SIZE_LIMIT && function.slots.len() <= FRAME_LIMIT, || {
            format!("stack objects of {slot_bytes} bytes are over the limit of {SLOT_SIZE_LIMIT}")
        });
        for slot in &function.slots {
            self.alignment(slot.align, SLOT_SIZE_LIMIT);
        }
        let closed = function.body.last().is_some_and(|last| !last.instr.falls_through());
        self.require(closed, || "the body does not end with a jump, a return or a failure".to_string());
        for target in &function.targets {
            let inside = (target.at as usize) < n_statements;
            self.require(inside, || format!("the label `{}` is outside the body", target.name));
        }
        for statement in &function.body {
            self.source = statement.source;
            let known = statement.source.is_none_or(|id| id.index() < self.module.sources.len());
            self.require(known, || "its source is not in the table".to_string());
            self.instr(function, &statement.instr);
        }
        self.source = None;
    }

    fn instr(&mut self, function: &Function, instr: &Instr) {
        let mut all_exist = true;
        instr.visit_operands(&mut |operand| all_exist &= self.exists(function, operand));
        instr.visit_results(&mut |reg| all_exist &= reg.index() < function.registers.len());
        instr.visit_targets(&mut |target| all_exist &= target.index() < function.targets.len());
        self.require(all_exist, || "an operand does not exist".to_string());
        match *instr {
            Instr::Load { size, order: ReadOrder::NotAtomic, .. }
            | Instr::Unwritten { size, .. }
            | Instr::Store { size, order: WriteOrder::NotAtomic, .. } => {
                self.require(matches!(size, 1 | 2 | 4 | 8), || format!("an access of {size} bytes"));
            }
            Instr::Load { size, .. }
            | Instr::Store { size, .. }
            | Instr::Cas { size, .. }
            | Instr::Rmw { op: RmwOp::Exchange, size, .. }
            | Instr::Pack { size, .. }
            | Instr::Unpack { size, .. } => {
                let fits = (1..=LARGE_LIMIT).contains(&size);
                self.require(fits, || format!("an atomic access of {size} bytes"));
            }
            Instr::Rmw { op, size, .. } if op.is_float() => {
                self.require(matches!(size, 4 | 8), || format!("a floating-point number of {size} bytes"));
            }
            Instr::Rmw { size, .. } => {
                self.require(size <= 8 || size == 16, || format!("arithmetic on {size} bytes"));
            }
            Instr::Call { function: Operand::Function(id), ref args, .. }
            | Instr::Spawn { function: Operand::Function(id), ref args, .. } => {
                let Some(callee) = self.module.functions.get(id.index()) else { return };
                let n_required = callee.n_params.saturating_sub(callee.n_optional);
                let enough = args.len() >= n_required as usize && args.len() <= ARGUMENT_LIMIT;
                self.require(enough, || {
                    format!("`{}` takes {n_required} arguments, not {}", callee.name, args.len())
                });
            }
            Instr::Call { ref args, .. } | Instr::Spawn { ref args, .. } => {
                self.require(args.len() <= ARGUMENT_LIMIT, || "too many arguments".to_string());
            }
            Instr::Unary { op: UnaryOp::SwapBytes, width, .. } => {
                self.require(width.bits().is_multiple_of(8), || {
                    format!("bytes of {width} cannot be swapped")
                });
            }
            _ => {}
        }
        match *instr {
            Instr::Rmw { read_order, write_order, .. } => {
                let atomic = read_order.is_atomic() && write_order.is_atomic();
                self.require(atomic, || "a read-modify-write that is not atomic".to_string());
            }
            Instr::Cas { orders, .. } => {
                let atomic =
                    orders.read.is_atomic() && orders.write.is_atomic() && orders.failure.is_atomic();
                self.require(atomic, || "a compare-and-swap that is not atomic".to_string());
            }
            _ => {}
        }
    }

    fn exists(&self, function: &Function, operand: Operand) -> bool {
        match operand {
            Operand::Reg(reg) => reg.index() < function.registers.len(),
            Operand::Const(_) => true,
            Operand::Global(id) => id.index() < self.module.globals.len(),
            Operand::Function(id) => id.index() < self.module.functions.len(),
            Operand::Slot(id) => id.index() < function.slots.len(),
        }
    }
}
