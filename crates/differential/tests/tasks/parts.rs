//! Parts that are sent around as text: whatever is explored where, how often and in which order, the records add up to
//! the sequential search.

use crate::subject::{Known, Subject, cases, method_of, small_budget};
use atropos_event::RefusalReason;
use atropos_explore::catalogue::{Algorithm, Equivalence, Method, ModelName};
use atropos_explore::{Budget, Config, Control, Record, key_of};
use atropos_spread::Fold;
use atropos_spread::cluster::Parts;
use atropos_testkit::{ProgramShape, Rng, Style, generate, meet, repeat};
use std::time::Duration;

/// How often parts were explored, and how often the search has started over.
#[derive(Clone, Copy, Default, Debug)]
struct Effort {
    n_parts: usize,
    n_starts: usize,
    /// Schedules of Tracer that several workers may meet.
    n_keyed: usize,
}

/// Explores everything in parts, each up to three times, and adds up the records in any order.
fn explore_in_parts(subject: &Subject<'_>, rng: &mut Rng) -> (Fold, Effort) {
    let (mut fold, mut lessons) = (Fold::default(), String::new());
    let mut late: Vec<Record> = Vec::new();
    let mut effort = Effort::default();
    while !fold.is_done() {
        let mut known = fold.resumed().parts;
        // A worker may start on a part before the record that names it is there.
        known.extend(late.iter().flat_map(|record| record.rest.iter().cloned()));
        let part = known[rng.below(known.len())].clone();
        for _ in 0..=rng.below(3) {
            let budget = small_budget(rng);
            effort.n_parts += 1;
            match subject.explore_part(&lessons, &part, budget) {
                Ok(record) => {
                    effort.n_keyed += record.rest.iter().filter(|part| key_of(part).is_some()).count();
                    late.push(record);
                }
                Err(more) => {
                    (fold, lessons) = (Fold::new(more.clone()), more);
                    late.clear();
                    effort.n_starts += 1;
                    break;
                }
            }
        }
        while !late.is_empty() && (late.len() > 4 || rng.below(2) == 0) {
            let record = late.swap_remove(rng.below(late.len()));
            fold.add(record).expect("a record");
        }
    }
    (fold, effort)
}

#[test]
fn records_of_parts_add_up_to_the_search() {
    let (mut n_programs, mut all) = (0, Effort::default());
    for style in Style::ALL {
        for seed in 0..120 {
            let shape = ProgramShape { has_asserts: true, max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            let ast = if seed % 4 == 0 { repeat(seed, ast, 5) } else { ast };
            let meets = seed % 5 == 0;
            let ast = if meets { meet(seed, ast) } else { ast };
            let known = |case| if meets { Known::meeting(&ast, case) } else { Known::new(&ast, case) };
            let mut rng = Rng::new(seed);
            for known in cases(seed).filter_map(known) {
                let (fold, effort) = explore_in_parts(&known.subject, &mut rng);
                known.compare(&fold.resumed());
                n_programs += 1;
                all.n_parts += effort.n_parts;
                all.n_starts += effort.n_starts;
                all.n_keyed += effort.n_keyed;
            }
        }
    }
    assert!(n_programs >= 1000 && all.n_parts > 10 * n_programs, "{n_programs} programs, {all:?}");
    assert!(all.n_starts > 20 && all.n_keyed > 100, "{n_programs} programs, {all:?}");
}

fn some_method(seed: u64) -> Method<'static> {
    match seed % 4 {
        0 => method_of(Algorithm::Trust, ModelName::Rc11, Equivalence::Rf),
        1 => method_of(Algorithm::Trust, ModelName::Rc11, Equivalence::Co),
        _ => method_of(Algorithm::Tracer, ModelName::Ra, Equivalence::Rf),
    }
}

/// A worker that is stopped on the way to its part has not met another search.
#[test]
fn a_search_that_is_stopped_refuses_no_part() {
    let mut n_parts = 0;
    for style in Style::ALL {
        for seed in 0..40 {
            let shape = ProgramShape { max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            let method = some_method(seed);
            let subject =
                Subject { ast: &ast, method, config: Config { keep_going: true, ..Config::default() } };
            let budget =
                Budget { time: Duration::from_secs(3600), executions: 3, n_shed: 3, is_elsewhere: true };
            let (Some(Ok(record)), None) = subject.try_part("", "", budget) else { continue };
            for part in &record.rest {
                let control = Control::default();
                control.stop();
                let refusal = subject.refusal(&Parts::new("", part, budget), &control);
                assert_eq!(refusal, None, "{part} of\n{ast}");
                n_parts += 1;
            }
        }
    }
    assert!(n_parts > 100, "{n_parts} parts");
}

/// A word of a part is gone, or there twice, or elsewhere, or has another number.
fn broken(part: &str, rng: &mut Rng) -> String {
    let mut words: Vec<String> = part.split(' ').map(String::from).collect();
    let [one, other] = [(); 2].map(|()| rng.below(words.len()));
    match rng.below(4) {
        0 => drop(words.remove(one)),
        1 => words.insert(other, words[one].clone()),
        2 => words.swap(one, other),
        _ => {
            let digits = words[one].char_indices().filter(|(_, digit)| digit.is_ascii_digit());
            let places: Vec<usize> = digits.map(|(at, _)| at).collect();
            if !places.is_empty() {
                let at = places[rng.below(places.len())];
                words[one].replace_range(at..=at, &rng.below(12).to_string());
            }
        }
    }
    words.join(" ")
}

#[test]
fn a_broken_part_is_refused_or_a_part() {
    let (mut n_refused, mut n_explored) = (0, 0);
    for style in Style::ALL {
        for seed in 0..80 {
            let shape = ProgramShape { max_instructions: 9, ..ProgramShape::of(style) };
            let ast = generate(seed, &shape);
            let mut rng = Rng::new(seed);
            let method = some_method(seed);
            let subject =
                Subject { ast: &ast, method, config: Config { keep_going: true, ..Config::default() } };
            let budget =
                Budget { time: Duration::from_secs(3600), executions: 3, n_shed: 3, is_elsewhere: true };
            let (Some(Ok(record)), None) = subject.try_part("", "", budget) else { continue };
            for part in record.rest.iter().filter(|part| !part.is_empty()) {
                match subject.try_part("", &broken(part, &mut rng), budget) {
                    (_, Some(reason)) => {
                        assert_eq!(reason, RefusalReason::OtherSearch, "{part} of\n{ast}");
                        n_refused += 1;
                    }
                    (result, None) => n_explored += usize::from(result.is_some()),
                }
            }
        }
    }
    assert!(n_refused > 100 && n_explored > 100, "{n_refused} refused, {n_explored} explored");
}
