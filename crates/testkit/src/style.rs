//! The kinds of random programs: a [`Style`] is their subject, a [`ProgramShape`] bounds them, and [`Traits`] are what
//! one of them has been given by chance.

use crate::rng::Rng;

/// The maximum size of programs, and what they may contain.
#[derive(Clone, Copy, Debug)]
pub struct ProgramShape {
    pub max_threads: usize,
    /// Memory accesses and fences, including locks and unlocks.
    pub max_instructions: usize,
    pub max_variables: usize,
    /// Accesses that are not atomic, and so may race.
    pub has_plain: bool,
    pub has_locks: bool,
    pub has_asserts: bool,
    pub style: Style,
}

/// The subject of programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// A bit of everything.
    #[default]
    Mixed,
    /// One or two mutexes, nested, that are also tried, read and stored to; variables inside and outside.
    Locks,
    /// Pieces of code around mutexes: see [`crate::pieces`].
    Sections,
    /// Pieces with read-modify-writes of one variable.
    Updates,
    /// Pieces with addresses, of variables and of objects that are allocated and freed.
    Pointers,
    /// Pieces with variables accessed as a whole and in parts.
    Parts,
    /// Fences of every order: pieces of code that synchronise through them, or arbitrary code.
    Fences,
    /// Relaxed stores and loads of several variables, with few fences, so that store buffers matter.
    Buffers,
    /// Many threads with an instruction or two.
    Wide,
    /// Half of the accesses plain.
    Races,
}

impl Style {
    pub const ALL: [Style; 10] = [
        Style::Mixed,
        Style::Locks,
        Style::Sections,
        Style::Fences,
        Style::Buffers,
        Style::Wide,
        Style::Races,
        Style::Updates,
        Style::Pointers,
        Style::Parts,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Style::Mixed => "mixed",
            Style::Locks => "locks",
            Style::Sections => "sections",
            Style::Fences => "fences",
            Style::Buffers => "buffers",
            Style::Wide => "wide",
            Style::Races => "races",
            Style::Updates => "updates",
            Style::Pointers => "pointers",
            Style::Parts => "parts",
        }
    }
}

impl Default for ProgramShape {
    fn default() -> Self {
        ProgramShape {
            max_threads: 4,
            max_instructions: 9,
            max_variables: 3,
            has_plain: true,
            has_locks: true,
            has_asserts: true,
            style: Style::Mixed,
        }
    }
}

impl ProgramShape {
    /// Programs of a style, usually small enough for the oracle.
    pub fn of(style: Style) -> ProgramShape {
        let (max_threads, max_instructions) = match style {
            Style::Mixed | Style::Fences | Style::Buffers | Style::Races => (4, 9),
            Style::Parts => (4, 7),
            Style::Locks | Style::Pointers => (4, 10),
            Style::Updates => (5, 8),
            Style::Sections => (4, 12),
            Style::Wide => (6, 8),
        };
        ProgramShape { max_threads, max_instructions, style, ..ProgramShape::default() }
    }
}

/// The kind of one program.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    pub min_threads: usize,
    pub n_variables: usize,
    pub rmw_percent: usize,
    pub fence_percent: usize,
    /// The percentage of fences that are always sequentially consistent.
    pub sc_fence_percent: usize,
    pub plain_percent: usize,
    pub lock_percent: usize,
    pub n_mutexes: usize,
    /// The percentage of statements inside a lock that lock again, and of statements outside that treat a mutex as a
    /// variable.
    pub nested_percent: usize,
    pub raw_percent: usize,
    pub assert_percent: usize,
    pub orders: Orders,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orders {
    Mixed,
    Relaxed,
    ReleaseAcquire,
    SeqCst,
}

impl Traits {
    pub fn draw(rng: &mut Rng, shape: &ProgramShape) -> Traits {
        let has_many = shape.max_variables > 1 && rng.chance(50);
        let mixed = Traits {
            min_threads: 2,
            n_variables: if has_many { rng.between(2, shape.max_variables) } else { 1 },
            rmw_percent: if rng.chance(33) { 40 } else { 10 },
            fence_percent: rng.pick(&[0, 5, 20]),
            sc_fence_percent: 0,
            plain_percent: if shape.has_plain && rng.chance(20) { 30 } else { 0 },
            lock_percent: if shape.has_locks && rng.chance(12) { 30 } else { 0 },
            n_mutexes: 1,
            nested_percent: 0,
            raw_percent: 0,
            assert_percent: if shape.has_asserts && rng.chance(10) { 20 } else { 0 },
            orders: rng.pick_weighted(&[
                (6, Orders::Mixed),
                (2, Orders::Relaxed),
                (1, Orders::ReleaseAcquire),
                (2, Orders::SeqCst),
            ]),
        };
        let several = shape.max_variables.max(2);
        match shape.style {
            Style::Mixed | Style::Sections | Style::Updates | Style::Pointers | Style::Parts => mixed,
            Style::Locks => Traits {
                lock_percent: rng.pick(&[40, 60, 80]),
                n_mutexes: rng.between(1, 2),
                nested_percent: rng.pick(&[0, 20, 40]),
                raw_percent: rng.pick(&[0, 0, 10, 25]),
                fence_percent: 0,
                n_variables: rng.between(1, several.min(2)),
                rmw_percent: rng.pick(&[0, 15, 40]),
                ..mixed
            },
            Style::Fences => Traits {
                fence_percent: 35,
                sc_fence_percent: rng.pick(&[75, 40, 0]),
                n_variables: rng.between(2, several),
                rmw_percent: rng.pick(&[0, 10]),
                orders: rng.pick_weighted(&[(3, Orders::Mixed), (2, Orders::Relaxed)]),
                ..mixed
            },
            Style::Buffers => Traits {
                fence_percent: rng.pick(&[0, 8]),
                sc_fence_percent: 60,
                n_variables: rng.between(2, several),
                rmw_percent: rng.pick(&[0, 8]),
                orders: rng.pick_weighted(&[(1, Orders::Mixed), (3, Orders::Relaxed)]),
                ..mixed
            },
            Style::Wide => Traits { min_threads: 4, fence_percent: 5, ..mixed },
            Style::Races => Traits { plain_percent: rng.pick(&[20, 50]), ..mixed },
        }
    }
}
