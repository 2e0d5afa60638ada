//! LLVM IR as a tree: types, constants, instructions.
//!
//! Pointers are opaque, so no type contains itself, and the reader replaces named types by their meaning. Local
//! values and blocks keep their names; a function body is read only on demand. [`operators`] has the operators, casts
//! and predicates.

mod operators;

use std::fmt;
use std::rc::Rc;

use atropos_event::{Gap, RmwOp};
use atropos_vm::instr::{BinaryOp, CompareOp};

pub(crate) use operators::{Cast, FloatPredicate, Linkage, NotModelled, Operator, Order, update};

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Type {
    Void,
    Int(u32),
    Float,
    Double,
    Half(Half),
    Ptr,
    Array(u64, Rc<Type>),
    Vector(u64, Rc<Type>),
    Struct(Rc<Struct>),
    Function(Rc<FunctionType>),
    Other(OtherType),
}

/// A floating-point number of 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Half {
    /// As the standard for floating-point numbers has it: `half`.
    Standard,
    /// The upper half of a `float`: `bfloat`.
    Upper,
}

/// A type whose values are not modelled.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum OtherType {
    /// A vector whose length the processor decides.
    ScalableVector,
    X86Fp80,
    Metadata,
    /// A struct that is only declared, by its name.
    Opaque(Rc<str>),
    /// Any other type that LLVM has a word for.
    Word(Rc<str>),
}

impl fmt::Display for OtherType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OtherType::ScalableVector => f.write_str("scalable vector"),
            OtherType::X86Fp80 => f.write_str("x86_fp80"),
            OtherType::Metadata => f.write_str("metadata"),
            OtherType::Opaque(name) => write!(f, "opaque type %{name}"),
            OtherType::Word(word) => f.write_str(word),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Struct {
    pub fields: Vec<Type>,
    pub packed: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FunctionType {
    pub result: Type,
    pub params: Vec<Type>,
    pub variadic: bool,
}

/// An operand: a local value or a constant.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Local(Rc<str>),
    Global(Rc<str>),
    Int(u64),
    /// An integer of more than 64 bits.
    Wide(u128),
    /// The words of an integer of more than 128 bits, the low one first.
    Huge(Rc<[u64]>),
    /// A number as its text gives it, in double precision.
    Float(f64),
    Null,
    Undef,
    Zero,
    Aggregate(Vec<Typed>),
    Bytes(Rc<[u8]>),
    Gep {
        base: Type,
        args: Vec<Typed>,
    },
    Cast {
        op: Cast,
        value: Box<Typed>,
        to: Type,
    },
    Binary {
        op: BinaryOp,
        left: Box<Typed>,
        right: Box<Typed>,
    },
    Compare {
        op: CompareOp,
        left: Box<Typed>,
        right: Box<Typed>,
    },
    /// A condition, and the values for true and false.
    Select(Box<[Typed; 3]>),
    Asm {
        template: Rc<[u8]>,
        constraints: Rc<[u8]>,
    },
    /// Something that cannot be an operand of a checked program, by name.
    Other(Rc<Gap>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Typed {
    pub ty: Type,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub(crate) struct Instr {
    pub result: Option<Rc<str>>,
    pub op: Op,
    /// The number of the `!DILocation`.
    pub location: Option<u32>,
    /// It is marked `!noundef`: what it loads must be initialised.
    pub noundef: bool,
    /// It is marked `!tbaa`: it accesses an object of a type of the source.
    pub has_type: bool,
    /// The number of the type that a `new` creates: `!heapallocsite`.
    pub creates: Option<u32>,
}

impl Instr {
    /// An instruction that is not in the text.
    pub(crate) fn made(result: Option<Rc<str>>, op: Op) -> Instr {
        Instr { result, op, location: None, noundef: false, has_type: false, creates: None }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Ret(Option<Typed>),
    Br(Rc<str>),
    CondBr {
        condition: Value,
        then: Rc<str>,
        otherwise: Rc<str>,
    },
    Switch {
        value: Typed,
        default: Rc<str>,
        cases: Vec<(Value, Rc<str>)>,
    },
    Unreachable,
    Binary {
        op: Operator,
        left: Typed,
        right: Value,
    },
    FNeg(Typed),
    Alloca {
        ty: Type,
        count: Option<Typed>,
        /// As written; zero if it is not.
        align: u64,
    },
    Load {
        ty: Type,
        ptr: Value,
        order: Option<Order>,
    },
    Store {
        value: Typed,
        ptr: Value,
        order: Option<Order>,
    },
    Fence {
        order: Order,
        single_thread: bool,
    },
    CmpXchg {
        ptr: Value,
        expected: Typed,
        desired: Value,
        success: Order,
        failure: Order,
    },
    Rmw {
        op: RmwOp,
        ptr: Value,
        operand: Typed,
        order: Order,
    },
    Gep {
        base: Type,
        args: Vec<Typed>,
    },
    Cast {
        op: Cast,
        value: Typed,
        to: Type,
    },
    Icmp {
        predicate: CompareOp,
        left: Typed,
        right: Value,
    },
    Fcmp {
        predicate: FloatPredicate,
        left: Typed,
        right: Value,
    },
    Phi {
        ty: Type,
        incoming: Vec<(Value, Rc<str>)>,
    },
    Select {
        condition: Typed,
        then: Typed,
        otherwise: Typed,
    },
    Call(Call),
    Invoke {
        call: Call,
        normal: Rc<str>,
        unwind: Rc<str>,
    },
    /// Rethrows an exception that was caught to clean up.
    Resume(Typed),
    ExtractValue {
        aggregate: Typed,
        indices: Vec<u32>,
    },
    InsertValue {
        aggregate: Typed,
        element: Typed,
        indices: Vec<u32>,
    },
    ExtractElement {
        vector: Typed,
        index: Typed,
    },
    InsertElement {
        vector: Typed,
        element: Typed,
        index: Typed,
    },
    ShuffleVector {
        left: Typed,
        right: Value,
        mask: Typed,
    },
    Freeze(Typed),
    LandingPad {
        ty: Type,
        cleanup: bool,
        clauses: Vec<Clause>,
    },
    NotModelled(NotModelled),
}

/// What a landing pad catches.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Clause {
    /// Exceptions of a type, by its type information.
    Catch(Rc<str>),
    CatchAll,
    Filter,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub result: Type,
    pub variadic: bool,
    pub n_fixed: usize,
    pub callee: Value,
    pub args: Vec<Arg>,
}

#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub value: Typed,
    /// The caller passes a copy of what the pointer points to.
    pub byval: Option<ByVal>,
    /// The callee may assume that the value is written: clang says so of everything but parts of structs.
    pub noundef: bool,
    /// The type of what the pointer points to, for operands of inline assembly.
    pub element: Option<Type>,
}

/// An object that is passed by value.
#[derive(Clone, Debug)]
pub(crate) struct ByVal {
    pub ty: Type,
    /// Zero if it is not written.
    pub align: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub name: Rc<str>,
    pub instrs: Vec<Instr>,
}

/// Another name of something.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    /// Absent if it is an address inside something rather than just a name.
    pub target: Option<Rc<str>>,
    pub linkage: Linkage,
}

#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub name: Rc<str>,
    pub ty: Type,
    /// Absent for a declaration.
    pub initialiser: Option<Value>,
    pub constant: bool,
    pub thread_local: bool,
    /// As written; zero if it is not.
    pub align: u64,
    pub linkage: Linkage,
    /// The number of its `!DIGlobalVariableExpression`.
    pub debug: Option<u32>,
}

/// A function that is declared or defined.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: Rc<str>,
    pub ty: Rc<FunctionType>,
    pub params: Vec<Rc<str>>,
    pub linkage: Linkage,
    /// The bytes of the text between the braces, and the line they start at; absent for a declaration.
    pub body: Option<(std::ops::Range<usize>, u32)>,
}
