//! The history of an event as a fingerprint: the events that happen before it and their sources.
//!
//! Threads are deterministic, so a history consists of two smaller ones: that of the previous event of its thread,
//! and that of its source; the source of a thread's first event is the event that creates it. So histories mean the
//! same to every worker, however it numbers threads. A fingerprint is mixed from theirs in constant time. It has 128
//! bits; the probability that two of a billion histories share one by chance is about 10⁻²¹.

use atropos_event::Label;
use atropos_graph::{Event, Graph, Slot};
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct History([u64; 2]);

impl History {
    /// A fingerprint of a text, for other purposes.
    pub fn of_text(text: &str) -> History {
        let word = |bytes: &[u8]| {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(padded)
        };
        let len = History([text.len() as u64; 2]);
        let all = text.as_bytes().chunks(8).map(|bytes| History([word(bytes); 2])).chain([len]);
        all.fold(EMPTY, |before, next| History(SALTS.map(|salts| mix_all(salts, before, next))))
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0[0], self.0[1])
    }
}

impl FromStr for History {
    type Err = ();

    fn from_str(text: &str) -> Result<History, ()> {
        let is_hex = text.len() == 32 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let number = |digits: &str| u64::from_str_radix(digits, 16).map_err(|_| ());
        if is_hex { Ok(History([number(&text[..16])?, number(&text[16..])?])) } else { Err(()) }
    }
}

/// The history of the initial writes, and of the start of the program.
const EMPTY: History = History([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344]);

/// Per half of a fingerprint, what its ingredients are disturbed with: digits of π, after those above.
const SALTS: [[u64; 5]; 2] = [
    [
        0xa409_3822_299f_31d0,
        0x082e_fa98_ec4e_6c89,
        0x4528_21e6_38d0_1377,
        0xbe54_66cf_34e9_0c6c,
        0xc0ac_29b7_c97c_50dd,
    ],
    [
        0x3f84_d5b5_b547_0917,
        0x9216_d5d9_8979_fb1b,
        0xd131_0ba6_98df_b5ac,
        0x2ffd_72db_d01a_dfb7,
        0xb8e1_afed_6a26_7e96,
    ],
];

/// The histories of the events of a graph, which grow and shrink with it.
#[derive(Clone, Debug, Default)]
pub struct Histories(Vec<History>);

impl Histories {
    pub fn of(&self, slot: Slot) -> History {
        if slot.is_init() { EMPTY } else { self.0[slot.index()] }
    }

    /// Adds the history of the last event of the graph.
    pub fn push(&mut self, graph: &Graph, added: Slot) {
        let Event { label, rf, .. } = *graph.event(added);
        let has_source = matches!(label, Label::Read { .. } | Label::Begin | Label::Join { .. });
        let po = graph.po_before(added).map_or(EMPTY, |before| self.of(before));
        let rf = if has_source { self.of(rf) } else { EMPTY };
        self.0.push(History(SALTS.map(|salts| mix_all(salts, po, rf))));
    }

    pub fn pop(&mut self) {
        self.0.pop();
    }
}

fn mix_all(salts: [u64; 5], History(po): History, History(rf): History) -> u64 {
    let left = mix(po[0] ^ salts[0], rf[1] ^ salts[1]);
    let right = mix(po[1] ^ salts[2], rf[0] ^ salts[3]);
    mix(left ^ salts[4], right)
}

/// Both halves of the product, one over the other.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_event::{Access, Initial, Position, ReadOrder, Rmw, ThreadId, WriteOrder};
    use atropos_graph::{LocId, Outcome};

    const X: Access = Access::new(16, 4);

    /// A graph that grows together with its histories.
    struct Grown(Graph, Histories, LocId);

    impl Grown {
        /// With the main thread, which has created these others.
        fn new(threads: &[usize]) -> Self {
            let mut graph = Graph::new(false);
            let loc = graph.locate(X, || Initial::Value(0)).expect("a first location");
            let mut grown = Grown(graph, Histories::default(), loc);
            for &thread in threads {
                let spawn =
                    grown.add(0, Label::Spawn { child: ThreadId::new(thread), drains: true }, Slot::INIT);
                grown.add(thread, Label::Begin, spawn);
            }
            grown
        }

        fn add(&mut self, thread: usize, label: Label, rf: Slot) -> Slot {
            let Grown(graph, histories, loc) = self;
            let co = graph.location(*loc).co.len() as u32;
            let loc = if label.access().is_some() { *loc } else { LocId::NONE };
            let outcome = Outcome { rf, co, value: 1, before: Position(0) };
            let slot = graph.add(ThreadId::new(thread), label, loc, outcome);
            histories.push(graph, slot);
            slot
        }

        fn write(&mut self, thread: usize) -> Slot {
            let label = Label::Write { access: X, order: WriteOrder::Release, value: 1, exclusive: false };
            self.add(thread, label, Slot::INIT)
        }

        fn read(&mut self, thread: usize, rf: Slot) -> Slot {
            self.add(thread, Label::Read { access: X, order: ReadOrder::Acquire, rmw: Rmw::None }, rf)
        }
    }

    #[test]
    fn the_order_of_addition_and_the_numbers_of_threads_do_not_matter() {
        let mut one = Grown::new(&[1, 2]);
        let first = one.write(0);
        let read = one.read(1, first);
        one.write(2);
        let last = one.write(1);
        let mut two = Grown::new(&[2, 1]);
        two.write(1);
        let first_too = two.write(0);
        two.read(2, first_too);
        let last_too = two.write(2);
        assert_eq!(one.1.of(last), two.1.of(last_too));
        assert_ne!(one.1.of(last), one.1.of(read));
    }

    #[test]
    fn sources_threads_and_what_they_did_before_do_matter() {
        let mut grown = Grown::new(&[1, 2, 3]);
        let writes = [0, 0, 1, 2].map(|thread| grown.write(thread));
        let mut seen: Vec<_> = writes.map(|write| grown.1.of(write)).to_vec();
        for source in writes.into_iter().chain([Slot::INIT]) {
            for thread in [1, 2, 3] {
                let read = grown.read(thread, source);
                seen.push(grown.1.of(read));
                grown.0.pop();
                grown.1.pop();
            }
        }
        for (index, history) in seen.iter().enumerate() {
            assert!(!seen[..index].contains(history), "{index}: {history:?} was there before");
        }
    }
}
