//! What an order costs: the instructions that compilers make of it on x86-64 and AArch64.
//!
//! The instructions are those of current compilers for `-march=x86-64` and `-march=armv8.3-a`, which has one instruction
//! for most read-modify-writes and a load that acquires without being sequentially consistent. Prices are rough: they
//! only decide between answers, so their order matters and not their size. Each demand costs something, even where the
//! instruction is the same.

use crate::sites::{Operation, Order, Orders};
use crate::strength::{OrderKind, Strength};

/// A machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    X86,
    Arm,
}

impl Machine {
    pub fn name(self) -> &'static str {
        match self {
            Machine::X86 => "x86-64",
            Machine::Arm => "AArch64",
        }
    }

    /// The instruction for an operation of this strength; empty if there is none.
    pub fn instruction(self, order: &Order, strength: Strength) -> &'static str {
        match self {
            Machine::X86 => on_x86(order, strength).0,
            Machine::Arm => on_arm(order, strength).0,
        }
    }
}

/// The instruction and its price.
type Code = (&'static str, u64);

fn on_x86(order: &Order, strength: Strength) -> Code {
    match (order.kind, order.operation, strength.is_seq_cst()) {
        (OrderKind::Load, ..) => ("mov", 1),
        (OrderKind::Store, _, false) => ("mov", 1),
        (OrderKind::Store, _, true) => ("xchg", 20),
        (OrderKind::Failure, ..) => ("lock cmpxchg", 0),
        (OrderKind::Fence, _, false) => ("", 0),
        (OrderKind::Fence, _, true) => ("mfence", 30),
        (OrderKind::Update, Operation::Exchange, _) => ("xchg", 20),
        (OrderKind::Update, Operation::Add, _) => ("lock xadd", 20),
        (OrderKind::Update, ..) => ("lock cmpxchg", 20),
    }
}

fn on_arm(order: &Order, strength: Strength) -> Code {
    let suffixed = |names: [&'static str; 4]| match (strength.acquires(), strength.releases()) {
        (false, false) => (names[0], 10),
        (true, false) => (names[1], 12),
        (false, true) => (names[2], 12),
        (true, true) => (names[3], 14),
    };
    match order.kind {
        OrderKind::Load if strength.is_seq_cst() => ("ldar", 4),
        OrderKind::Load if strength.acquires() => ("ldapr", 3),
        OrderKind::Load => ("ldr", 1),
        OrderKind::Store if strength.releases() => ("stlr", 4),
        OrderKind::Store => ("str", 1),
        OrderKind::Fence => match strength.fence_order() {
            None => ("", 0),
            Some(_) if !strength.releases() => ("dmb ishld", 8),
            Some(_) => ("dmb ish", 15),
        },
        OrderKind::Failure => suffixed(["cas", "casa", "casl", "casal"]),
        OrderKind::Update => match order.operation {
            Operation::Exchange => suffixed(["swp", "swpa", "swpl", "swpal"]),
            Operation::Add => suffixed(["ldadd", "ldadda", "ldaddl", "ldaddal"]),
            _ => suffixed(["cas", "casa", "casl", "casal"]),
        },
    }
}

/// The price of one order: that of its instructions on both machines, and one for each demand.
pub fn price(order: &Order, strength: Strength) -> u64 {
    on_x86(order, strength).1 + on_arm(order, strength).1 + u64::from(strength.n_demands())
}

/// The price of each strength of each order, for a search.
pub fn price_of(orders: &Orders) -> impl Fn(usize, Strength) -> u64 + '_ {
    |order, strength| price(&orders.all[order], strength)
}

/// The same for a repair: first the number of orders that are stronger than written, then what they cost.
pub fn price_of_repair(orders: &Orders) -> impl Fn(usize, Strength) -> u64 + '_ {
    const ONE_MORE: u64 = 1 << 20;
    |order, strength| {
        let order = &orders.all[order];
        let is_stronger = order.written != strength;
        price(order, strength) + if is_stronger { ONE_MORE } else { 0 }
    }
}

/// Of fences that are as good as each other, the first one in the source is taken.
pub fn aversion_to(orders: &Orders) -> impl Fn(usize) -> u64 + '_ {
    |order| if orders.all[order].added.is_some() { order as u64 } else { 0 }
}
