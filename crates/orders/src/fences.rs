//! Places for fences that a program does not have.
//!
//! A repair may add a fence before or after each line of the user's code that accesses atomics. That is where a fence can
//! be written, and where it can matter: between two accesses there is one of these places, or several that only differ in
//! which plain accesses they separate. Places without a statement between them are one.

use crate::sites::{InstrPlace, Order, location_of, text_of};
use crate::specialise::{Specialised, is_access};
use crate::strength::{OrderKind, Strength};
use atropos_event::FenceOrder;
use atropos_vm::{Function, Instr, Module, Operand, SourceId};
use std::collections::{BTreeMap, BTreeSet};

/// Where a fence would be, seen from the accesses of a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    Before,
    After,
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Side::Before => "before",
            Side::After => "after",
        }
    }
}

/// The line of an access, or its instruction where no line is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum LineKey {
    Line(String, u32),
    Instruction(InstrPlace),
}

/// The places for fences around one line: the fence comes before the statement at the position. The first access of the
/// line is the one to show.
#[derive(Default)]
struct Around {
    access: Option<InstrPlace>,
    before: BTreeSet<InstrPlace>,
    after: BTreeSet<InstrPlace>,
}

/// The places for further fences in these programs, sorted by line, as orders of fences that demand nothing.
pub(crate) fn places(programs: &[&Specialised]) -> Vec<Order> {
    let mut lines: BTreeMap<LineKey, Around> = BTreeMap::new();
    for (program, specialised) in programs.iter().enumerate() {
        for function in 0..specialised.module.functions.len() {
            for (key, first, last) in lines_with_accesses(specialised, program, function) {
                let body = &specialised.module.functions[function];
                let at = |at: usize| InstrPlace { program, function, at };
                let around = lines.entry(key).or_default();
                around.access.get_or_insert(at(first));
                around.before.insert(at(start_of_line(&specialised.module, body, first)));
                around.after.insert(at(end_of_line(&specialised.module, body, last)));
            }
        }
    }
    let mut met = BTreeSet::new();
    let mut found = Vec::new();
    // Of two places without a statement between, the one before a line is easier to describe.
    for side in [Side::Before, Side::After] {
        for (key, around) in &lines {
            let positions = if side == Side::Before { &around.before } else { &around.after };
            let takes_jumps = |place: &InstrPlace| {
                let function = &programs[place.program].module.functions[place.function];
                side == Side::Before && is_target(function, place.at)
            };
            let identity: Vec<_> = positions.iter().map(|place| (*place, takes_jumps(place))).collect();
            if let Some(access) = around.access.filter(|_| met.insert(identity)) {
                found.push((key, side, order_of(programs, side, access, positions)));
            }
        }
    }
    found.sort_by(|left, right| (left.0, left.1).cmp(&(right.0, right.1)));
    found.into_iter().map(|(_, _, order)| order).collect()
}

fn order_of(
    programs: &[&Specialised],
    side: Side,
    access: InstrPlace,
    positions: &BTreeSet<InstrPlace>,
) -> Order {
    let module = &programs[access.program].module;
    let function = &module.functions[access.function];
    Order {
        kind: OrderKind::Fence,
        operation: crate::sites::Operation::Fence,
        written: Strength::NONE,
        location: location_of(module, function.body[access.at].source),
        text: text_of(module, function, access.at),
        added: Some(side),
        positions: positions.iter().copied().collect(),
    }
}

/// The lines of the user's code in this function that access atomics, with the first and the last of these accesses.
fn lines_with_accesses(
    program: &Specialised,
    number: usize,
    function: usize,
) -> Vec<(LineKey, usize, usize)> {
    let mut lines: BTreeMap<LineKey, (usize, usize)> = BTreeMap::new();
    // What the copy for a call does is part of the call's line.
    if program.is_copy(function) {
        return Vec::new();
    }
    let is_reachable = program.reachable(function);
    for (at, statement) in program.module.functions[function].body.iter().enumerate() {
        let accesses = is_access(&statement.instr) || calls_access(program, &statement.instr);
        if !accesses || !is_reachable[at] || !crate::sites::is_users(&program.module, statement.source) {
            continue;
        }
        let key = match statement.source.map(|id| &program.module.sources[id.index()]) {
            Some(source) => LineKey::Line(source.file.clone(), source.line),
            None => LineKey::Instruction(InstrPlace { program: number, function, at }),
        };
        lines.entry(key).or_insert((at, at)).1 = at;
    }
    lines.into_iter().map(|(key, (first, last))| (key, first, last)).collect()
}

/// Whether an instruction calls a function of the atomic types that accesses memory.
fn calls_access(program: &Specialised, instr: &Instr) -> bool {
    let Instr::Call { function: Operand::Function(callee), .. } = instr else { return false };
    if !program.is_copy(callee.index()) {
        return false;
    }
    let is_reachable = program.reachable(callee.index());
    let body = program.module.functions[callee.index()].body.iter();
    let mut body = body.zip(is_reachable).filter(|(_, is_reachable)| *is_reachable);
    body.any(|(statement, _)| is_access(&statement.instr) || calls_access(program, &statement.instr))
}

/// Goes back over the statements of the access's line and of the lines that its arguments are on.
fn start_of_line(module: &Module, function: &Function, access: usize) -> usize {
    let own = line_of(module, function.body[access].source);
    let is_part = |at: usize| match line_of(module, function.body[at].source) {
        Some((file, line)) => own.is_some_and(|own| own.0 == file && own.1 <= line),
        None => own.is_some(),
    };
    let mut start = access;
    while start > 0
        && !is_target(function, start)
        && function.body[start - 1].instr.falls_through()
        && !is_branch(&function.body[start - 1].instr)
        && is_part(start - 1)
    {
        start -= 1;
    }
    start
}

/// The statement after those of the access's line.
fn end_of_line(module: &Module, function: &Function, access: usize) -> usize {
    let own = line_of(module, function.body[access].source);
    let is_part = |at: usize| own.is_some() && line_of(module, function.body[at].source) == own;
    let mut end = access + 1;
    while !is_target(function, end)
        && function.body[end].instr.falls_through()
        && !is_branch(&function.body[end].instr)
        && is_part(end)
    {
        end += 1;
    }
    end
}

fn line_of(module: &Module, source: Option<SourceId>) -> Option<(&str, u32)> {
    let source = &module.sources[source?.index()];
    Some((&source.file, source.line))
}

fn is_target(function: &Function, at: usize) -> bool {
    function.targets.iter().any(|target| target.at as usize == at)
}

fn is_branch(instr: &Instr) -> bool {
    let mut has_targets = false;
    instr.visit_targets(&mut |_| has_targets = true);
    has_targets
}

/// A fence to add to a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Insertion {
    pub function: usize,
    /// It comes before this statement.
    pub at: usize,
    /// If it is after a line, jumps to that statement do not meet it.
    pub side: Side,
    pub order: FenceOrder,
}

/// Adds fences. Their places are numbers of statements in the module as it is.
pub(crate) fn insert(module: &mut Module, mut insertions: Vec<Insertion>) {
    // From the end, so that the other places stay; what follows a line comes before what precedes the next.
    insertions.sort_by_key(|it| (it.function, std::cmp::Reverse((it.at, it.side == Side::Before))));
    for Insertion { function, at, side, order } in insertions {
        let function = &mut module.functions[function];
        let beside = if side == Side::After && at > 0 { at - 1 } else { at };
        let mut fence = function.body[beside].clone();
        fence.instr = Instr::Fence { order };
        function.body.insert(at, fence);
        for target in &mut function.targets {
            let is_behind = target.at as usize > at || (target.at as usize == at && side == Side::After);
            target.at += u32::from(is_behind);
        }
    }
}
