//! What the runs of a program have learned and noted, as words, so that a search can continue in another process.
//!
//! Lessons change how runs behave: see [`crate::overlaps`], [`crate::sections`] and [`crate::unchanged`]. Notes are for the report: loops that
//! have reached their bounds, and how the program uses the parts of a cell.

use crate::vm::Vm;
use atropos_event::Access;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The text form of some bytes.
fn spelled(access: Access) -> String {
    format!("{:#x}/{}", access.addr.0, access.size)
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn bytes(text: &str) -> Option<Access> {
    let (addr, size) = text.split_once('/')?;
    let (addr, size) = (number(addr)?, size.parse().ok().filter(|&size: &u8| size > 0)?);
    addr.checked_add(size.into()).map(|_| Access::new(addr, size))
}

impl Vm {
    pub(crate) fn lessons_as_words(&self) -> String {
        let mut words = String::new();
        let overlaps = self.overlaps();
        for at in overlaps.boundaries() {
            let _ = write!(words, "boundary:{at:#x} ");
        }
        for cell in overlaps.cells() {
            let _ = write!(words, "cell:{} ", spelled(cell.access));
        }
        let sections = self.sections();
        for (kind, bytes) in
            [("section-reads", sections.read_bytes()), ("section-writes", sections.written_bytes())]
        {
            for (start, end) in runs_of(bytes) {
                let _ = write!(words, "{kind}:{start:#x}..{end:#x} ");
            }
        }
        let unchanged = self.unchanged.known();
        if unchanged.compares {
            words += "stores:compared ";
        }
        if unchanged.tries_matter {
            words += "tries:matter ";
        }
        let mut several: Vec<u64> = unchanged.several.iter().copied().collect();
        several.sort_unstable();
        for at in several {
            let _ = write!(words, "writers:{at:#x} ");
        }
        words
    }

    pub(crate) fn notes_as_words(&self) -> String {
        let mut words = String::new();
        if self.was_cut.load(Relaxed) {
            words += "cut:short ";
        }
        if self.was_cut_at_retry.load(Relaxed) {
            words += "cut:retry ";
        }
        for id in self.bounded_loop_numbers() {
            let _ = write!(words, "loop:{id} ");
        }
        for (id, n_iterations) in self.long_loops() {
            let _ = write!(words, "long:{id}={n_iterations} ");
        }
        for cell in self.overlaps().cells() {
            let at = spelled(cell.access);
            let _ = write!(words, "use:{at}={:#x} ", cell.notes.bits());
            for (size, (function, statement)) in cell.parts_met() {
                let _ = write!(words, "part:{at}={size},{function},{statement} ");
            }
        }
        words
    }

    pub(crate) fn recall_word(&self, word: &str) -> Option<()> {
        let (kind, text) = word.split_once(':')?;
        match kind {
            "boundary" => {
                let at = number(text)?;
                self.with_overlaps(|overlaps| overlaps.add_boundary(at));
                Some(())
            }
            "cell" => {
                let cell = bytes(text)?;
                self.with_overlaps(|overlaps| overlaps.add_cell(cell));
                Some(())
            }
            "section-reads" | "section-writes" => {
                let (start, end) = text.split_once("..")?;
                let (start, end) = (number(start)?, number(end)?);
                // Sections are short. This also keeps a broken file from using up the memory.
                (end.checked_sub(start)? <= LONGEST_SECTION).then_some(())?;
                let mut sections = self.sections.write().expect("no thread panics with this lock");
                Arc::make_mut(&mut sections).add(kind == "section-writes", start..end);
                Some(())
            }
            "stores" => {
                self.compare_stores();
                Some(())
            }
            "tries" => {
                self.follow_tries();
                Some(())
            }
            "writers" => {
                let at = number(text)?;
                self.unchanged.learn(|known| {
                    known.several.insert(at);
                });
                Some(())
            }
            "cut" if text == "retry" => {
                self.note_retry();
                Some(())
            }
            "cut" => {
                self.note_cut();
                Some(())
            }
            "loop" => self.recall_bounded(text.parse().ok()?),
            "long" => {
                let (id, n_iterations) = text.split_once('=')?;
                self.recall_iterations(id.parse().ok()?, n_iterations.parse().ok()?)
            }
            "use" => {
                let (at, bits) = text.split_once('=')?;
                let (at, bits) = (bytes(at)?, number(bits)?);
                self.overlaps().cell_with(at)?.notes.add_bits(bits);
                Some(())
            }
            "part" => {
                let (at, part) = text.split_once('=')?;
                let at = bytes(at)?;
                let [size, function, statement] = *part.split(',').collect::<Vec<_>>() else { return None };
                let size = size.parse().ok().filter(|&size: &u8| size > 0)?;
                let place @ (function, statement): (u32, u32) =
                    (function.parse().ok()?, statement.parse().ok()?);
                self.module.functions.get(function as usize)?.body.get(statement as usize)?;
                self.overlaps().cell_with(at)?.note_part(size, place);
                Some(())
            }
            _ => None,
        }
    }
}

/// The bytes that one word about sections may have.
const LONGEST_SECTION: u64 = 1 << 24;

/// The maximal runs of adjacent bytes.
fn runs_of(mut bytes: Vec<u64>) -> Vec<(u64, u64)> {
    bytes.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for byte in bytes {
        match runs.last_mut() {
            Some((_, end)) if *end == byte => *end += 1,
            _ => runs.push((byte, byte + 1)),
        }
    }
    runs
}
