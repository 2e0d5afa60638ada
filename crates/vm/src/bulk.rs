//! `copy`, `fill` and `compare`: bulk operations as one plain access per piece.
//!
//! Pieces have eight bytes where alignment and boundaries allow it. Between two events, `progress` counts the bytes
//! done and `partial` holds the current piece.
//!
//! A copy may read bytes that were never written: structs have gaps between their fields. The copy is then as
//! unwritten as the original. Private memory records that. Shared memory that would be overwritten with unwritten
//! bytes keeps its value, which a correct program cannot notice.

use atropos_event::{Access, Label, ReadOrder, Rmw, Value, WriteOrder};

use crate::access::Kind;
use crate::fault::Fault;
use crate::interp::Thread;

/// Set in `progress` while there is a current piece.
const IN_HAND: u64 = 1 << 63;

impl Thread<'_, '_> {
    /// Continues the copy up to the next event.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) -> Result<Option<Value>, Fault> {
        while self.state.partial.progress & !IN_HAND < length {
            let done = self.state.partial.progress & !IN_HAND;
            let (from, to, size) = self.next_piece_of_copy(to, from, length, done);
            if self.state.partial.progress & IN_HAND == 0 {
                if self.kind_of(from, u64::from(size))? == Kind::Fresh && self.n_written(from, size) == 0 {
                    self.copy_unwritten(to, size)?;
                    self.state.partial.progress = done + u64::from(size);
                    continue;
                }
                let Some(value) = self.read_plain(from, size)? else { return Ok(None) };
                self.state.partial.value = value;
            }
            if self.write_plain(to, size, self.state.partial.value)?.is_none() {
                self.state.partial.progress |= IN_HAND;
                return Ok(None);
            }
            self.state.partial.progress = done + u64::from(size);
        }
        self.state.partial.progress = 0;
        self.state.partial.value = 0;
        Ok(Some(0))
    }

    /// The next piece: from, to, size. It copies upwards unless the target overlaps the source from above.
    fn next_piece_of_copy(&self, to: u64, from: u64, length: u64, done: u64) -> (u64, u64, u8) {
        let left = length - done;
        let upwards = to <= from || to - from >= length;
        if upwards {
            let (from, to) = (from.wrapping_add(done), to.wrapping_add(done));
            let mut size = self.piece(from, left).size.min(self.piece(to, left).size);
            while !self.is_uniform(from, size) {
                size /= 2;
            }
            return (from, to, size);
        }
        // Downwards, the end of a piece must be aligned as well: halve the size until it is.
        let mut size = 8u64;
        loop {
            let (from, to) =
                (from.wrapping_add(left).wrapping_sub(size), to.wrapping_add(left).wrapping_sub(size));
            let fits = |addr: u64| size <= left && u64::from(self.piece(addr, size).size) == size;
            if size == 1 || (fits(from) && fits(to) && self.is_uniform(from, size as u8)) {
                return (from, to, size as u8);
            }
            size /= 2;
        }
    }

    /// Whether all or none of the bytes of a piece have been written, as far as this is known here.
    fn is_uniform(&self, addr: u64, size: u8) -> bool {
        let is_fresh = self.kind_of(addr, u64::from(size)) == Ok(Kind::Fresh);
        !is_fresh || [0, u32::from(size)].contains(&self.n_written(addr, size))
    }

    /// Copies a piece that was never written.
    fn copy_unwritten(&mut self, to: u64, size: u8) -> Result<(), Fault> {
        match self.kind_of(to, u64::from(size))? {
            Kind::Constant => return Err(Fault::WriteToConstant { addr: to }),
            Kind::Private => self.private_write(to, size, 0),
            Kind::Fresh => self.write_fresh(to, size, None),
            Kind::Shared => {}
        }
        Ok(())
    }

    /// The read that `copy` has issued found memory that was never written.
    pub fn answer_copy_unwritten(&mut self, to: u64, from: u64, length: u64) -> Result<(), Fault> {
        let done = self.state.partial.progress;
        let (_, to, size) = self.next_piece_of_copy(to, from, length, done);
        self.copy_unwritten(to, size)?;
        self.state.partial.progress = done + u64::from(size);
        Ok(())
    }

    /// The answer to a label of `copy`.
    pub fn answer_copy(&mut self, label: &Label, value: Value) {
        if label.is_read() && !label.is_merge() {
            self.state.partial.value = value;
            self.state.partial.progress |= IN_HAND;
        } else {
            let size = label.access().map_or(0, |access| access.part().size);
            self.state.partial.progress = (self.state.partial.progress & !IN_HAND) + u64::from(size);
        }
    }

    pub fn fill(&mut self, to: u64, byte: u64, length: u64) -> Result<Option<Value>, Fault> {
        let value = u64::from(byte as u8) * 0x0101_0101_0101_0101;
        while self.state.partial.progress < length {
            let addr = to.wrapping_add(self.state.partial.progress);
            let access = self.piece(addr, length - self.state.partial.progress);
            if self.write_plain(addr, access.size, value)?.is_none() {
                return Ok(None);
            }
            self.state.partial.progress += u64::from(access.size);
        }
        self.state.partial.progress = 0;
        Ok(Some(0))
    }

    /// Continues the comparison up to the next event or difference.
    pub fn compare_bytes(&mut self, left: u64, right: u64, length: u64) -> Result<Option<Value>, Fault> {
        while self.state.partial.progress & !IN_HAND < length {
            let done = self.state.partial.progress & !IN_HAND;
            let (left, right) = (left.wrapping_add(done), right.wrapping_add(done));
            let size = self.piece(left, length - done).size.min(self.piece(right, length - done).size);
            if self.state.partial.progress & IN_HAND == 0 {
                let Some(value) = self.read_plain(left, size)? else { return Ok(None) };
                self.state.partial.value = value;
                self.state.partial.progress |= IN_HAND;
            }
            let Some(value) = self.read_plain(right, size)? else { return Ok(None) };
            if let Some(order) = self.compare_piece(value, size) {
                return Ok(Some(order));
            }
        }
        self.state.partial.progress = 0;
        Ok(Some(0))
    }

    /// Compares the current piece with `right`; on a difference, returns the result.
    fn compare_piece(&mut self, right: u64, size: u8) -> Option<u64> {
        // As numbers, big-endian pieces are ordered by their first byte that differs.
        let (left, right) = (self.state.partial.value.swap_bytes(), right.swap_bytes());
        self.state.partial.value = 0;
        self.state.partial.progress = (self.state.partial.progress & !IN_HAND) + u64::from(size);
        if left == right {
            return None;
        }
        self.state.partial.progress = 0;
        Some(if left < right { u64::from(u32::MAX) } else { 1 })
    }

    /// The answer to a label of `compare_bytes` on `operands` (left, right, length).
    pub fn answer_compare(
        &mut self,
        label: &Label,
        value: Value,
        operands: (u64, u64, u64),
    ) -> Result<Option<Value>, Fault> {
        let size = label.access().map_or(0, |access| access.part().size);
        if self.state.partial.progress & IN_HAND == 0 {
            self.state.partial.value = value;
            self.state.partial.progress |= IN_HAND;
        } else if let Some(order) = self.compare_piece(value, size) {
            return Ok(Some(order));
        }
        let (left, right, length) = operands;
        self.compare_bytes(left, right, length)
    }

    /// A plain read of one piece.
    fn read_plain(&mut self, addr: u64, size: u8) -> Result<Option<Value>, Fault> {
        Ok(match self.kind_of(addr, u64::from(size))? {
            Kind::Private => Some(self.private_read(addr, size)),
            Kind::Fresh => Some(self.read_fresh(addr, size)?),
            Kind::Constant => Some(self.constant_read(addr, size)),
            Kind::Shared => {
                let access = Access::new(addr, size);
                self.issue_read(access, ReadOrder::NotAtomic, Rmw::None);
                None
            }
        })
    }

    fn write_plain(&mut self, addr: u64, size: u8, value: u64) -> Result<Option<Value>, Fault> {
        match self.kind_of(addr, u64::from(size))? {
            Kind::Constant => Err(Fault::WriteToConstant { addr }),
            Kind::Private => {
                self.private_write(addr, size, value);
                Ok(Some(0))
            }
            Kind::Fresh => {
                self.write_fresh(addr, size, Some(value));
                Ok(Some(0))
            }
            Kind::Shared => {
                let access = Access::new(addr, size);
                self.issue_write(access, WriteOrder::NotAtomic, access.truncate(value));
                Ok(None)
            }
        }
    }
}
