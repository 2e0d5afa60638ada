//! Breaks a file: usually at tokens and lines, so that much of it stays meaningful, and sometimes at bytes.
//!
//! The parser rejects most files that are broken like this. So half of the inputs get a gentle change: a token is
//! replaced by one of the same kind that follows the same token elsewhere, or a line is removed. This exchanges
//! operands, changes types and operators, and loses instructions; much of it gets past the parser.

use super::corpus::{Corpus, Format, Sample};
use super::kept;
use atropos_testkit::Rng;

/// An input: its format and its bytes.
#[derive(Clone, Debug)]
pub struct Input {
    pub format: Format,
    pub bytes: Vec<u8>,
}

/// Numbers at the limits of their types.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "3",
    "63",
    "64",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999",
    "1e400",
];

/// How often to repeat a token or line, to make something deep or long.
const MANY: usize = 3_000;

/// The input of a seed, in one of `formats`; `None` if the corpus has none of them.
pub fn input(corpus: &Corpus, formats: &[Format], seed: u64) -> Option<Input> {
    let mut random = Rng::new(seed);
    let formats: Vec<Format> =
        formats.iter().copied().filter(|&format| !corpus.of_format(format).is_empty()).collect();
    if formats.is_empty() {
        return None;
    }
    let format = random.pick(&formats);
    let samples = corpus.of_format(format);
    let mut bytes = samples[random.below(samples.len())].bytes.clone();
    if format == Format::Bitcode {
        bytes = flip_bytes(&bytes, &mut random);
    } else if random.below(2) == 0 {
        for _ in 0..1 + random.below(3) {
            bytes = changed_gently(&bytes, &mut random);
        }
    } else {
        for _ in 0..1 + random.below(5) {
            bytes = mutated(&bytes, samples, &mut random);
        }
    }
    if format == Format::Checkpoint && random.below(8) > 0 {
        bytes = kept::sealed(&bytes);
    }
    Some(Input { format, bytes })
}

fn mutated(bytes: &[u8], samples: &[Sample], random: &mut Rng) -> Vec<u8> {
    match random.below(10) {
        0 => flip_bytes(bytes, random),
        1..=3 => change_lines(bytes, samples, random),
        _ => change_tokens(bytes, samples, random),
    }
}

fn changed_gently(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    if random.below(4) == 0 {
        let mut all = lines(bytes);
        if !all.is_empty() {
            drop(all.remove(random.below(all.len())));
        }
        return all.concat();
    }
    let mut all = tokens(bytes);
    let places: Vec<usize> = (0..all.len()).filter(|&at| !is_blank(all[at])).collect();
    if places.len() < 2 {
        return bytes.to_vec();
    }
    let at = 1 + random.below(places.len() - 1);
    let is_alike = |other: usize| {
        let (one, other) = (all[places[at]], all[places[other]]);
        kind(one) == kind(other) && one != other
    };
    let behind = |at: usize| all[places[at - 1]];
    let alike: Vec<usize> =
        (1..places.len()).filter(|&other| is_alike(other) && behind(other) == behind(at)).collect();
    if !alike.is_empty() {
        all[places[at]] = all[places[random.pick(&alike)]];
    }
    all.concat()
}

/// The kind of a token. Tokens of one kind can often replace each other.
fn kind(token: &[u8]) -> u8 {
    match token.first() {
        Some(byte) if byte.is_ascii_digit() => b'0',
        Some(byte) if byte.is_ascii_alphabetic() => b'a',
        Some(&byte) => byte,
        None => 0,
    }
}

fn flip_bytes(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.draw() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes.insert(at, random.draw() as u8),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn change_lines(bytes: &[u8], samples: &[Sample], random: &mut Rng) -> Vec<u8> {
    let mut all = lines(bytes);
    if all.is_empty() {
        return bytes.to_vec();
    }
    let (at, other) = (random.below(all.len()), random.below(all.len()));
    match random.below(6) {
        0 => all.swap(at, other),
        1 => drop(all.remove(at)),
        2 => all.insert(other, all[at].clone()),
        3 => {
            let (first, last) = (at.min(other), at.max(other));
            drop(all.drain(first..last));
        }
        4 => {
            let foreign = lines(&samples[random.below(samples.len())].bytes);
            if !foreign.is_empty() {
                all.insert(at, foreign[random.below(foreign.len())].clone());
            }
        }
        _ => {
            let times = if random.below(50) == 0 { MANY } else { 1 + random.below(8) };
            let line = all[at].clone();
            all.splice(at..at, std::iter::repeat_n(line, times));
        }
    }
    all.concat()
}

/// Splits a text into words, numbers, blanks, and single other characters.
fn tokens(bytes: &[u8]) -> Vec<&[u8]> {
    let class = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b'%' | b'@' | b'!' => 1,
        b' ' | b'\t' | b'\n' => 2,
        _ => 0,
    };
    bytes.chunk_by(|&one, &other| class(one) != 0 && class(one) == class(other)).collect()
}

fn is_blank(token: &[u8]) -> bool {
    token.first().is_some_and(u8::is_ascii_whitespace)
}

fn change_tokens(bytes: &[u8], samples: &[Sample], random: &mut Rng) -> Vec<u8> {
    let mut all = tokens(bytes);
    let places: Vec<usize> = (0..all.len()).filter(|&at| !is_blank(all[at])).collect();
    if places.is_empty() {
        return bytes.to_vec();
    }
    let (at, other) = (random.pick(&places), random.pick(&places));
    match random.below(9) {
        0 => all.swap(at, other),
        1 => drop(all.remove(at)),
        2 => all.insert(at, all[other]),
        3 => all[at] = all[other],
        4 | 5 => {
            let numbers: Vec<usize> =
                places.iter().copied().filter(|&at| all[at].iter().any(u8::is_ascii_digit)).collect();
            let at = if numbers.is_empty() { at } else { random.pick(&numbers) };
            all[at] = random.pick(&NUMBERS).as_bytes();
        }
        6 | 7 => {
            let foreign = tokens(&samples[random.below(samples.len())].bytes);
            let foreign: Vec<&[u8]> = foreign.into_iter().filter(|token| !is_blank(token)).collect();
            if !foreign.is_empty() {
                all[at] = random.pick(&foreign);
            }
            return all.concat();
        }
        _ => {
            let times = if random.below(20) == 0 { MANY } else { 1 + random.below(8) };
            let token = all[at];
            all.splice(at..at, std::iter::repeat_n(token, times));
        }
    }
    all.concat()
}
