//! Where programs have orders, and programs with other orders.
//!
//! An order belongs to a place in the source, not to an execution of it, nor to one of the functions or programs that
//! the place becomes a part of: a template has the same orders in all its instances, and a header in all programs that
//! include it. Two places differ in file, line, column or kind of operation; a program without debug information
//! has an order for each instruction.
//!
//! A repair may add fences, too. Their places are further orders, which demand nothing as written.
//!
//! The orders of libraries are left alone. So is an order that is computed at run time, where the compiler makes one
//! instruction for each possible order; and read-modify-writes whose halves differ in a way that no order of C has.

use crate::fences::{self, Insertion, Side};
use crate::specialise::Specialised;
use crate::strength::{Assignment, OrderKind, Strength};
use atropos_event::{RmwOp, SourceLocation};
use atropos_vm::instr::CasOrders;
use atropos_vm::text::instr_text;
use atropos_vm::{Function, Instr, Module, Operand, SourceId};
use std::collections::BTreeMap;

/// What an operation does, as far as the machine instruction depends on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    Load,
    Store,
    Exchange,
    Add,
    /// Any other read-modify-write.
    Modify,
    CompareExchange,
    Fence,
}

/// One order of the programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    pub kind: OrderKind,
    pub operation: Operation,
    /// As in the source.
    pub written: Strength,
    pub location: Option<SourceLocation>,
    /// The statement, as the front-end shows it.
    pub text: String,
    /// A fence that the program does not have: it would be on this side of the statement's line.
    pub added: Option<Side>,
    pub(crate) positions: Vec<InstrPlace>,
}

impl Order {
    /// The instructions that have it.
    pub(crate) fn positions_text(&self) -> String {
        format!("{:?} {:?}", self.added, self.positions)
    }

    /// The numbers of the programs that have it.
    pub fn programs(&self) -> impl Iterator<Item = usize> + '_ {
        self.positions.iter().map(|position| position.program)
    }
}

/// An instruction of one of the programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct InstrPlace {
    pub program: usize,
    pub function: usize,
    pub at: usize,
}

/// An order that may not be changed, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftAlone {
    pub location: Option<SourceLocation>,
    pub text: String,
    pub reason: WhyLeftAlone,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhyLeftAlone {
    /// It is computed at run time.
    Computed,
    /// Its read and its write have orders that do not fit one order of C.
    Halves,
}

/// All orders of some programs.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    pub all: Vec<Order>,
    pub left_alone: Vec<LeftAlone>,
}

/// The identity of an order: its place, or its instruction where no place is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Place(String, u32, u32, OrderKind),
    Instruction(InstrPlace, OrderKind),
}

/// An order of one instruction; `None` if it fits no order of C.
struct Found {
    kind: OrderKind,
    operation: Operation,
    strength: Option<Strength>,
}

impl Orders {
    /// The orders of `programs`, sorted by place.
    pub fn of(programs: &[&Specialised]) -> Orders {
        let modules: Vec<&Module> = programs.iter().map(|program| &program.module).collect();
        let mut groups: BTreeMap<Key, Vec<(InstrPlace, Found)>> = BTreeMap::new();
        for (program, module) in modules.iter().enumerate() {
            for (function, body) in module.functions.iter().map(|function| &function.body).enumerate() {
                let is_reachable = programs[program].reachable(function);
                for (at, statement) in body.iter().enumerate() {
                    if !is_users(module, statement.source) || !is_reachable[at] {
                        continue;
                    }
                    let position = InstrPlace { program, function, at };
                    for found in orders_of(&statement.instr) {
                        let key = key_of(module, statement.source, position, found.kind);
                        groups.entry(key).or_default().push((position, found));
                    }
                }
            }
        }
        let mut orders = Orders::default();
        for group in groups.into_values() {
            orders.add(&modules, group);
        }
        orders
    }

    /// The same with places for further fences, after all orders that the programs have.
    pub fn with_places_for_fences(programs: &[&Specialised]) -> Orders {
        let mut orders = Orders::of(programs);
        orders.all.append(&mut fences::places(programs));
        orders
    }

    /// How many orders the programs have.
    pub fn n_written(&self) -> usize {
        self.all.iter().filter(|order| order.added.is_none()).count()
    }

    /// The orders to show: those that the programs have, and further fences in one of these assignments.
    pub fn shown<'a>(&self, assignments: impl IntoIterator<Item = &'a Assignment>) -> Vec<usize> {
        let mut is_shown: Vec<bool> = self.all.iter().map(|order| order.added.is_none()).collect();
        for assignment in assignments {
            for (is_shown, strength) in is_shown.iter_mut().zip(&assignment.0) {
                *is_shown |= *strength != Strength::NONE;
            }
        }
        (0..self.all.len()).filter(|&order| is_shown[order]).collect()
    }

    fn add(&mut self, modules: &[&Module], group: Vec<(InstrPlace, Found)>) {
        let (first, Found { kind, operation, strength, .. }) = &group[0];
        let module = modules[first.program];
        let function = &module.functions[first.function];
        let location = location_of(module, function.body[first.at].source);
        let text = text_of(module, function, first.at);
        let reason = match strength {
            None => Some(WhyLeftAlone::Halves),
            Some(_) if group.iter().any(|(_, other)| other.strength != *strength) => {
                Some(WhyLeftAlone::Computed)
            }
            Some(_) => None,
        };
        match (reason, strength) {
            (None, Some(written)) => self.all.push(Order {
                kind: *kind,
                operation: *operation,
                written: *written,
                location,
                text,
                added: None,
                positions: group.iter().map(|(position, _)| *position).collect(),
            }),
            (reason, _) => {
                let reason = reason.unwrap_or(WhyLeftAlone::Halves);
                self.left_alone.push(LeftAlone { location, text, reason });
            }
        }
    }

    pub fn kinds(&self) -> Vec<OrderKind> {
        self.all.iter().map(|order| order.kind).collect()
    }

    /// The strongest orders, without further fences.
    pub fn strongest(&self) -> Assignment {
        let strongest = |order: &Order| order.added.map_or(order.kind.strongest(), |_| Strength::NONE);
        Assignment(self.all.iter().map(strongest).collect())
    }

    pub fn written(&self) -> Assignment {
        Assignment(self.all.iter().map(|order| order.written).collect())
    }

    /// The program with number `program`, whose module is `module`, with these orders.
    pub fn apply(&self, module: &Module, program: usize, assignment: &Assignment) -> Module {
        let mut module = module.clone();
        let mut insertions = Vec::new();
        for (order, &strength) in self.all.iter().zip(&assignment.0) {
            for &InstrPlace { function, at, .. } in order.positions.iter().filter(|it| it.program == program)
            {
                match (order.added, strength.fence_order()) {
                    (None, _) => {
                        set_order(&mut module.functions[function].body[at].instr, order.kind, strength)
                    }
                    (Some(side), Some(order)) => insertions.push(Insertion { function, at, side, order }),
                    (Some(_), None) => {}
                }
            }
        }
        fences::insert(&mut module, insertions);
        module
    }
}

pub(crate) fn location_of(module: &Module, source: Option<SourceId>) -> Option<SourceLocation> {
    let source = &module.sources[source?.index()];
    Some(SourceLocation { file: source.file.clone(), line: source.line, column: source.column })
}

/// A statement in the words of the source.
pub(crate) fn text_of(module: &Module, function: &Function, at: usize) -> String {
    let statement = &function.body[at];
    let text = statement.source.map_or("", |id| module.sources[id.index()].text.trim());
    if text.is_empty() { instr_text(module, function, &statement.instr) } else { text.to_string() }
}

/// Whether the user has written a statement. The library's own statements have no source, or one in a system header.
pub(crate) fn is_users(module: &Module, source: Option<SourceId>) -> bool {
    match source {
        Some(id) => !module.sources[id.index()].in_library,
        // Such a module was not compiled from a source: it is what the user has written.
        None => module.sources.is_empty(),
    }
}

fn key_of(module: &Module, source: Option<SourceId>, position: InstrPlace, kind: OrderKind) -> Key {
    match source.map(|id| &module.sources[id.index()]) {
        Some(source) => Key::Place(source.file.clone(), source.line, source.column, kind),
        None => Key::Instruction(position, kind),
    }
}

fn orders_of(instr: &Instr) -> Vec<Found> {
    let one = |kind, operation, strength| vec![Found { kind, operation, strength }];
    match *instr {
        Instr::Load { order, .. } if order.is_atomic() => {
            one(OrderKind::Load, Operation::Load, Some(Strength::of_read(order)))
        }
        Instr::Store { order, .. } if order.is_atomic() => {
            one(OrderKind::Store, Operation::Store, Some(Strength::of_write(order)))
        }
        Instr::Fence { order } => one(OrderKind::Fence, Operation::Fence, Some(Strength::of_fence(order))),
        Instr::Rmw { op, read_order, write_order, .. } => {
            let operation = match op {
                RmwOp::Exchange => Operation::Exchange,
                RmwOp::Add | RmwOp::Sub => Operation::Add,
                _ => Operation::Modify,
            };
            let (read, write) = (Strength::of_read(read_order), Strength::of_write(write_order));
            one(OrderKind::Update, operation, both(read, write))
        }
        Instr::Cas { orders: CasOrders { read, write, failure }, .. } => {
            let success = both(Strength::of_read(read), Strength::of_write(write));
            let operation = Operation::CompareExchange;
            let failure = Some(Strength::of_read(failure));
            vec![
                Found { kind: OrderKind::Update, operation, strength: success },
                Found { kind: OrderKind::Failure, operation, strength: failure },
            ]
        }
        _ => Vec::new(),
    }
}

/// The order of a read-modify-write whose halves have these; `None` if only one of them is sequentially consistent.
fn both(read: Strength, write: Strength) -> Option<Strength> {
    (read.is_seq_cst() == write.is_seq_cst()).then(|| read.or(write))
}

fn set_order(instr: &mut Instr, kind: OrderKind, strength: Strength) {
    match (kind, &mut *instr) {
        (OrderKind::Load, Instr::Load { order, .. }) => *order = strength.read_order(),
        (OrderKind::Store, Instr::Store { order, .. }) => *order = strength.write_order(),
        (OrderKind::Update, Instr::Rmw { read_order, write_order, .. }) => {
            (*read_order, *write_order) = (strength.read_order(), strength.write_order());
        }
        (OrderKind::Update, Instr::Cas { orders, .. }) => {
            (orders.read, orders.write) = (strength.read_order(), strength.write_order());
        }
        (OrderKind::Failure, Instr::Cas { orders, .. }) => orders.failure = strength.read_order(),
        (OrderKind::Fence, fence @ Instr::Fence { .. }) => {
            // Assuming what always holds does nothing.
            let nothing = Instr::Assume { condition: Operand::Const(1) };
            *fence = strength.fence_order().map_or(nothing, |order| Instr::Fence { order });
        }
        (_, other) => unreachable!("{other:?} has no such order"),
    }
}
