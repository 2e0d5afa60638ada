//! Options for how programs are read, and for the library that they are checked with.

use atropos_event::{Gap, GapKind};

/// How volatile accesses are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Volatile {
    /// As accesses without the word: the C standard gives them no meaning between threads.
    #[default]
    Plain,
    /// As relaxed atomic accesses, if a machine has an access of that size: what code from before C11 relies on.
    Relaxed,
}

/// The meaning of a program and the behaviour of library functions, where there is a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LibraryOptions {
    /// The smallest and the largest value that `__VERIFIER_nondet_int()` and similar functions return.
    pub nondet: Option<(i64, i64)>,
    /// Output is shown with a violation; otherwise output functions do nothing.
    pub show_output: bool,
    /// Waiting on a condition variable may end without a signal, once in each thread.
    pub spurious_wakeups: bool,
    /// Stack objects that are accessed atomically make events even if no other thread can see them.
    pub shows_private_barriers: bool,
    /// Every allocation may also fail.
    pub malloc_may_fail: bool,
    pub volatile: Volatile,
}

/// How many values a choice may have.
pub const MOST_CHOICES: u64 = 10_000;

/// The values that a function returning this type can choose from.
///
/// # Errors
/// Why there are none, with the name of the function.
pub(crate) fn choices(function: &str, range: Option<(i64, i64)>) -> Result<(i64, i64), Gap> {
    let ty = function.strip_prefix("__VERIFIER_nondet_").unwrap_or(function);
    let (least, most) = match ty {
        "bool" | "_Bool" => (0, 1),
        "char" => (i64::from(i8::MIN), i64::from(i8::MAX)),
        "uchar" | "unsigned_char" | "u8" => (0, i64::from(u8::MAX)),
        "short" => (i64::from(i16::MIN), i64::from(i16::MAX)),
        "ushort" | "unsigned_short" | "u16" => (0, i64::from(u16::MAX)),
        "int" => (i64::from(i32::MIN), i64::from(i32::MAX)),
        "uint" | "unsigned" | "unsigned_int" | "u32" => (0, i64::from(u32::MAX)),
        "long" | "longlong" | "loff_t" | "ssize_t" => (i64::MIN, i64::MAX),
        "ulong" | "unsigned_long" | "ulonglong" | "size_t" | "sector_t" | "u64" => (0, i64::MAX),
        _ => return Err(GapKind::NondetType.of(function)),
    };
    let Some((low, high)) = range else {
        return match ty {
            "bool" | "_Bool" => Ok((0, 1)),
            _ => Err(GapKind::NondetUnbounded.of(function)),
        };
    };
    let (first, last) = (low.max(least), high.min(most));
    match first <= last {
        true => Ok((first, last)),
        false => Err(GapKind::NondetEmpty.of(function).with([low as u64, high as u64])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_those_of_the_range_that_fit_the_type() {
        assert_eq!(choices("__VERIFIER_nondet_int", Some((-1, 3))), Ok((-1, 3)));
        assert_eq!(choices("__VERIFIER_nondet_uint", Some((-1, 3))), Ok((0, 3)));
        assert_eq!(choices("__VERIFIER_nondet_bool", Some((-5, 300))), Ok((0, 1)));
        assert_eq!(choices("__VERIFIER_nondet_char", Some((100, 300))), Ok((100, 127)));
        assert_eq!(choices("__VERIFIER_nondet_bool", None), Ok((0, 1)));
        assert!(choices("__VERIFIER_nondet_bool", Some((2, 3))).is_err());
        assert_eq!(choices("__VERIFIER_nondet_int", None).unwrap_err().kind, GapKind::NondetUnbounded);
        let double = choices("__VERIFIER_nondet_double", Some((0, 1)));
        assert_eq!(double, Err(GapKind::NondetType.of("__VERIFIER_nondet_double")));
    }
}
