//! How hardware models interpret the memory orders of a language.

/// How the store buffers of SC, TSO and PSO machines treat C11's memory orders.
///
/// | event | compiled | raw |
/// |---|---|---|
/// | fence | full barrier if `sc`, store barrier if `rel` or `acqrel` | full barrier |
/// | read or write of a read-modify-write, read of a failed CAS | full barrier | full barrier |
/// | store | full barrier if `sc`, store barrier if `rel` | nothing |
/// | spawn (unless the library's own), begin, end, join | full barrier | full barrier |
/// | anything else | nothing | nothing |
///
/// Under `raw`, a front-end that has mutexes puts a fence before it unlocks one.
///
/// A full barrier drains the thread's buffers. A store barrier keeps earlier stores before later ones, which matters
/// only under PSO.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Mapping {
    /// As a C compiler for that machine would translate them.
    #[default]
    Compiled,
    /// Orders mean nothing: every fence is full, every load and store plain [Nidhugg §2].
    Raw,
}
