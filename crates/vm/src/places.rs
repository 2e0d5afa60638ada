//! Where the positions of a run are in the source.

use atropos_event::shape::Named;
use atropos_event::{AllocKind, Label, Place, SourceLocation, Step, ThreadId};

use crate::ir::{FunctionId, SlotKind};
use crate::run::{Snapshot, VmRun};

impl VmRun<'_> {
    pub(crate) fn place_of(&self, function: u32, pc: u32) -> Place {
        let code = &self.vm.code.functions[function as usize];
        self.vm.place_of(FunctionId(function), code.origins[pc as usize] as usize)
    }

    /// The current statement of a thread and the call statements of its functions, innermost first.
    pub(crate) fn call_stack(&self, snapshot: &Snapshot) -> impl Iterator<Item = (u32, u32)> {
        let Snapshot { state, words_at, n_words, .. } = snapshot;
        let words = &self.words[*words_at..*words_at + *n_words];
        let mut frame = state.frames.top as usize;
        std::iter::successors(Some((state.function, state.pc)), move |_| {
            let link = (frame > 0).then(|| words[frame])?;
            frame = (words[frame + 1] >> 32) as usize;
            Some((link as u32, (link >> 32) as u32))
        })
    }

    /// The place of a thread in the user's code, and the one in a library, if it is there. Statements of the runtime
    /// have no source: their place is that of their call.
    pub(crate) fn place_in_source(&self, snapshot: &Snapshot) -> (Place, Option<SourceLocation>) {
        let mut innermost: Option<Place> = None;
        for (function, pc) in self.call_stack(snapshot) {
            let at = self.vm.code.functions[function as usize].origins[pc as usize] as usize;
            let in_library = self.vm.is_in_library(FunctionId(function), at);
            let place = self.place_of(function, pc);
            match innermost {
                _ if place.source.is_none() => {}
                None if !in_library => return (place, None),
                Some(inner) if !in_library => {
                    return (Place { object: inner.object, ..place }, inner.source);
                }
                None => innermost = Some(place),
                Some(_) => {}
            }
        }
        let state = &snapshot.state;
        (innermost.unwrap_or_else(|| self.place_of(state.function, state.pc)), None)
    }

    /// The stack object that the operation at `pc` allocates: a function allocates its objects first.
    fn shared_slot(&self, function: FunctionId, pc: u32) -> Option<Named> {
        let slots = &self.vm.module.functions[function.index()].slots;
        let slot = slots.iter().filter(|slot| slot.kind == SlotKind::Shared).nth(pc as usize)?;
        Some(Named { name: slot.name.clone(), shape: slot.shape.clone() })
    }

    /// The name of a private address of `thread`: that of a stack object of one of its frames.
    pub(crate) fn name_of_local(&self, thread: ThreadId, addr: u64) -> Option<String> {
        let Snapshot { state, words_at, n_words, .. } = self.snapshot(thread);
        let words = &self.words[*words_at..*words_at + *n_words];
        let offset = addr.checked_sub(self.threads.region(thread).private_base())?;
        let (mut frame, mut function) = (state.frames.top as usize, state.function);
        loop {
            let start = words[frame + 1] & 0xffff_ffff;
            let code = &self.vm.code.functions[function as usize];
            if (start..start + code.private.size).contains(&offset) {
                let within = offset - start;
                let nth = code.private.slots.partition_point(|slot| slot.offset <= within).checked_sub(1)?;
                let slots = self.vm.module.functions[function as usize].slots.iter();
                let slot = slots.filter(|slot| slot.kind != SlotKind::Shared).nth(nth)?;
                return Some(format!(
                    "{}{}",
                    slot.name,
                    slot.shape.path(within - code.private.slots[nth].offset)
                ));
            }
            if frame == 0 {
                return None;
            }
            function = words[frame] as u32;
            frame = (words[frame + 1] >> 32) as usize;
        }
    }

    pub(crate) fn place_of_snapshot(&self, snapshot: &Snapshot) -> Place {
        let state = &snapshot.state;
        let function = FunctionId(state.function);
        match snapshot.step {
            Step::Finished => Place::default(),
            Step::Do(Label::Begin) => {
                let name = &self.vm.module.functions[function.index()].name;
                let first = self.vm.place_of(function, 0);
                Place { text: format!("start of {name}"), ..first }
            }
            Step::Do(Label::Alloc { kind: AllocKind::Stack, .. }) => {
                let object = self.shared_slot(function, state.pc);
                Place { object, ..self.place_of(state.function, state.pc) }
            }
            _ => match self.place_in_source(snapshot) {
                (place, Some(inner)) => {
                    let text = format!("{} (in {})", place.text, inner.short());
                    Place { text, library: Some(inner), ..place }
                }
                (place, None) => place,
            },
        }
    }
}
