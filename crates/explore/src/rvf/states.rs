//! Sets of states, which are rows of words of the same length. Nothing is allocated once the memory has grown.

/// The number of places of an empty set.
const LEAST_PLACES: usize = 64;

#[derive(Clone, Debug, Default)]
pub struct States {
    /// The rows, one after the other.
    words: Vec<u32>,
    n_rows: usize,
    /// One more than the number of a row, or 0; a row is at the first free place from that of its hash on. A power of two,
    /// and at least twice the number of rows.
    places: Vec<u32>,
}

impl States {
    pub fn clear(&mut self) {
        self.words.clear();
        self.n_rows = 0;
        self.places.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    pub fn contains(&self, state: &[u32]) -> bool {
        !self.is_empty() && self.places[self.find(state)] != 0
    }

    /// Adds a state that is not in the set.
    pub fn insert(&mut self, state: &[u32]) {
        if 2 * (self.n_rows + 1) > self.places.len() {
            self.grow(state.len());
        }
        let place = self.find(state);
        debug_assert_eq!(self.places[place], 0, "a state is added once");
        self.words.extend_from_slice(state);
        self.n_rows += 1;
        self.places[place] = self.n_rows as u32;
    }

    /// The place of a state, or the free one where it would be.
    fn find(&self, state: &[u32]) -> usize {
        let mask = self.places.len() - 1;
        let mut place = hash(state) as usize & mask;
        while let Some(row) = (self.places[place] as usize).checked_sub(1) {
            if self.words[row * state.len()..][..state.len()] == *state {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self, len: usize) {
        let n_places = (2 * self.places.len()).max(LEAST_PLACES);
        self.places.clear();
        self.places.resize(n_places, 0);
        for row in 0..self.n_rows {
            let state = &self.words[row * len..][..len];
            let place = self.find(state);
            self.places[place] = row as u32 + 1;
        }
    }
}

fn hash(state: &[u32]) -> u64 {
    let mix =
        |hash: u64, word: &u32| (hash.rotate_left(5) ^ u64::from(*word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    state.iter().fold(0, mix) >> 32
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
