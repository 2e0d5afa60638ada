//! What `std::future`, `std::system_error` and similar classes need from the C++ library: `future.vm`, and its texts.

use std::fmt::Write;

const TEXTS: [(&str, &str); 7] = [
    ("name future", "future"),
    ("name generic", "generic"),
    ("text retrieved", "Future already retrieved"),
    ("text satisfied", "Promise already satisfied"),
    ("text no state", "No associated state"),
    ("text broken", "Broken promise"),
    ("text unknown", "Unknown error"),
];

/// Whether a function of the library belongs here.
pub(crate) fn is_about_futures(name: &str) -> bool {
    ["exception_ptr", "future", "category", "system_error", "nested_exception"]
        .iter()
        .any(|part| name.contains(part))
}

pub(crate) fn text() -> String {
    let mut text = include_str!("future.vm").to_string();
    for (name, content) in TEXTS {
        let bytes: Vec<String> = content.bytes().chain([0]).map(|byte| byte.to_string()).collect();
        writeln!(text, "const global `{name}`: [i8; {}] = {{ {} }}", bytes.len(), bytes.join(", "))
            .expect("strings take everything");
    }
    text
}
