//! What a program needs and Atropos does not model, as data.

use crate::violation::named_enum;

/// Something that is not modelled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    pub kind: GapKind,
    /// The name that the program has for it: of a function, a variable, a type, an instruction.
    pub name: Option<String>,
    /// The limit that it exceeds, or what else the kind says.
    pub numbers: Vec<u64>,
    /// The function of which nothing can run because of it.
    pub function: Option<String>,
}

named_enum! {
    /// The names are those of the VM's text.
    pub enum GapKind {
        // Names that the program does not define.
        Function = "function",
        Variable = "variable",
        Ifunc = "ifunc",
        /// A function that is declared only.
        OnlyDeclared = "only-declared",
        CalledVariable = "called-variable",

        // Instructions, types and constants.
        Instruction = "instruction",
        /// An instruction for integers of 128 bits.
        WideInstruction = "wide-instruction",
        Intrinsic = "intrinsic",
        Assembly = "assembly",
        Type = "type",
        /// Integers with this number of bits.
        Integer = "integer",
        ArrayValue = "array-value",
        Constant = "constant",
        ConstantExpression = "constant-expression",
        VectorConstant = "vector-constant",
        LargeConstant = "large-constant",
        InitialValue = "initial-value",
        VariableTooBig = "variable-too-big",
        ArrayTooBig = "array-too-big",
        /// Atomic accesses with a width that no machine has.
        AtomicWidth = "atomic-width",
        /// An atomic object of so many bytes, and the most bytes that are modelled.
        AtomicSize = "atomic-size",
        UnknownAtomicSize = "unknown-atomic-size",
        UnknownOrder = "unknown-order",
        VariableArguments = "variable-arguments",
        AlignedArgument = "aligned-argument",
        ExceptionSpecification = "exception-specification",

        // Calls that do not fit what they call.
        TooFewArguments = "too-few-arguments",
        NumberOfArguments = "number-of-arguments",
        UnshownArguments = "unshown-arguments",
        UnknownMisuse = "unknown-misuse",

        // IR that does not fit together.
        UndefinedValue = "undefined-value",
        UndefinedBlock = "undefined-block",
        IncompletePhi = "incomplete-phi",
        OpenBlock = "open-block",
        WrongType = "wrong-type",
        NotConstant = "not-constant",
        NoSuchElement = "no-such-element",
        WrongPlace = "wrong-place",

        // Values that the user must bound.
        NondetType = "nondet-type",
        NondetUnbounded = "nondet-unbounded",
        /// The bounds exclude every value.
        NondetEmpty = "nondet-empty",

        // Functions and limits of the library.
        SystemCall = "system-call",
        NamedSemaphore = "named-semaphore",
        WriterPreference = "writer-preference",
        /// Asynchronous cancellation.
        Cancellation = "cancellation",
        OutputConversion = "output-conversion",
        InputConversion = "input-conversion",
        OpenScanSet = "open-scan-set",
        HexadecimalFloat = "hexadecimal-float",
        TooManyDigits = "too-many-digits",
        LargeSort = "large-sort",
        TooManyBases = "too-many-bases",
        TooManyStackObjects = "too-many-stack-objects",
        TooManyExitHandlers = "too-many-exit-handlers",
        TooManyQuickExitHandlers = "too-many-quick-exit-handlers",
        TooManyThreadLocals = "too-many-thread-locals",
        TooManyBarriers = "too-many-barriers",
        TooManyKeys = "too-many-keys",
        TooManyPipes = "too-many-pipes",
        PipeBytes = "pipe-bytes",
        TooManyJumpTargets = "too-many-jump-targets",
        TooManyRobustMutexes = "too-many-robust-mutexes",
        TooManyConditionWaiters = "too-many-condition-waiters",
        TooManyAtomicWaiters = "too-many-atomic-waiters",
        /// Two atomic objects share an entry of a table.
        SharedWaitEntry = "shared-wait-entry",
        /// Too many objects of a Rust program have had the same address.
        ReusedAddress = "reused-address",
        /// A run has learned something, and the search has not started over.
        Lesson = "lesson",
    }
}

impl GapKind {
    /// The gap of this kind that the program calls `name`.
    pub fn of(self, name: impl Into<String>) -> Gap {
        Gap { name: Some(name.into()), ..self.into() }
    }
}

impl Gap {
    #[must_use]
    pub fn with(self, numbers: impl Into<Vec<u64>>) -> Gap {
        Gap { numbers: numbers.into(), ..self }
    }
}

impl From<GapKind> for Gap {
    fn from(kind: GapKind) -> Gap {
        Gap { kind, name: None, numbers: Vec::new(), function: None }
    }
}
