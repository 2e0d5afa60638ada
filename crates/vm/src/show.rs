//! Conversions between numbers and text, and output.

use crate::access::Kind;
use crate::code::Op;
use crate::fault::Fault;
use crate::format;
use crate::interp::Thread;

impl Thread<'_, '_> {
    pub fn show(&mut self, op: Op) -> Result<(), Fault> {
        match op {
            Op::Format { dst, to, value, spec, width, precision } => {
                let [spec, width, precision, value] = [spec, width, precision, value].map(|at| self.get(at));
                let text = format::format(spec, width, precision, value).ok_or(Fault::NoSuchFormat)?;
                let to = self.get(to);
                if !text.is_empty() && self.kind_of(to, text.len() as u64)? != Kind::Private {
                    return Err(Fault::HiddenOutput { addr: to });
                }
                for (at, byte) in (to..).zip(&text) {
                    self.private_write(at, 1, u64::from(*byte));
                }
                self.set(dst, text.len() as u64);
            }
            Op::ParseFloat { format, dst, from, length } => {
                let bytes = self.readable(self.get(from), self.get(length))?;
                self.set(dst, format::parse_float(format, &bytes).ok_or(Fault::NoSuchFormat)?);
            }
            Op::Print { from, length } => {
                let (from, length) = (self.get(from), self.get(length));
                let bytes = self.readable(from, length)?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.output.push((self.position, text));
            }
            _ => unreachable!("{op:?} shows nothing"),
        }
        Ok(())
    }

    /// Bytes that can be read without an event.
    fn readable(&self, from: u64, length: u64) -> Result<Vec<u8>, Fault> {
        if length == 0 {
            return Ok(Vec::new());
        }
        match self.kind_of(from, length)? {
            Kind::Private => Ok((0..length).map(|at| self.private_read(from + at, 1) as u8).collect()),
            Kind::Fresh => (0..length).map(|at| Ok(self.read_fresh(from + at, 1)? as u8)).collect(),
            Kind::Constant => Ok((0..length).map(|at| self.constant_read(from + at, 1) as u8).collect()),
            Kind::Shared => Err(Fault::HiddenOutput { addr: from }),
        }
    }
}
