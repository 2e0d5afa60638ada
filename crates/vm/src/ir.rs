//! Modules: globals, functions, and their names.
//!
//! Front-ends build a module ([`crate::builder`]). It has a text form ([`crate::text`]), and a virtual machine is
//! made from it ([`crate::Vm`]). A module is made for reading; the machine runs a denser form that is private to this
//! crate.
//!
//! Registers hold 64 bits and have no type: every instruction names its width, reads only that many low bits of its
//! operands and zero-extends its result. Aggregates are in memory and are handled by address.

use atropos_event::shape::Shape;

use crate::instr::Instr;

/// A number of bits an integer instruction works at: 1 to 64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Width(u8);

impl Width {
    pub const I8: Width = Width(8);
    pub const I16: Width = Width(16);
    pub const I32: Width = Width(32);
    pub const I64: Width = Width(64);

    pub fn new(bits: u32) -> Option<Width> {
        (1..=64).contains(&bits).then_some(Width(bits as u8))
    }

    pub fn bits(self) -> u32 {
        u32::from(self.0)
    }

    /// The width as a size of memory, if memory has accesses of this width.
    pub fn bytes(self) -> Option<u8> {
        matches!(self.0, 8 | 16 | 32 | 64).then_some(self.0 / 8)
    }
}

impl std::fmt::Display for Width {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "i{}", self.0)
    }
}

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index_type!(
    /// A register of one function. The first ones are its parameters; all start as zero.
    Reg
);
index_type!(FunctionId);
index_type!(GlobalId);
index_type!(
    /// A stack object of one function.
    SlotId
);
index_type!(
    /// A label of one function: where jumps go.
    Target
);
index_type!(SourceId);

/// An operand: a register or something fixed. Addresses are fixed, even those of thread-local globals and of stack
/// objects, which depend on the thread and the frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Reg(Reg),
    Const(u64),
    Global(GlobalId),
    Function(FunctionId),
    Slot(SlotId),
}

macro_rules! operand_from {
    ($($from:ty => $variant:ident),*) => {
        $(impl From<$from> for Operand {
            fn from(value: $from) -> Operand {
                Operand::$variant(value)
            }
        })*
    };
}

operand_from!(Reg => Reg, u64 => Const, GlobalId => Global, FunctionId => Function, SlotId => Slot);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// The places of statements. They are not part of the text form.
    pub sources: Vec<Source>,
}

impl Module {
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|function| function.name == name).map(|at| FunctionId(at as u32))
    }

    pub fn global(&self, name: &str) -> Option<GlobalId> {
        self.globals.iter().position(|global| global.name == name).map(|at| GlobalId(at as u32))
    }
}

/// An object that exists from the start: `count` elements of `element` bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    pub name: String,
    /// 1, 2, 4 or 8. Determines the names of parts of the object (`a[3]`), not how they may be accessed.
    pub element: u8,
    pub count: u64,
    /// The first bytes of the object, little-endian; the others are zero.
    pub bytes: Vec<u8>,
    /// Addresses in the initial content: eight bytes each, added to what `bytes` says.
    pub relocations: Vec<Relocation>,
    /// Writing to it is a violation, and reading it makes no event.
    pub constant: bool,
    /// Each thread has its own.
    pub thread_local: bool,
    /// A power of two. Zero and small ones mean 16.
    pub align: u64,
    /// The names of the parts of the object, if more is known than `element`. Not part of the text form.
    pub shape: Option<Shape>,
    /// A thread-local whose address other threads may know: they can observe the end of its thread. Not part of the
    /// text form.
    pub escapes: bool,
}

impl Global {
    /// A writable object of zeroes.
    pub fn zeroed(name: &str, element: u8, count: u64) -> Global {
        Global {
            name: name.to_string(),
            element,
            count,
            bytes: Vec::new(),
            relocations: Vec::new(),
            constant: false,
            thread_local: false,
            align: 0,
            shape: None,
            escapes: false,
        }
    }

    /// The same object with these first elements.
    pub fn with_elements(mut self, values: impl IntoIterator<Item = u64>) -> Global {
        for value in values {
            self.bytes.extend_from_slice(&value.to_le_bytes()[..usize::from(self.element)]);
        }
        self
    }

    /// Size in bytes; saturates, and [`crate::check`] refuses what is too big.
    pub fn size(&self) -> u64 {
        self.count.saturating_mul(u64::from(self.element))
    }
}

impl StackSlot {
    pub fn new(name: &str, size: u64, kind: SlotKind) -> StackSlot {
        StackSlot { name: name.to_string(), size, align: 0, kind, shape: Shape::Scalar }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// The offset of the address in the global.
    pub offset: u64,
    pub target: Symbol,
}

/// Something with an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    Global(GlobalId),
    Function(FunctionId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: String,
    pub n_params: u32,
    /// How many of the last parameters a call may leave out; they are zero then.
    pub n_optional: u32,
    /// One name per register, parameters first.
    pub registers: Vec<String>,
    pub slots: Vec<StackSlot>,
    pub targets: Vec<TargetPlace>,
    /// Ends with an instruction that does not fall through.
    pub body: Vec<Statement>,
}

/// A stack object that lives as long as its activation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackSlot {
    pub name: String,
    pub size: u64,
    /// A power of two. Zero and small ones mean 16.
    pub align: u64,
    pub kind: SlotKind,
    /// The names of its parts. Not part of the text form.
    pub shape: Shape,
}

/// How a stack object is used, and its initial content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    /// Used only by its own thread, so its accesses make no events; initially zero.
    Private,
    /// Used only by its own thread; reading a byte before writing it is a violation.
    Fresh,
    /// Allocated by an `Alloc(Stack)` event on entry and freed on return; initially unwritten.
    Shared,
    /// Private: the number and the addresses of stack objects that the function has made itself and that end with it
    /// at the latest.
    List,
}

impl SlotKind {
    pub const ALL: [SlotKind; 4] = [SlotKind::Private, SlotKind::Fresh, SlotKind::Shared, SlotKind::List];

    /// The name used in the text form.
    pub fn name(self) -> &'static str {
        match self {
            SlotKind::Private => "private",
            SlotKind::Fresh => "fresh",
            SlotKind::Shared => "shared",
            SlotKind::List => "list",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetPlace {
    pub name: String,
    /// The index in the body of the statement that follows.
    pub at: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub instr: Instr,
    pub source: Option<SourceId>,
}

/// The source of a statement, for reports.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Source {
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// The statement in the front-end's own terms; empty to show the instruction.
    pub text: String,
    /// Not written by the user: reports show the place of the call that led here.
    pub in_library: bool,
    /// The names of the parts of an object allocated here.
    pub object: Option<Shape>,
}
