//! The exceptions of the C++ library, all alike: an object with its own table and text.

use std::fmt::Write;

use crate::exceptions::STANDARD;

/// Tables, constructors, destructors and `what()` of all of them, as VM text.
pub(crate) fn text() -> String {
    let mut text = include_str!("standard_exceptions.vm").to_string();
    describe(&mut text, "exception", None).expect("strings take everything");
    for (name, base) in STANDARD {
        describe(&mut text, name, Some(base)).expect("strings take everything");
        match has_text(name, base) {
            true => with_text(&mut text, name),
            false => without_text(&mut text, name),
        }
        .expect("strings take everything");
    }
    text
}

/// Type information as compilers write it: a table that says whether there is a base, the name, and the base.
fn describe(text: &mut String, name: &str, base: Option<&str>) -> std::fmt::Result {
    let ty = mangled(name);
    let bytes: Vec<String> = ty.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    let kind = if base.is_some() { "20__si_class_type_infoE" } else { "17__class_type_infoE" };
    let base = base.map(|base| format!(" at 16: &_ZTI{}", mangled(base))).unwrap_or_default();
    writeln!(
        text,
        "const global _ZTS{ty}: [i8; {}] = {{ {} }}\n\
         const global _ZTI{ty}: [i64; 3] = {{ 16, 0, 0 }} at 0: &_ZTVN10__cxxabiv1{kind} at 8: &_ZTS{ty}{base}",
        bytes.len(),
        bytes.join(", ")
    )
}

/// Whether objects have a text. The others are just a pointer to their table, and a program may derive from them.
fn has_text(name: &str, base: &str) -> bool {
    const WITH_TEXT: [&str; 2] = ["logic_error", "runtime_error"];
    WITH_TEXT.contains(&name) || WITH_TEXT.contains(&base)
}

fn with_text(text: &mut String, name: &str) -> std::fmt::Result {
    let (mangled, table) = (mangled(name), table(name));
    writeln!(
        text,
        "const global {table}: [i64; 5] = {{ 0, &_ZTI{mangled}, &`destroy exception`, &`delete exception`, \
         &`text of exception` }}\n\
         fn _ZNK{mangled}4whatEv(object) {{\n  text = call `text of exception`(object)\n  return text\n}}"
    )?;
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
        )?;
    }
    for (variant, function) in [("D1", "destroy"), ("D2", "destroy"), ("D0", "delete")] {
        writeln!(
            text,
            "fn _ZN{mangled}{variant}Ev(object) {{\n  call `{function} exception`(object)\n  return\n}}"
        )?;
    }
    Ok(())
}

fn without_text(text: &mut String, name: &str) -> std::fmt::Result {
    let (mangled, table) = (mangled(name), table(name));
    let bytes: Vec<String> = what(name).bytes().chain([0]).map(|byte| byte.to_string()).collect();
    writeln!(
        text,
        "const global `text of {name}`: [i8; {}] = {{ {} }}\n\
         const global {table}: [i64; 5] = {{ 0, &_ZTI{mangled}, &_ZN{mangled}D1Ev, &_ZN{mangled}D0Ev, \
         &_ZNK{mangled}4whatEv }}\n\
         fn _ZNK{mangled}4whatEv() {{ return `text of {name}` }}\n\
         fn _ZN{mangled}D1Ev() {{ return }}\nfn _ZN{mangled}D2Ev() {{ return }}\n\
         fn _ZN{mangled}D0Ev(object) {{\n  call `free`(object)\n  return\n}}",
        bytes.len(),
        bytes.join(", ")
    )
}

fn mangled(name: &str) -> String {
    format!("St{}{name}", name.len())
}

/// What `what()` returns where it is always the same.
fn what(name: &str) -> String {
    match name {
        "bad_function_call" | "bad_weak_ptr" => name.to_string(),
        "bad_optional_access" => "bad optional access".to_string(),
        "bad_variant_access" => "bad variant access".to_string(),
        _ => format!("std::{name}"),
    }
}

/// The name of the table of virtual functions.
pub(crate) fn table(name: &str) -> String {
    format!("_ZTVSt{}{name}", name.len())
}
