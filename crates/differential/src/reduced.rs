//! A reduction compared with the whole search, up to co and up to rf.

use crate::algorithm::caught;
use atropos_testkit::{Ast, UpTo, shrink};

/// What `compare` finds up to co and up to rf. Shrinks a program that fails; `name` is the name of the reduction.
///
/// # Errors
/// The program, the shrunk program, and the difference there.
pub(crate) fn compare_both<S: Copy + Default>(
    name: &str,
    (seed, ast, model): (u64, &Ast, &str),
    compare: impl Fn(&Ast, UpTo) -> Result<S, String>,
) -> Result<[S; 2], String> {
    let mut sizes = [S::default(); 2];
    for (index, equivalence) in [UpTo::Co, UpTo::Rf].into_iter().enumerate() {
        let check = |ast: &Ast| caught(|| compare(ast, equivalence)).unwrap_or_else(Err);
        let mut complaint = match check(ast) {
            Ok(found) => {
                sizes[index] = found;
                continue;
            }
            Err(complaint) => complaint,
        };
        let shrunk = shrink(ast.clone(), |smaller| match check(smaller) {
            Ok(_) => false,
            Err(text) => {
                complaint = text;
                true
            }
        });
        return Err(format!(
            "{name} differs under {model} up to {equivalence:?}\n\nseed {seed}:\n{ast}\n\nshrunk to:\n{shrunk}\n\n{complaint}"
        ));
    }
    Ok(sizes)
}
