//! The names that compilers give to functions and variables of C++ and Rust, as they are in source code.

use cpp_demangle::{DemangleOptions, Symbol};
use std::borrow::Cow;

/// The text with every mangled name in it replaced by the name in source code, without parameters.
pub(crate) fn demangled(text: &str) -> Cow<'_, str> {
    if !text.contains("_Z") && !text.contains("_R") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, others) = rest.split_at(end);
        out.push_str(&source_name(word).unwrap_or_else(|| word.to_string()));
        let next = others.find(is_part).unwrap_or(others.len());
        out.push_str(&others[..next]);
        rest = &others[next..];
    }
    Cow::Owned(out)
}

/// The name in source code of one mangled name.
fn source_name(mangled: &str) -> Option<String> {
    let is_rust = mangled.starts_with("_R") || mangled.starts_with("_ZN") && mangled.contains("17h");
    if is_rust && let Ok(name) = rustc_demangle::try_demangle(mangled) {
        return Some(format!("{name:#}"));
    }
    if !mangled.starts_with("_Z") {
        return None;
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let name = Symbol::new(mangled).ok()?.demangle_with_options(&options).ok()?;
    // The namespace of Atropos' own streams is an implementation detail.
    Some(name.replace("__atropos::", ""))
}

#[cfg(test)]
mod tests {
    use super::demangled;

    #[test]
    fn mangled_names_read_as_in_source_code() {
        let names = [
            ("x", "x"),
            ("start of _ZN5Queue4pushEi", "start of Queue::push"),
            ("_ZTVNSt6thread6_StateE+16", "{vtable(std::thread::_State)}+16"),
            ("_ZN4core3fmt5Write9write_str17h0123456789abcdefE", "core::fmt::Write::write_str"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_Z", "_Z"),
            ("_Rust and _Zebra", "_Rust and _Zebra"),
        ];
        for (mangled, name) in names {
            assert_eq!(demangled(mangled), name);
        }
    }
}
