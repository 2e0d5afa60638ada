//! Operators, casts, predicates, orders and linkage: what the words of LLVM IR mean.
//!
//! The reader turns words into these values, so an unknown word gets a diagnostic at its place. Where the VM has the
//! same operators as LLVM, the tree uses the VM's, and nothing has to be translated.

use atropos_event::RmwOp;
use atropos_vm::instr::{BinaryOp, ConvertOp, FloatBinaryOp, FloatCompareOp};

/// The operator of an instruction with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Int(BinaryOp),
    Float(FloatBinaryOp),
}

impl Operator {
    pub(crate) fn from_name(name: &str) -> Option<Operator> {
        int_operator(name).map(Operator::Int).or_else(|| float_operator(name).map(Operator::Float))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Operator::Int(op) => op.name(),
            Operator::Float(op) => op.name(),
        }
    }
}

/// The VM has more operators than LLVM has instructions.
fn int_operator(name: &str) -> Option<BinaryOp> {
    let is_instruction = |op: &BinaryOp| {
        !matches!(
            op,
            BinaryOp::UnsignedAddOverflows
                | BinaryOp::SignedAddOverflows
                | BinaryOp::UnsignedSubOverflows
                | BinaryOp::SignedSubOverflows
                | BinaryOp::UnsignedMulOverflows
                | BinaryOp::SignedMulOverflows
        )
    };
    BinaryOp::from_name(name).filter(is_instruction)
}

fn float_operator(name: &str) -> Option<FloatBinaryOp> {
    use FloatBinaryOp::{Add, Div, Mul, Rem, Sub};
    [Add, Sub, Mul, Div, Rem].into_iter().find(|op| op.name() == name)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cast {
    Truncate,
    ZeroExtend,
    SignExtend,
    FloatTruncate,
    FloatExtend,
    Convert(ConvertOp),
    PointerToInt,
    IntToPointer,
    Bits,
    AddressSpace,
}

impl Cast {
    const ALL: [Cast; 13] = [
        Cast::Truncate,
        Cast::ZeroExtend,
        Cast::SignExtend,
        Cast::FloatTruncate,
        Cast::FloatExtend,
        Cast::Convert(ConvertOp::FloatToUnsigned),
        Cast::Convert(ConvertOp::FloatToSigned),
        Cast::Convert(ConvertOp::UnsignedToFloat),
        Cast::Convert(ConvertOp::SignedToFloat),
        Cast::PointerToInt,
        Cast::IntToPointer,
        Cast::Bits,
        Cast::AddressSpace,
    ];

    pub(crate) fn from_name(name: &str) -> Option<Cast> {
        Cast::ALL.into_iter().find(|cast| cast.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Cast::Truncate => "trunc",
            Cast::ZeroExtend => "zext",
            Cast::SignExtend => "sext",
            Cast::FloatTruncate => "fptrunc",
            Cast::FloatExtend => "fpext",
            Cast::Convert(op) => op.name(),
            Cast::PointerToInt => "ptrtoint",
            Cast::IntToPointer => "inttoptr",
            Cast::Bits => "bitcast",
            Cast::AddressSpace => "addrspacecast",
        }
    }
}

/// How floating-point numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatPredicate {
    /// The result does not depend on the operands.
    Constant(bool),
    Compare(FloatCompareOp),
}

impl FloatPredicate {
    pub(crate) fn from_name(name: &str) -> Option<FloatPredicate> {
        match name {
            "false" => Some(FloatPredicate::Constant(false)),
            "true" => Some(FloatPredicate::Constant(true)),
            _ => FloatCompareOp::from_name(&format!("f{name}")).map(FloatPredicate::Compare),
        }
    }
}

/// What an `atomicrmw` computes, if it is modelled.
pub(crate) fn update(name: &str) -> Option<RmwOp> {
    RmwOp::ALL.into_iter().find(|op| op.name() == name)
}

/// An instruction of LLVM that is not modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotModelled {
    pub name: &'static str,
    pub has_result: bool,
    pub is_terminator: bool,
}

const fn value(name: &'static str) -> NotModelled {
    NotModelled { name, has_result: true, is_terminator: false }
}

const fn terminator(name: &'static str) -> NotModelled {
    NotModelled { name, has_result: false, is_terminator: true }
}

const NOT_MODELLED: [NotModelled; 6] = [
    value("va_arg"),
    value("catchpad"),
    value("cleanuppad"),
    NotModelled { name: "catchswitch", has_result: true, is_terminator: true },
    terminator("catchret"),
    terminator("cleanupret"),
];

impl NotModelled {
    pub(crate) fn from_name(name: &str) -> Option<NotModelled> {
        NOT_MODELLED.into_iter().find(|instruction| instruction.name == name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    pub(crate) fn from_name(name: &str) -> Option<Order> {
        Some(match name {
            "unordered" | "monotonic" => Order::Relaxed,
            "acquire" => Order::Acquire,
            "release" => Order::Release,
            "acq_rel" => Order::AcqRel,
            "seq_cst" => Order::SeqCst,
            _ => return None,
        })
    }
}

/// How definitions and declarations of a name in several modules are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linkage {
    /// Visible only in its own module.
    Local,
    Strong,
    /// Another definition of the same name takes precedence.
    Weak,
    /// As weak, and only a copy for optimisers: the real definition is elsewhere.
    AvailableExternally,
    /// Declared here.
    External,
    /// Declared here: if no module defines it, its address is null.
    ExternWeak,
}

impl Linkage {
    pub(crate) fn from_name(name: &str) -> Option<Linkage> {
        Some(match name {
            "private" | "internal" => Linkage::Local,
            "appending" => Linkage::Strong,
            "linkonce" | "linkonce_odr" | "weak" | "weak_odr" | "common" => Linkage::Weak,
            "available_externally" => Linkage::AvailableExternally,
            "external" => Linkage::External,
            "extern_weak" => Linkage::ExternWeak,
            _ => return None,
        })
    }
}
