//! Private memory: pages shared between snapshots, copied when written.
//!
//! A frame lists the numbers of its pages. Snapshots copy the numbers, not the pages; the first write to a page since
//! the last snapshot makes a new page on top of all pages. So pages follow the same stack discipline as positions.
//! Page 0 is all zeroes and represents every unwritten page.
//!
//! Each frame also keeps a hash of its private memory: the sum over all words of `mix(address, content)`, less that
//! of zeroes. Two states that differ only in dead history have the same hash. Collisions are assumed not to happen
//! (64 bits, well mixed).

/// Words in a page.
pub const PAGE_WORDS: usize = 32;
pub const PAGE_BYTES: u64 = 8 * PAGE_WORDS as u64;

pub type PageId = u32;
pub const ZERO_PAGE: PageId = 0;

pub struct Pages {
    pages: Vec<[u64; PAGE_WORDS]>,
    /// Pages from here on belong to the running thread, and to no snapshot yet.
    fresh: usize,
}

impl Pages {
    pub fn new() -> Self {
        Pages { pages: vec![[0; PAGE_WORDS]], fresh: 1 }
    }

    pub fn len(&self) -> u32 {
        self.pages.len() as u32
    }

    pub fn truncate(&mut self, n: u32) {
        self.pages.truncate(n as usize);
    }

    /// From now on, the existing pages must not change.
    pub fn freeze(&mut self) {
        self.fresh = self.pages.len();
    }

    pub fn word(&self, page: PageId, index: usize) -> u64 {
        self.pages[page as usize][index]
    }

    /// Sets a word, and returns the number of the page with this change.
    pub fn set_word(&mut self, page: PageId, index: usize, value: u64) -> PageId {
        let mut at = page as usize;
        if at < self.fresh {
            self.pages.push(self.pages[at]);
            at = self.pages.len() - 1;
        }
        self.pages[at][index] = value;
        at as PageId
    }

    pub fn words(&self, page: PageId) -> &[u64; PAGE_WORDS] {
        &self.pages[page as usize]
    }
}

/// The change of the hash of a memory when the word at `addr` changes.
pub fn hash_change(addr: u64, old: u64, new: u64) -> u64 {
    mix(addr, new).wrapping_sub(mix(addr, old))
}

fn mix(addr: u64, value: u64) -> u64 {
    finalise(value.wrapping_add(finalise(addr ^ 0x9e37_79b9_7f4a_7c15)))
}

/// The finaliser of splitmix64: a bijection that mixes well.
fn finalise(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_page_is_copied_once() {
        let mut pages = Pages::new();
        let first = pages.set_word(ZERO_PAGE, 3, 7);
        pages.freeze();
        let second = pages.set_word(first, 3, 8);
        assert_eq!(pages.set_word(second, 4, 9), second);
        assert_eq!((pages.word(first, 3), pages.word(second, 3), pages.word(ZERO_PAGE, 3)), (7, 8, 0));
    }

    #[test]
    fn the_hash_depends_on_content_and_not_on_history() {
        let there = hash_change(8, 0, 5);
        assert_ne!(there, 0);
        assert_eq!(there.wrapping_add(hash_change(8, 5, 0)), 0);
        assert_ne!(hash_change(8, 0, 5), hash_change(16, 0, 5));
    }
}
