//! The names of dynamic objects: `heap2.next`, or the name of a local variable.
//!
//! The program knows its own variables; only the execution knows which object a heap address belongs to. Heap objects
//! are numbered in the order in which the trace allocates them.

use crate::demangle::demangled;
use atropos_event::shape::Shape;
use atropos_event::{Access, Addr, AllocKind, Initial, Label, Place, Program, ThreadId, ThreadKey};
use atropos_graph::{Event, Graph};
use std::collections::HashMap;

/// An access that misses an object by less than this is named after it.
const NEAR: u64 = 256;

/// How the names of C++'s tables of virtual functions begin, as the compiler writes them.
const VTABLE: &str = "_ZTV";

/// What a pointer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointee {
    Object,
    /// A table of virtual functions.
    Vtable,
}

/// An object of the heap or the stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    pub name: String,
    pub size: u64,
    pub kind: AllocKind,
    /// The place of its allocation.
    pub place: Place,
    start: u64,
    /// What the library puts in front of it.
    header: u64,
}

/// The bytes in front of an object whose structure is a single part without a name.
fn header(place: &Place) -> u64 {
    match place.object.as_ref().map(|object| &object.shape) {
        Some(Shape::Struct(fields)) if fields.len() == 1 && fields[0].name.is_empty() => fields[0].offset,
        _ => 0,
    }
}

impl Object {
    fn name_at(&self, addr: Addr, size: u64) -> String {
        let shape = self.place.object.as_ref().map_or(&Shape::Scalar, |object| &object.shape);
        format!("{}{}", self.name, shape.path_of(addr.0 - self.start, size))
    }
}

/// All dynamic objects of an execution, by address.
pub struct Names<'a> {
    program: &'a dyn Program,
    objects: Vec<Object>,
    /// The canonical and the shown names of the threads.
    threads: Vec<(ThreadKey, String)>,
}

/// An event that allocates an object: its address, its size and its place.
fn allocation<'e>((event, place): (&'e Event, &'e Place)) -> Option<(&'e Event, u64, u64, &'e Place)> {
    match event.label {
        Label::Alloc { addr, size, .. } => Some((event, addr.0, size, place)),
        _ => None,
    }
}

/// The name of a local variable.
fn local_name(place: &Place) -> Option<&str> {
    place.object.as_ref().map(|object| object.name.as_str()).filter(|name| !name.is_empty())
}

impl<'a> Names<'a> {
    /// `places` are those of the events, by slot; `threads` have their canonical and their shown names.
    pub fn of(
        program: &'a dyn Program,
        graph: &Graph,
        places: &[Place],
        threads: impl Iterator<Item = (ThreadId, (ThreadKey, String))>,
    ) -> Self {
        let threads: HashMap<ThreadId, (ThreadKey, String)> = threads.collect();
        let mut locals: HashMap<&str, Vec<ThreadId>> = HashMap::new();
        let allocations: Vec<_> = graph.events().iter().zip(places).filter_map(allocation).collect();
        for &(event, _, _, place) in &allocations {
            if let Some(name) = local_name(place) {
                locals.entry(name).or_default().push(event.id.thread());
            }
        }
        let is_shared = |name: &str| locals[name].iter().any(|thread| *thread != locals[name][0]);
        let (mut objects, mut n_heap) = (Vec::new(), 0);
        for (event, start, size, place) in allocations {
            let Label::Alloc { addr, kind, .. } = event.label else { continue };
            n_heap += u32::from(kind == AllocKind::Heap);
            let name = match (kind, local_name(place)) {
                (AllocKind::Heap, _) => format!("heap{n_heap}"),
                (AllocKind::Stack, None) => program.name_of(addr),
                (AllocKind::Stack, Some(name)) if is_shared(name) => {
                    format!("{}:{name}", threads[&event.id.thread()].1)
                }
                (AllocKind::Stack, Some(name)) => name.to_string(),
            };
            let header = header(place).min(size);
            objects.push(Object { name, size: size - header, kind, place: place.clone(), start, header });
        }
        objects.sort_by_key(|object| object.start);
        Names { program, objects, threads: threads.into_values().collect() }
    }

    pub fn name_of_thread(&self, thread: ThreadKey, rank: usize) -> String {
        self.program.name_of_thread(thread, rank)
    }

    /// The names that are known without an execution: those of the program.
    pub fn of_program(program: &'a dyn Program) -> Self {
        Names { program, objects: Vec::new(), threads: Vec::new() }
    }

    /// Whether memory that was never written is zero here.
    pub(crate) fn is_zeroed(&self, addr: Addr) -> bool {
        self.program.is_zeroed(addr)
    }

    pub fn name(&self, addr: Addr) -> String {
        self.name_of_bytes(addr, 0)
    }

    /// The name of `size` bytes; `size` is 0 if it is not known.
    pub(crate) fn name_of_bytes(&self, addr: Addr, size: u64) -> String {
        match self.object_at(addr) {
            Some(object) => object.name_at(addr, size),
            None => self.static_name(addr, size),
        }
    }

    /// The name of what exists without an allocation. Variables of threads are `t1:n`.
    fn static_name(&self, addr: Addr, size: u64) -> String {
        let name = match u8::try_from(size) {
            Ok(size @ 1..) => self.program.name_of_access(Access::new(addr.0, size)),
            _ => self.program.name_of(addr),
        };
        let name = demangled(&name);
        let owned = self.threads.iter().find_map(|(key, thread)| {
            let variable = name.strip_suffix(&format!(" of {key}"))?;
            let is_own = variable != "return value" && variable != "life" && variable != "offer";
            Some(if is_own { format!("{thread}:{variable}") } else { format!("{variable} of {thread}") })
        });
        owned.unwrap_or_else(|| name.into_owned())
    }

    /// The object that a value points into, if it is the address of one, and its name.
    pub(crate) fn pointee(&self, addr: Addr) -> Option<(String, Pointee)> {
        if let Some(object) = self.object_at(addr) {
            // A pointer may also point behind the last byte.
            let is_inside = addr.0 - object.start <= object.header + object.size;
            return is_inside.then(|| (self.object_name(addr), Pointee::Object));
        }
        let is_vtable = self.program.name_of(addr).starts_with(VTABLE);
        let pointee = if is_vtable { Pointee::Vtable } else { Pointee::Object };
        let name = self.static_name(addr, 0);
        // Memory without an initial value belongs to no variable; functions have exact addresses.
        let is_beside =
            || name.contains('+') && self.program.initial(Access::new(addr.0, 1)) == Initial::Uninitialised;
        (!name.starts_with("0x") && !is_beside()).then_some((name, pointee))
    }

    /// The name of the bytes of an access.
    pub fn name_of_access(&self, access: Access) -> String {
        let part = access.part();
        self.name_of_bytes(part.addr, part.size.into())
    }

    /// The name of an address, or of a whole object if it is the address of its start.
    pub(crate) fn object_name(&self, addr: Addr) -> String {
        let object = self.object_at(addr).filter(|object| object.start == addr.0);
        object.map_or_else(|| self.name(addr), |object| object.name.clone())
    }

    /// The name of the object or of its part that begins at an address, without the parts that the library gives it:
    /// `queue.mutex` if that is a mutex, not `queue`, nor `queue.mutex.__data`.
    pub(crate) fn name_of_part(&self, addr: Addr) -> String {
        let name = self.name(addr);
        let inner = [".__", "._M_"].iter().filter_map(|start| name.find(start)).min();
        inner.map_or(name.clone(), |end| name[..end].to_string())
    }

    /// The bytes that the library puts in front of the object at an address.
    pub(crate) fn header_at(&self, addr: Addr) -> u64 {
        self.object_at(addr).map_or(0, |object| object.header)
    }

    /// The object that contains `addr`, or that it just misses.
    pub fn object_at(&self, addr: Addr) -> Option<&Object> {
        let n_below = self.objects.partition_point(|object| object.start <= addr.0);
        let object = self.objects[..n_below].last()?;
        (addr.0 - object.start < object.header + object.size.max(1) + NEAR).then_some(object)
    }
}
