//! `ctype.h`: the table of classes that its macros use, and functions with the same results.

use std::fmt::Write;

/// The name of a class, and whether a character belongs to it.
type Class = (&'static str, fn(u8) -> bool);

/// The name of a function that changes a character, and what it does.
type Case = (&'static str, fn(&u8) -> u8);

/// The classes, by their bit in glibc.
const CLASSES: [Class; 12] = [
    ("isupper", |c| c.is_ascii_uppercase()),
    ("islower", |c| c.is_ascii_lowercase()),
    ("isalpha", |c| c.is_ascii_alphabetic()),
    ("isdigit", |c| c.is_ascii_digit()),
    ("isxdigit", |c| c.is_ascii_hexdigit()),
    ("isspace", |c| c.is_ascii_whitespace() || c == 11),
    ("isprint", |c| c.is_ascii_graphic() || c == b' '),
    ("isgraph", |c| c.is_ascii_graphic()),
    ("isblank", |c| c == b' ' || c == b'\t'),
    ("iscntrl", |c| c.is_ascii_control()),
    ("ispunct", |c| c.is_ascii_punctuation()),
    ("isalnum", |c| c.is_ascii_alphanumeric()),
];

/// Whether a program that mentions this name needs the table.
pub(crate) fn is_about_characters(name: &str) -> bool {
    ["__ctype_b_loc", "__ctype_toupper_loc", "__ctype_tolower_loc"].contains(&name)
        || CLASSES.iter().any(|(class, _)| *class == name)
}

/// The table starts at -128, as the macros expect.
pub(crate) fn text() -> String {
    let bit = |nth: usize| if nth < 8 { 1u32 << (nth + 8) } else { 1 << (nth - 8) };
    let bits = |c: i32| -> u32 {
        let Ok(c) = u8::try_from(c) else { return 0 };
        let classes = CLASSES.iter().enumerate().filter(|(_, (_, contains))| contains(c));
        classes.map(|(nth, _)| bit(nth)).sum()
    };
    let table: Vec<String> = (-128..256).map(|c| bits(c).to_string()).collect();
    let mut text = format!(
        "const global `character classes`: [i16; 384] = {{ {} }}\n\
         const global `table of classes`: i64 = 256 at 0: &`character classes`\n\
         fn __ctype_b_loc() {{ return `table of classes` }}\n",
        table.join(", ")
    );
    let cases: [Case; 2] = [("toupper", u8::to_ascii_uppercase), ("tolower", u8::to_ascii_lowercase)];
    for (name, change) in cases {
        let other = |c: i32| u8::try_from(c).map_or(c, |c| i32::from(change(&c)));
        let table: Vec<String> = (-128..256).map(|c| other(c).to_string()).collect();
        writeln!(
            text,
            "const global `characters {name}`: [i32; 384] = {{ {} }}\n\
             const global `table {name}`: i64 = 512 at 0: &`characters {name}`\n\
             fn __ctype_{name}_loc() {{ return `table {name}` }}",
            table.join(", ")
        )
        .expect("strings take everything");
    }
    for (nth, (name, _)) in CLASSES.iter().enumerate() {
        writeln!(
            text,
            "fn {name}(c) {{\n  c = sext.i32.i64 c\n  at = addr `character classes` + c*2 + 256\n  \
             classes = load.i16 at\n  r = and.i16 classes, {}\n  return r\n}}",
            bit(nth)
        )
        .expect("strings take everything");
    }
    text
}
