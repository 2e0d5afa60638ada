//! The globals and functions of the library, as text: the place of each, and the names that it mentions.
//!
//! The library has hundreds of functions and a program needs a few, so only their text is parsed.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use atropos_vm::ir::Symbol;

pub(crate) struct Items {
    texts: Vec<Cow<'static, str>>,
    places: HashMap<String, ItemRange>,
}

/// The place of an item: which text, and which part of it.
struct ItemRange {
    text: usize,
    range: Range<usize>,
    is_function: bool,
}

impl Items {
    pub(crate) fn new(texts: Vec<Cow<'static, str>>) -> Items {
        let mut places = HashMap::new();
        for (nth, text) in texts.iter().enumerate() {
            let mut latest: Option<(&str, ItemRange)> = None;
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                if let Some((name, is_function)) = item_name(line) {
                    let range = at..text.len();
                    let next = ItemRange { text: nth, range, is_function };
                    if let Some((name, mut place)) = latest.replace((name, next)) {
                        place.range.end = at;
                        places.insert(name.to_string(), place);
                    }
                }
                at += line.len();
            }
            places.extend(latest.map(|(name, place)| (name.to_string(), place)));
        }
        Items { texts, places }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.places.get(name).is_some_and(|place| place.is_function)
    }

    /// The text of an item and of all others that it needs, without the `known` ones.
    pub(crate) fn closure(&self, name: &str, known: &HashMap<String, Symbol>) -> String {
        let (mut open, mut seen, mut closure) = (vec![name], HashSet::new(), String::new());
        while let Some(name) = open.pop() {
            let Some(ItemRange { text, range, .. }) = self.places.get(name) else { continue };
            if !known.contains_key(name) && seen.insert(name) {
                let text = &self.texts[*text][range.clone()];
                closure += text;
                closure.push('\n');
                words(text, &mut open);
            }
        }
        closure
    }
}

/// The name of the item that starts with this line, if any, and whether it is a function.
pub(crate) fn item_name(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let (rest, is_function) = match line.strip_prefix("fn ") {
        Some(rest) => (rest, true),
        None => {
            let line = line.strip_prefix("const ").unwrap_or(line);
            let line = line.strip_prefix("thread_local ").unwrap_or(line);
            (line.strip_prefix("global ")?, false)
        }
    };
    let name = match rest.strip_prefix('`') {
        Some(quoted) => quoted.split('`').next(),
        None => rest.split(['(', ':']).next(),
    };
    name.map(|name| (name.trim_end(), is_function))
}

/// Adds every word of `text` that could be a name. Names without an item do no harm. Messages and comments end a
/// line.
fn words<'t>(text: &'t str, found: &mut Vec<&'t str>) {
    for line in text.lines() {
        let code = line.split('"').next().unwrap_or_default();
        let code = code.split("//").next().unwrap_or_default();
        for (nth, part) in code.split('`').enumerate() {
            match nth % 2 {
                1 => found.push(part),
                _ => found.extend(part.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())),
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.')
}

#[cfg(test)]
mod tests {
    use atropos_vm::FunctionId;

    use super::*;

    #[test]
    fn an_item_comes_with_what_it_needs() {
        let text = "// all of it\nglobal a: i32 = 0\nconst global `b c`: i64 = 0 at 0: &f\n  fn f(x) {\n  load.i32 a // g\n}\n\
                    fn `g`() {\n  call f(`b c`)\n  fail abort, \"h\"\n}\nfn h() { return }\n";
        let items = Items::new(vec![text.into()]);
        let closure = |name: &str, known: &[&str]| {
            let known = known.iter().map(|name| (name.to_string(), Symbol::Function(FunctionId(0))));
            let closure = items.closure(name, &known.collect());
            let mut names: Vec<&str> = closure.lines().filter_map(item_name).map(|(name, _)| name).collect();
            names.sort_unstable();
            names.join(",")
        };
        assert_eq!(closure("a", &[]), "a");
        assert_eq!(closure("f", &[]), "a,f");
        assert_eq!(closure("b c", &[]), "a,b c,f");
        assert_eq!(closure("g", &["f"]), "b c,g");
        assert_eq!(closure("g", &["g"]), "");
        assert!(items.has("b c") && items.has_function("g") && !items.has_function("a") && !items.has("x"));
    }
}
