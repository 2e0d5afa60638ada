//! C11 memory orders, narrowed per kind of operation so that a release load cannot be written.
//!
//! `consume` is read as `acquire` [RCMC §3.1]. `NotAtomic` is the order of plain accesses.

use std::fmt;

/// The order of a read, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReadOrder {
    NotAtomic,
    Relaxed,
    Acquire,
    SeqCst,
}

impl ReadOrder {
    pub const ALL: [ReadOrder; 4] =
        [ReadOrder::NotAtomic, ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::SeqCst];

    pub fn is_atomic(self) -> bool {
        self != ReadOrder::NotAtomic
    }

    pub fn is_acquire(self) -> bool {
        self >= ReadOrder::Acquire
    }
}

/// The order of a write, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WriteOrder {
    NotAtomic,
    Relaxed,
    Release,
    SeqCst,
}

impl WriteOrder {
    pub const ALL: [WriteOrder; 4] =
        [WriteOrder::NotAtomic, WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::SeqCst];

    pub fn is_atomic(self) -> bool {
        self != WriteOrder::NotAtomic
    }

    pub fn is_release(self) -> bool {
        self >= WriteOrder::Release
    }
}

/// The order of a fence. A relaxed fence does nothing and makes no event. `Ord` is for sorting labels only:
/// neither of acquire and release is the stronger one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FenceOrder {
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl FenceOrder {
    pub const ALL: [FenceOrder; 4] =
        [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::SeqCst];

    pub fn is_acquire(self) -> bool {
        self != FenceOrder::Release
    }

    pub fn is_release(self) -> bool {
        self != FenceOrder::Acquire
    }
}

/// The names used in all text forms: `na rlx acq rel acqrel sc`.
macro_rules! text_form {
    ($order:ident { $($variant:ident = $name:literal),* }) => {
        impl fmt::Display for $order {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($order::$variant => $name),* })
            }
        }

        impl std::str::FromStr for $order {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                match text { $($name => Ok($order::$variant),)* _ => Err(()) }
            }
        }
    };
}

text_form!(ReadOrder { NotAtomic = "na", Relaxed = "rlx", Acquire = "acq", SeqCst = "sc" });
text_form!(WriteOrder { NotAtomic = "na", Relaxed = "rlx", Release = "rel", SeqCst = "sc" });
text_form!(FenceOrder { Acquire = "acq", Release = "rel", AcqRel = "acqrel", SeqCst = "sc" });
