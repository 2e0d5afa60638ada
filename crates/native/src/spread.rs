//! What the processes of a search must agree on.
//!
//! Runs of one process share the numbers that they give to threads and initial values as they meet them. Another process
//! meets them in another order. So the usual ones have fixed numbers. If a search is spread over processes, the others
//! are lessons ([`crate::lessons`]): the search starts over when a run meets one, and from then on all processes know
//! its number. A process that replays an execution learns all numbers before it starts.

use crate::arena::REGIONS;
use crate::image::Common;
use crate::lessons::Lessons;
use crate::names::MOST_VARIANTS;
use atropos_event::{SourceLocation, ThreadKey, Value};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt::Write;

/// The first children of the main thread have fixed numbers. They are few, because some objects have a bit for each of
/// the first threads: see [`crate::condvar`].
const N_FIXED: u64 = 24;
/// And so do initial values below this, for each of the four sizes of objects.
const N_FIXED_VALUES: u64 = 16;
const N_ALL_FIXED: u64 = 4 * N_FIXED_VALUES;

/// The numbers that are not fixed, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    threads: Vec<ThreadKey>,
    /// Initial values of objects, with the objects' names and sizes.
    variants: FxHashMap<(u64, u8, Value), u64>,
    /// How many of them a name has.
    n_variants: FxHashMap<u64, u64>,
}

/// Why something has no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoNumber {
    TooMany,
    /// Runs must learn it first.
    Unknown,
}

impl Numbers {
    /// The region of a thread.
    pub fn region_of(&self, key: ThreadKey) -> Result<usize, NoNumber> {
        let fixed = match key.path()[..] {
            [] => Some(0),
            [nth] => (nth < N_FIXED).then_some(nth as usize),
            _ => None,
        };
        let learned = || self.threads.iter().position(|&known| known == key);
        let region = fixed.or_else(|| Some(N_FIXED as usize + learned()?)).ok_or(NoNumber::Unknown)?;
        if region < REGIONS { Ok(region) } else { Err(NoNumber::TooMany) }
    }

    /// The number of the size and the initial value among those of the object `name`, from 0.
    pub fn variant(&self, name: u64, size: u8, initial: Value) -> Result<u64, NoNumber> {
        if initial < N_FIXED_VALUES {
            return Ok(N_FIXED_VALUES * u64::from(size.ilog2()) + initial);
        }
        let number = N_ALL_FIXED + self.variants.get(&(name, size, initial)).ok_or(NoNumber::Unknown)?;
        if number < MOST_VARIANTS { Ok(number) } else { Err(NoNumber::TooMany) }
    }

    pub fn add_thread(&mut self, key: ThreadKey) {
        if !self.threads.contains(&key) {
            self.threads.push(key);
        }
    }

    pub fn add_variant(&mut self, name: u64, size: u8, initial: Value) {
        self.variants.entry((name, size, initial)).or_insert_with(|| {
            let n_known = self.n_variants.entry(name).or_insert(0);
            *n_known += 1;
            *n_known - 1
        });
    }
}

impl Lessons {
    /// One line of words, the same in all processes that have learned the same.
    pub fn to_text(&self, common: &Common) -> String {
        let Lessons { loops, dropped, last_drops, counted, weakened, leaky, watches_heap, numbers } = self;
        let mut words = Vec::new();
        for (kind, places) in [("loop", loops), ("leaky", leaky)] {
            let place = |&place: &usize| format!("{kind}:{:#x}", common.canonical(place as u64));
            words.extend(places.iter().map(place));
        }
        for (kind, types) in [("dropped", dropped), ("counted", counted), ("weakened", weakened)] {
            words.extend(types.iter().map(|name| format!("{kind}:{}", escaped(name))));
        }
        let of_drop = |(thread, nth, name): &(ThreadKey, u64, Cow<'static, str>)| {
            format!("drop:{thread},{nth},{}", escaped(name))
        };
        words.extend(last_drops.iter().map(of_drop));
        words.extend(watches_heap.then(|| "heap:watched".to_string()));
        words.sort();
        let Numbers { threads, variants, .. } = numbers;
        let mut variants: Vec<_> =
            variants.iter().map(|(&(name, size, initial), nth)| (name, nth, size, initial)).collect();
        variants.sort_unstable();
        words.extend(threads.iter().map(|key| format!("thread:{key}")));
        let of_variant = |(name, _, size, initial): &_| format!("initial:{name:#x},{size},{initial:#x}");
        words.extend(variants.iter().map(of_variant));
        words.iter().map(|word| format!("{word} ")).collect()
    }

    /// Learns a word of another process; `None` if there is no such word.
    pub fn recall(&mut self, word: &str, common: &Common) -> Option<()> {
        let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let place = |text: &str| Some(common.canonical(number(text)?) as usize);
        match word.split_once(':')? {
            ("loop", text) => drop(self.loops.insert(place(text)?)),
            ("leaky", text) => drop(self.leaky.insert(place(text)?)),
            ("dropped", name) => drop(self.dropped.insert(Cow::Owned(unescaped(name)?))),
            ("drop", text) => {
                let [thread, nth, name] = text.splitn(3, ',').collect::<Vec<_>>()[..] else { return None };
                let name = Cow::Owned(unescaped(name)?);
                self.last_drops.insert((thread.parse().ok()?, nth.parse().ok()?, name));
            }
            ("counted", name) => drop(self.counted.insert(Cow::Owned(unescaped(name)?))),
            ("weakened", name) => drop(self.weakened.insert(Cow::Owned(unescaped(name)?))),
            ("heap", "watched") => self.watches_heap = true,
            ("thread", key) => self.numbers.add_thread(key.parse().ok()?),
            ("initial", text) => {
                let [name, size, initial] = text.split(',').collect::<Vec<_>>()[..] else { return None };
                let size = size.parse().ok().filter(|size: &u8| [1, 2, 4, 8].contains(size))?;
                self.numbers.add_variant(number(name)?, size, number(initial)?);
            }
            _ => return None,
        }
        Some(())
    }
}

/// The place of a loop that was cut, as a word.
pub(crate) fn cut_as_word(SourceLocation { file, line, column }: &SourceLocation) -> String {
    format!("cut:{line},{column},{}", escaped(file))
}

/// The place in such a word.
pub(crate) fn cut_of_word(word: &str) -> Option<SourceLocation> {
    let [line, column, file] = word.strip_prefix("cut:")?.splitn(3, ',').collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(SourceLocation { file: unescaped(file)?, line: line.parse().ok()?, column: column.parse().ok()? })
}

/// The name of a type as one word.
fn escaped(name: &str) -> String {
    let mut word = String::new();
    for byte in name.bytes() {
        match byte {
            b'!'..=b'~' if byte != b'%' => word.push(char::from(byte)),
            _ => write!(word, "%{byte:02x}").expect("writing to a string"),
        }
    }
    word
}

fn unescaped(word: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(after.get(..2)?, 16).ok()?);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_the_same_after_they_have_been_text() {
        let body = || {};
        let common = Common::of(&body);
        let mut lessons = Lessons { watches_heap: true, ..Lessons::default() };
        lessons.loops.insert(std::panic::Location::caller() as *const _ as usize);
        lessons.counted.extend(["dyn Fn() + Send".into(), "100% é".into()]);
        lessons.last_drops.insert((ThreadKey::MAIN, 2, "(A, B)".into()));
        let deep = ThreadKey::MAIN.child(1).and_then(|child| child.child(2)).expect("a key");
        lessons.numbers.add_thread(deep);
        lessons.numbers.add_variant(8, 4, 1 << 40);
        let text = lessons.to_text(&common);
        let mut other = Lessons::default();
        text.split_ascii_whitespace().for_each(|word| other.recall(word, &common).expect("a word"));
        assert_eq!(other.to_text(&common), text);
        assert_eq!((other.loops, other.counted), (lessons.loops, lessons.counted));
        assert_eq!(other.last_drops, lessons.last_drops);
        assert_eq!(other.numbers.region_of(deep), Ok(N_FIXED as usize));
        assert_eq!(other.numbers.variant(8, 4, 1 << 40), Ok(N_ALL_FIXED));
        let words = ["x:1", "loop:1", "thread:1", "counted:%", "counted:%zz", "heap:", "drop:0.1,1"];
        for word in words.into_iter().chain(["initial:0x1", "initial:0x8,0,0x1", "initial:0x8,4"]) {
            assert_eq!(Lessons::default().recall(word, &common), None, "{word}");
        }
    }

    #[test]
    fn places_of_loops_are_words() {
        let place = SourceLocation { file: "a b/c.rs".to_string(), line: 3, column: 12 };
        assert_eq!(cut_as_word(&place), "cut:3,12,a%20b/c.rs");
        assert_eq!(cut_of_word("cut:3,12,a%20b/c.rs"), Some(place));
        assert!(["cut:", "cut:3,12", "cut:x,1,a", "loop:0x1"].iter().all(|word| cut_of_word(word).is_none()));
    }

    #[test]
    fn few_threads_and_small_values_need_no_lesson() {
        let numbers = Numbers::default();
        let child = |nth| ThreadKey::MAIN.child(nth).expect("a key");
        assert_eq!(
            [ThreadKey::MAIN, child(1), child(N_FIXED - 1)].map(|key| numbers.region_of(key)),
            [0, 1, N_FIXED as usize - 1].map(Ok)
        );
        assert_eq!(numbers.region_of(child(N_FIXED)), Err(NoNumber::Unknown));
        assert_eq!((numbers.variant(8, 1, 0), numbers.variant(8, 8, 0)), (Ok(0), Ok(3 * N_FIXED_VALUES)));
        assert_eq!(numbers.variant(8, 1, 128), Err(NoNumber::Unknown));
    }
}
