//! Tiny programs as closures, which run natively.

use atropos::assume;
use atropos::sync::atomic::{AtomicU32, Ordering, fence};
use atropos::thread::{self, JoinHandle};
use atropos_differential::rust_source::VARIABLES;
use atropos_event::{FenceOrder, ReadOrder, RmwOp, WriteOrder};
use atropos_native::wait_until;
use atropos_testkit::{Ast, Expr, Register, Stmt, Var};

/// The variables of all programs. Each execution starts with their first values.
pub static VARS: [AtomicU32; VARIABLES as usize] = [const { AtomicU32::new(0) }; VARIABLES as usize];

/// A thread that runs natively.
struct Runner {
    ast: &'static Ast,
    registers: [u64; Register::LIMIT],
    children: Vec<(usize, JoinHandle<()>)>,
}

/// Runs a thread of the program.
pub fn run_thread(ast: &'static Ast, thread: usize) {
    let mut runner = Runner { ast, registers: [0; Register::LIMIT], children: Vec::new() };
    runner.run(&ast.threads[thread]);
}

impl Runner {
    fn run(&mut self, body: &'static [Stmt]) {
        body.iter().for_each(|stmt| self.step(stmt));
    }

    fn step(&mut self, stmt: &'static Stmt) {
        match *stmt {
            Stmt::Load { to, var, order } => self.set(to, at(var).load(load_order(order))),
            Stmt::Store { var, value, order } => at(var).store(self.value(value), store_order(order)),
            Stmt::Fetch { to, op, var, operand, orders: (read, write) } => {
                self.set(to, fetch(at(var), op, operand as u32, both(read, write)));
            }
            Stmt::Cas { to, var, expected, desired, orders: (read, write, failure) } => {
                let (success, failure) = (both(read, write), load_order(failure));
                let result = at(var).compare_exchange(expected as u32, desired as u32, success, failure);
                self.set(to, result.unwrap_or_else(|value| value));
            }
            Stmt::Fence(order) => fence(match order {
                FenceOrder::Acquire => Ordering::Acquire,
                FenceOrder::Release => Ordering::Release,
                FenceOrder::AcqRel => Ordering::AcqRel,
                FenceOrder::SeqCst => Ordering::SeqCst,
            }),
            Stmt::Assume(test) => assume(test.holds(&self.registers)),
            Stmt::Assert(test) => assert!(test.holds(&self.registers), "an assertion failed"),
            Stmt::If(test, ref body) => {
                if test.holds(&self.registers) {
                    self.run(body);
                }
            }
            Stmt::Locked(mutex, ref body) => {
                let taken = at(mutex).compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed);
                wait_until(taken.is_ok());
                self.run(body);
                at(mutex).store(0, Ordering::Release);
            }
            Stmt::Spawn(child) => {
                let ast = self.ast;
                self.children.push((child, thread::spawn(move || run_thread(ast, child))));
            }
            Stmt::Join(child) => {
                let known = self.children.iter().position(|(number, _)| *number == child);
                let (_, handle) = self.children.remove(known.expect("a child that was not joined"));
                handle.join().expect("a thread that panics is a violation");
            }
            Stmt::LoadAt { .. } | Stmt::StoreAt { .. } | Stmt::New { .. } | Stmt::Free(_) => {
                unreachable!("left out")
            }
        }
    }

    fn set(&mut self, to: Register, value: u32) {
        self.registers[to.index()] = u64::from(value);
    }

    fn value(&self, value: Expr) -> u32 {
        match value {
            Expr::Const(value) => value as u32,
            Expr::Sum(register, more) => self.registers[register.index()].wrapping_add(more) as u32,
            Expr::Address(_) => unreachable!("left out"),
        }
    }
}

fn at(var: Var) -> &'static AtomicU32 {
    &VARS[usize::from(var.0)]
}

fn load_order(order: ReadOrder) -> Ordering {
    match order {
        ReadOrder::NotAtomic | ReadOrder::Relaxed => Ordering::Relaxed,
        ReadOrder::Acquire => Ordering::Acquire,
        ReadOrder::SeqCst => Ordering::SeqCst,
    }
}

fn store_order(order: WriteOrder) -> Ordering {
    match order {
        WriteOrder::NotAtomic | WriteOrder::Relaxed => Ordering::Relaxed,
        WriteOrder::Release => Ordering::Release,
        WriteOrder::SeqCst => Ordering::SeqCst,
    }
}

fn both(read: ReadOrder, write: WriteOrder) -> Ordering {
    match (read.is_acquire(), write.is_release()) {
        _ if read == ReadOrder::SeqCst => Ordering::SeqCst,
        (true, true) => Ordering::AcqRel,
        (true, false) => Ordering::Acquire,
        (false, true) => Ordering::Release,
        (false, false) => Ordering::Relaxed,
    }
}

fn fetch(atomic: &AtomicU32, op: RmwOp, operand: u32, order: Ordering) -> u32 {
    match op {
        RmwOp::Exchange => atomic.swap(operand, order),
        RmwOp::Add => atomic.fetch_add(operand, order),
        RmwOp::Sub => atomic.fetch_sub(operand, order),
        RmwOp::And => atomic.fetch_and(operand, order),
        RmwOp::Or => atomic.fetch_or(operand, order),
        RmwOp::Xor => atomic.fetch_xor(operand, order),
        RmwOp::Nand => atomic.fetch_nand(operand, order),
        RmwOp::UnsignedMax => atomic.fetch_max(operand, order),
        RmwOp::UnsignedMin => atomic.fetch_min(operand, order),
        op => unreachable!("{} is left out", op.name()),
    }
}
