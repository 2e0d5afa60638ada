//! The list of mutants: each old text occurs exactly once in its file, so that `cargo xtask mutants` can plant it.

use super::{SourceTree, TidyFinding};
use crate::mutants::LIST;
use crate::mutants::list::{List, find_once};

/// Mutants that cannot be planted.
pub fn stale_mutants(tree: &SourceTree) -> Vec<TidyFinding> {
    let Some(text) = tree.file(LIST) else { return Vec::new() };
    let list = match List::parse(&text.text) {
        Ok(list) => list,
        Err(message) => return vec![TidyFinding::error(LIST, 0, message)],
    };
    let stale = list.mutants.iter().filter_map(|mutant| {
        let found = match tree.file(&mutant.file) {
            Some(file) => find_once(&file.text, &mutant.old).err()?,
            None => "there is no such file".to_string(),
        };
        let message = format!("mutant {} of {}: {found}; fix or drop it", mutant.name, mutant.file);
        Some(TidyFinding::error(LIST, 0, message))
    });
    stale.collect()
}

#[cfg(test)]
mod tests {
    use super::super::say;
    use super::*;

    #[test]
    fn old_texts_stand_in_their_files_once() {
        let list = "suite own = p lib\nmutant one\nfile a.rs\nold x < y\nnew true\nloses all\nsuites own\n";
        let check = |text| say(stale_mutants, &[(LIST, list), ("a.rs", text)]).len();
        assert_eq!((check("if x <\n y {}"), check("if x > y {}"), check("x < y; x < y")), (0, 1, 1));
        assert_eq!(say(stale_mutants, &[(LIST, "nonsense")]).len(), 1);
        assert_eq!(say(stale_mutants, &[(LIST, list)]).len(), 1);
    }
}
