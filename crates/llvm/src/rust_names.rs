//! The names of Rust functions, as paths in source code.
//!
//! `runtime/rust.vm` has models of functions of Rust's standard library, under these paths: where a program calls one
//! of them, it gets the model instead of the library's code.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The function with a handler that rustc makes for `catch_unwind`.
const TRY: &str = "__rust_try";

/// The path of a function: without type arguments, the crate's disambiguator, and the type that implements a trait.
pub(crate) fn path(mangled: &str) -> Option<String> {
    full(mangled).map(|name| plain(&name))
}

/// The name of a function without the crate's disambiguator.
pub(crate) fn full(mangled: &str) -> Option<String> {
    let is_rust = mangled.starts_with("_R") || mangled.starts_with("_ZN") && mangled.contains("17h");
    let name = is_rust.then(|| rustc_demangle::try_demangle(mangled).ok()).flatten()?;
    Some(format!("{name:#}"))
}

/// The functions of a module that have models, each with the path of its model.
pub(crate) fn modelled<'n>(
    names: impl Iterator<Item = &'n Rc<str>>,
    models: &HashSet<&str>,
) -> HashMap<Rc<str>, Rc<str>> {
    let known = |name: &Rc<str>| match &**name {
        TRY => Some(TRY.to_string()),
        name => full(name).and_then(|full| {
            let names = [plain(&full), full];
            names.into_iter().find(|name| models.contains(&**name))
        }),
    };
    names.filter_map(|name| Some((name.clone(), Rc::from(known(name)?)))).collect()
}

/// Removes type arguments, and the brackets around the type of a method.
pub(crate) fn plain(name: &str) -> String {
    let own_type = name.strip_prefix('<').and_then(|rest| {
        let end = closing(rest)?;
        (!rest[..end].contains(" as ")).then(|| format!("{}{}", &rest[..end], &rest[end + 1..]))
    });
    let name = own_type.unwrap_or_else(|| name.to_string());
    let (mut out, mut rest) = (String::with_capacity(name.len()), name.as_str());
    while let Some(at) = rest.find('<') {
        // What starts with a bracket is the implementation of a trait.
        let Some(end) = closing(&rest[at + 1..]).filter(|_| at > 0 || !out.is_empty()) else { break };
        out.push_str(rest[..at].strip_suffix("::").unwrap_or(&rest[..at]));
        rest = &rest[at + 1 + end + 1..];
    }
    out + rest
}

/// The place of the bracket that closes an open one. The one of an arrow closes nothing.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before == '-' => {}
            '>' if depth == 0 => return Some(at),
            '>' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{path, plain};

    #[test]
    fn paths_have_no_arguments() {
        assert_eq!(
            plain("<std::sys::sync::mutex::futex::Mutex>::lock"),
            "std::sys::sync::mutex::futex::Mutex::lock"
        );
        assert_eq!(plain("std::thread::spawn::<main::f, fn() -> u8>"), "std::thread::spawn");
        assert_eq!(plain("<alloc::vec::Vec<u8, A>>::push"), "alloc::vec::Vec::push");
        assert_eq!(plain("<u8 as core::fmt::Display>::fmt"), "<u8 as core::fmt::Display>::fmt");
        assert_eq!(
            path("_ZN4core3fmt5Write9write_str17h0123456789abcdefE").as_deref(),
            Some("core::fmt::Write::write_str")
        );
        assert_eq!(path("_ZN1a1bE"), None);
        assert_eq!(path("main"), None);
    }
}
