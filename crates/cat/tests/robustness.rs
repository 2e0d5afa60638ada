//! No input makes the crate panic, overflow the stack or run without end.

mod common;

use atropos_cat::{BUILTIN_MODELS, Model};
use common::execution;

fn parse(text: &str) -> Result<Model, atropos_event::Diagnostic> {
    Model::parse("test.cat", text, &|_, _| Ok(None))
}

#[track_caller]
fn check_refused(text: &str, reason: &str) {
    let error = parse(text).expect_err(reason);
    assert!(error.message.contains(reason), "{error}");
}

#[test]
fn nesting_is_bounded() {
    let deep = 100_000;
    check_refused(&format!("acyclic {}", "(".repeat(deep)), "nest more than");
    check_refused(&format!("acyclic {}", "[".repeat(deep)), "nest more than");
    check_refused(&format!("acyclic {}po", "~".repeat(deep)), "nest more than");
    check_refused(&format!("acyclic {}po", "f ".repeat(deep)), "nest more than");
    check_refused(&format!("acyclic po{}", "^+".repeat(deep)), "nest more than");
    check_refused(&format!("acyclic po{}", " | po".repeat(deep)), "nest more than");
    check_refused(&"(*".repeat(deep), "never closed");
}

#[test]
fn expansion_is_bounded() {
    let mut doubling = "let f0 x = x".to_string();
    let mut nesting = "let g0 x = x".to_string();
    for i in 1..1000 {
        doubling += &format!("\nlet f{i} x = f{0}(x) | f{0}(x ; x)", i - 1);
        nesting += &format!("\nlet g{i} x = g{} x", i - 1);
    }
    check_refused(&format!("{doubling}\nacyclic f999 po"), "too large");
    check_refused(&format!("{nesting}\nacyclic g999 po"), "too large");
    check_refused(&" ".repeat(2 << 20), "larger than");
    // A long chain of definitions is no nesting.
    let chain: String = (1..5000).map(|i| format!("let r{i} = r{} ; po\n", i - 1)).collect();
    let model = parse(&format!("let r0 = po\n{chain}acyclic r4999")).unwrap();
    assert!(model.is_consistent(&execution("Wx=1 Rx=1")).unwrap());
}

#[test]
fn includes_are_bounded() {
    let twice = |_: &str, wanted: &str| {
        let depth: usize = wanted.parse().unwrap();
        let text = format!("include \"{0}\" include \"{0}\"", depth + 1);
        Ok(Some(atropos_event::Text { name: wanted.to_string(), text }))
    };
    let error = Model::parse("test.cat", "include \"0\"", &twice).unwrap_err();
    assert!(error.message.contains("includes"), "{error}");
}

/// Random edits of the model files: parsing returns, errors can be shown, and what parses can be evaluated.
#[test]
fn mutated_models_do_not_panic() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let names = BUILTIN_MODELS.iter().copied().chain(["prelude", "rc11-hb", "rc11-axioms"]);
    let texts: Vec<String> =
        names.map(|name| std::fs::read_to_string(folder.join(format!("{name}.cat"))).unwrap()).collect();
    let pieces: Vec<&str> = texts.iter().flat_map(|text| text.split_inclusive([' ', '\n', '('])).collect();
    let structure = execution("Wx=1 F.sc Ry=1 Ux=1>2 || Wy=1.rel Rx=2.acq Wx=3 || Ry=0 Rx=3.sc");
    let mut seed = 42u64;
    let mut random = |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    let mut n_parsed = 0;
    for round in 0..20_000 {
        let mut text: Vec<char> = texts[round % texts.len()].chars().collect();
        for _ in 0..1 + random(3) {
            let at = random(text.len());
            match random(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, ['(', ')', '[', '~', '*', '"', '|', '\\', 'é', '0', '\n'][random(11)]),
                2 => drop(text.splice(at..at, pieces[random(pieces.len())].chars())),
                _ => drop(text.drain(at..(at + random(20)).min(text.len()))),
            }
        }
        let text: String = text.into_iter().collect();
        match parse(&text) {
            Ok(model) => {
                n_parsed += 1;
                model.check(&structure).unwrap();
                model.flags(&structure).unwrap();
            }
            Err(error) => assert!(error.region.is_some(), "{error}"),
        }
    }
    assert!(n_parsed > 1000, "most mutants should not be refused at the first token: {n_parsed}");
}
