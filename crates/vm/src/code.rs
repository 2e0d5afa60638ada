//! The dense form that the machine runs: 16 bytes per operation, operands as 16-bit indices.
//!
//! An index below [`CONST`] is a word of the current frame, the others are constants of the function. A
//! frame is a run of words:
//!
//! ```text
//! 0  return address: operation << 32 | function       (of the caller)
//! 1  frame of the caller << 32 | where the private memory of this frame starts
//! 2  hash of the private memory of this frame
//! 3… registers, then temporaries, addresses of shared slots, loop records, private pages
//! ```
//!
//! A loop record is: times repeated; stores forgotten; reads << 32 | writes; hash of the private memory; live registers;
//! the last three as they were at the last arrival at the loop's turning point.

use atropos_event::{AllocKind, FenceOrder, ReadOrder, RmwOp, WriteOrder};

use crate::instr::{
    AwaitReason, BinaryOp, CasOrders, CastOp, CompareOp, ConvertOp, Float, FloatBinaryOp, FloatCompareOp,
    FloatUnaryOp, LockKind, UnaryOp,
};
use crate::ir::{SlotKind, Width};

/// An operand or a result.
pub type Index = u16;

/// The first index that names a constant.
pub const CONST: Index = 1 << 15;
pub const FRAME_HEADER: usize = 3;
/// The number of iterations, and of stores that were forgotten.
pub const LOOP_HEADER: usize = 2;
/// The counts of reads and writes, and the hash of private memory.
pub const STATE_HEADER: usize = 2;

#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub enum Op {
    Move { dst: Index, value: Index },
    /// The most common ones have their own operations.
    Add { width: Width, dst: Index, left: Index, right: Index },
    Sub { width: Width, dst: Index, left: Index, right: Index },
    Mul { width: Width, dst: Index, left: Index, right: Index },
    And { width: Width, dst: Index, left: Index, right: Index },
    Or { width: Width, dst: Index, left: Index, right: Index },
    Xor { width: Width, dst: Index, left: Index, right: Index },
    Binary { op: BinaryOp, width: Width, dst: Index, left: Index, right: Index },
    Unary { op: UnaryOp, width: Width, dst: Index, value: Index },
    Compare { test: Test, width: Width, dst: Index, left: Index, right: Index },
    /// A comparison whose result decides a jump: to `to` if it is `when`.
    CompareJump { test: Test, width: Width, dst: Index, left: Index, right: Index, when: bool, to: u32 },
    Cast { op: CastOp, from: Width, to: Width, dst: Index, value: Index },
    Select { dst: Index, condition: Index, then: Index, otherwise: Index },
    Address { dst: Index, base: Index, index: Index, scale: Index, offset: Index },
    FloatBinary { op: FloatBinaryOp, format: Float, dst: Index, left: Index, right: Index },
    FloatUnary { op: FloatUnaryOp, format: Float, dst: Index, value: Index },
    Fused { format: Float, dst: Index, left: Index, right: Index, addend: Index },
    FloatCompare { op: FloatCompareOp, format: Float, dst: Index, left: Index, right: Index },
    Convert { op: ConvertOp, format: Float, width: Width, dst: Index, value: Index },
    FloatResize { to: Float, dst: Index, value: Index },
    /// The address of a private slot of this frame, and of a thread-local of this thread.
    PrivateAddress { dst: Index, offset: Index },
    ThreadLocalAddress { dst: Index, offset: Index },

    /// `known`: the compiler has checked that the access lies inside a shared, writable global.
    Load { dst: Index, addr: Index, size: u8, order: ReadOrder, known: bool },
    Store { addr: Index, value: Index, size: u8, order: WriteOrder, known: bool },
    Rmw {
        op: RmwOp, dst: Index, addr: Index, operand: Index, size: u8, read_order: ReadOrder,
        write_order: WriteOrder, known: bool,
    },
    Cas {
        old: Index, success: Index, addr: Index, expected: Index, desired: Index, size: u8,
        orders: CasOrders, known: bool,
    },
    Fence { order: FenceOrder },
    Alloc { dst: Index, size: Index, align: Index, kind: AllocKind, zeroed: bool },
    Free { addr: Index, kind: AllocKind },
    Copy { to: Index, from: Index, length: Index },
    Fill { to: Index, byte: Index, length: Index },
    CompareBytes { dst: Index, left: Index, right: Index, length: Index },

    Jump { to: u32 },
    JumpIf { condition: Index, to: u32 },
    JumpUnless { condition: Index, to: u32 },
    Switch { value: Index, table: u32 },
    LoopEnter { index: u32 },
    LoopRepeat { index: u32 },
    /// The turning point of a loop that is not its head.
    LoopTurn { index: u32 },
    /// The store that was just made does not tell an iteration of the loop from the next, if no other thread knows this
    /// address, and others may know what is at `besides`.
    Forget { index: u32, addr: Index, besides: Index },
    /// `value` was just stored to a global that only this thread writes to, or loaded from it.
    /// If the loop knows from `mirror` that the global had this value, the store is forgotten.
    Mirror { index: u32, value: Index, mirror: Index, size: u8, stores: bool },
    /// `args` is the start of the arguments in the function's list of them.
    Call { dst: Index, n_args: u16, function: u32, args: u32 },
    CallIndirect { dst: Index, n_args: u16, pointer: Index, args: u32 },
    Return { value: Index },
    ExitThread { value: Index },
    Halt,
    EnterSection,
    LeaveSection,
    Word { dst: Index },
    SetWord { value: Index },
    Pack { dst: Index, size: u8, from: Index },
    Unwritten { dst: Index, size: u8, addr: Index },
    Unpack { to: Index, size: u8, value: Index },
    ParseFloat { format: Float, dst: Index, from: Index, length: Index },
    Format { dst: Index, to: Index, value: Index, spec: Index, width: Index, precision: Index },
    Print { from: Index, length: Index },

    Spawn { dst: Index, n_args: u16, function: Index, args: u32, drains: bool },
    /// A full fence if these bytes are private, because the following barrier then makes no event.
    Drain { addr: Index, size: u8 },
    Offered { dst: Index, handle: Index },
    Join { handle: Index },
    Detach { handle: Index },
    /// Records that the thread was joined or detached, so that no other thread may do so.
    Claim { handle: Index },
    /// The value that the joined thread returned.
    Returned { dst: Index, handle: Index },
    Current { dst: Index },
    NextChild { dst: Index },

    Assume { condition: Index },
    Assert { condition: Index },
    Fail { object: Index },
    Unsupported,
    Await { condition: Index, reason: AwaitReason, reads: u32 },
    Lock { mutex: Index, known: bool, kind: LockKind },
    TryLock { dst: Index, mutex: Index, known: bool, kind: LockKind },
    Unlock { mutex: Index, known: bool, kind: LockKind },
    Hold { object: Index },
    LetGo { object: Index },
    Holds { dst: Index, object: Index },
    Peek { dst: Index, addr: Index, size: u8 },
}

const _: () = assert!(size_of::<Op>() == 16);

/// A comparison as a truth table, so that it needs no branch: bit `equal + 2 * (unsigned less) + 4 * (signed less)`
/// is the result.
#[derive(Clone, Copy, Debug)]
pub struct Test(u8);

impl Test {
    pub fn new(op: CompareOp) -> Test {
        let results = (0..8u8).map(|case| {
            let (equal, unsigned_less, signed_less) = (case & 1 != 0, case & 2 != 0, case & 4 != 0);
            let result = match op {
                CompareOp::Equal => equal,
                CompareOp::NotEqual => !equal,
                CompareOp::UnsignedLess => unsigned_less,
                CompareOp::UnsignedLessEqual => unsigned_less || equal,
                CompareOp::UnsignedGreater => !unsigned_less && !equal,
                CompareOp::UnsignedGreaterEqual => !unsigned_less,
                CompareOp::SignedLess => signed_less,
                CompareOp::SignedLessEqual => signed_less || equal,
                CompareOp::SignedGreater => !signed_less && !equal,
                CompareOp::SignedGreaterEqual => !signed_less,
            };
            u8::from(result) << case
        });
        Test(results.sum())
    }

    /// 1 or 0.
    #[inline(always)]
    pub fn apply(self, width: Width, left: u64, right: u64) -> u64 {
        let unused = 64 - width.bits();
        let (left, right) = (left << unused, right << unused);
        let case = u64::from(left == right)
            | u64::from(left < right) << 1
            | u64::from((left as i64) < (right as i64)) << 2;
        (u64::from(self.0) >> case) & 1
    }
}

/// Everything that the machine runs.
pub struct Code {
    pub functions: Vec<FunctionCode>,
    pub main: u32,
    /// Other threads may know thread-locals, so the end of a thread is recorded.
    pub ends_thread_locals: bool,
    /// Some join uses the return value of its thread, so every thread stores it.
    pub keeps_returns: bool,
    /// Whether there are atomic sections.
    pub has_sections: bool,
    /// No operation but locking and unlocking sees whether a lock is held.
    pub hides_locks: bool,
    /// Only trying to lock sees it, besides: see [`crate::tries`].
    pub shows_locks_to_tries: bool,
    /// The program prints something, so the order in which threads run matters.
    pub shows: bool,
    /// Some function has private memory.
    pub has_private: bool,
    pub n_loops: usize,
    /// Some loop forgets stores to memory that no other thread knows.
    pub forgets: bool,
    /// By function: whether a thread that starts there never learns its name.
    pub anonymous: Vec<bool>,
}

pub struct FunctionCode {
    pub ops: Vec<Op>,
    /// The statement that each operation comes from.
    pub origins: Vec<u32>,
    pub consts: Vec<u64>,
    pub args: Vec<Index>,
    pub switches: Vec<SwitchCode>,
    pub loops: Vec<LoopCode>,
    pub n_params: usize,
    pub n_required: usize,
    pub frame_size: usize,
    /// Some loop forgets stores.
    pub forgets: bool,
    /// The words that hold the addresses of shared slots.
    pub shared_slots: Vec<Index>,
    pub private: PrivateMemory,
}

/// The private memory of a frame.
pub struct PrivateMemory {
    /// Where in the frame the numbers of its pages are.
    pub pages_at: usize,
    /// Its slots, by offset, and its size and alignment.
    pub slots: Vec<PrivateSlot>,
    pub size: u64,
    pub align: u64,
    /// Where in it the shadow starts: one bit per byte of a fresh slot, 1 if it was written.
    pub shadow_at: u64,
}

pub struct SwitchCode {
    pub width: Width,
    /// Sorted by value.
    pub cases: Vec<(u64, u32)>,
    pub default: u32,
}

pub struct LoopCode {
    /// Its number in the whole program.
    pub id: u32,
    /// The position of its record in the frame: a header, the state at the last arrival at the turning point, and an
    /// older one. A state is a header and the live words.
    pub record: usize,
    /// The words whose values an iteration can depend on, at the turning point.
    pub live: Vec<Index>,
    /// For a retry ([`crate::turns`]): the word that carries the value, and the one with what the compare-and-swap of the
    /// last iteration has seen.
    pub retry: Option<(Index, Index)>,
    /// Where it keeps what globals hold that only this thread writes to: a word for the value, and one more than the
    /// number of writes so far that were not forgotten, or zero if the value is not known.
    pub mirrors: Vec<Index>,
    /// Whether the load before the loop counts as an iteration.
    pub begins_outside: bool,
    /// Whether the head is the turning point.
    pub turns_at_head: bool,
    /// Whether no iteration is like an earlier one, so that none is recorded.
    pub counts: bool,
    /// The statement at the head.
    pub head: u32,
    /// How often it may repeat.
    pub bound: Option<u32>,
}

pub struct PrivateSlot {
    pub offset: u64,
    pub size: u64,
    pub kind: SlotKind,
}
