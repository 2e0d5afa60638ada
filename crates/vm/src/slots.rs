//! The private slots of a thread's frames: the part of the address space that makes no events.

use crate::code::FunctionCode;
use crate::interp::Thread;
use crate::ir::SlotKind;
use crate::private::{self, PAGE_BYTES, PageId};

/// A frame, for looking up private memory.
#[derive(Clone, Copy)]
struct Frame {
    function: u32,
    /// Where it starts in the words.
    base: usize,
}

/// A word of private memory: the frame it belongs to, the word of the frame that numbers its page, and its
/// place in the page.
struct WordPlace {
    frame: usize,
    page_at: usize,
    index: usize,
}

impl Thread<'_, '_> {
    fn top(&self) -> Frame {
        Frame { function: self.state.function, base: self.base() }
    }

    fn code(&self, frame: Frame) -> &FunctionCode {
        &self.vm.code.functions[frame.function as usize]
    }

    fn caller(&self, frame: Frame) -> Option<Frame> {
        let caller = self.start + (self.words[frame.base + 1] >> 32) as usize;
        (frame.base > self.start).then_some(Frame { function: self.words[frame.base] as u32, base: caller })
    }

    /// The start of `frame`'s private memory in that of the thread.
    fn private_start(&self, frame: Frame) -> u64 {
        self.words[frame.base + 1] & 0xffff_ffff
    }

    /// Where the private memory of a frame on top of the others starts.
    pub fn private_top(&self) -> u64 {
        self.private_start(self.top()) + self.code(self.top()).private.size
    }

    /// The address at `offset` in the private memory of the topmost frame.
    pub fn private_address(&self, offset: u64) -> u64 {
        self.region().private_base() + self.private_start(self.top()) + offset
    }

    /// The addresses of the stack objects of all frames, the innermost and the latest ones first.
    pub fn stack_objects(&self) -> Vec<u64> {
        let mut found = Vec::new();
        for frame in std::iter::successors(Some(self.top()), |&frame| self.caller(frame)) {
            let code = self.code(frame);
            let list = code.private.slots.iter().find(|slot| slot.kind == SlotKind::List);
            if let Some(list) = list.map(|list| self.private_start(frame) + list.offset) {
                let n_made = self.read_word(list);
                found.extend((1..=n_made).rev().map(|nth| self.read_word(list + 8 * nth)));
            }
            let slots = code.shared_slots.iter().rev();
            found.extend(slots.map(|&word| self.words[frame.base + usize::from(word)]));
        }
        found
    }

    /// The hash of the private memory of all frames.
    pub fn private_hash(&self) -> u64 {
        if !self.vm.code.has_private {
            return 0;
        }
        let frames = std::iter::successors(Some(self.top()), |&frame| self.caller(frame));
        frames.fold(0, |sum, frame| self.words[frame.base + 2].wrapping_add(sum))
    }

    /// The frame whose private memory contains `offset`.
    fn frame_of(&self, offset: u64) -> Option<Frame> {
        let mut frames = std::iter::successors(Some(self.top()), |&frame| self.caller(frame));
        let frame = frames.find(|&frame| self.private_start(frame) <= offset)?;
        (offset - self.private_start(frame) < self.code(frame).private.size).then_some(frame)
    }

    /// The kind of the slot that contains `size` bytes at `offset`, in a live frame.
    pub fn private_slot(&self, offset: u64, size: u64) -> Option<SlotKind> {
        let frame = self.frame_of(offset)?;
        let offset = offset - self.private_start(frame);
        let slots = &self.code(frame).private.slots;
        let slot = slots[..slots.partition_point(|slot| slot.offset <= offset)].last()?;
        (size <= slot.size && offset - slot.offset <= slot.size - size).then_some(slot.kind)
    }

    fn word_place(&self, offset: u64) -> WordPlace {
        let frame = self.frame_of(offset).expect("checked by kind_of");
        self.place_in(frame, offset - self.private_start(frame))
    }

    /// The place of the word that is `within` bytes from the start of the private memory of `frame`.
    #[inline]
    fn place_in(&self, frame: Frame, within: u64) -> WordPlace {
        WordPlace {
            frame: frame.base,
            page_at: frame.base + self.code(frame).private.pages_at + (within / PAGE_BYTES) as usize,
            index: (within % PAGE_BYTES / 8) as usize,
        }
    }

    #[inline]
    fn word_at(&self, place: WordPlace) -> u64 {
        self.pages.word(self.words[place.page_at] as PageId, place.index)
    }

    fn read_word(&self, offset: u64) -> u64 {
        self.word_at(self.word_place(offset))
    }

    /// Puts the bits of `value` under `mask` into the word at `offset`.
    fn write_word(&mut self, offset: u64, mask: u64, value: u64) {
        let place = self.word_place(offset);
        let page = self.words[place.page_at] as PageId;
        let old = self.pages.word(page, place.index);
        let new = old & !mask | value & mask;
        if old != new {
            self.words[place.page_at] = u64::from(self.pages.set_word(page, place.index, new));
            let hash = &mut self.words[place.frame + 2];
            *hash = hash.wrapping_add(private::hash_change(offset, old, new));
        }
    }

    /// Reads up to eight bytes, which may span two words. The caller has checked that they exist.
    pub fn private_read(&self, addr: u64, size: u8) -> u64 {
        let offset = addr - self.region().private_base();
        let frame = self.frame_of(offset).expect("checked by kind_of");
        self.read_in(frame, offset - self.private_start(frame), size)
    }

    /// The same, `within` bytes from the start of the private memory of `frame`.
    #[inline]
    fn read_in(&self, frame: Frame, within: u64, size: u8) -> u64 {
        let (word, shift) = (within / 8 * 8, within % 8 * 8);
        let mask = u64::MAX >> (64 - 8 * u32::from(size));
        let low = self.word_at(self.place_in(frame, word)) >> shift;
        let crosses = shift + 8 * u64::from(size) > 64;
        let high = if crosses { self.word_at(self.place_in(frame, word + 8)) << (64 - shift) } else { 0 };
        (low | high) & mask
    }

    /// Reads up to eight bytes of a fresh slot, if all of them have been written.
    pub fn read_written(&self, addr: u64, size: u8) -> Option<u64> {
        let offset = addr - self.region().private_base();
        let frame = self.frame_of(offset).expect("checked by kind_of");
        let within = offset - self.private_start(frame);
        let (first, shift) = (within / 64, within % 64);
        let at = self.code(frame).private.shadow_at + 8 * first;
        let wanted = u64::MAX >> (64 - u32::from(size));
        let mut written = self.word_at(self.place_in(frame, at)) >> shift;
        if shift + u64::from(size) > 64 {
            written |= self.word_at(self.place_in(frame, at + 8)) << (64 - shift);
        }
        (written & wanted == wanted).then(|| self.read_in(frame, within, size))
    }

    pub fn private_write(&mut self, addr: u64, size: u8, value: u64) {
        let offset = addr - self.region().private_base();
        let (word, shift) = (offset / 8 * 8, offset % 8 * 8);
        let mask = u64::MAX >> (64 - 8 * u32::from(size));
        self.write_word(word, mask << shift, value << shift);
        if shift + 8 * u64::from(size) > 64 {
            self.write_word(word + 8, mask >> (64 - shift), value >> (64 - shift));
        }
    }

    /// The words of the shadow for `size` bytes at `addr`, and the bits in them.
    fn shadow(&self, addr: u64, size: u8) -> [(u64, u64); 2] {
        let offset = addr - self.region().private_base();
        let frame = self.frame_of(offset).expect("checked by kind_of");
        let start = self.private_start(frame);
        let (first, shift) = ((offset - start) / 64, (offset - start) % 64);
        let at = start + self.code(frame).private.shadow_at + 8 * first;
        let bits = u128::from(u64::MAX >> (64 - u32::from(size))) << shift;
        [(at, bits as u64), (at + 8, (bits >> 64) as u64)]
    }

    /// How many of `size` bytes of a fresh slot have been written.
    pub fn n_written(&self, addr: u64, size: u8) -> u32 {
        let words = self.shadow(addr, size).into_iter().filter(|&(_, bits)| bits != 0);
        words.map(|(at, bits)| (self.read_word(at) & bits).count_ones()).sum()
    }

    /// Writes to a fresh slot, or makes its bytes unwritten again. Which bytes are written is not part of the hash:
    /// if a loop iteration starts with more written bytes than the last one, it does the same again. If it starts
    /// with fewer, it may not, and that counts as a change.
    pub fn write_fresh(&mut self, addr: u64, size: u8, value: Option<u64>) {
        self.private_write(addr, size, value.unwrap_or(0));
        for (at, bits) in self.shadow(addr, size).into_iter().filter(|&(_, bits)| bits != 0) {
            let place = self.word_place(at);
            let page = self.words[place.page_at] as PageId;
            let old = self.pages.word(page, place.index);
            let new = if value.is_some() { old | bits } else { old & !bits };
            if old != new {
                self.words[place.page_at] = u64::from(self.pages.set_word(page, place.index, new));
                self.state.counts.n_writes += u32::from(value.is_none());
            }
        }
    }
}
