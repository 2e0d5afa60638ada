//! The threads of a generated test in C.

use super::cycle::{CycleAccess, Reached};
use super::edge::{Annotation, Direction, Via};
use super::{by_thread, location_name, register_name};
use crate::ast::Dialect;
use crate::ast::c::{BinaryOp, Expr, ExprKind, MemoryOrder, Parameter, Statement, StatementKind, Thread};
use crate::ast::types::Type;
use atropos_event::Span;
use atropos_event::{FenceOrder, RmwOp};

pub fn threads(accesses: &[CycleAccess]) -> Vec<Thread> {
    by_thread(accesses).map(|thread| one_thread(thread, accesses)).collect()
}

fn one_thread(thread: &[CycleAccess], all: &[CycleAccess]) -> Thread {
    let mut locations: Vec<usize> = thread.iter().map(|access| access.location).collect();
    locations.sort_unstable();
    locations.dedup();
    let parameters = locations.iter().map(|&location| parameter(location, all)).collect();
    Thread { parameters, body: body(thread), span: Span::default() }
}

/// A location is atomic if some access to it is.
fn parameter(location: usize, all: &[CycleAccess]) -> Parameter {
    let accesses = all.iter().filter(|access| access.location == location);
    let is_atomic = accesses.into_iter().any(|access| access.annotation != Annotation::Na);
    let ty = if is_atomic { Type::ATOMIC_INT } else { Type::INT };
    Parameter { ty: ty.pointer_to(), name: location_name(location), span: Span::default() }
}

/// Variables read inside an `if` are declared outside, so that the final condition can see them.
fn body(thread: &[CycleAccess]) -> Vec<Statement> {
    let is_ctrl = |access: &CycleAccess| access.reached == Some(Reached::Via(Via::Ctrl));
    let n_straight = thread.iter().position(is_ctrl).unwrap_or(thread.len());
    let declare =
        |n| StatementKind::Declare { ty: Type::INT, name: register_name(n, Dialect::C), value: None };
    let first = n_reads(&thread[..n_straight]);
    let declarations = (first..n_reads(thread)).map(|n| Statement::new(declare(n)));
    let mut body: Vec<Statement> = declarations.collect();
    body.extend(statements(thread, 0, first));
    body
}

fn n_reads(accesses: &[CycleAccess]) -> usize {
    accesses.iter().filter(|access| access.direction == Direction::R).count()
}

/// The statements from access `start` of `thread` on. A control dependency puts the rest of the thread into an `if`.
/// Registers from `n_undeclared` on are already declared.
fn statements(thread: &[CycleAccess], start: usize, n_undeclared: usize) -> Vec<Statement> {
    let mut statements = Vec::new();
    for (index, access) in thread.iter().enumerate().skip(start) {
        let reads_before = n_reads(&thread[..index]);
        let last_read = || Expr::name(register_name(reads_before.saturating_sub(1), Dialect::C));
        let mut value = Expr::int(access.value);
        match access.reached {
            // Its read includes it.
            Some(Reached::Rmw) => continue,
            Some(Reached::Via(Via::Ctrl)) if index > start => {
                let condition = Expr::binary(BinaryOp::Equal, last_read(), last_read());
                let then = self::statements(thread, index, n_undeclared);
                statements.push(StatementKind::If { condition, then, otherwise: Vec::new() });
                break;
            }
            None | Some(Reached::Via(Via::Nothing | Via::Ctrl)) => {}
            Some(Reached::Via(Via::Fence(order))) => {
                statements.push(StatementKind::Fence(fence_order(order)))
            }
            Some(Reached::Via(Via::Data)) => {
                let zero = Expr::binary(BinaryOp::Xor, last_read(), last_read());
                value = Expr::binary(BinaryOp::Add, value, zero);
            }
        }
        let pointer = Expr::name(location_name(access.location));
        statements.push(match access.direction {
            Direction::W if access.annotation.is_exchange() => {
                let (pointer, operand) = (Box::new(pointer), Box::new(value));
                let order = memory_order(access.annotation).unwrap_or(MemoryOrder::SeqCst);
                let exchange = ExprKind::Rmw { op: RmwOp::Exchange, pointer, operand, order };
                StatementKind::Evaluate(Expr::new(exchange))
            }
            Direction::W => StatementKind::Store { pointer, value, order: memory_order(access.annotation) },
            Direction::R => {
                let name = register_name(reads_before, Dialect::C);
                let value = read(access, thread.get(index + 1), pointer);
                if reads_before < n_undeclared {
                    StatementKind::Declare { ty: Type::INT, name, value: Some(value) }
                } else {
                    StatementKind::Assign { name, value }
                }
            }
        });
    }
    statements.into_iter().map(Statement::new).collect()
}

/// A load, or an exchange if the write of a read-modify-write comes next.
fn read(access: &CycleAccess, next: Option<&CycleAccess>, pointer: Expr) -> Expr {
    let pointer = Box::new(pointer);
    Expr::new(match next.filter(|next| next.reached == Some(Reached::Rmw)) {
        None => ExprKind::Load { pointer, order: memory_order(access.annotation) },
        Some(write) => {
            let order = rmw_order(access.annotation, write.annotation);
            let operand = Box::new(Expr::int(write.value));
            ExprKind::Rmw { op: RmwOp::Exchange, pointer, operand, order }
        }
    })
}

fn memory_order(annotation: Annotation) -> Option<MemoryOrder> {
    match annotation {
        Annotation::Na => None,
        Annotation::Rlx | Annotation::XRlx => Some(MemoryOrder::Relaxed),
        Annotation::Acq => Some(MemoryOrder::Acquire),
        Annotation::Rel => Some(MemoryOrder::Release),
        Annotation::XAcqRel => Some(MemoryOrder::AcqRel),
        Annotation::Sc | Annotation::XSc => Some(MemoryOrder::SeqCst),
    }
}

fn rmw_order(read: Annotation, write: Annotation) -> MemoryOrder {
    match (read, write) {
        (Annotation::Sc, _) | (_, Annotation::Sc) => MemoryOrder::SeqCst,
        (Annotation::Acq, Annotation::Rel) => MemoryOrder::AcqRel,
        (Annotation::Acq, _) => MemoryOrder::Acquire,
        (_, Annotation::Rel) => MemoryOrder::Release,
        _ => MemoryOrder::Relaxed,
    }
}

fn fence_order(order: FenceOrder) -> MemoryOrder {
    match order {
        FenceOrder::Acquire => MemoryOrder::Acquire,
        FenceOrder::Release => MemoryOrder::Release,
        FenceOrder::AcqRel => MemoryOrder::AcqRel,
        FenceOrder::SeqCst => MemoryOrder::SeqCst,
    }
}
