//! What outlives executions and has the same content in every process of a program: its static variables and constants,
//! and what the closure has captured by value.
//!
//! Another process has them at other addresses. So addresses in them are translated, like those of arenas, to places
//! that are the same everywhere: an execution can be replayed in another process, and a search spread over processes.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::OnceLock;

/// Where the executable and the closure appear to be.
const CANONICAL_IMAGE: usize = 1 << 45;
const CANONICAL_CLOSURE: usize = CANONICAL_IMAGE + LARGEST;
/// The most bytes that either may have.
const LARGEST: usize = 1 << 40;

/// The parts of a process that all processes have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Common {
    image: Range<usize>,
    closure: Range<usize>,
}

impl Common {
    /// The executable, and the memory of a closure.
    pub fn of(closure: &(dyn Fn() + Sync)) -> Common {
        let start = std::ptr::from_ref(closure).addr();
        Common { image: executable(), closure: start..start + size_of_val(closure) }
    }

    /// Whether all processes have what is at `addr`.
    pub fn contains(&self, addr: usize) -> bool {
        self.image.contains(&addr) || self.closure.contains(&addr)
    }

    /// The value that stands for `value` in every process: addresses here are exchanged with the places where they
    /// appear to be. The function is its own inverse.
    pub fn canonical(&self, value: u64) -> u64 {
        let parts = [(&self.image, CANONICAL_IMAGE), (&self.closure, CANONICAL_CLOSURE)];
        for (part, canonical) in parts {
            let (start, canonical, len) = (part.start as u64, canonical as u64, part.len() as u64);
            if value.wrapping_sub(start) < len {
                return value - start + canonical;
            }
            if value.wrapping_sub(canonical) < len {
                return value - canonical + start;
            }
        }
        value
    }

    /// A place for a copy of what is at `addr`, counted from the first one; `None` if it is elsewhere.
    pub fn offset(&self, addr: usize) -> Option<usize> {
        // Both keep the alignment.
        if self.closure.contains(&addr) {
            return Some(addr - self.closure.start);
        }
        self.image.contains(&addr).then(|| addr - self.image.start + self.room_for_closure())
    }

    fn room_for_closure(&self) -> usize {
        self.closure.len().next_multiple_of(PAGE)
    }

    /// The room for copies of everything.
    pub fn len(&self) -> usize {
        self.room_for_closure() + self.image.len()
    }
}

const PAGE: usize = 4096;

/// The addresses of the executable: code, constants and variables.
fn executable() -> Range<usize> {
    static EXECUTABLE: OnceLock<(usize, usize)> = OnceLock::new();
    let (start, end) = *EXECUTABLE.get_or_init(|| {
        let mut bounds = (usize::MAX, 0);
        // SAFETY: the callback gets what it expects, during this call.
        unsafe { libc::dl_iterate_phdr(Some(add_segments), (&raw mut bounds).cast()) };
        bounds
    });
    start & !(PAGE - 1)..end
}

/// Adds the segments of the first object, which is the executable, and ends the iteration.
unsafe extern "C" fn add_segments(object: *mut libc::dl_phdr_info, _: usize, bounds: *mut c_void) -> c_int {
    // SAFETY: the system's description of an object, and the caller's pair.
    let (object, bounds) = unsafe { (&*object, &mut *bounds.cast::<(usize, usize)>()) };
    // SAFETY: the description says how many there are.
    let segments = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    for segment in segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD) {
        let start = object.dlpi_addr as usize + segment.p_vaddr as usize;
        bounds.0 = bounds.0.min(start);
        bounds.1 = bounds.1.max(start + segment.p_memsz as usize);
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    static VARIABLE: AtomicUsize = AtomicUsize::new(1);

    #[test]
    fn statics_and_captured_data_have_a_place_of_their_own() {
        let captured = AtomicUsize::new(1);
        let closure = move || {
            std::hint::black_box(&captured);
        };
        let common = Common::of(&closure);
        let of_closure = std::ptr::from_ref(&closure).addr();
        let local = 1;
        for (addr, is_common) in [
            (std::ptr::from_ref(&VARIABLE).addr(), true),
            (std::ptr::from_ref("constant").cast::<u8>().addr(), true),
            (of_closure, true),
            (std::ptr::from_ref(&local).addr(), false),
        ] {
            assert_eq!(common.contains(addr), is_common);
            assert_eq!(common.offset(addr).is_some(), is_common);
            let canonical = common.canonical(addr as u64);
            assert_eq!((canonical != addr as u64, common.canonical(canonical)), (is_common, addr as u64));
        }
        assert_eq!(common.canonical(of_closure as u64), CANONICAL_CLOSURE as u64);
    }
}
