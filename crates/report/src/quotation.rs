//! The call that a step of a library belongs to, as the source has it: `cv.wait(…)`, not the whole line.
//!
//! Compilers give a call the place of the function's name. What the function belongs to is in front of it, its arguments
//! are behind it.

use crate::trace::Trace;
use atropos_event::Place;

/// The longest call to quote with its arguments.
const WIDEST: usize = 48;

impl Trace {
    /// Quotes the calls of the steps in libraries. `line` reads a line of a file, counted from 1.
    pub fn quote_calls(&mut self, line: &mut dyn FnMut(&str, u32) -> Option<String>) {
        let mut quoted = |place: &Place| {
            let at = place.source.as_ref()?;
            // Most of Rust's library has no debug information.
            let is_library = place.library.is_some() || at.file.ends_with(".rs");
            let line = line(&at.file, at.line).filter(|_| is_library)?;
            call_at(&line, at.column).or_else(|| end_at(&line, at.column))
        };
        for event in &mut self.events {
            event.quotation = quoted(&event.place);
        }
        let stops = self.threads.iter_mut().filter_map(|thread| thread.stop.as_mut());
        for stop in stops.filter(|stop| stop.call.is_none() && stop.waits()) {
            stop.call = quoted(&stop.place);
        }
    }
}

/// Whether a quoted call is an operation on an atomic variable, and nothing more.
pub(crate) fn is_atomic_operation(call: &str) -> bool {
    let name = &call[..call.find('(').unwrap_or(call.len())];
    let name = name.rsplit(['.', ':', '>', ' ']).next().unwrap_or(name);
    ["load", "store", "exchange", "swap", "test_and_set", "test", "clear", "fence"].contains(&name)
        || ["fetch_", "compare_", "atomic_"].iter().any(|start| name.starts_with(start))
}

/// What happens where a statement or a block ends at `column`: values are dropped.
fn end_at(line: &str, column: u32) -> Option<String> {
    let at = usize::try_from(column).ok()?.checked_sub(1)?;
    match line.get(at..)?.chars().next()? {
        ';' => Some("end of a statement".to_string()),
        '}' => Some("end of a block".to_string()),
        _ => None,
    }
}

/// The call whose function is named at `column` of a line, counted from 1. `None` if there is no call.
fn call_at(line: &str, column: u32) -> Option<String> {
    let at = usize::try_from(column).ok()?.checked_sub(1)?;
    let (before, rest) = line.split_at_checked(at)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name_end = rest.find(|c: char| !is_word(c) && c != ':')?;
    if name_end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let arguments = arguments(&rest[name_end..])?;
    let start = start_of(before);
    let name = format!("{}{}", before[start..].trim_start(), &rest[..name_end]);
    let whole = format!("{name}{arguments}");
    if whole.chars().count() <= WIDEST {
        return Some(whole);
    }
    let short = format!("{name}(…)");
    (short.chars().count() <= WIDEST).then_some(short)
}

/// What follows the name of a function: type arguments, `!`, and the arguments with their parentheses. Arguments that go
/// on in the next line are left out.
fn arguments(text: &str) -> Option<String> {
    let open = match text.chars().next()? {
        '<' | '!' => text.find('(')?,
        '(' => 0,
        _ => return None,
    };
    let mut depth = 0;
    for (at, c) in text.char_indices().skip_while(|&(at, _)| at < open) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(text[..=at].to_string());
        }
    }
    Some(format!("{}(…)", &text[..open]))
}

/// Where the expression begins that ends with `before`: `queue.items.`, `Queue<int> `.
fn start_of(before: &str) -> usize {
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '>' | '-' | ']' | '[' | ')' | '(');
    let mut start = before.len();
    let mut depth = 0;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => break,
            '(' | '[' => depth -= 1,
            _ if depth > 0 => {}
            '>' if !before[..at].ends_with('-') => break,
            _ if !is_part(c) => break,
            _ => {}
        }
        start = at;
    }
    // A type in front of the name of a variable that is constructed.
    let statement = before[..start].rfind(['{', ';', '}', '(', ',']).map_or(0, |end| end + 1);
    let head = before[statement..start].trim();
    let is_type = head.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'))
        && !head.starts_with("return")
        && !head.contains(['=', '"']);
    if is_type && before[..start].ends_with(' ') { statement } else { start }
}

#[cfg(test)]
mod tests {
    use super::{call_at, end_at, is_atomic_operation};

    /// The call at the mark `^`, which is not a part of the line.
    fn quoted(marked: &str) -> Option<String> {
        let at = marked.find('^').expect("a mark");
        call_at(&marked.replace('^', ""), at as u32 + 1)
    }

    #[test]
    fn a_call_is_quoted_with_its_receiver_and_its_arguments() {
        let calls = [
            ("    cv_.^wait(l);", "cv_.wait(l)"),
            ("  cv_.^wait(l, [this] { return stop_ || !queue_.empty() || is_late(); });", "cv_.wait(…)"),
            ("{ std::lock_guard<std::mutex> ^g(m_); q_.push(f); }", "std::lock_guard<std::mutex> g(m_)"),
            ("{ std::lock_guard<std::mutex> g(m_); q_.^push(f); }", "q_.push(f)"),
            ("    stats.log.^lock().unwrap().push(1);", "stats.log.lock()"),
            ("    stats.log.lock().^unwrap().push(1);", "stats.log.lock().unwrap()"),
            ("        let stats = ^Arc::clone(&stats);", "Arc::clone(&stats)"),
            ("    push(^format!(\"{i}\"));", "format!(\"{i}\")"),
            ("    queue->items[i + 1].^pop(", "queue->items[i + 1].pop(…)"),
            ("    return ^make<int>(1);", "make<int>(1)"),
        ];
        for (line, call) in calls {
            assert_eq!(quoted(line).as_deref(), Some(call), "{line}");
        }
    }

    #[test]
    fn what_is_no_call_is_not_quoted() {
        for line in ["    ^}", "  ^", "  x = ^y;", "  map_^[k] = 1;", "  f(^1);"] {
            assert_eq!(quoted(line), None, "{line}");
        }
        assert_eq!(call_at("short", 40), None);
        assert_eq!(call_at("größer(1)", 4), None, "a column inside a letter");
    }

    #[test]
    fn the_end_of_a_block_is_named() {
        assert_eq!(end_at("    });", 5).as_deref(), Some("end of a block"));
        assert_eq!(end_at("  f();", 6).as_deref(), Some("end of a statement"));
        assert_eq!(end_at("  f();", 3), None);
    }

    #[test]
    fn operations_on_atomic_variables_are_recognised() {
        for call in [
            "fence(Acquire)",
            "stop_.load()",
            "hits.fetch_add(1)",
            "std::atomic_load(&p)",
            "a->compare_exchange_weak(x, y)",
        ] {
            assert!(is_atomic_operation(call), "{call}");
        }
        for call in ["Arc::clone(&stats)", "cv.wait(…)", "q.push(f)"] {
            assert!(!is_atomic_operation(call), "{call}");
        }
    }
}
