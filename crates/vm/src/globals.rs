//! The addresses and initial values of globals.

use atropos_event::Value;

use crate::ir::{FunctionId, GlobalId, Module, Symbol};
use crate::layout::{
    FUNCTION_BASE, FUNCTION_STRIDE, GLOBAL_BASE, GLOBAL_RED_ZONE, OBJECT_ALIGN, RED_ZONE, ThreadRegion,
    align_up,
};

pub struct Globals {
    /// By id. `addr` of a thread-local is its offset in the thread-local memory of every thread.
    objects: Vec<Object>,
    /// The ids of those that are not thread-local, by address; and of those that are.
    shared: Vec<GlobalId>,
    thread_local: Vec<GlobalId>,
    pub thread_local_size: u64,
}

pub struct Object {
    pub addr: u64,
    pub size: u64,
    pub constant: bool,
    pub thread_local: bool,
    /// The first bytes; the others are zero.
    bytes: Vec<u8>,
}

impl Globals {
    pub fn place(module: &Module) -> Globals {
        let mut next = [GLOBAL_BASE, 0];
        let mut globals = Globals {
            objects: Vec::new(),
            shared: Vec::new(),
            thread_local: Vec::new(),
            thread_local_size: 0,
        };
        for (index, global) in module.globals.iter().enumerate() {
            let next = &mut next[usize::from(global.thread_local)];
            // The thread-local memory itself is not aligned to large powers of two.
            let start = if global.thread_local { ThreadRegion::THREAD_LOCALS } else { 0 };
            let align = global.align.max(OBJECT_ALIGN);
            let (addr, size) = (align_up(start + *next, align) - start, global.size());
            let gap = if global.thread_local { RED_ZONE } else { GLOBAL_RED_ZONE };
            *next = align_up(addr + size + gap, OBJECT_ALIGN);
            let sorted = if global.thread_local { &mut globals.thread_local } else { &mut globals.shared };
            sorted.push(GlobalId(index as u32));
            let (constant, thread_local) = (global.constant, global.thread_local);
            globals.objects.push(Object { addr, size, constant, thread_local, bytes: global.bytes.clone() });
        }
        globals.thread_local_size = next[1];
        for (index, global) in module.globals.iter().enumerate() {
            for relocation in &global.relocations {
                let target = match relocation.target {
                    Symbol::Global(id) => globals.objects[id.index()].addr,
                    Symbol::Function(id) => function_address(id),
                };
                globals.objects[index].relocate(relocation.offset as usize, target);
            }
        }
        globals
    }

    pub fn object(&self, id: GlobalId) -> &Object {
        &self.objects[id.index()]
    }

    /// The global whose bytes or red zone contain `addr`.
    pub fn at(&self, addr: u64) -> Option<GlobalId> {
        self.search(&self.shared, addr)
    }

    /// The same for an offset in the thread-local memory.
    pub fn thread_local_at(&self, offset: u64) -> Option<GlobalId> {
        self.search(&self.thread_local, offset)
    }

    fn search(&self, sorted: &[GlobalId], addr: u64) -> Option<GlobalId> {
        let after = sorted.partition_point(|id| self.object(*id).addr <= addr);
        sorted[..after].last().copied()
    }
}

impl Object {
    pub fn contains(&self, addr: u64, size: u64) -> bool {
        addr >= self.addr && size <= self.size && addr - self.addr <= self.size - size
    }

    /// The initial value of `size` bytes at `addr`.
    pub fn initial(&self, addr: u64, size: u8) -> Value {
        let byte = |at: u64| self.bytes.get(at as usize).copied().unwrap_or(0);
        let start = addr - self.addr;
        if size > 8 {
            let bytes: Vec<u8> = (start..start + u64::from(size)).map(byte).collect();
            return atropos_event::Access::value_of(&bytes);
        }
        (0..u64::from(size)).fold(0, |value, nth| value | u64::from(byte(start + nth)) << (8 * nth))
    }

    fn relocate(&mut self, offset: usize, target: u64) {
        if self.bytes.len() < offset + 8 {
            self.bytes.resize(offset + 8, 0);
        }
        let field: &mut [u8; 8] = (&mut self.bytes[offset..offset + 8]).try_into().expect("eight bytes");
        *field = u64::from_le_bytes(*field).wrapping_add(target).to_le_bytes();
    }
}

pub fn function_address(id: FunctionId) -> u64 {
    FUNCTION_BASE + u64::from(id.0) * FUNCTION_STRIDE
}

/// The function with the address `addr`, if there is one.
pub fn function_at(addr: u64, n_functions: usize) -> Option<u32> {
    let offset = addr.checked_sub(FUNCTION_BASE)?;
    let index = offset / FUNCTION_STRIDE;
    (offset.is_multiple_of(FUNCTION_STRIDE) && index < n_functions as u64).then_some(index as u32)
}
