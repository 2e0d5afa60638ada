//! Headers of the C++ library that implement what the standard says.
//!
//! The templates and inline functions of libstdc++'s headers become part of the program, with their internals: they
//! spin, count waiting threads and keep tables, and some of that is wrong under a weak memory model. Atropos would
//! report such a mistake in programs that are correct by the standard. So small headers, which clang finds before
//! libstdc++'s, replace those with C++20's waiting functions, and do what the standard demands in as few events as
//! possible. Streams are replaced, too: those of libstdc++ depend on its locales, which are compiled code. Replacing headers works at every optimisation level; replacing functions in the compiled program would
//! depend on inlining. `<memory_resource>` gets the functions that only the compiled library has.
//!
//! Clang reads headers from files, so they are in a temporary folder while it runs.

use std::path::Path;

use crate::temporary::{self, TemporaryFolder};

/// The behaviour of the C++ library.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Library {
    /// What the standard says.
    #[default]
    Standard,
    /// What the installed headers say.
    AsWritten,
}

/// A header that declares streams.
macro_rules! streams {
    ($name:literal) => {
        (
            $name,
            concat!(
                "#if !__has_include(<bits/c++config.h>)\n#include_next <",
                $name,
                ">\n#else\n#include <atropos/streams.h>\n#endif\n"
            ),
        )
    };
}

/// The headers: the names with which programs and libstdc++ include them, and their texts.
pub(crate) const HEADERS: [(&str, &str); 23] = [
    ("atropos/primitives.h", include_str!("headers/primitives.h")),
    ("latch", include_str!("headers/latch.h")),
    ("barrier", include_str!("headers/barrier.h")),
    ("memory_resource", include_str!("headers/memory_resource.h")),
    ("mutex", include_str!("headers/mutex.h")),
    ("semaphore", include_str!("headers/semaphore.h")),
    ("bits/atomic_wait.h", include_str!("headers/atomic_wait.h")),
    ("bits/shared_ptr_atomic.h", include_str!("headers/shared_ptr_atomic.h")),
    ("atropos/streams.h", include_str!("headers/streams.h")),
    ("atropos/ostream.h", include_str!("headers/ostream.h")),
    ("atropos/istream.h", include_str!("headers/istream.h")),
    ("iosfwd", include_str!("headers/iosfwd.h")),
    ("sstream", include_str!("headers/sstream.h")),
    ("fstream", include_str!("headers/fstream.h")),
    ("iomanip", include_str!("headers/iomanip.h")),
    ("syncstream", include_str!("headers/syncstream.h")),
    streams!("ios"),
    streams!("streambuf"),
    streams!("ostream"),
    streams!("istream"),
    streams!("iostream"),
    streams!("bits/ios_base.h"),
    streams!("bits/basic_ios.h"),
];

const PURPOSE: &str = "headers";

/// A folder with the headers, deleted with this value.
pub(crate) struct Headers {
    folder: TemporaryFolder,
}

impl Headers {
    /// # Errors
    /// The folder for temporary files is not writable.
    pub(crate) fn unpack() -> std::io::Result<Headers> {
        let headers = Headers { folder: TemporaryFolder::new(PURPOSE)? };
        for folder in ["atropos", "bits"] {
            std::fs::create_dir(headers.folder().join(folder))?;
        }
        for (name, text) in HEADERS {
            std::fs::write(headers.folder().join(name), text)?;
        }
        Ok(headers)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The name of a file that was in such a folder.
    pub(crate) fn name(file: &str) -> Option<&str> {
        temporary::name(PURPOSE, file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_lie_in_their_folder_as_long_as_they_are_needed() {
        let (one, other) = (Headers::unpack().unwrap(), Headers::unpack().unwrap());
        let folder = one.folder().to_path_buf();
        assert_ne!(folder, other.folder());
        for (name, text) in HEADERS {
            assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), text);
        }
        drop(one);
        assert!(!folder.exists() && other.folder().exists());
    }
}
