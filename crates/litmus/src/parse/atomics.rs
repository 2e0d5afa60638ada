//! Calls: the functions of `stdatomic.h`, and a clear error for all others.

use super::{Parsed, Parser};
use crate::ast::c::{Cas, Expected, Expr, ExprKind, MemoryOrder, StatementKind, Strength};
use crate::lexer::Token;
use atropos_event::Fault;
use atropos_event::RmwOp;

/// The Linux kernel's primitives, which have their own memory model.
const KERNEL_WORDS: [&str; 10] = [
    "READ_ONCE",
    "WRITE_ONCE",
    "smp_",
    "rcu_",
    "srcu_",
    "synchronize_",
    "spin_",
    "xchg",
    "cmpxchg",
    "atomic_",
];

impl Parser {
    /// A call that is a special statement; `None` if it must be parsed as an expression, and also for a signal fence,
    /// which is consumed and does nothing.
    pub(super) fn call_statement(&mut self, function: &str) -> Parsed<Option<StatementKind>> {
        let (base, explicit) = split_explicit(function);
        match base {
            "atomic_store" => {
                let (pointer, value) = self.two_arguments()?;
                let order = Some(self.last_order(explicit)?);
                Ok(Some(StatementKind::Store { pointer, value, order }))
            }
            "atomic_init" => {
                let (pointer, value) = self.two_arguments()?;
                self.expect(")")?;
                Ok(Some(StatementKind::Store { pointer, value, order: None }))
            }
            "atomic_thread_fence" => Ok(Some(StatementKind::Fence(self.fence_order()?))),
            "atomic_signal_fence" => self.fence_order().map(|_| None),
            _ => Ok(None),
        }
    }

    pub(super) fn call_expression(&mut self, function: &str) -> Parsed<ExprKind> {
        let (base, explicit) = split_explicit(function);
        if let Some(op) = rmw_operation(base) {
            let (pointer, operand) = self.two_arguments()?;
            let order = self.last_order(explicit)?;
            return Ok(ExprKind::Rmw { op, pointer: Box::new(pointer), operand: Box::new(operand), order });
        }
        match base {
            "atomic_load" => {
                self.open_call();
                let pointer = Box::new(self.location_argument()?);
                Ok(ExprKind::Load { pointer, order: Some(self.last_order(explicit)?) })
            }
            "atomic_compare_exchange_strong" => self.compare_exchange(Strength::Strong, explicit),
            "atomic_compare_exchange_weak" => self.compare_exchange(Strength::Weak, explicit),
            "atomic_store" | "atomic_init" | "atomic_thread_fence" | "atomic_signal_fence" => {
                Err(Fault::new(self.span(), format!("`{function}` has no value")))
            }
            _ => Err(Fault::new(self.span(), unknown_function(function))),
        }
    }

    /// Skips `function (`.
    fn open_call(&mut self) {
        self.advance();
        self.advance();
    }

    fn two_arguments(&mut self) -> Parsed<(Expr, Expr)> {
        self.open_call();
        let pointer = self.location_argument()?;
        self.expect(",")?;
        Ok((pointer, self.expression()?))
    }

    /// A pointer; `&x` is accepted for `x`.
    fn location_argument(&mut self) -> Parsed<Expr> {
        if self.is_at("&") && matches!(self.peek_at(1), Token::Ident(_)) {
            self.advance();
        }
        self.expression()
    }

    /// `, order)` of a function with an explicit order, `)` of one without.
    fn last_order(&mut self, explicit: Explicit) -> Parsed<MemoryOrder> {
        let order = match explicit {
            Explicit::Yes => {
                self.expect(",")?;
                self.memory_order()?
            }
            Explicit::No => MemoryOrder::SeqCst,
        };
        self.expect(")")?;
        Ok(order)
    }

    fn fence_order(&mut self) -> Parsed<MemoryOrder> {
        self.open_call();
        let order = self.memory_order()?;
        self.expect(")")?;
        Ok(order)
    }

    fn compare_exchange(&mut self, strength: Strength, explicit: Explicit) -> Parsed<ExprKind> {
        self.open_call();
        let pointer = self.location_argument()?;
        self.expect(",")?;
        let expected = match (self.peek(), self.peek_at(1)) {
            (Token::Symbol("&"), Token::Ident(_)) => {
                self.advance();
                Expected::Local(self.ident("a local")?)
            }
            _ => Expected::Memory(self.expression()?),
        };
        self.expect(",")?;
        let desired = self.expression()?;
        let (mut success, mut failure) = (MemoryOrder::SeqCst, MemoryOrder::SeqCst);
        if explicit == Explicit::Yes {
            self.expect(",")?;
            success = self.memory_order()?;
            self.expect(",")?;
            failure = self.memory_order()?;
        }
        self.expect(")")?;
        Ok(ExprKind::Cas(Box::new(Cas { strength, pointer, expected, desired, success, failure })))
    }

    fn memory_order(&mut self) -> Parsed<MemoryOrder> {
        let start = self.span();
        let word = self.ident("a memory order")?;
        if word == "memory_order_consume" {
            return Ok(MemoryOrder::Acquire);
        }
        MemoryOrder::ALL
            .into_iter()
            .find(|order| order.name() == word)
            .ok_or_else(|| Fault::new(start, format!("expected a memory order, found `{word}`")))
    }
}

/// Whether a function takes its order as an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Explicit {
    Yes,
    No,
}

fn split_explicit(function: &str) -> (&str, Explicit) {
    match function.strip_suffix("_explicit") {
        Some(base) => (base, Explicit::Yes),
        None => (function, Explicit::No),
    }
}

fn rmw_operation(base: &str) -> Option<RmwOp> {
    match base {
        "atomic_exchange" => Some(RmwOp::Exchange),
        "atomic_fetch_add" => Some(RmwOp::Add),
        "atomic_fetch_sub" => Some(RmwOp::Sub),
        "atomic_fetch_and" => Some(RmwOp::And),
        "atomic_fetch_or" => Some(RmwOp::Or),
        "atomic_fetch_xor" => Some(RmwOp::Xor),
        _ => None,
    }
}

fn unknown_function(function: &str) -> String {
    if KERNEL_WORDS.iter().any(|word| function.starts_with(word)) {
        return format!(
            "`{function}` is not supported: Linux kernel primitives need the kernel's own memory model; \
             use the functions of <stdatomic.h>"
        );
    }
    format!("the function `{function}` is not supported: litmus tests can call those of <stdatomic.h> only")
}
