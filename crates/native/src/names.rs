//! Names of objects, from the address at which they were first seen.
//!
//! A name must not depend on the order in which threads are explored. Addresses do not ([`crate::arena`]). If an object
//! moves away and another one takes its place, the second one gets the next *generation* of the name.
//!
//! * Before a thread performs an event, it names all objects in the memory that it has allocated since the last one
//!   ([`register_fresh`]), and writes their initial values by plain writes. No other thread can know of them yet. So a
//!   thread that uses such an object without synchronisation races with its creation, as in the real program.
//! * All others are named at their first use ([`register`]): statics, objects on stacks, and those that were put into
//!   older memory. No event initialises them; their initial value is part of their name, so that it is the same value
//!   in all executions that have the name.
//!
//! A name says how large the object is: in different executions, objects of different sizes may be in the same place, and
//! the explorer expects all accesses of a name to have the same size.
//!
//! ```text
//! 63       56 55        54       47 46             0
//! generation   allocated   variant     address           variant 0 to 3: initialised by a write
//! ```
//!
//! Memory that an event has allocated looks as if it were elsewhere ([`TRACKED`]), so that accesses to it are checked.

use crate::context::{Context, Where, with};
use crate::copies::Copies;
use crate::object::Object;
use crate::perform::{reach, refuse};
use crate::spread::NoNumber;
use crate::{heap, lessons};
use atropos_event::{Access, GapKind, Label, RefusalReason, Step, Value, WriteOrder};
use rustc_hash::FxHashMap;

const GENERATION: u32 = 56;
const VARIANT: u32 = 47;
const ADDRESS: u64 = (1 << VARIANT) - 1;
/// The number of sizes: 1, 2, 4 and 8 bytes. Objects that a write initialises have a variant for each.
const SIZES: u64 = 4;
/// How many variants are left for initial values.
pub(crate) const MOST_VARIANTS: u64 = (1 << (GENERATION - VARIANT - 1)) - SIZES;
/// Marks memory that an event has allocated: see [`crate::tracked`].
pub(crate) const TRACKED: u64 = 1 << (GENERATION - 1);
const MOST_GENERATIONS: u64 = 1 << (64 - GENERATION);

/// The names given in the current execution.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// By address: the number of objects named there.
    generations: FxHashMap<u64, u64>,
    created: FxHashMap<u64, Where>,
    /// Objects outside of the arena store no name. Their names stay the same in all executions.
    outside: FxHashMap<usize, u64>,
    /// A copy of what the runs share, by name, size and initial value.
    variants: FxHashMap<(u64, u8, Value), u64>,
    pub copies: Copies,
}

impl Names {
    pub fn reset(&mut self) {
        self.generations.clear();
        self.copies.reset();
    }

    /// By address: the number of objects named there.
    pub fn generations(&self) -> &FxHashMap<u64, u64> {
        &self.generations
    }

    /// Goes back to an earlier moment of the execution.
    pub fn restore(&mut self, generations: &FxHashMap<u64, u64>, copies: &Copies) {
        self.generations.clone_from(generations);
        self.copies.clone_from(copies);
    }

    /// Where the object was created.
    pub fn created(&self, name: u64) -> Option<Where> {
        self.created.get(&name).copied()
    }
}

/// Whether an event initialises the object.
pub(crate) fn is_initialised_by_write(name: u64) -> bool {
    name >> VARIANT & (MOST_VARIANTS + SIZES - 1) < SIZES
}

/// Whether an event has allocated the object.
pub(crate) fn is_tracked(name: u64) -> bool {
    name & TRACKED != 0
}

/// The address in a name.
pub(crate) fn address(name: u64) -> u64 {
    name & ADDRESS
}

/// Names the objects in memory that the running thread has allocated since the last call, and initialises them.
#[inline]
pub(crate) fn register_fresh(place: Where) {
    if let Some((start, end)) = heap::take_fresh() {
        register_all(start.next_multiple_of(8), end, place);
    }
}

fn register_all(start: usize, end: usize, place: Where) {
    let last = end.saturating_sub(size_of::<Object>());
    for addr in (start..=last).step_by(8) {
        // SAFETY: the running thread has allocated this memory, and no other thread knows of it.
        let Some((object, size)) = (unsafe { Object::unnamed_at(addr) }) else { continue };
        let named = heap::outside(|| {
            with(|context| {
                let mut name = next_generation(context, addr)?;
                // Memory that an event has allocated keeps its addresses, so that accesses lie within it.
                name |= match name >> GENERATION == 0 && context.tracked.is_allocated(addr) {
                    true => TRACKED,
                    false => (SIZES - 1 - u64::from(size.ilog2())) << VARIANT,
                };
                context.names.created.insert(name, object.created());
                Some((name, context.arena().canonical(object.initial())))
            })
        });
        let (name, value) = named.unwrap_or_else(|| too_many(place));
        object.set_name(name);
        let access = Access::new(name, size);
        let value = access.truncate(value);
        let label = Label::Write { access, order: WriteOrder::NotAtomic, value, exclusive: false };
        reach(Step::Do(label), object.created());
    }
}

/// Names an object at its first use.
#[cold]
pub(crate) fn register(object: &Object, size: u8) -> u64 {
    register_fresh(object.created());
    if let Some(name) = object.name() {
        return name;
    }
    let addr = std::ptr::from_ref(object) as usize;
    let name = heap::outside(|| {
        with(|context| {
            let is_outside = !context.arena().contains(addr);
            if let Some(&known) = context.names.outside.get(&addr).filter(|_| is_outside) {
                return Ok(known);
            }
            let base = match is_outside {
                true => outside_name(context, addr, object.created())?,
                false => next_generation(context, addr).ok_or(Unnamed::TooMany)?,
            };
            let initial = context.arena().canonical(object.initial());
            let name = variant(context, (base, size), initial, is_outside)?;
            context.names.created.insert(name, object.created());
            match is_outside {
                true => drop(context.names.outside.insert(addr, name)),
                false => object.set_name(name),
            }
            Ok(name)
        })
    });
    name.unwrap_or_else(|reason| match reason {
        Unnamed::TooMany => too_many(object.created()),
        Unnamed::Unknown(base, initial) => {
            lessons::learn(|lessons| lessons.numbers.add_variant(base, size, initial), object.created())
        }
    })
}

/// Why an object has no name.
enum Unnamed {
    TooMany,
    /// Runs must learn the number of this initial value first.
    Unknown(u64, Value),
}

/// The name of an object outside of the arena, without its variant. If the search is spread, other processes must have
/// it too; otherwise they cannot replay what this one finds.
fn outside_name(context: &mut Context, addr: usize, created: Where) -> Result<u64, Unnamed> {
    let shared = context.shared();
    if !shared.common.contains(addr) {
        shared.note_stray(created);
        if shared.is_spread {
            return Err(Unnamed::TooMany);
        }
    }
    Ok(context.arena().canonical(addr as u64) & ADDRESS)
}

fn next_generation(context: &mut Context, addr: usize) -> Option<u64> {
    let addr = context.arena().canonical(addr as u64);
    let generation = context.names.generations.entry(addr).or_insert(0);
    let name = (*generation < MOST_GENERATIONS).then_some(*generation << GENERATION | addr);
    *generation += 1;
    name
}

/// The name of an object of this size with this initial value. If the search is spread, its number may have to be learned.
fn variant(
    context: &mut Context,
    (name, size): (u64, u8),
    initial: Value,
    is_outside: bool,
) -> Result<u64, Unnamed> {
    if let Some(&known) = context.names.variants.get(&(name, size, initial)) {
        return Ok(known);
    }
    let shared = context.shared();
    let number = match shared.is_spread && !is_outside {
        true => context.learning.lessons.numbers.variant(name, size, initial),
        false => shared.variant(name, size, initial),
    };
    let number = number.map_err(|reason| match reason {
        NoNumber::TooMany => Unnamed::TooMany,
        NoNumber::Unknown => Unnamed::Unknown(name, initial),
    })?;
    let variant = name | (number + SIZES) << VARIANT;
    shared.set_variant(variant, initial);
    context.names.variants.insert((name, size, initial), variant);
    Ok(variant)
}

fn too_many(place: Where) -> ! {
    refuse(heap::outside(|| RefusalReason::NotModelled(GapKind::ReusedAddress.into())), place)
}
