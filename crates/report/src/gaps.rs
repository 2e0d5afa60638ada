//! What is not modelled, in words: one row for each kind.

use crate::demangle::demangled;
use atropos_event::{Gap, GapKind};

/// The kinds in their order, with `{name}` for the name, `{0}` and `{1}` for the numbers.
const WORDS: [(GapKind, &str); 67] = [
    (GapKind::Function, "the function `{name}` is neither defined nor modelled"),
    (GapKind::Variable, "the variable `{name}` is neither defined nor modelled"),
    (
        GapKind::Ifunc,
        "`{name}` is an ifunc: a resolver chooses its code when the program is loaded, which is not \
         modelled; define `{name}` as a function that calls what the resolver would return",
    ),
    (GapKind::OnlyDeclared, "the function `{name}` has no body"),
    (GapKind::CalledVariable, "calling the variable `{name}` is not modelled"),
    (GapKind::Instruction, "the instruction `{name}` is not modelled"),
    (GapKind::WideInstruction, "the instruction `{name}` is not modelled for integers of more than 64 bits"),
    (GapKind::Intrinsic, "the intrinsic `llvm.{name}` is not modelled"),
    (
        GapKind::Assembly,
        "the inline assembly `{name}` is not modelled; the project may have a switch for compiler builtins instead of \
         assembly",
    ),
    (GapKind::Type, "values of type `{name}` are not modelled"),
    (GapKind::Integer, "integers of {0} bits are not modelled"),
    (GapKind::ArrayValue, "an array as a value is not modelled"),
    (GapKind::Constant, "the constant {name} is not modelled"),
    (GapKind::ConstantExpression, "the constant expression `{name}` is not modelled"),
    (GapKind::VectorConstant, "a vector constant of this length is not modelled"),
    (GapKind::LargeConstant, "an integer constant of more than 128 bits is not modelled"),
    (GapKind::InitialValue, "this initial value is not modelled"),
    (GapKind::VariableTooBig, "the variable `{name}` is too big"),
    (GapKind::ArrayTooBig, "an array is too big"),
    (GapKind::AtomicWidth, "atomic accesses of {name} are not modelled"),
    (GapKind::AtomicSize, "an atomic object of {0} bytes is not modelled, only up to {1}; use a mutex"),
    (
        GapKind::UnknownAtomicSize,
        "an atomic access whose number of bytes is only known when the program runs is not modelled",
    ),
    (GapKind::UnknownOrder, "this memory order is unknown"),
    (GapKind::VariableArguments, "variable arguments are only modelled for x86-64"),
    (GapKind::AlignedArgument, "an argument for `...` that is aligned to 16 bytes is not modelled"),
    (GapKind::ExceptionSpecification, "dynamic exception specifications are not modelled"),
    (GapKind::TooFewArguments, "`{name}` is called with too few arguments"),
    (GapKind::NumberOfArguments, "`{name}` has {0} arguments instead of three"),
    (GapKind::UnshownArguments, "`{name}`, with {0} arguments, cannot be shown"),
    (GapKind::UnknownMisuse, "a misuse of {name} that has no name"),
    (GapKind::UndefinedValue, "the value %{name} is not defined"),
    (GapKind::UndefinedBlock, "the block %{name} does not exist"),
    (GapKind::IncompletePhi, "the phi %{name} has no value for a block before it"),
    (GapKind::OpenBlock, "a block does not end as expected"),
    (GapKind::WrongType, "a value has an unexpected type"),
    (GapKind::NotConstant, "a value is not constant, but must be"),
    (GapKind::NoSuchElement, "an element does not exist"),
    (GapKind::WrongPlace, "an instruction is at an unexpected place"),
    (GapKind::NondetType, "{name}() is not modelled: values of this type cannot be enumerated"),
    (GapKind::NondetUnbounded, "{name}() may return any value: say which ones to try with --nondet LO..HI"),
    (GapKind::NondetEmpty, "no value of --nondet {0}..{1} can be returned by {name}()"),
    (
        GapKind::SystemCall,
        "this system call is not modelled; modelled are gettid, getrandom, futex with WAIT, WAKE and REQUEUE, their \
         BITSET and CMP versions, pipes whose reading end is open, event counters, poll on these, select without \
         files and with a limit of time, and anonymous memory that is readable and writable and is unmapped as a whole",
    ),
    (GapKind::NamedSemaphore, "named semaphores ({name}) are not modelled: use sem_init"),
    (
        GapKind::WriterPreference,
        "read-write locks that prefer writers are not modelled: use the default kind",
    ),
    (GapKind::Cancellation, "asynchronous cancellation ({name}) is not modelled: leave the type deferred"),
    (GapKind::OutputConversion, "this conversion in a format for text is not modelled"),
    (GapKind::InputConversion, "this conversion of scanf is not modelled"),
    (GapKind::OpenScanSet, "a `%[` in a format of scanf has no `]`"),
    (GapKind::HexadecimalFloat, "hexadecimal floating-point numbers in a text are not modelled"),
    (GapKind::TooManyDigits, "a number in a text has more than {0} digits"),
    (GapKind::LargeSort, "qsort is only modelled for elements of up to {0} bytes"),
    (
        GapKind::TooManyBases,
        "dynamic_cast is not modelled for an object with more than {0} parts of the same class",
    ),
    (GapKind::TooManyStackObjects, "one call of a function has more than {0} stack objects of variable size"),
    (GapKind::TooManyExitHandlers, "the program registers more than {0} handlers for its end"),
    (GapKind::TooManyQuickExitHandlers, "the program registers more than {0} handlers for its quick end"),
    (GapKind::TooManyThreadLocals, "there are more than {0} thread-local objects with destructors"),
    (GapKind::TooManyBarriers, "more than {0} barriers are initialised"),
    (GapKind::TooManyKeys, "more than {0} keys are created, the deleted ones included"),
    (GapKind::TooManyPipes, "more than {0} pipes and event counters are created"),
    (GapKind::PipeBytes, "more than {0} bytes are written into a pipe"),
    (GapKind::TooManyJumpTargets, "more than {0} functions of a thread that call setjmp run at a time"),
    (GapKind::TooManyRobustMutexes, "a thread holds more than {0} robust mutexes"),
    (
        GapKind::TooManyConditionWaiters,
        "more than {0} threads that the main thread has not created first wait for condition \
         variables",
    ),
    (GapKind::TooManyAtomicWaiters, "more than {0} threads wait on one atomic object"),
    (
        GapKind::SharedWaitEntry,
        "two atomic objects that threads wait on share an entry in the table of waiting threads; move one of them",
    ),
    (GapKind::ReusedAddress, "too many shared objects are created at the same address"),
    (GapKind::Lesson, "the search has to start over"),
];

const _: () = {
    assert!(WORDS.len() == GapKind::ALL.len());
    let mut nth = 0;
    while nth < WORDS.len() {
        assert!(WORDS[nth].0 as usize == nth);
        nth += 1;
    }
};

pub(crate) fn sentence(gap: &Gap) -> String {
    let (_, words) = WORDS[gap.kind as usize];
    let numbers = gap.numbers.iter().enumerate();
    let words = numbers.fold(words.to_string(), |words, (nth, &number)| {
        words.replace(&format!("{{{nth}}}"), &(number as i64).to_string())
    });
    let sentence = words.replace("{name}", &demangled(gap.name.as_deref().unwrap_or_default()));
    match &gap.function {
        Some(function) => {
            format!("the function `{}` cannot be modelled: {sentence}", demangled(function))
        }
        None => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        let missing = |name: &str| sentence(&GapKind::Function.of(name));
        assert_eq!(missing("fork"), "the function `fork` is neither defined nor modelled");
        let expected = "the function `cds::gc::hp::smr::destruct` is neither defined nor modelled";
        assert_eq!(missing("_ZN3cds2gc2hp3smr8destructEb"), expected);
        assert_eq!(missing("_Zodd"), "the function `_Zodd` is neither defined nor modelled");
    }
}
