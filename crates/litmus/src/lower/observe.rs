//! The end of the program: how the final state of an execution becomes part of it.
//!
//! After joining all threads, `main` reads every location that the condition, the filter or `locations` mention.
//! These reads come after everything in happens-before, so each can only see a coherence-last write. They are reads
//! like others, so executions that differ in what is last also differ in `rf`. So a condition on final memory is
//! decided correctly up to reads-from, too.
//!
//! Registers make no events while the threads run. At its end a thread packs the observed registers into words, and
//! writes the words to globals that only `main` reads, by plain accesses. (The machine's return values would need as
//! many events, and there is only one of them.) None of these reads has a choice, so this does not multiply
//! executions. It also keeps observed registers alive to the end, as the machine's detection of idle iterations
//! requires.
//!
//! So the values of the last events of `main` contain the whole final state; a [`Watch`] says where. It can be taken
//! from any execution graph.

use super::code::{CodeBuilder, width};
use super::{Context, Registers, x86};
use crate::ast::types::Type;
use crate::ast::{self, Litmus};
use crate::condition::{Atom, Observable, Term};
use atropos_event::Span;
use atropos_event::{EventId, ReadOrder, ThreadId, Value, WriteOrder};
use atropos_vm::instr::{BinaryOp, CastOp, Instr};
use atropos_vm::{FunctionBuilder, FunctionId, Global, GlobalId, Operand, Reg, Width};
use std::collections::BTreeMap;

/// The place of an observed value in a complete execution, and how to decode it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    pub observable: Observable,
    /// The event of `main` whose value, from bit `shift` on, is the observed one.
    pub event: EventId,
    pub shift: u32,
    pub ty: Type,
    /// Part of the printed state, unlike what only the filter mentions.
    pub is_shown: bool,
}

impl Watch {
    /// The observed value, from the value of [`Watch::event`].
    pub(crate) fn extract(&self, value: Value) -> i64 {
        self.ty.interpret(value >> self.shift)
    }
}

/// A register to be observed.
struct Observed {
    observable: Observable,
    register: Reg,
    ty: Type,
    is_shown: bool,
}

/// Ends all threads, adds `main`, and returns the places of all observed values.
pub fn finish(context: &mut Context<'_>, threads: Vec<(CodeBuilder, Registers)>) -> Vec<Watch> {
    let mut wanted = observables(context.litmus);
    let n_threads = threads.len();
    let mut main = Main { code: FunctionBuilder::new("main"), n_events: 2 * n_threads, watches: Vec::new() };
    let mut ends = Vec::new();
    let mut handles = Vec::new();
    for (number, (code, registers)) in threads.into_iter().enumerate() {
        let observed = take_registers(context, &mut wanted, number, &registers);
        let (function, words) = end_thread(context, code, number, observed);
        handles.push(main.code.spawn(function, &[]));
        ends.push(words);
    }
    for handle in handles {
        main.code.join(handle);
    }
    for words in ends {
        main.read_words(words);
    }
    for (observable, at) in wanted {
        main.read_location(context, observable, at);
    }
    context.module.add(main.code.finish());
    main.watches.sort_by(|left, right| left.observable.cmp(&right.observable));
    main.watches
}

/// Everything that the end of the test mentions: where, and whether it is shown.
fn observables(litmus: &Litmus) -> BTreeMap<Observable, (Span, bool)> {
    let mut found: BTreeMap<Observable, (Span, bool)> = BTreeMap::new();
    let mut note = |observable: &Observable, span: Span, is_shown: bool| {
        found.entry(observable.clone()).or_insert((span, false)).1 |= is_shown;
    };
    for (observable, span) in &litmus.locations {
        note(observable, *span, true);
    }
    let shown = litmus.condition.as_ref().map(|condition| (&condition.prop, true));
    let hidden = litmus.filter.as_ref().map(|filter| (filter, false));
    for (prop, is_shown) in shown.into_iter().chain(hidden) {
        prop.for_each_atom(&mut |atom: &Atom| {
            note(&atom.left, atom.span, is_shown);
            if let Term::Observable(right) = &atom.right {
                note(right, atom.span, is_shown);
            }
        });
    }
    found
}

/// Takes the registers of thread `number` out of `wanted`.
fn take_registers(
    context: &mut Context<'_>,
    wanted: &mut BTreeMap<Observable, (Span, bool)>,
    number: usize,
    registers: &Registers,
) -> Vec<Observed> {
    let is_of_thread = |observable: &Observable| matches!(observable, Observable::Register { thread, .. } if *thread == number);
    let mut observed = Vec::new();
    wanted.retain(|observable, &mut (span, is_shown)| {
        let Observable::Register { name, .. } = observable else { return true };
        if !is_of_thread(observable) {
            return true;
        }
        // X86 registers have several names, each for a part of the same register.
        let found = match context.litmus.code {
            ast::Code::C(_) => registers.get(name).copied(),
            ast::Code::X86 { .. } => x86::observed_register(name),
        };
        match found {
            Some((register, ty)) => {
                observed.push(Observed { observable: observable.clone(), register, ty, is_shown });
            }
            None => context.complain(span, format!("thread P{number} has no register `{name}`")),
        }
        false
    });
    observed
}

/// A word that a thread passes on, and the values packed into it (each with its lowest bit).
struct Word {
    global: GlobalId,
    parts: Vec<(Observed, u32)>,
}

/// Puts as many values into each word as fit.
fn pack(context: &mut Context<'_>, number: usize, observed: Vec<Observed>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut n_bits = 64;
    for part in observed {
        let part_bits = width(part.ty).bits();
        if n_bits + part_bits > 64 {
            let name = format!("final.{number}.{}", words.len());
            let global = context.module.global(Global::zeroed(&name, 8, 1));
            words.push(Word { global, parts: Vec::new() });
            n_bits = 0;
        }
        if let Some(word) = words.last_mut() {
            word.parts.push((part, n_bits));
        }
        n_bits += part_bits;
    }
    words
}

/// Makes thread `number` write its observed registers, and end.
fn end_thread(
    context: &mut Context<'_>,
    mut code: CodeBuilder,
    number: usize,
    observed: Vec<Observed>,
) -> (FunctionId, Vec<Word>) {
    code.builder.at(None);
    let words = pack(context, number, observed);
    for word in &words {
        let value = pack_word(&mut code, word);
        code.builder.store(WriteOrder::NotAtomic, 8, word.global, value);
        code.release_temporaries();
    }
    (context.module.add(code.builder.finish()), words)
}

fn pack_word(code: &mut CodeBuilder, word: &Word) -> Operand {
    let mut packed: Option<Operand> = None;
    for (part, shift) in &word.parts {
        let dst = code.temporary();
        let (from, value) = (width(part.ty), Operand::Reg(part.register));
        code.builder.push(Instr::Cast { op: CastOp::ZeroExtend, from, to: Width::I64, dst, value });
        let mut value = Operand::Reg(dst);
        if *shift > 0 {
            value = code.binary(BinaryOp::ShiftLeft, Width::I64, value, Operand::Const(u64::from(*shift)));
        }
        packed = Some(match packed {
            None => value,
            Some(packed) => code.binary(BinaryOp::Or, Width::I64, packed, value),
        });
    }
    packed.unwrap_or(Operand::Const(0))
}

/// `main` under construction. It starts with one spawn and one join per thread.
struct Main {
    code: FunctionBuilder,
    n_events: usize,
    watches: Vec<Watch>,
}

impl Main {
    fn next_event(&mut self) -> EventId {
        self.n_events += 1;
        EventId::new(ThreadId::MAIN, self.n_events - 1)
    }

    fn read_words(&mut self, words: Vec<Word>) {
        for word in words {
            self.code.load(ReadOrder::NotAtomic, 8, word.global);
            let event = self.next_event();
            for (part, shift) in word.parts {
                let Observed { observable, ty, is_shown, .. } = part;
                self.watches.push(Watch { observable, event, shift, ty, is_shown });
            }
        }
    }

    fn read_location(&mut self, context: &mut Context<'_>, observable: Observable, at: (Span, bool)) {
        let (span, is_shown) = at;
        let name = match &observable {
            Observable::Location(name) => name,
            Observable::Register { thread, .. } => {
                return context.complain(span, format!("there is no thread P{thread}"));
            }
        };
        let Some(location) = context.locations.get(name) else {
            return context.complain(span, format!("no thread uses a location `{name}`"));
        };
        let order = match context.litmus.code {
            ast::Code::C(_) => ReadOrder::NotAtomic,
            ast::Code::X86 { .. } => ReadOrder::Relaxed,
        };
        let ty = location.ty;
        self.code.load(order, ty.size(), location.global);
        let event = self.next_event();
        self.watches.push(Watch { observable, event, shift: 0, ty, is_shown });
    }
}
