//! Sets of states, which are rows of words of the same length. Nothing is allocated once the memory has grown.

/// The number of spots of an empty set.
const LEAST_SPOTS: usize = 64;

#[derive(Clone, Debug, Default)]
pub struct States {
    /// The rows, one after the other.
    words: Vec<u32>,
    /// One for each row.
    hashes: Vec<u32>,
    /// A row is at the first free spot from that of its hash on. A power of two, and at least twice the number of rows.
    spots: Vec<Spot>,
}

/// Where a row may be; free if all is zero.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    hash: u32,
    /// One more than the number of the row.
    row: u32,
}

impl States {
    pub fn clear(&mut self) {
        self.words.clear();
        self.hashes.clear();
        self.spots.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    pub fn contains(&self, state: &[u32]) -> bool {
        !self.is_empty() && self.spots[self.find(state, hash(state))].row != 0
    }

    /// Adds a state that is not in the set.
    pub fn insert(&mut self, state: &[u32]) {
        if 2 * (self.hashes.len() + 1) > self.spots.len() {
            self.grow();
        }
        let hash = hash(state);
        let at = self.find(state, hash);
        debug_assert_eq!(self.spots[at].row, 0, "a state is added once");
        self.words.extend_from_slice(state);
        self.hashes.push(hash);
        self.spots[at] = Spot { hash, row: self.hashes.len() as u32 };
    }

    /// The spot of a state, or the free one where it would be.
    fn find(&self, state: &[u32], hash: u32) -> usize {
        let mask = self.spots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let spot = self.spots[at];
            let Some(row) = (spot.row as usize).checked_sub(1) else { return at };
            if spot.hash == hash && self.words[row * state.len()..][..state.len()] == *state {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let n_spots = (2 * self.spots.len()).max(LEAST_SPOTS);
        self.spots.clear();
        self.spots.resize(n_spots, Spot::default());
        for (&hash, row) in self.hashes.iter().zip(1..) {
            let mut at = hash as usize & (n_spots - 1);
            while self.spots[at].row != 0 {
                at = (at + 1) & (n_spots - 1);
            }
            self.spots[at] = Spot { hash, row };
        }
    }
}

/// Two words are one step of it.
fn hash(state: &[u32]) -> u32 {
    let mix = |hash: u64, words: u64| (hash.rotate_left(5) ^ words).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (pairs, rest) = state.as_chunks::<2>();
    let hash = pairs.iter().fold(0, |hash, &[low, high]| mix(hash, u64::from(high) << 32 | u64::from(low)));
    (rest.iter().fold(hash, |hash, &word| mix(hash, u64::from(word))) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_added_until_it_is_cleared() {
        let mut states = States::default();
        let state = |n: u32| [n % 7, n / 7, n.wrapping_mul(77)];
        for round in 0..2 {
            assert!(states.is_empty() && !states.contains(&state(0)), "{round}");
            for n in 0..1000 {
                assert!(!states.contains(&state(n)));
                states.insert(&state(n));
            }
            assert!((0..1000).all(|n| states.contains(&state(n))));
            assert!((1000..2000).all(|n| !states.contains(&state(n))));
            states.clear();
        }
    }
}
