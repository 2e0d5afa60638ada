//! Golden error messages: place, cause, what was expected, and a caret under the culprit.

use atropos_cat::Model;
use atropos_event::Text;

#[track_caller]
fn check(text: &str, expected: &str) {
    let error = Model::parse("test.cat", text, &|_, _| Ok(None)).expect_err(text);
    let expected: Vec<&str> = expected.lines().map(|line| line.trim_start_matches('.')).collect();
    let region = error.region.as_ref().expect("a place");
    let text = region.text.as_ref().expect("the line is known");
    let before = text.chars().take(region.column as usize - 1);
    let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let (place, line) = (error.to_string().replacen("error: ", "", 1), region.line);
    let shown = format!("{place}\n{line:5} | {text}\n      | {indent}{}", "^".repeat(region.width as usize));
    assert_eq!(shown, expected.join("\n").trim_start());
}

#[test]
fn names() {
    check(
        "let a = po\nacyclic a | foo ; rf",
        "
test.cat:2:13: unknown name `foo`; expected a base name or an earlier `let`
.    2 | acyclic a | foo ; rf
.      |             ^^^",
    );
    check(
        "acyclic po_loc",
        "
test.cat:1:9: unknown name `po_loc`; did you mean `po-loc`?
.    1 | acyclic po_loc
.      |         ^^^^^^",
    );
    check(
        "let never-used(x) = x ; hb",
        "
test.cat:1:25: unknown name `hb`; expected a base name or an earlier `let`
.    1 | let never-used(x) = x ; hb
.      |                         ^^",
    );
    check(
        "let again = again",
        "
test.cat:1:13: unknown name `again`; expected a base name or an earlier `let`
.    1 | let again = again
.      |             ^^^^^",
    );
}

#[test]
fn sorts() {
    check(
        "acyclic po ; (W & R)",
        "
test.cat:1:15: expected a relation, but `W & R` is a set (its identity relation is `[W & R]`)
.    1 | acyclic po ; (W & R)
.      |               ^^^^^",
    );
    check(
        "empty [po]",
        "
test.cat:1:8: expected a set, but `po` is a relation
.    1 | empty [po]
.      |        ^^",
    );
    check(
        "let f x = [x]\nacyclic f po",
        "
test.cat:1:12: expected a set, but `x` is a relation
.    1 | let f x = [x]
.      |            ^",
    );
    check(
        "acyclic W",
        "
test.cat:1:9: expected a relation, but `W` is a set (its identity relation is `[W]`)
.    1 | acyclic W
.      |         ^",
    );
}

#[test]
fn functions() {
    check(
        "let f(x, y) = x ; y\nacyclic f(po)",
        "
test.cat:2:9: `f` takes 2 argument(s), not 1
.    2 | acyclic f(po)
.      |         ^^^^^",
    );
    check(
        "acyclic po rf",
        "
test.cat:1:9: `po` is not a function; expected an operator after it
.    1 | acyclic po rf
.      |         ^^^^^",
    );
    check(
        "let f x = x\nacyclic f",
        "
test.cat:2:9: `f` is a function; expected its arguments
.    2 | acyclic f
.      |         ^",
    );
    check(
        "let f(x, x) = x",
        "
test.cat:1:10: parameter `x` is given twice
.    1 | let f(x, x) = x
.      |          ^",
    );
}

#[test]
fn recursion() {
    check(
        "let rec r = po \\ (r ; rf)",
        "
test.cat:1:19: recursion to the right of `\\` is not monotone, so it has no least fixpoint
.    1 | let rec r = po \\ (r ; rf)
.      |                   ^^^^^^",
    );
    check(
        "let f x = ~x\nlet rec r = po | f(r)",
        "
test.cat:1:12: recursion under `~` is not monotone, so it has no least fixpoint
.    1 | let f x = ~x
.      |            ^",
    );
    check(
        "let rec s = W",
        "
test.cat:1:13: expected a relation, but `W` is a set (its identity relation is `[W]`)
.    1 | let rec s = W
.      |             ^",
    );
    check(
        "let rec f x = f x",
        "
test.cat:1:9: functions cannot be recursive
.    1 | let rec f x = f x
.      |         ^",
    );
}

#[test]
fn syntax() {
    check(
        "acyclic (po | rf",
        "
test.cat:1:17: expected an operator or `)`, found the end of the file
.    1 | acyclic (po | rf
.      |                 ^",
    );
    check(
        "let = po",
        "
test.cat:1:5: expected a name to define, found this
.    1 | let = po
.      |     ^",
    );
    check(
        "\tacyclic\tpo |",
        "
test.cat:1:14: expected a set or relation, found the end of the file
.    1 | \tacyclic\tpo |
.      | \t       \t    ^",
    );
    check(
        "\"title\" po",
        "
test.cat:1:9: expected `let`, `include`, `acyclic`, `irreflexive`, `empty` or `flag`, found a name
.    1 | \"title\" po
.      |         ^^",
    );
    check(
        "with co from generate-cos(co0)",
        "
test.cat:1:1: expected `let`, `include`, `acyclic`, `irreflexive`, `empty` or `flag`, found a construct of herd that is not supported here
.    1 | with co from generate-cos(co0)
.      | ^^^^",
    );
}

#[test]
fn characters() {
    check(
        "acyclic po // order",
        "
test.cat:1:12: unexpected character `/`; comments are written `(* … *)`
.    1 | acyclic po // order
.      |            ^",
    );
    check(
        "(* é *) acyclic po^2",
        "
test.cat:1:19: unexpected character `^`; expected `^+`, `^*` or `^-1`
.    1 | (* é *) acyclic po^2
.      |                   ^",
    );
    check(
        "let a = po (* (* *)",
        "
test.cat:1:12: this comment is never closed; expected `*)`
.    1 | let a = po (* (* *)
.      |            ^^",
    );
    check(
        "include \"sc.cat",
        "
test.cat:1:9: this string is never closed; expected `\"` on the same line
.    1 | include \"sc.cat
.      |         ^",
    );
}

#[test]
fn includes() {
    check(
        "include \"stdlib.cat\"",
        "
test.cat:1:9: cannot find `stdlib.cat`, neither as a file nor as a built-in model
.    1 | include \"stdlib.cat\"
.      |         ^^^^^^^^^^^^",
    );
    let itself = |_: &str, wanted: &str| {
        Ok(Some(Text { name: wanted.to_string(), text: "\n include \"b.cat\"".to_string() }))
    };
    let error = Model::parse("a.cat", "include \"b.cat\"", &itself).unwrap_err();
    assert_eq!(error.to_string(), "b.cat:2:10: error: `b.cat` includes itself");
    let region = error.region.expect("a place");
    assert_eq!((region.width, region.text.as_deref()), (7, Some(" include \"b.cat\"")));
    let error = Model::parse("a.cat", "include \"b.cat\"", &|_, _| {
        Ok(Some(Text { name: "b.cat".to_string(), text: "acyclic oops".to_string() }))
    });
    assert_eq!(error.unwrap_err().file.as_deref(), Some("b.cat"));
}
