//! Thread-local variables of the standard library's kind. The threads of a model share those of the thread of the system
//! that runs them. Each execution starts with the content that they had before the first one; so what an execution
//! leaves in them, such as a buffer that it has allocated, is gone when its memory is.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr;

thread_local! {
    /// The content before the first execution; null before that.
    static SAVED: Cell<*const Saved> = const { Cell::new(ptr::null()) };
}

struct Saved {
    start: *mut u8,
    content: Box<[u8]>,
}

/// Keeps the content of the thread-local variables of the program, once for each thread of the system.
pub(crate) fn save() {
    if !SAVED.get().is_null() {
        return;
    }
    let Some((start, size)) = bounds() else { return };
    // It stays as long as the process: the thread may explore other programs later.
    let saved = Box::into_raw(Box::new(Saved { start, content: vec![0; size].into() }));
    SAVED.set(saved);
    // SAFETY: these bytes belong to this thread, and `saved` is new.
    unsafe { ptr::copy_nonoverlapping(start, (*saved).content.as_mut_ptr(), size) };
}

/// Where the variables of this thread are.
pub(crate) fn range() -> Option<Range<usize>> {
    // SAFETY: it stays as long as the process.
    let Saved { start, content } = unsafe { SAVED.get().as_ref() }?;
    Some(start.addr()..start.addr() + content.len())
}

/// Makes the variables of this thread what they were when they were kept. No code of a model is running.
pub(crate) fn restore() {
    // SAFETY: it stays as long as the process.
    if let Some(Saved { start, content }) = unsafe { SAVED.get().as_ref() } {
        // SAFETY: these are the bytes that were kept. The engine has no thread-local variables whose content matters.
        unsafe { ptr::copy_nonoverlapping(content.as_ptr(), *start, content.len()) };
    }
}

/// Where the thread-local variables of the program are for this thread, and their size.
fn bounds() -> Option<(*mut u8, usize)> {
    let mut found: Option<(*mut u8, usize)> = None;
    // SAFETY: the function is called before this one returns, with a pointer to `found`.
    unsafe { libc::dl_iterate_phdr(Some(first_object), ptr::from_mut(&mut found).cast::<c_void>()) };
    found
}

/// The first object is the program itself.
unsafe extern "C" fn first_object(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: the system passes valid information, and our pointer.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Option<(*mut u8, usize)>>()) };
    // SAFETY: as above.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let header = headers.iter().find(|header| header.p_type == libc::PT_TLS);
    let start = info.dlpi_tls_data.cast::<u8>();
    *found = header.filter(|_| !start.is_null()).map(|header| (start, header.p_memsz as usize));
    1
}
