//! What several searches of one program must agree on.
//!
//! In another order of threads, and with several workers, a search visits the same executions. A search that abandons
//! doomed executions visits the same complete ones and no additional blocked ones, and finds the same kinds of
//! violations. Up to `rf`, a search finds exactly the executions up to `co`, without their coherence orders.
//!
//! No oracle takes part, so programs may be too large for one.

use crate::SearchSettings;
use crate::algorithm::caught;
use atropos_event::{Program, ViolationKind};
use atropos_explore::ThreadOrder;
use atropos_graph::Canonical;
use atropos_testkit::{Ast, Explored, UpTo, is_misuse, shrink};
use std::collections::BTreeSet;

/// All executions of `program`, from one search with `jobs` workers. The complaints list what other searches find
/// differently, and panics. The seed decides on the other order of threads.
pub(crate) fn explore_all(program: &dyn Program, search: SearchSettings<'_>, seed: u64) -> Explored {
    let reference = match caught(|| search.run(program)) {
        Ok(found) => found,
        Err(complaint) => return Explored { complaints: vec![complaint], ..Explored::default() },
    };
    let expected = Sorted::of(&reference);
    let mut complaints = Vec::new();
    for variant in variants(search, seed) {
        let complaint = match caught(|| variant.run(program)) {
            Ok(found) => expected.complain(&Sorted::of(&found), variant.abandon_doomed),
            Err(complaint) => Some(complaint),
        };
        complaints.extend(complaint.map(|complaint| format!("{variant:?}: {complaint}")));
    }
    Explored { complaints, ..reference }
}

/// The same search without executions that can only end blocked, in another order of threads.
pub(crate) fn variants(search: SearchSettings<'_>, seed: u64) -> [SearchSettings<'_>; 2] {
    let doomed = SearchSettings { abandon_doomed: true, ..search };
    let thread_order = ThreadOrder::Shuffled(seed);
    [doomed, SearchSettings { thread_order, abandon_doomed: seed % 4 < 2, ..search }]
}

/// How `found` differs from what a complete search of the same program has found.
pub(crate) fn complain(whole: &Explored, found: &Explored, may_leave_doomed: bool) -> Option<String> {
    Sorted::of(whole).complain(&Sorted::of(found), may_leave_doomed)
}

/// The executions of a search in sorted order, so that searches can be compared.
struct Sorted {
    complete: Vec<Canonical>,
    blocked: Vec<Canonical>,
    violations: BTreeSet<ViolationKind>,
}

/// All kinds of misuse of memory count as one: which kind a search finds first depends on the order of events.
pub(crate) fn represented(kind: ViolationKind) -> ViolationKind {
    if is_misuse(kind) { ViolationKind::UseAfterFree } else { kind }
}

impl Sorted {
    fn of(explored: &Explored) -> Self {
        let sorted = |list: &[Canonical]| {
            let mut list = list.to_vec();
            list.sort_unstable();
            list
        };
        Sorted {
            complete: sorted(&explored.complete),
            blocked: sorted(&explored.blocked),
            violations: explored.violations.iter().map(|&kind| represented(kind)).collect(),
        }
    }

    /// How `other`, which may have abandoned doomed executions, differs from this.
    fn complain(&self, other: &Sorted, may_leave_doomed: bool) -> Option<String> {
        let of = |name: &str, mine: &[Canonical], theirs: &[Canonical]| {
            let missing = mine.iter().find(|execution| theirs.binary_search(execution).is_err());
            let extra = theirs.iter().find(|execution| mine.binary_search(execution).is_err());
            format!(
                "{} {name} executions instead of {}\nmissing: {}\nextra: {}",
                theirs.len(),
                mine.len(),
                missing.map_or_else(String::new, Canonical::to_string),
                extra.map_or_else(String::new, Canonical::to_string)
            )
        };
        if self.complete != other.complete {
            return Some(of("complete", &self.complete, &other.complete));
        }
        let is_known = |execution: &Canonical| self.blocked.binary_search(execution).is_ok();
        let is_right = if may_leave_doomed {
            other.blocked.iter().all(is_known) && other.blocked.is_sorted_by(|one, two| one < two)
        } else {
            self.blocked == other.blocked
        };
        if !is_right {
            return Some(of("blocked", &self.blocked, &other.blocked));
        }
        (self.violations != other.violations)
            .then(|| format!("violations {:?} instead of {:?}", other.violations, self.violations))
    }
}

/// Compares the searches of `program` under one model with each other. Returns the number of executions.
///
/// # Errors
/// The difference.
pub fn agree(program: &dyn Program, model: &str, jobs: usize, seed: u64) -> Result<usize, String> {
    let explored = [UpTo::Co, UpTo::Rf].map(|equivalence| {
        let search = SearchSettings { jobs, ..SearchSettings::new(model, equivalence) };
        explore_all(program, search, seed)
    });
    let [up_to_co, up_to_rf] = &explored;
    if let Some(complaint) = up_to_co.complaints.iter().chain(&up_to_rf.complaints).next() {
        return Err(complaint.clone());
    }
    let project = |list: &[Canonical]| -> Vec<Canonical> {
        let set: BTreeSet<_> = list.iter().map(Canonical::rf_projection).collect();
        set.into_iter().collect()
    };
    let mut projected = Sorted::of(up_to_co);
    for list in [&projected.complete, &projected.blocked] {
        if !list.is_sorted_by(|one, two| one < two) {
            return Err(format!("under {model} up to co, an execution is visited twice"));
        }
    }
    projected.complete = project(&up_to_co.complete);
    projected.blocked = project(&up_to_co.blocked);
    match projected.complain(&Sorted::of(up_to_rf), false) {
        Some(complaint) => Err(format!("under {model}, up to rf: {complaint}")),
        None => Ok(up_to_co.complete.len() + up_to_co.blocked.len()),
    }
}

/// The same under several models. Shrinks a program that fails.
///
/// # Errors
/// The program, the shrunk program, and the difference there.
pub fn agree_on_program<P: Program>(
    seed: u64,
    ast: &Ast,
    models: &[&str],
    prepare: impl Fn(&Ast) -> P,
) -> Result<usize, String> {
    let jobs = if seed.is_multiple_of(3) { 2 } else { 1 };
    let check = |ast: &Ast, model: &str| agree(&prepare(ast), model, jobs, seed);
    let mut n_executions = 0;
    for &model in models {
        let mut complaint = match check(ast, model) {
            Ok(n_more) => {
                n_executions += n_more;
                continue;
            }
            Err(complaint) => complaint,
        };
        let shrunk = shrink(ast.clone(), |smaller| match check(smaller, model) {
            Ok(_) => false,
            Err(text) => {
                complaint = text;
                true
            }
        });
        return Err(format!(
            "searches differ under {model}\n\nseed {seed}:\n{ast}\n\nshrunk to:\n{shrunk}\n\n{complaint}"
        ));
    }
    Ok(n_executions)
}
