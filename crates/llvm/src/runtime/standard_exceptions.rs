//! The exceptions of the C++ library, all alike: an object with its own table and text.

use std::fmt::Write;

use crate::exceptions::STANDARD;

/// Tables, constructors, destructors and `what()` of all of them, as VM text.
pub(crate) fn text() -> String {
    let mut text = include_str!("standard_exceptions.vm").to_string();
    for (name, _) in STANDARD.iter().filter(|(name, _)| *name != "system_error") {
        let mangled = format!("St{}{name}", name.len());
        let table = table(name);
        writeln!(
            text,
            "const global {table}: [i64; 5] = {{ 0, 0, &`destroy exception`, &`delete exception`, \
             &`text of exception` }}\n\
             fn _ZNK{mangled}4whatEv(object) {{\n  text = call `text of exception`(object)\n  return text\n}}"
        )
        .expect("strings take everything");
        for variant in ["C1", "C2"] {
            writeln!(
                text,
                "fn _ZN{mangled}{variant}EPKc(object, text) {{\n  at = addr {table} + 16\n  \
                 call `make exception`(object, at, text)\n  return\n}}\n\
                 fn _ZN{mangled}{variant}ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(object, string) \
                 {{\n  text = load.i64 string\n  at = addr {table} + 16\n  \
                 call `make exception`(object, at, text)\n  return\n}}\n\
                 fn _ZN{mangled}{variant}ERKS_(object, other) {{\n  \
                 call `copy exception`(object, other)\n  return\n}}\n\
                 fn _ZN{mangled}{variant}EOS_(object, other) {{\n  \
                 call `copy exception`(object, other)\n  return\n}}"
            )
            .expect("strings take everything");
        }
        for (variant, function) in [("D1", "destroy"), ("D2", "destroy"), ("D0", "delete")] {
            writeln!(
                text,
                "fn _ZN{mangled}{variant}Ev(object) {{\n  call `{function} exception`(object)\n  return\n}}"
            )
            .expect("strings take everything");
        }
    }
    text
}

/// The name of the table of virtual functions.
pub(crate) fn table(name: &str) -> String {
    format!("_ZTVSt{}{name}", name.len())
}
