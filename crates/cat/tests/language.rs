//! The language: what parses, what it means, and how mistakes are reported.

mod common;

use atropos_cat::{Model, Relation, Witness};
use atropos_event::{Diagnostic, Text};
use common::execution;

fn parse(text: &str) -> Result<Model, Diagnostic> {
    Model::parse("test.cat", text, &|_, _| Ok(None))
}

/// Asserts that two expressions have the same value on an execution with some of everything.
#[track_caller]
fn check_equal(definitions: &str, left: &str, right: &str) {
    let structure = execution("Wx=1 F.sc Ry=1 Ux=1>2 || Wy=1.rel Rx=2.acq Wx=3 || Ry=0 Rx=3.sc");
    let model = parse(&format!("{definitions}\nlet left = {left}\nlet right = {right}")).unwrap();
    let value = |name| model.eval(&structure, name).unwrap();
    assert_eq!(value("left"), value("right"), "{left} versus {right}");
}

#[test]
fn precedence_is_that_of_herd() {
    check_equal("", r"po & rf ; co", r"(po & rf) ; co");
    check_equal("", r"po \ rf ; co", r"(po \ rf) ; co");
    check_equal("", r"po ; rf | co", r"(po ; rf) | co");
    check_equal("", r"co | po ; rf", r"co | (po ; rf)");
    check_equal("", r"po \ rf & loc", r"po \ (rf & loc)");
    check_equal("", r"po \ loc \ co", r"(po \ loc) \ co");
    check_equal("", r"po & W * R", r"po & (W * R)");
    check_equal("", r"~po & loc", r"(~po) & loc");
    check_equal("", r"~po^+", r"~(po^+)");
    check_equal("", r"rf^-1 ; co?", r"(rf^-1) ; (co?)");
    check_equal("let f x = x ; x", "f po^+", "(f po)^+");
}

#[test]
fn operators_mean_what_they_say() {
    check_equal("", "po ; 0", "0");
    check_equal("", "[_]", "id");
    check_equal("", "[W] ; po ; [R]", "po & (W * R)");
    check_equal("", "[W & ~IW]", r"[W \ IW]");
    check_equal("", "[{}]", "0");
    check_equal("", "po*", "po^*");
    check_equal("", "(po)* ; rf", "po^* ; rf");
    check_equal("", "po+", "po^+");
    check_equal("", "ext", "~int");
    check_equal("", "(rf | co)?", "rf | co | id");
    check_equal("", "eco", r"rf | (co | (rf^-1 ; co \ id)) ; rf?");
    check_equal("let po = rf", "po", "rf");
}

#[test]
fn functions() {
    check_equal("let f(x, y) = x ; y", "f(po, rf)", "po ; rf");
    check_equal("let f x = x^-1", "f rf ; f(co)", "rf^-1 ; co^-1");
    check_equal("let restrict(s, r) = [s] ; r ; [s]", "restrict(W, po)", "[W] ; po ; [W]");
    check_equal("let f x = x & po  let g x = f(x ; x)", "g po", "po ; po & po");
    // Lexical scope: a later definition does not reach into a function.
    check_equal("let a = po  let f x = a ; x  let a = rf", "f co", "po ; co");
    check_equal("let x = po  let f x = x  ", "f rf ; x", "rf ; po");
}

#[test]
fn recursion_is_the_least_fixpoint() {
    check_equal("let rec r = po | rf | r ; r", "r", "(po | rf)^+");
    check_equal("let rec a = po | b ; rf and b = co | a ; co", "a", "po | (co | a ; co) ; rf");
    check_equal("let rec r = r", "r", "0");
    check_equal("let rec r = po  let s = r | rf", "s", "po | rf");
    check_equal("let f x = x | rf  let rec r = f(r ; po)  ", "r", "rf ; po^* | rf");
    check_equal("let rec a = po | a ; rf  let rec b = a | b ; b", "b", "(po ; rf^*)^+");
    // Without `rec`, `and` means at the same time.
    check_equal("let a = po let a = rf and b = a", "b", "po");
}

#[test]
fn checks_may_be_negated_flags_or_about_sets() {
    let structure = execution("Wx=1 || Rx=1");
    let model = parse("~empty rf as reads  empty F  flag ~empty rf as f  flag ~acyclic po as g").unwrap();
    assert!(model.is_consistent(&structure).unwrap());
    assert_eq!(model.flags(&structure).unwrap(), ["f"]);
    assert!(!parse("empty R").unwrap().is_consistent(&structure).unwrap());
    assert!(!parse("~acyclic po").unwrap().is_consistent(&structure).unwrap());
}

#[test]
fn domain_and_range_are_sets_of_events() {
    check_equal("let a = [domain(rf)] ; rf ; [range(rf)]", "a", "rf");
    check_equal("let a = [range(po \\ po)]", "a", "0");
    check_equal("let f(r) = domain(r) * range(r)  let a = f(po) & po", "a", "po");
    check_equal("let rec a = [range(a)] | po", "a", "po | [range(po)]");
    check_equal("let domain(r) = r  let a = domain(po)", "a", "po");
    assert!(parse("empty domain(W)").unwrap_err().to_string().contains("expected a relation"));
    assert!(parse("empty range(po, rf)").unwrap_err().to_string().contains("one argument"));
    assert!(parse("empty range").unwrap_err().to_string().contains("is a function"));
}

#[test]
fn flags_tell_what_raises_them() {
    let structure = execution("Wx=1 || Rx=1");
    let text = "flag ~empty rf as pairs  flag ~empty domain(rf) as events  flag empty F as nothing  flag empty R as no";
    let model = parse(text).unwrap();
    let raised = model.raised(&structure).unwrap();
    let names: Vec<_> = raised.iter().map(|(flag, _)| flag.name.as_str()).collect();
    assert_eq!(names, ["pairs", "events", "nothing"]);
    assert!(matches!(&raised[0].1, Witness::Pairs(pairs) if pairs.len() == 1));
    assert!(matches!(&raised[1].1, Witness::Events(events) if events.len() == 1));
    assert_eq!(raised[2].1, Witness::Nothing);
    let for_good: Vec<_> = raised.iter().map(|(flag, _)| flag.is_raised_for_good(&model)).collect();
    assert_eq!(for_good, [true, true, false]);
}

#[test]
fn axioms_are_listed_as_text() {
    let model = parse("\"A title\" acyclic ((po) | (rf ; co)) as one  ~empty po & (rf|co)^+").unwrap();
    let listed: Vec<String> = model.axioms().iter().map(|axiom| format!("{}: {axiom}", axiom.name)).collect();
    assert_eq!(
        listed,
        ["one: acyclic po | rf ; co as one", "~empty po & (rf | co)^+: ~empty po & (rf | co)^+"]
    );
    assert_eq!(model.title.as_deref(), Some("A title"));
}

#[test]
fn includes_prefer_files_to_built_in_models() {
    let sources = |_: &str, wanted: &str| {
        let text = match wanted {
            "sc.cat" => "acyclic rf as mine",
            "outer.cat" => "include \"sc.cat\"",
            _ => return Ok(None),
        };
        Ok(Some(Text { name: wanted.to_string(), text: text.to_string() }))
    };
    let axioms = |text: &str| {
        let model = Model::parse("test.cat", text, &sources).unwrap();
        model.axioms().iter().map(|axiom| axiom.name.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        axioms("include \"outer.cat\" include \"ra.cat\""),
        "mine no-thin-air coherence atomicity race"
    );
}

#[test]
fn models_load_from_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for name in atropos_cat::BUILTIN_MODELS {
        let loaded = Model::load(&folder.join(format!("{name}.cat"))).unwrap();
        let builtin = Model::builtin(name).unwrap();
        assert_eq!(format!("{:?}", loaded.axioms()), format!("{:?}", builtin.axioms()));
    }
    let error = Model::load(&folder.join("absent.cat")).unwrap_err();
    assert!(error.to_string().contains("absent.cat"), "{error}");
}

#[test]
fn an_incomplete_structure_is_an_error() {
    let model = Model::builtin("sc").unwrap();
    let mut structure = atropos_cat::Structure::new(1);
    structure.relation("po", Relation::new(1));
    let error = model.is_consistent(&structure).unwrap_err();
    assert_eq!(error.message, "model sc needs `rf`, which was not given");
    assert_eq!(model.eval(&structure, "po").unwrap(), Relation::new(1));
    assert_eq!(model.eval(&structure, "hb").unwrap_err().message, "model sc has no relation `hb`");
}
