//! A small, fast, reproducible source of randomness: splitmix64.

/// The same seed gives the same numbers on every machine and in every version, because files contain failing seeds.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0. The bias is far below what any test could notice.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len())]
    }

    /// One of the options, each with a probability proportional to its weight.
    pub fn pick_weighted<T: Copy>(&mut self, options: &[(usize, T)]) -> T {
        let mut rest = self.below(options.iter().map(|(weight, _)| weight).sum());
        for &(weight, option) in options {
            if rest < weight {
                return option;
            }
            rest -= weight;
        }
        unreachable!("the weights add up to more than the number drawn")
    }
}
