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

/// The bytes `addr .. addr + size` that one event reads or writes as a unit, and the part of them that the program
/// asks for. `size` is 1, 2, 4 or 8.
///
/// Bytes that are accessed atomically in several sizes are one *cell*, of the largest size: every access there is an
/// event on the whole cell, and most mean a part of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Access {
    pub addr: Addr,
    pub size: u8,
    /// Where the part starts within the bytes, and its size.
    offset: u8,
    part_size: u8,
}

impl Access {
    pub const fn new(addr: u64, size: u8) -> Self {
        debug_assert!(matches!(size, 1 | 2 | 4 | 8), "an access of a size that there is not");
        Access { addr: Addr(addr), size, offset: 0, part_size: size }
    }

    /// The access to `cell` that means the bytes of `self`, which lie in it.
    pub fn within(self, cell: Access) -> Self {
        debug_assert!(cell.contains(self), "{self:?} in {cell:?}");
        Access { offset: (self.addr.0 - cell.addr.0) as u8, part_size: self.size, ..cell }
    }

    /// Whether the program asks for all of the bytes.
    pub fn is_whole(self) -> bool {
        self.part_size == self.size
    }

    /// The same bytes, all of them meant: what a location is known by.
    pub fn cell(self) -> Self {
        Access { offset: 0, part_size: self.size, ..self }
    }

    /// The bytes that the program asks for, by themselves.
    pub fn part(self) -> Self {
        Access::new(self.addr.0 + u64::from(self.offset), self.part_size)
    }

    /// The value of the part when the bytes hold `value`.
    pub fn narrow(self, value: Value) -> Value {
        self.part().truncate(value >> (8 * u32::from(self.offset)))
    }

    /// What the bytes hold when they held `old` and the part becomes `part`.
    pub fn merge(self, old: Value, part: Value) -> Value {
        let shift = 8 * u32::from(self.offset);
        let mask = self.part().truncate(u64::MAX) << shift;
        self.truncate(old & !mask | part << shift & mask)
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

    /// Whether all bytes of `other` are among these.
    pub fn contains(self, other: Access) -> bool {
        self.addr <= other.addr && other.addr.0 + u64::from(other.size) <= self.addr.0 + u64::from(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_and_replaced_within_its_cell() {
        let cell = Access::new(0x10, 4);
        let access = Access::new(0x11, 2).within(cell);
        assert_eq!((access.part(), access.cell(), access.is_whole()), (Access::new(0x11, 2), cell, false));
        assert_eq!(access.narrow(0x4433_2211), 0x3322);
        assert_eq!(access.merge(0x4433_2211, 0xaaaa_bbcc), 0x44bb_cc11);
        assert_eq!((cell.narrow(7), cell.merge(7, 8), cell.part()), (7, 8, cell));
    }
}
