//! The versions of the heap.

use std::collections::HashSet;
use std::rc::Rc;

use crate::options::LibraryOptions;

const HEAP: &str = include_str!("heap.vm");
const MEMORY: &str = include_str!("memory.vm");
const MEMORY_SIZED: &str = include_str!("memory_sized.vm");
const MAPPINGS: &str = include_str!("mappings.vm");
const MAPPINGS_KEPT: &str = include_str!("mappings_kept.vm");

/// Finds the start of an object that is preceded by its size.
const START_PLAIN: &str = "
fn `start of object`(p) {
  q = addr p - 16
  return q
}";
/// The same if some objects are aligned to more than 16 bytes.
const START_ALIGNED: &str = "
fn `start of object`(p) {
  q = addr p - 16
  word = load.i64 q
  shift = lshr.i64 word, 56
  if not shift goto out
  distance = shl.i64 1, shift
  q = sub.i64 p, distance
out:
  return q
}";

const NEVER_FAILS: &str = "
fn `allocation fails`() { return 0 }";
const MAY_FAIL: &str = "
fn `allocation fails`() {
  fails = call `choose value`(0, 1)
  return fails
}";

/// Whether the program needs the size of objects, so that the heap must record it.
pub(crate) fn needs_sizes(used: &HashSet<Rc<str>>) -> bool {
    ["realloc", "reallocarray", "malloc_usable_size"].iter().any(|name| used.contains(*name))
}

/// The heap's functions.
pub(crate) fn text(used: &HashSet<Rc<str>>, options: &LibraryOptions) -> String {
    let is_aligned =
        used.iter().any(|name| name.contains("align") || matches!(&**name, "valloc" | "pvalloc"));
    let fails = if options.malloc_may_fail { MAY_FAIL } else { NEVER_FAILS };
    let memory = match needs_sizes(used) {
        false => MEMORY.to_string(),
        true if is_aligned => [MEMORY_SIZED, START_ALIGNED].concat(),
        true => [MEMORY_SIZED, START_PLAIN].concat(),
    };
    let mappings = if used.contains("munmap") { MAPPINGS } else { MAPPINGS_KEPT };
    [HEAP, &memory, mappings, fails].join("\n")
}
