//! Instructions and their operators.
//!
//! Corner cases: division by zero is a violation, and so is `INT_MIN / -1`; a shift by the width or more gives zero
//! (`ashr`: copies of the sign). Conversions from floating point saturate and map NaN to zero, like Rust's `as`.
//! Nothing is undefined.

use atropos_event::{AllocKind, FenceOrder, Gap, ReadOrder, RmwOp, SyncClass, WriteOrder};

use crate::failure::Failure;

use crate::ir::{Operand, Reg, Target, Width};

#[derive(Clone, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub enum Instr {
    Move { dst: Reg, value: Operand },
    Binary { op: BinaryOp, width: Width, dst: Reg, left: Operand, right: Operand },
    Unary { op: UnaryOp, width: Width, dst: Reg, value: Operand },
    Compare { op: CompareOp, width: Width, dst: Reg, left: Operand, right: Operand },
    Cast { op: CastOp, from: Width, to: Width, dst: Reg, value: Operand },
    /// `then` if `condition` is not zero.
    Select { dst: Reg, condition: Operand, then: Operand, otherwise: Operand },
    /// `base + index * scale + offset`, wrapping.
    Address { dst: Reg, base: Operand, index: Operand, scale: u64, offset: i64 },
    FloatBinary { op: FloatBinaryOp, format: Float, dst: Reg, left: Operand, right: Operand },
    FloatUnary { op: FloatUnaryOp, format: Float, dst: Reg, value: Operand },
    /// `left * right + addend`, rounded once.
    Fused { format: Float, dst: Reg, left: Operand, right: Operand, addend: Operand },
    FloatCompare { op: FloatCompareOp, format: Float, dst: Reg, left: Operand, right: Operand },
    /// Between integers of `width` and floating-point numbers of `format`.
    Convert { op: ConvertOp, format: Float, width: Width, dst: Reg, value: Operand },
    /// To `to` from the other format.
    FloatResize { to: Float, dst: Reg, value: Operand },

    /// Memory accesses: `size` is 1, 2, 4 or 8 bytes. Plain ones may be unaligned. Atomic ones of other sizes are for
    /// objects that are too large for any instruction: they may be unaligned, and values of more than eight bytes are
    /// numbers that identify them, made by `Pack`.
    Load { dst: Reg, size: u8, order: ReadOrder, addr: Operand },
    Store { size: u8, order: WriteOrder, addr: Operand, value: Operand },
    /// `dst` gets the old value.
    Rmw {
        op: RmwOp, dst: Option<Reg>, size: u8, read_order: ReadOrder, write_order: WriteOrder,
        addr: Operand, operand: Operand,
    },
    /// `old` gets the value read, `success` gets 1 or 0.
    Cas {
        old: Option<Reg>, success: Option<Reg>, size: u8, orders: CasOrders, addr: Operand,
        expected: Operand, desired: Operand,
    },
    Fence { order: FenceOrder },
    /// A new object; `align` is a power of two (0 and small ones mean 16). It starts with zeroes or unwritten.
    Alloc { dst: Reg, size: Operand, align: Operand, kind: AllocKind, zeroed: bool },
    /// Freeing the null pointer does nothing.
    Free { addr: Operand, kind: AllocKind },
    /// Copies `length` bytes; the two ranges may overlap.
    Copy { to: Operand, from: Operand, length: Operand },
    Fill { to: Operand, byte: Operand, length: Operand },
    /// `dst` gets -1, 0 or 1 as 32 bits: the order of the first bytes that differ, as in `memcmp`.
    CompareBytes { dst: Reg, left: Operand, right: Operand, length: Operand },

    Jump { to: Target },
    /// Jumps if `condition` is not zero (`when`: true) or zero (`when`: false), else falls through.
    Branch { condition: Operand, when: bool, to: Target },
    Switch { value: Operand, width: Width, cases: Vec<(u64, Target)>, default: Target },
    /// `function` is [`Operand::Function`] or an address. Missing arguments are an error; extra ones are dropped.
    Call { dst: Option<Reg>, function: Operand, args: Vec<Operand> },
    Return { value: Option<Operand> },

    /// `dst` gets the child's handle: never zero, the same in every execution, and storable anywhere. `drains` is
    /// that of [`atropos_event::Label::Spawn`].
    Spawn { dst: Option<Reg>, function: Operand, args: Vec<Operand>, drains: bool },
    /// `dst` gets the address of eight bytes that belong to the thread `handle` and are initially zero, through which
    /// it may pass data to other threads by atomic accesses.
    Offered { dst: Reg, handle: Operand },
    /// `dst` gets the return value of the child.
    Join { dst: Option<Reg>, handle: Operand },
    /// No thread will join this thread. Joining a thread twice, or a detached one, is a violation
    /// ([`crate::claims`]).
    Detach { handle: Operand },
    /// `dst` gets the handle of the current thread.
    Current { dst: Reg },
    /// `dst` gets the handle of the thread that this one creates next, so that it can be detached before it exists.
    NextChild { dst: Reg },
    /// Ends the thread from any call depth.
    ExitThread { value: Option<Operand> },
    /// Ends the program: threads that are still blocked are not an error, and no thread can join this one.
    Halt,
    /// What this thread does between the two takes effect at once ([`crate::sections`]).
    EnterSection,
    LeaveSection,
    /// Each thread has one word beside its frames, initially zero: `dst` gets it.
    Word { dst: Reg },
    SetWord { value: Operand },

    /// `dst` gets the value of `size` bytes of private memory, which may be more than eight. Bytes that were never
    /// written count as zero, like padding, unless all of them are unwritten.
    Pack { dst: Reg, size: u8, from: Operand },
    /// Writes the bytes of such a value to private memory.
    Unpack { to: Operand, size: u8, value: Operand },
    /// `dst` gets 1 if some of `size` bytes of private memory were never written, and otherwise 0.
    Unwritten { dst: Reg, size: u8, addr: Operand },

    /// Writes `value` as text into private memory at `to`; `dst` gets the length. See [`crate::format`].
    Format { dst: Reg, to: Operand, value: Operand, spec: Operand, width: Operand, precision: Operand },
    /// `dst` gets the decimal number written in private or constant memory at `from`, which must be nothing else. See
    /// [`crate::format`].
    ParseFloat { format: Float, dst: Reg, from: Operand, length: Operand },
    /// Prints the bytes of private or constant memory at `from`.
    Print { from: Operand, length: Operand },

    /// Blocks the thread permanently if `condition` is zero.
    Assume { condition: Operand },
    Assert { condition: Operand, message: String },
    Fail { failure: Failure },
    /// Blocks if `condition` is zero, until one of the last `reads` read-like events reads another value. Condition
    /// variables, barriers and semaphores are made of this.
    Await { condition: Operand, reason: AwaitReason, reads: u32 },
    /// Reaching this means that the program cannot be checked.
    Unsupported { gap: Box<Gap> },

    /// A lock is four bytes ([`LockKind`]). Locking is an acquire CAS that blocks if it fails.
    Lock { mutex: Operand, kind: LockKind },
    /// `dst` gets 1 if the lock was taken, else 0.
    TryLock { dst: Reg, mutex: Operand, kind: LockKind },
    /// A release store. Unlocking what this thread does not hold is a violation.
    Unlock { mutex: Operand, kind: LockKind },
    /// Each thread keeps a list of what it holds, such as locks. `Hold` adds a word to it, `LetGo` removes one such
    /// word, and `Holds` counts them.
    Hold { object: Operand },
    LetGo { object: Operand },
    Holds { dst: Reg, object: Operand },
    /// A relaxed load that gives zero if memory was never written.
    Peek { dst: Reg, size: u8, addr: Operand },
}

/// The kind of a lock, by the values of its four bytes. A destroyed lock holds [`LockKind::DESTROYED`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LockKind {
    /// 0 is free and 1 is held, so that zeroed memory is a mutex.
    Mutex,
    /// Neither free nor held is zero, so that zeroed memory is an uninitialised lock.
    Spin,
}

impl LockKind {
    pub const DESTROYED: u64 = 4;

    pub fn free(self) -> u64 {
        match self {
            LockKind::Mutex => 0,
            LockKind::Spin => 0x5350_4c00,
        }
    }

    pub fn held(self) -> u64 {
        self.free() + 1
    }

    /// The name of such a lock in reports.
    pub fn class(self) -> SyncClass {
        match self {
            LockKind::Mutex => SyncClass::Mutex,
            LockKind::Spin => SyncClass::SpinLock,
        }
    }
}

impl Instr {
    pub fn unsupported(gap: impl Into<Gap>) -> Instr {
        Instr::Unsupported { gap: Box::new(gap.into()) }
    }

    /// Whether control may continue with the next instruction.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Instr::Jump { .. }
                | Instr::Switch { .. }
                | Instr::Return { .. }
                | Instr::ExitThread { .. }
                | Instr::Halt
                | Instr::Fail { .. }
                | Instr::Unsupported { .. }
        )
    }
}

/// The orders of a compare-and-swap: of its read and write if it succeeds, and of its read if it fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CasOrders {
    pub read: ReadOrder,
    pub write: WriteOrder,
    pub failure: ReadOrder,
}

/// What a blocked thread waits for, according to reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AwaitReason {
    Lock,
    Wait,
    /// All threads of the round of a barrier. The function has one read-modify-write, by which the thread arrives. After
    /// it, the last thread of the round may store to the location, and the others load it.
    Round,
}

/// An enum whose variants have the names that the text form uses.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

named!(BinaryOp {
    Add = "add",
    Sub = "sub",
    Mul = "mul",
    UnsignedDiv = "udiv",
    SignedDiv = "sdiv",
    UnsignedRem = "urem",
    SignedRem = "srem",
    And = "and",
    Or = "or",
    Xor = "xor",
    ShiftLeft = "shl",
    LogicalShiftRight = "lshr",
    ArithmeticShiftRight = "ashr",
    /// The next six say (1 or 0) whether the exact result does not fit the width.
    UnsignedAddOverflows = "uaddo",
    SignedAddOverflows = "saddo",
    UnsignedSubOverflows = "usubo",
    SignedSubOverflows = "ssubo",
    UnsignedMulOverflows = "umulo",
    SignedMulOverflows = "smulo",
});

named!(UnaryOp {
    CountOnes = "popcount",
    /// The width, for zero.
    LeadingZeros = "clz",
    /// The width, for zero.
    TrailingZeros = "ctz",
    /// Widths of whole bytes only.
    SwapBytes = "bswap",
    ReverseBits = "bitreverse",
});

named!(CompareOp {
    Equal = "eq",
    NotEqual = "ne",
    UnsignedLess = "ult",
    UnsignedLessEqual = "ule",
    UnsignedGreater = "ugt",
    UnsignedGreaterEqual = "uge",
    SignedLess = "slt",
    SignedLessEqual = "sle",
    SignedGreater = "sgt",
    SignedGreaterEqual = "sge",
});

named!(CastOp { ZeroExtend = "zext", SignExtend = "sext", Truncate = "trunc" });

named!(
    /// IEEE formats, in the low bits of a register.
    Float { F32 = "f32", F64 = "f64" }
);

named!(FloatBinaryOp {
    Add = "fadd",
    Sub = "fsub",
    Mul = "fmul",
    Div = "fdiv",
    Rem = "frem",
    Min = "fmin",
    Max = "fmax",
    CopySign = "fcopysign",
    Power = "fpow",
    ArcTangent2 = "fatan2",
    Hypotenuse = "fhypot",
    /// As IEEE defines it: the quotient is rounded to the nearest integer, ties to even.
    Remainder = "fremainder",
    /// The neighbour of the first operand in the direction of the second one.
    NextAfter = "fnextafter",
});

named!(FloatUnaryOp {
    Negate = "fneg",
    Absolute = "fabs",
    SquareRoot = "fsqrt",
    Floor = "ffloor",
    Ceiling = "fceil",
    Truncate = "ftrunc",
    Round = "fround",
    RoundTiesEven = "froundeven",
    // The host's mathematical functions: the same on every run, but not on every host.
    Sine = "fsin",
    Cosine = "fcos",
    Tangent = "ftan",
    ArcSine = "fasin",
    ArcCosine = "facos",
    ArcTangent = "fatan",
    HyperbolicSine = "fsinh",
    HyperbolicCosine = "fcosh",
    HyperbolicTangent = "ftanh",
    Exponential = "fexp",
    /// Powers of two.
    Exponential2 = "fexp2",
    /// The exponential minus one.
    ExponentialMinus1 = "fexpm1",
    Logarithm = "flog",
    Logarithm2 = "flog2",
    Logarithm10 = "flog10",
    /// The logarithm of one plus the operand.
    Logarithm1Plus = "flog1p",
    CubeRoot = "fcbrt",
});

named!(
    /// As in LLVM: `o` is false if an operand is NaN, `u` is true then.
    FloatCompareOp {
        OrderedEqual = "foeq",
        OrderedNotEqual = "fone",
        OrderedLess = "folt",
        OrderedLessEqual = "fole",
        OrderedGreater = "fogt",
        OrderedGreaterEqual = "foge",
        Ordered = "ford",
        Unordered = "funo",
        UnorderedEqual = "fueq",
        UnorderedNotEqual = "fune",
        UnorderedLess = "fult",
        UnorderedLessEqual = "fule",
        UnorderedGreater = "fugt",
        UnorderedGreaterEqual = "fuge",
    }
);

named!(ConvertOp {
    SignedToFloat = "sitofp",
    UnsignedToFloat = "uitofp",
    FloatToSigned = "fptosi",
    FloatToUnsigned = "fptoui",
});
