//! Values of many bytes: bytes in private memory, one word in a register and in events.
//!
//! An atomic object that is too large for any instruction is loaded, stored or exchanged by one event, like any other
//! location. [`atropos_event::wide`] maps more than eight bytes to the word in the event.

use atropos_event::{Access, Value};

use crate::access::Kind;
use crate::fault::Fault;
use crate::interp::Thread;

impl Thread<'_, '_> {
    /// Whether some of the bytes at `addr` were never written.
    pub fn is_unwritten(&self, addr: u64, size: u8) -> Result<bool, Fault> {
        match self.kind_of(addr, u64::from(size))? {
            Kind::Shared => Err(Fault::HiddenOutput { addr }),
            Kind::Constant | Kind::Private => Ok(false),
            Kind::Fresh => Ok(self.n_written(addr, size) < u32::from(size)),
        }
    }

    /// The value of the bytes at `from`. Unwritten bytes are padding and count as zero, unless all are unwritten.
    pub fn pack(&self, from: u64, size: u8) -> Result<Value, Fault> {
        let places = from..from + u64::from(size);
        let bytes: Vec<u8> = match self.kind_of(from, u64::from(size))? {
            Kind::Shared => return Err(Fault::HiddenOutput { addr: from }),
            Kind::Constant => places.map(|at| self.constant_read(at, 1) as u8).collect(),
            Kind::Private => places.map(|at| self.private_read(at, 1) as u8).collect(),
            Kind::Fresh => {
                let written = |at: &u64| self.n_written(*at, 1) != 0;
                if !places.clone().any(|at| written(&at)) {
                    return Err(Fault::Unwritten { addr: from });
                }
                places.map(|at| if written(&at) { self.private_read(at, 1) as u8 } else { 0 }).collect()
            }
        };
        Ok(Access::value_of(&bytes))
    }

    /// Writes the bytes of a value to private memory.
    pub fn unpack(&mut self, to: u64, size: u8, value: Value) -> Result<Value, Fault> {
        let kind = self.kind_of(to, u64::from(size))?;
        for (at, byte) in (to..).zip(Access::new(0, size).bytes_of(value)) {
            match kind {
                Kind::Private => self.private_write(at, 1, u64::from(byte)),
                Kind::Fresh => self.write_fresh(at, 1, Some(u64::from(byte))),
                Kind::Shared | Kind::Constant => return Err(Fault::WriteToConstant { addr: to }),
            }
        }
        Ok(0)
    }
}
