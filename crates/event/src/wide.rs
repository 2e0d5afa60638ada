//! Values of more than eight bytes, for atomic objects that are too large for any instruction.
//!
//! Events carry one word. For a longer value the word is a number that identifies its bytes: their hash, so it does
//! not depend on the order in which values appear, and equal numbers mean equal bytes. Zeroes are always 0. The whole
//! process shares the table from numbers to bytes, which only ever translates a number to its bytes.

use crate::access::Value;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, RwLock};

type Table = HashMap<Value, Arc<[u8]>>;

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

/// The number of these bytes.
pub fn number(bytes: &[u8]) -> Value {
    if bytes.iter().all(|&byte| byte == 0) {
        return 0;
    }
    let mut number = hash(bytes);
    loop {
        if let Some(known) = TABLE.read().expect("no thread panics with this lock").get(&number) {
            if **known == *bytes {
                return number;
            }
            // Another value has this hash: try the next number.
            number = number.wrapping_add(1).max(1);
            continue;
        }
        let mut table = TABLE.write().expect("no thread panics with this lock");
        table.entry(number).or_insert_with(|| bytes.into());
    }
}

/// The `size` bytes that a number identifies.
pub fn bytes(number: Value, size: usize) -> Vec<u8> {
    let mut bytes = match number {
        0 => Vec::new(),
        _ => {
            let table = TABLE.read().expect("no thread panics with this lock");
            table.get(&number).map_or_else(Vec::new, |bytes| bytes.to_vec())
        }
    };
    bytes.resize(size, 0);
    bytes
}

/// FNV-1a, never 0.
fn hash(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(start, fold).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_have_equal_numbers_and_numbers_give_their_bytes() {
        let (one, other) = ([1u8; 20], [2u8; 20]);
        assert_eq!(number(&one), number(&one));
        assert_ne!(number(&one), number(&other));
        assert_eq!(bytes(number(&one), 20), one);
        assert_eq!((number(&[0; 20]), bytes(0, 20)), (0, vec![0; 20]));
    }
}
