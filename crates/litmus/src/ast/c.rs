//! The C dialect: one function per thread, whose parameters are pointers to the shared locations.
//!
//! As in herd, `*x` is a plain (non-atomic) access whatever `x` was declared to point to; atomic accesses are the
//! functions of `stdatomic.h`. This tree has no syntactic sugar: `r++` is `r = r + 1`, a `for` is a `while`, and a
//! function without `_explicit` is the one with `memory_order_seq_cst`.

use super::types::Type;
use atropos_event::RmwOp;
use atropos_event::Span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
    pub span: Span,
}

/// A pointer to the shared location of the same name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub ty: Type,
    pub name: String,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    Declare {
        ty: Type,
        name: String,
        value: Option<Expr>,
    },
    Assign {
        name: String,
        value: Expr,
    },
    /// `*pointer = value` if `order` is `None`, else `atomic_store_explicit`.
    Store {
        pointer: Expr,
        value: Expr,
        order: Option<MemoryOrder>,
    },
    Fence(MemoryOrder),
    /// An expression evaluated for its effects.
    Evaluate(Expr),
    If {
        condition: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    While {
        condition: Expr,
        body: Vec<Statement>,
    },
    DoWhile {
        body: Vec<Statement>,
        condition: Expr,
    },
    Block(Vec<Statement>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    Int(i64),
    /// A local, or a parameter (whose value is an address).
    Name(String),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`.
    Choice(Box<[Expr; 3]>),
    /// `*pointer` if `order` is `None`, else `atomic_load_explicit`.
    Load {
        pointer: Box<Expr>,
        order: Option<MemoryOrder>,
    },
    /// `atomic_exchange_explicit` and `atomic_fetch_*_explicit`; its value is the old content.
    Rmw {
        op: RmwOp,
        pointer: Box<Expr>,
        operand: Box<Expr>,
        order: MemoryOrder,
    },
    Cas(Box<Cas>),
}

/// `atomic_compare_exchange_{strong,weak}_explicit`; a weak one never fails spuriously.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cas {
    pub strength: Strength,
    pub pointer: Expr,
    pub expected: Expected,
    pub desired: Expr,
    pub success: MemoryOrder,
    pub failure: MemoryOrder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    Strong,
    Weak,
}

/// Where a CAS finds the expected value, and stores the value it found if it fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// `&local`.
    Local(String),
    /// A pointer to memory, accessed by plain reads and writes.
    Memory(Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl MemoryOrder {
    pub const ALL: [MemoryOrder; 5] = [
        MemoryOrder::Relaxed,
        MemoryOrder::Acquire,
        MemoryOrder::Release,
        MemoryOrder::AcqRel,
        MemoryOrder::SeqCst,
    ];

    pub fn name(self) -> &'static str {
        match self {
            MemoryOrder::Relaxed => "memory_order_relaxed",
            MemoryOrder::Acquire => "memory_order_acquire",
            MemoryOrder::Release => "memory_order_release",
            MemoryOrder::AcqRel => "memory_order_acq_rel",
            MemoryOrder::SeqCst => "memory_order_seq_cst",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Negate,
    Complement,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    /// `&&`, which evaluates its right side only if the left one is not 0.
    AndThen,
    /// `||`, which evaluates its right side only if the left one is 0.
    OrElse,
}

impl BinaryOp {
    /// Source form and binding strength, tightest first; all associate to the left.
    pub const TABLE: [(BinaryOp, &'static str, u8); 18] = [
        (BinaryOp::Mul, "*", 10),
        (BinaryOp::Div, "/", 10),
        (BinaryOp::Rem, "%", 10),
        (BinaryOp::Add, "+", 9),
        (BinaryOp::Sub, "-", 9),
        (BinaryOp::ShiftLeft, "<<", 8),
        (BinaryOp::ShiftRight, ">>", 8),
        (BinaryOp::Less, "<", 7),
        (BinaryOp::LessEqual, "<=", 7),
        (BinaryOp::Greater, ">", 7),
        (BinaryOp::GreaterEqual, ">=", 7),
        (BinaryOp::Equal, "==", 6),
        (BinaryOp::NotEqual, "!=", 6),
        (BinaryOp::And, "&", 5),
        (BinaryOp::Xor, "^", 4),
        (BinaryOp::Or, "|", 3),
        (BinaryOp::AndThen, "&&", 2),
        (BinaryOp::OrElse, "||", 1),
    ];

    pub fn symbol(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    pub(crate) fn strength(self) -> u8 {
        Self::TABLE[self as usize].2
    }
}

impl Statement {
    /// A statement without a place in a file.
    pub fn new(kind: StatementKind) -> Self {
        Statement { kind, span: Span::default() }
    }
}

impl Expr {
    /// An expression without a place in a file.
    pub fn new(kind: ExprKind) -> Self {
        Expr { kind, span: Span::default() }
    }

    pub fn int(value: i64) -> Self {
        Expr::new(ExprKind::Int(value))
    }

    pub fn name(name: impl Into<String>) -> Self {
        Expr::new(ExprKind::Name(name.into()))
    }

    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Self {
        Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_table_is_indexed_by_the_operator() {
        for (index, (op, _, _)) in BinaryOp::TABLE.into_iter().enumerate() {
            assert_eq!(op as usize, index);
        }
    }
}
