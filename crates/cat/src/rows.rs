//! The operations of the relation algebra on bare rows. The caller provides the memory of the result.
//!
//! Rows have `words_for(n)` words, one after the other. A result overwrites the previous content.

use crate::set::{clear_tail, words_for};
use atropos_event::bits::{self, ones};

/// `[S]`.
pub(crate) fn identity(set: &[u64], out: &mut [u64]) {
    out.fill(0);
    ones(set).for_each(|event| bits::set(&mut out[event * set.len()..], event));
}

/// `S * T`.
pub(crate) fn product(from: &[u64], to: &[u64], out: &mut [u64]) {
    out.fill(0);
    ones(from).for_each(|event| out[event * to.len()..][..to.len()].copy_from_slice(to));
}

/// Union, intersection and difference of relations or of sets, by the `op` on words.
pub(crate) fn zip(a: &[u64], b: &[u64], out: &mut [u64], op: impl Fn(u64, u64) -> u64) {
    out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (&a, &b))| *out = op(a, b));
}

/// The complement of a relation, or of a set, which is one row.
pub(crate) fn complement(n: usize, a: &[u64], out: &mut [u64]) {
    out.iter_mut().zip(a).for_each(|(out, &a)| *out = !a);
    out.chunks_exact_mut(words_for(n)).for_each(|row| clear_tail(row, n));
}

/// `a ; b`.
pub(crate) fn compose(n: usize, a: &[u64], b: &[u64], out: &mut [u64]) {
    let words = words_for(n);
    if words == 1 {
        for (out, &row) in out.iter_mut().zip(a) {
            let (mut rest, mut reached) = (row, 0);
            while rest != 0 {
                reached |= b[rest.trailing_zeros() as usize];
                rest &= rest - 1;
            }
            *out = reached;
        }
        return;
    }
    out.fill(0);
    for (out, row) in out.chunks_exact_mut(words).zip(a.chunks_exact(words)) {
        for middle in ones(row) {
            bits::union(out, &b[middle * words..][..words]);
        }
    }
}

/// `a^-1`.
pub(crate) fn inverse(n: usize, a: &[u64], out: &mut [u64]) {
    let words = words_for(n);
    out.fill(0);
    for (from, row) in a.chunks_exact(words).enumerate() {
        ones(row).for_each(|to| bits::set(&mut out[to * words..], from));
    }
}

/// Relates each event to itself.
pub(crate) fn add_identity(n: usize, out: &mut [u64]) {
    let words = words_for(n);
    (0..n).for_each(|event| bits::set(&mut out[event * words..], event));
}

/// The events with a successor.
pub(crate) fn domain(n: usize, a: &[u64], out: &mut [u64]) {
    out.fill(0);
    for (event, row) in a.chunks_exact(words_for(n)).enumerate() {
        if row.iter().any(|&word| word != 0) {
            bits::set(out, event);
        }
    }
}

/// The events with a predecessor.
pub(crate) fn range(n: usize, a: &[u64], out: &mut [u64]) {
    out.fill(0);
    for row in a.chunks_exact(words_for(n)) {
        out.iter_mut().zip(row).for_each(|(out, row)| *out |= row);
    }
}

/// `a^+`, by Warshall's algorithm.
pub(crate) fn closure(n: usize, a: &[u64], out: &mut [u64]) {
    let words = words_for(n);
    out.copy_from_slice(a);
    if words == 1 {
        for via in 0..n {
            let via_row = out[via];
            // Without a branch: all ones if `via` is in the row, else zero.
            out.iter_mut().for_each(|row| *row |= via_row & (*row >> via & 1).wrapping_neg());
        }
        return;
    }
    let mut via_row = vec![0; words];
    for via in 0..n {
        via_row.copy_from_slice(&out[via * words..][..words]);
        for row in out.chunks_exact_mut(words) {
            if bits::has(row, via) {
                bits::union(row, &via_row);
            }
        }
    }
}

/// Rows of one word each: the events that remain after removing those without successors as long as there are any.
pub(crate) fn core(rows: &[u64]) -> u64 {
    let mut alive = if rows.len() < 64 { (1 << rows.len()) - 1 } else { u64::MAX };
    loop {
        let before = alive;
        for (event, row) in rows.iter().enumerate().rev() {
            alive &= !(u64::from(row & alive == 0) << event);
        }
        if alive == before {
            return alive;
        }
    }
}
