//! The statement of a step that a library executes on behalf of the user.

use atropos_event::{Place, SourceLocation};

/// Folders of the sources of Rust, and the one of the standard library in them.
const RUST_SOURCES: [&str; 2] = ["/rustc/", "/rustlib/"];
const RUST_LIBRARY: &str = "/library/";

/// The user's statement, without the place in the library that the program's text of it ends with.
pub(crate) fn alone(place: &Place) -> &str {
    let inner = place.library.as_ref().map(|inner| format!(" (in {})", inner.short()));
    inner.and_then(|inner| place.text.strip_suffix(&inner)).unwrap_or(&place.text)
}

/// The user's statement, and the place in the library.
pub(crate) fn with_library(place: &Place) -> String {
    match &place.library {
        Some(inner) => format!("{} (in {})", alone(place), short(inner)),
        None => place.text.clone(),
    }
}

/// File and line, without the folder that the sources of a library are in.
fn short(inner: &SourceLocation) -> String {
    match inner.file.rsplit_once(RUST_LIBRARY) {
        Some((start, file)) if RUST_SOURCES.iter().any(|folder| start.contains(folder)) => {
            format!("{file}:{}", inner.line)
        }
        _ => inner.short(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, expected: &str) {
        let inner = SourceLocation { file: file.to_string(), line: 12, column: 3 };
        let text = format!("m.lock(); (in {})", inner.short());
        let place = Place { text, library: Some(inner), ..Place::default() };
        assert_eq!(alone(&place), "m.lock();");
        assert_eq!(with_library(&place), expected);
    }

    #[test]
    fn places_in_libraries_are_without_their_folder() {
        check("/usr/include/c++/12/mutex", "m.lock(); (in c++/12/mutex:12)");
        check("/rustc/0123/library/std/src/sync/mutex.rs", "m.lock(); (in std/src/sync/mutex.rs:12)");
        check("/root/lib/rustlib/src/rust/library/std/src/x.rs", "m.lock(); (in std/src/x.rs:12)");
        check("/home/me/library/mutex.rs", "m.lock(); (in /home/me/library/mutex.rs:12)");
    }
}
