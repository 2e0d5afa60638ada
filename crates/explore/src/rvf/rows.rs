//! Rows of bits, one bit per node.

/// A matrix of bits whose rows come and go at the end, and whose width grows.
#[derive(Clone, Debug)]
pub struct Rows {
    words: Vec<u64>,
    stride: usize,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { words: Vec::new(), stride: 1 }
    }
}

impl Rows {
    pub fn n_rows(&self) -> usize {
        self.words.len() / self.stride
    }

    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.stride..][..self.stride]
    }

    pub fn push(&mut self) {
        self.words.resize(self.words.len() + self.stride, 0);
    }

    pub fn truncate(&mut self, n_rows: usize) {
        self.words.truncate(n_rows * self.stride);
    }

    pub fn has(&self, row: usize, bit: usize) -> bool {
        self.words[row * self.stride + bit / 64] >> (bit % 64) & 1 == 1
    }

    pub fn set(&mut self, row: usize, bit: usize) {
        self.words[row * self.stride + bit / 64] |= 1 << (bit % 64);
    }

    /// Makes room for `n_bits` bits in each row.
    pub fn widen(&mut self, n_bits: usize) {
        let stride = n_bits.div_ceil(64).next_power_of_two();
        if stride <= self.stride {
            return;
        }
        let mut words = vec![0; self.n_rows() * stride];
        for row in 0..self.n_rows() {
            words[row * stride..][..self.stride].copy_from_slice(self.row(row));
        }
        (self.words, self.stride) = (words, stride);
    }
}

/// The bits of a row that are set, in ascending order.
pub fn bits(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                index * 64 + bit
            })
        })
    })
}
