//! Addresses, values and the bytes an access touches.

use crate::wide;
use std::fmt;

/// A canonical byte address. It depends only on the program and on the allocating thread's own past, never on the
/// order of exploration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Addr(pub u64);

impl fmt::Display for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The value of an access, zero-extended to 64 bits: `Access::truncate` is the identity on it. For an access to more
/// than eight bytes, a number that identifies them ([`wide`]).
pub type Value = u64;

/// The bytes `addr .. addr + size` that one event reads or writes as a unit, and the part of them that the program
/// accesses. `size` is 1, 2, 4 or 8; atomic objects that are too large for any instruction may have other sizes.
///
/// Bytes that are accessed atomically in several sizes are one *cell*, of the largest size: every access there is an
/// event on the whole cell, and most concern a part of it.
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
        debug_assert!(size != 0, "an access of no bytes");
        Access { addr: Addr(addr), size, offset: 0, part_size: size }
    }

    /// The access to `cell` whose part is the bytes of `self`, which are inside it.
    pub fn within(self, cell: Access) -> Self {
        debug_assert!(cell.contains(self), "{self:?} in {cell:?}");
        Access { offset: (self.addr.0 - cell.addr.0) as u8, part_size: self.size, ..cell }
    }

    /// Whether the program accesses all of the bytes.
    pub fn is_whole(self) -> bool {
        self.part_size == self.size
    }

    /// The same bytes, with no part singled out: what identifies a location.
    pub fn cell(self) -> Self {
        Access { offset: 0, part_size: self.size, ..self }
    }

    /// The bytes that the program accesses, by themselves.
    pub fn part(self) -> Self {
        Access::new(self.addr.0 + u64::from(self.offset), self.part_size)
    }

    /// The value of the part when the bytes hold `value`.
    pub fn narrow(self, value: Value) -> Value {
        if self.is_wide() {
            return self.narrow_wide(value);
        }
        self.part().truncate(value >> (8 * u32::from(self.offset)))
    }

    /// The value of the bytes if they held `old` and the part becomes `part`.
    pub fn merge(self, old: Value, part: Value) -> Value {
        if self.is_wide() {
            return self.merge_wide(old, part);
        }
        let shift = 8 * u32::from(self.offset);
        let mask = self.part().truncate(u64::MAX) << shift;
        self.truncate(old & !mask | part << shift & mask)
    }

    /// Whether values do not fit a word.
    pub fn is_wide(self) -> bool {
        self.size > 8
    }

    /// The bytes of a value, in the order of their addresses.
    pub fn bytes_of(self, value: Value) -> Vec<u8> {
        match self.is_wide() {
            true => wide::bytes(value, usize::from(self.size)),
            false => value.to_le_bytes()[..usize::from(self.size)].to_vec(),
        }
    }

    /// The value of these bytes.
    pub fn value_of(bytes: &[u8]) -> Value {
        if bytes.len() > 8 {
            return wide::number(bytes);
        }
        (0..).zip(bytes).fold(0, |value, (nth, &byte)| value | u64::from(byte) << (8 * nth))
    }

    #[cold]
    fn narrow_wide(self, value: Value) -> Value {
        if self.is_whole() {
            return value;
        }
        let start = usize::from(self.offset);
        Access::value_of(&self.bytes_of(value)[start..start + usize::from(self.part_size)])
    }

    #[cold]
    fn merge_wide(self, old: Value, part: Value) -> Value {
        if self.is_whole() {
            return part;
        }
        let mut bytes = self.bytes_of(old);
        let start = usize::from(self.offset);
        bytes[start..start + usize::from(self.part_size)].copy_from_slice(&self.part().bytes_of(part));
        Access::value_of(&bytes)
    }

    /// The number of bits of a value, up to a word.
    pub fn bits(self) -> u32 {
        u32::from(self.size.min(8)) * 8
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

    /// All bytes from the first to the last of both.
    pub fn union(self, other: Access) -> Self {
        let end = |access: Access| access.addr.0 + u64::from(access.size);
        let (start, end) = (self.addr.min(other.addr).0, end(self).max(end(other)));
        Access::new(start, u8::try_from(end - start).unwrap_or(u8::MAX))
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

    #[test]
    fn values_of_many_bytes_are_read_and_replaced_in_parts() {
        let cell = Access::new(0x14, 20);
        let bytes: Vec<u8> = (1..=20).collect();
        let value = Access::value_of(&bytes);
        let (part, long) = (Access::new(0x18, 4).within(cell), Access::new(0x15, 10).within(cell));
        assert_eq!((part.narrow(value), cell.narrow(value)), (0x0807_0605, value));
        assert_eq!(long.narrow(value), Access::value_of(&bytes[1..11]));
        let merged = part.merge(value, 0xffff_ffff);
        assert_eq!(cell.bytes_of(merged)[3..9], [4, 0xff, 0xff, 0xff, 0xff, 9]);
        assert_eq!(part.merge(merged, 0x0807_0605), value);
        assert_eq!(Access::new(0, 3).truncate(0x0403_0201), 0x03_0201);
    }
}
