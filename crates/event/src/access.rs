//! Addresses, values and the bytes an access touches.

use std::fmt;

/// A canonical byte address: it depends on the program and on the allocating thread's own past only,
/// never on the order of exploration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Addr(pub u64);

impl fmt::Display for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The value of an access, zero-extended to 64 bits: `Access::truncate` is the identity on it.
pub type Value = u64;

/// The bytes `addr .. addr + size` that one event reads or writes as a unit. `size` is 1, 2, 4 or 8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Access {
    pub addr: Addr,
    pub size: u8,
}

impl Access {
    pub fn new(addr: u64, size: u8) -> Self {
        debug_assert!(matches!(size, 1 | 2 | 4 | 8), "an access of {size} bytes");
        Access { addr: Addr(addr), size }
    }

    pub fn bits(self) -> u32 {
        u32::from(self.size) * 8
    }

    /// Cuts `value` to the width of the access.
    pub fn truncate(self, value: Value) -> Value {
        value & (u64::MAX >> (64 - self.bits()))
    }

    /// Reads `value` as a signed integer of the access's width.
    pub fn signed(self, value: Value) -> i64 {
        let unused = 64 - self.bits();
        ((value << unused) as i64) >> unused
    }

    pub fn overlaps(self, other: Access) -> bool {
        self.addr.0 < other.addr.0 + u64::from(other.size)
            && other.addr.0 < self.addr.0 + u64::from(self.size)
    }
}
