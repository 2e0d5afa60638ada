//! The names of dynamic objects: `heap2.next`, or the name of a local variable.
//!
//! The program knows its own variables; only the execution knows which object a heap address belongs to. Heap objects
//! are numbered in the order in which the trace allocates them.

use atropos_event::shape::Shape;
use atropos_event::{Access, Addr, AllocKind, Label, Place, Program, ThreadKey};
use atropos_graph::{Graph, Slot};

/// An access that misses an object by less than this is named after it.
const NEAR: u64 = 256;

/// An object of the heap or the stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    pub name: String,
    pub size: u64,
    pub kind: AllocKind,
    /// The place of its allocation.
    pub place: Place,
    start: u64,
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
}

impl<'a> Names<'a> {
    /// `places` are those of the events, by slot.
    pub fn of(program: &'a dyn Program, graph: &Graph, places: &[Place]) -> Self {
        let (mut objects, mut n_heap) = (Vec::new(), 0);
        for (index, place) in places.iter().enumerate() {
            let Label::Alloc { addr, size, kind } = graph.event(Slot::new(index)).label else { continue };
            n_heap += u32::from(kind == AllocKind::Heap);
            let given = place.object.as_ref().map(|object| object.name.clone());
            let name = match kind {
                AllocKind::Heap => format!("heap{n_heap}"),
                AllocKind::Stack => {
                    given.filter(|name| !name.is_empty()).unwrap_or_else(|| program.name_of(addr))
                }
            };
            objects.push(Object { name, size, kind, place: place.clone(), start: addr.0 });
        }
        objects.sort_by_key(|object| object.start);
        Names { program, objects }
    }

    pub fn name_of_thread(&self, thread: ThreadKey, rank: usize) -> String {
        self.program.name_of_thread(thread, rank)
    }

    /// The names that are known without an execution: those of the program.
    pub fn of_program(program: &'a dyn Program) -> Self {
        Names { program, objects: Vec::new() }
    }

    pub fn name(&self, addr: Addr) -> String {
        self.name_of_bytes(addr, 0)
    }

    /// The name of `size` bytes; `size` is 0 if it is not known.
    pub(crate) fn name_of_bytes(&self, addr: Addr, size: u64) -> String {
        match self.object_at(addr) {
            Some(object) => object.name_at(addr, size),
            None => match u8::try_from(size) {
                Ok(size @ 1..) => self.program.name_of_access(Access::new(addr.0, size)),
                _ => self.program.name_of(addr),
            },
        }
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

    /// The object that contains `addr`, or that it just misses.
    pub fn object_at(&self, addr: Addr) -> Option<&Object> {
        let n_below = self.objects.partition_point(|object| object.start <= addr.0);
        let object = self.objects[..n_below].last()?;
        (addr.0 - object.start < object.size.max(1) + NEAR).then_some(object)
    }
}
