//! Accesses to memory: which kind of memory an address is in, and the events an access makes there.
//!
//! Only the explorer knows heap and shared stack objects: it has the `Alloc` and `Free` events of all threads in its
//! graph, so their accesses are just issued here. The bounds of globals and private slots are checked here.
//!
//! A plain access that is not aligned, or that crosses a boundary, is issued in pieces and put together again,
//! little-endian. An access inside a cell is issued on the whole cell. [`crate::overlaps`] knows boundaries and
//! cells.

use atropos_event::{Access, Addr, Label, ReadOrder, Rmw, ThreadId, Value, WriteOrder};

use crate::fault::Fault;
use crate::interp::Thread;
use crate::ir::SlotKind;
use crate::layout::{FUNCTION_BASE, NULL_PAGE, OBJECT_ALIGN, Part, RED_ZONE, ThreadRegion, is_zeroed};
use crate::mixing::StoredParts;
use crate::overlaps::Cell;

/// The kinds of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Shared,
    Private,
    /// Private; reading it before writing it is an error.
    Fresh,
    /// A global that must not be written.
    Constant,
}

impl Thread<'_, '_> {
    /// The kind of memory of `size` bytes at `addr`, if they may be accessed at all.
    pub fn kind_of(&self, addr: u64, size: u64) -> Result<Kind, Fault> {
        let out_of_bounds = Err(Fault::OutOfBounds { addr, size });
        match addr {
            ..NULL_PAGE => Err(Fault::NullPointer { addr }),
            NULL_PAGE..FUNCTION_BASE => {
                let globals = &self.vm.globals;
                match globals.at(addr).map(|id| globals.object(id)) {
                    Some(object) if !object.contains(addr, size) => out_of_bounds,
                    Some(object) if object.constant => Ok(Kind::Constant),
                    Some(_) => Ok(Kind::Shared),
                    None => out_of_bounds,
                }
            }
            _ => self.kind_in_region(addr, size),
        }
    }

    fn kind_in_region(&self, addr: u64, size: u64) -> Result<Kind, Fault> {
        let out_of_bounds = Err(Fault::OutOfBounds { addr, size });
        let Some(region) = ThreadRegion::of_addr(addr) else { return out_of_bounds };
        match region.part(addr) {
            Part::Heap(_) | Part::Zeroes(_) => Ok(Kind::Shared),
            Part::Private(_) if region != self.region() => Err(Fault::OthersPrivateSlot { addr }),
            Part::Private(offset) => match self.private_slot(offset, size) {
                Some(SlotKind::Fresh) => Ok(Kind::Fresh),
                Some(_) => Ok(Kind::Private),
                None => out_of_bounds,
            },
            Part::Control(ThreadRegion::OFFER) if size == 8 => Ok(Kind::Shared),
            Part::Control(_) if region != self.region() && self.must_ask_life() => {
                Err(Fault::OthersThreadLocal { addr })
            }
            Part::Control(offset) => {
                let globals = &self.vm.globals;
                let offset = offset
                    .checked_sub(ThreadRegion::THREAD_LOCALS)
                    .ok_or(Fault::OutOfBounds { addr, size })?;
                let object = globals.thread_local_at(offset).map(|id| globals.object(id));
                match object {
                    Some(object) if object.contains(offset, size) => Ok(Kind::Shared),
                    _ => out_of_bounds,
                }
            }
        }
    }

    /// Loads from private and constant memory return their value. Others return `None`: the event comes first.
    pub fn load(&mut self, addr: u64, size: u8, order: ReadOrder) -> Result<Option<Value>, Fault> {
        match self.kind_of(addr, u64::from(size))? {
            kind if size > 8 && kind != Kind::Shared => self.pack(addr, size).map(Some),
            Kind::Private => Ok(Some(self.private_read(addr, size))),
            Kind::Fresh => self.read_fresh(addr, size).map(Some),
            Kind::Constant => Ok(Some(self.constant_read(addr, size))),
            Kind::Shared => self.load_piece(addr, size, order).map(|()| None),
        }
    }

    /// As for loads; the returned value has no meaning.
    pub fn store(
        &mut self,
        addr: u64,
        size: u8,
        order: WriteOrder,
        value: u64,
    ) -> Result<Option<Value>, Fault> {
        match self.kind_of(addr, u64::from(size))? {
            Kind::Constant => Err(Fault::WriteToConstant { addr }),
            kind if size > 8 && kind != Kind::Shared => self.unpack(addr, size, value).map(Some),
            Kind::Private => {
                self.private_write(addr, size, value);
                Ok(Some(0))
            }
            Kind::Fresh => {
                self.write_fresh(addr, size, Some(value));
                Ok(Some(0))
            }
            Kind::Shared => self.store_piece(addr, size, order, value).map(|()| None),
        }
    }

    /// A read-modify-write. Private memory changes at once.
    pub fn modify(&mut self, access: Access, order: ReadOrder, rmw: Rmw) -> Result<Option<Value>, Fault> {
        let (addr, size) = (access.addr.0, access.size);
        match self.kind_of(addr, u64::from(size))? {
            Kind::Constant => Err(Fault::WriteToConstant { addr }),
            kind if size > 8 && kind != Kind::Shared => {
                let old = self.pack(addr, size)?;
                if let Some((new, _)) = rmw.write_after(access, old) {
                    self.unpack(addr, size, new)?;
                }
                Ok(Some(old))
            }
            Kind::Private => {
                let old = self.private_read(addr, size);
                if let Some((new, _)) = rmw.write_after(access, old) {
                    self.private_write(addr, size, new);
                }
                Ok(Some(old))
            }
            Kind::Fresh => {
                let old = self.read_fresh(addr, size)?;
                if let Some((new, _)) = rmw.write_after(access, old) {
                    self.write_fresh(addr, size, Some(new));
                }
                Ok(Some(old))
            }
            Kind::Shared => {
                check_aligned(addr, size)?;
                self.issue_read(access, order, rmw);
                Ok(None)
            }
        }
    }

    pub fn read_fresh(&self, addr: u64, size: u8) -> Result<Value, Fault> {
        self.read_written(addr, size).ok_or(Fault::Unwritten { addr })
    }

    /// A load that returns zero if memory was never written.
    pub fn peek(&mut self, addr: u64, size: u8) -> Result<Option<Value>, Fault> {
        match self.kind_of(addr, u64::from(size))? {
            Kind::Fresh if self.n_written(addr, size) < u32::from(size) => Ok(Some(0)),
            _ => self.load(addr, size, ReadOrder::Relaxed),
        }
    }

    /// Issues the rest of a load whose state is `progress`, or a piece of it.
    pub fn load_piece(&mut self, addr: u64, size: u8, order: ReadOrder) -> Result<(), Fault> {
        let access = self.whole_or_piece(addr, size, order.is_atomic())?;
        self.issue_read(access, order, Rmw::None);
        Ok(())
    }

    pub fn store_piece(&mut self, addr: u64, size: u8, order: WriteOrder, value: u64) -> Result<(), Fault> {
        let access = self.whole_or_piece(addr, size, order.is_atomic())?;
        let value = access.truncate(value >> (8 * self.state.partial.progress));
        self.issue_write(access, order, value);
        Ok(())
    }

    /// Issues a read of these bytes, by themselves or as a part of their cell.
    pub fn issue_read(&mut self, access: Access, order: ReadOrder, rmw: Rmw) {
        let cell = if self.overlaps.has_cells() { self.cell_of_read(access, rmw) } else { None };
        let access = cell.map_or(access, |cell| access.within(cell));
        self.perform(Label::Read { access, order, rmw });
    }

    /// The same for a write of `value`, which is of their width.
    pub fn issue_write(&mut self, access: Access, write_order: WriteOrder, value: Value) {
        let cell = if self.overlaps.has_cells() { self.cell_of_write(access) } else { None };
        self.perform(match cell {
            None => Label::Write { access, order: write_order, value, exclusive: false },
            Some(cell) => Label::Read {
                access: access.within(cell),
                order: ReadOrder::NotAtomic,
                rmw: Rmw::Merge { value, write_order },
            },
        });
    }

    /// The cell that contains `access`, a read, as a part.
    fn cell_of_read(&mut self, access: Access, rmw: Rmw) -> Option<Access> {
        if rmw != Rmw::None {
            self.state.stored_parts = StoredParts::default();
        }
        let cell = self.overlaps.cell_with(access)?;
        if !self.is_alone() {
            match rmw {
                Rmw::None => cell.notes.note_load(cell.access, access, self.state.stored_parts),
                Rmw::Fetch { .. } | Rmw::Cas { .. } | Rmw::Merge { .. } => {
                    cell.notes.note_other(cell.access, access)
                }
            }
        }
        self.part_of(cell, access)
    }

    /// The same for a write.
    fn cell_of_write(&mut self, access: Access) -> Option<Access> {
        let cell = self.overlaps.cell_with(access)?;
        let part_of = self.part_of(cell, access);
        if !self.is_alone() {
            if part_of.is_some() {
                self.state.stored_parts.add(cell.access, access);
                cell.notes.note_part_store(cell.access, access);
            } else {
                cell.notes.note_other(cell.access, access);
            }
        }
        part_of
    }

    fn part_of(&self, cell: &Cell, access: Access) -> Option<Access> {
        if cell.access == access {
            return None;
        }
        let at = self.function().origins[self.state.pc as usize];
        cell.note_part(access.size, (self.state.function, at));
        Some(cell.access)
    }

    /// Whether this is the only thread: it has not created any yet, or has joined them all.
    fn is_alone(&self) -> bool {
        let has_joined_all = self.state.children.n_joined == self.state.children.n_created;
        let is_sure = self.state.children.n_created == 0 || !self.threads.has_grandchildren();
        self.id == ThreadId::MAIN && has_joined_all && is_sure
    }

    fn whole_or_piece(&mut self, addr: u64, size: u8, atomic: bool) -> Result<Access, Fault> {
        if atomic {
            check_aligned(addr, size)?;
            return Ok(Access::new(addr, size));
        }
        let access =
            self.piece(addr + self.state.partial.progress, u64::from(size) - self.state.partial.progress);
        self.state.pending.in_pieces = access.size != size;
        Ok(access)
    }

    /// The largest aligned access that starts at `addr`, has at most `room` bytes, and crosses no boundary.
    pub fn piece(&self, addr: u64, room: u64) -> Access {
        let aligned = 1 << addr.trailing_zeros().min(3);
        let mut size = aligned.min(1 << room.min(8).ilog2()) as u8;
        while size > 1 && self.overlaps.is_cut(Access::new(addr, size)) {
            size /= 2;
        }
        Access::new(addr, size)
    }

    pub fn constant_read(&self, addr: u64, size: u8) -> u64 {
        let globals = &self.vm.globals;
        globals.at(addr).map_or(0, |id| globals.object(id).initial(addr, size))
    }

    /// The address of the next object of this thread, which starts unwritten or with zeroes.
    pub fn place_object(&self, size: u64, align: u64, zeroed: bool) -> Result<Addr, Fault> {
        let region = self.region();
        let align = align.max(OBJECT_ALIGN).checked_next_power_of_two().ok_or(Fault::OutOfMemory { size })?;
        let slots = region.slots(self.state.heap);
        let statement = slots.and_then(|_| self.user_statement());
        let displaced = slots.zip(statement).map(|(slots, statement)| slots.displacement(size, statement));
        let start = self.state.heap + displaced.unwrap_or(0);
        let offset = start.checked_next_multiple_of(align).ok_or(Fault::OutOfMemory { size })?;
        let end = offset.checked_add(size).and_then(|end| end.checked_add(RED_ZONE));
        let (base, room) = if zeroed { region.zeroes() } else { (region.base, region.size / 2) };
        match end {
            Some(end) if end <= room => Ok(Addr(base + offset)),
            _ => Err(Fault::OutOfMemory { size }),
        }
    }

    /// The innermost statement that has a source, as a number: the library's functions have none.
    fn user_statement(&self) -> Option<u64> {
        let (mut function, mut pc) = (self.state.function as usize, self.state.pc as usize);
        let mut frame = self.state.frames.top as usize;
        let has_source = |function: usize, pc: usize| {
            let at = self.vm.code.functions[function].origins[pc] as usize;
            self.vm.module.functions[function].body[at].source.is_some()
        };
        while !has_source(function, pc) {
            if frame == 0 {
                return None;
            }
            let (link, bases) = (self.words[self.start + frame], self.words[self.start + frame + 1]);
            (function, pc, frame) = (link as u32 as usize, (link >> 32) as usize, (bases >> 32) as usize);
        }
        Some((function as u64) << 32 | pc as u64)
    }

    /// Whether `addr` is in an object of this thread that no other thread knows. So far from the start that the place
    /// cannot be noted, others may know everything.
    pub fn is_unpublished(&self, addr: u64) -> bool {
        let offset = addr.wrapping_sub(self.region().base);
        self.state.published != u32::MAX
            && (u64::from(self.state.published) * OBJECT_ALIGN..self.state.heap).contains(&offset)
    }

    /// The thread has written to `addr`. What it writes to memory that others know may tell them of all its objects.
    pub fn publish_by_write(&mut self, addr: u64) {
        if !self.is_unpublished(addr) {
            self.publish();
        }
    }

    /// Others may know all objects of the thread.
    fn publish(&mut self) {
        self.state.published = u32::try_from(self.state.heap.div_ceil(OBJECT_ALIGN)).unwrap_or(u32::MAX);
    }

    /// The same for any label.
    pub fn publish_by(&mut self, label: &Label) {
        match *label {
            Label::Write { access, .. } => self.publish_by_write(access.addr.0),
            Label::Read { access, rmw, .. } if rmw != Rmw::None => self.publish_by_write(access.addr.0),
            Label::Spawn { .. } => self.publish(),
            Label::Begin
            | Label::End
            | Label::Read { .. }
            | Label::Fence { .. }
            | Label::Join { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => {}
        }
    }

    /// Makes the place unavailable to later objects.
    pub fn occupy(&mut self, addr: Addr, size: u64) {
        let base = if is_zeroed(addr.0) { self.region().zeroes().0 } else { self.region().base };
        self.state.heap = self.region().after(self.state.heap, addr.0 - base + size);
    }
}

/// Atomic accesses cannot be split. Those of objects that are too large for any instruction may be anywhere.
fn check_aligned(addr: u64, size: u8) -> Result<(), Fault> {
    let is_instruction = matches!(size, 1 | 2 | 4 | 8);
    if is_instruction && !addr.is_multiple_of(u64::from(size)) {
        return Err(Fault::Misaligned { addr, size });
    }
    Ok(())
}
