//! What a search learns and profits from knowing at the start.
//!
//! A lesson changes how the search proceeds, so the search starts over when one is learned; the lessons stay. There are
//! finitely many, and most are learned early.

use atropos_event::{Access, Addr, Label, Program, ThreadKey};
use std::fmt::Write;

/// Shared by the workers of a search and kept when it starts over.
#[derive(Debug, Default)]
pub struct Learned {
    lessons: std::sync::Mutex<Lessons>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mutex {
    pub addr: Addr,
    /// Threads communicate past it while it is held: see [`crate::bypass`].
    pub is_bypassed: bool,
}

/// Something that a search has learned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lesson {
    /// Threads wait for this mutex.
    Mutex(Addr),
    /// Threads communicate past this mutex while it is held: see [`crate::bypass`].
    Bypass(Addr),
    /// Threads wait for this location like for a mutex, but use it in another way: see [`crate::rvf::mutexes`].
    Irregular(Access),
    /// A cheaper order of the threads.
    ThreadOrder(Vec<ThreadKey>),
    /// The children of this thread are not interchangeable: see [`crate::trust`].
    Distinct(ThreadKey),
    /// The order of the updates of this location matters: see [`crate::trust`].
    Observed(Access),
    /// Updates of this location synchronise: see [`crate::trust`].
    Synchronised(Access),
    /// The search leaves the order of no updates open.
    CountsNothing,
    /// This thread may be the last owner of what the location counts references to: see [`crate::trust`].
    Candidate(Access, SectionName),
    /// These threads, and no others, arrive at a barrier, one after the other: see [`crate::trust`].
    Party(Party),
    /// The order of arrivals at the barrier of this location matters: see [`crate::trust`].
    Crowd(Access),
    /// These two sections of a mutex have an order: see [`crate::trust`].
    Together(Access, [SectionName; 2]),
    /// All sections of this mutex have an order.
    InOrder(Access),
    /// All sections of all mutexes have an order.
    PartsNothing,
}

/// The thread of a section, and how many sections of the same mutex it has entered before; or of a reference, and how
/// many it has given up before.
pub(crate) type SectionName = (ThreadKey, u32);

/// Sections of a mutex that have an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionGroup {
    pub(crate) mutex: Access,
    pub(crate) sections: Vec<SectionName>,
}

/// The threads that meet at a barrier, in the order in which they arrive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Party {
    /// The location that counts arrivals.
    pub access: Access,
    pub members: Vec<ThreadKey>,
}

/// All lessons so far. A worker has a copy, which stays the same until the search starts over.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// The mutexes that threads have waited for, by address.
    pub(crate) mutexes: Vec<Mutex>,
    /// The order in which threads move, once one was chosen.
    pub(crate) thread_order: Option<Vec<ThreadKey>>,
    /// Locations that threads wait for like a mutex but use in another way: see [`crate::rvf::mutexes`].
    pub(crate) irregular: Vec<Access>,
    /// Threads whose children are not interchangeable: see [`crate::trust`].
    pub(crate) distinct: Vec<ThreadKey>,
    /// Locations whose updates have an order that matters: see [`crate::trust`].
    pub(crate) observed: Vec<Access>,
    /// Locations whose updates synchronise: see [`crate::trust`].
    pub(crate) synchronised: Vec<Access>,
    pub(crate) counts_nothing: bool,
    /// Those that may be the last owners, by the location that counts references.
    pub(crate) candidates: Vec<(Access, Vec<SectionName>)>,
    /// The barriers whose arrivals need no order: see [`crate::trust`].
    pub(crate) parties: Vec<Party>,
    /// Locations of barriers whose arrivals have an order that matters.
    pub(crate) crowds: Vec<Access>,
    /// The sections that have an order though others of the same mutex need none: see [`crate::trust`].
    pub(crate) groups: Vec<SectionGroup>,
    /// The mutexes whose sections all have an order.
    pub(crate) in_order: Vec<Access>,
    pub(crate) parts_nothing: bool,
}

impl Learned {
    pub(crate) fn lessons(&self) -> Lessons {
        self.lessons.lock().expect("no worker panics while it holds the lock").clone()
    }

    pub(crate) fn learn(&self, lesson: Lesson) {
        self.lessons.lock().expect("no worker panics while it holds the lock").add(lesson);
    }

    /// All lessons of the search and of the program as one line, for [`Learned::recall`].
    pub(crate) fn to_text(&self, program: &dyn Program) -> String {
        let Lessons {
            mutexes,
            thread_order,
            irregular,
            distinct,
            observed,
            synchronised,
            counts_nothing,
            candidates,
            parties,
            crowds,
            groups,
            in_order,
            parts_nothing,
        } = self.lessons();
        assert!(
            irregular.is_empty(),
            "only RVF-SMC learns of irregular locations, and its parts have no text"
        );
        let mut text = String::new();
        for Mutex { addr, is_bypassed } in mutexes {
            let _ = write!(text, "{}:{:#x} ", if is_bypassed { "bypass" } else { "mutex" }, addr.0);
        }
        for parent in distinct {
            let _ = write!(text, "distinct:{parent} ");
        }
        for access in observed {
            let _ = write!(text, "observed:{:#x}/{} ", access.addr.0, access.size);
        }
        for access in synchronised {
            let _ = write!(text, "synchronised:{:#x}/{} ", access.addr.0, access.size);
        }
        if counts_nothing {
            text.push_str("counts:nothing ");
        }
        for (access, names) in candidates {
            let names: Vec<_> = names.iter().map(|(key, n)| format!("{key}#{n}")).collect();
            let _ = write!(text, "owners:{:#x}/{}={} ", access.addr.0, access.size, names.join(","));
        }
        let joined = |keys: &[ThreadKey]| keys.iter().map(ThreadKey::to_string).collect::<Vec<_>>().join(",");
        for Party { access, members } in parties {
            let _ = write!(text, "party:{:#x}/{}={} ", access.addr.0, access.size, joined(&members));
        }
        for access in crowds {
            let _ = write!(text, "crowd:{:#x}/{} ", access.addr.0, access.size);
        }
        for SectionGroup { mutex, sections } in groups {
            let sections: Vec<_> = sections.iter().map(|(key, n)| format!("{key}#{n}")).collect();
            let _ = write!(text, "together:{:#x}/{}={} ", mutex.addr.0, mutex.size, sections.join(","));
        }
        for mutex in in_order {
            let _ = write!(text, "in-order:{:#x}/{} ", mutex.addr.0, mutex.size);
        }
        if parts_nothing {
            text.push_str("parts:nothing ");
        }
        if let Some(order) = thread_order {
            let _ = write!(text, "order:{} ", joined(&order));
        }
        text + &program.lessons()
    }

    /// Learns what another process has learned; `None` if the text is not about this program.
    pub(crate) fn recall(&self, text: &str, program: &dyn Program) -> Option<()> {
        for word in text.split_ascii_whitespace() {
            let addr = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok().map(Addr);
            let access = |text: &str| {
                let (at, size) = text.split_once('/')?;
                Some(Access::new(addr(at)?.0, size.parse().ok()?))
            };
            let keys = |text: &str| text.split(',').map(|key| key.parse().ok()).collect::<Option<Vec<_>>>();
            match word.split_once(':')? {
                ("mutex", mutex) => self.learn(Lesson::Mutex(addr(mutex)?)),
                ("bypass", mutex) => {
                    let mutex = addr(mutex)?;
                    self.learn(Lesson::Mutex(mutex));
                    self.learn(Lesson::Bypass(mutex));
                }
                ("order", order) => self.learn(Lesson::ThreadOrder(keys(order)?)),
                ("party", text) => {
                    let (at, members) = text.split_once('=')?;
                    let (access, members) = (access(at)?, keys(members)?);
                    self.learn(Lesson::Party(Party { access, members }));
                }
                ("together", text) => {
                    let (at, sections) = text.split_once('=')?;
                    let mutex = access(at)?;
                    let sections = sections.split(',').map(read_section).collect::<Option<Vec<_>>>()?;
                    let first = *sections.first()?;
                    for other in sections {
                        self.learn(Lesson::Together(mutex, [first, other]));
                    }
                }
                ("owners", text) => {
                    let (at, names) = text.split_once('=')?;
                    let at = access(at)?;
                    for name in names.split(',') {
                        self.learn(Lesson::Candidate(at, read_section(name)?));
                    }
                }
                ("in-order", mutex) => self.learn(Lesson::InOrder(access(mutex)?)),
                ("parts", "nothing") => self.learn(Lesson::PartsNothing),
                ("crowd", text) => self.learn(Lesson::Crowd(access(text)?)),
                ("observed", text) => self.learn(Lesson::Observed(access(text)?)),
                ("synchronised", text) => self.learn(Lesson::Synchronised(access(text)?)),
                ("counts", "nothing") => self.learn(Lesson::CountsNothing),
                ("distinct", parent) => self.learn(Lesson::Distinct(parent.parse().ok()?)),
                _ => program.recall(word)?,
            }
        }
        Some(())
    }
}

fn read_section(text: &str) -> Option<SectionName> {
    let (key, n) = text.split_once('#')?;
    Some((key.parse().ok()?, n.parse().ok()?))
}

/// Whether a word of [`Learned::to_text`] is a lesson of the search, not of the program.
pub(crate) fn is_about_search(word: &str) -> bool {
    let kinds = [
        "mutex",
        "bypass",
        "order",
        "distinct",
        "observed",
        "synchronised",
        "counts",
        "party",
        "crowd",
        "together",
        "in-order",
        "owners",
        "parts",
    ];
    word.split_once(':').is_some_and(|(kind, _)| kinds.contains(&kind))
}

impl Lessons {
    /// The place of a mutex among the known ones, or where it would be.
    fn find_mutex(&self, addr: Addr) -> Result<usize, usize> {
        self.mutexes.binary_search_by_key(&addr, |mutex| mutex.addr)
    }

    pub(crate) fn is_mutex(&self, addr: Addr) -> bool {
        self.find_mutex(addr).is_ok()
    }

    /// Whether this is a mutex that is not known to be bypassed.
    pub fn is_intact_mutex(&self, addr: Addr) -> bool {
        self.find_mutex(addr).is_ok_and(|place| !self.mutexes[place].is_bypassed)
    }

    /// A mutex that is a part of a cell is not watched: accesses to the rest of the cell look the same.
    pub(crate) fn may_watch(&self, label: &Label) -> bool {
        label.access().is_some_and(|access| access.is_whole() && !self.is_mutex(access.addr))
    }

    pub(crate) fn add(&mut self, lesson: Lesson) {
        match lesson {
            Lesson::Mutex(addr) => {
                if let Err(place) = self.find_mutex(addr) {
                    self.mutexes.insert(place, Mutex { addr, is_bypassed: false });
                }
            }
            Lesson::Bypass(addr) => {
                if let Ok(place) = self.find_mutex(addr) {
                    self.mutexes[place].is_bypassed = true;
                }
            }
            Lesson::Irregular(access) => self.irregular.push(access),
            Lesson::ThreadOrder(order) => self.thread_order = Some(order),
            Lesson::Distinct(parent) => self.distinct.push(parent),
            Lesson::Observed(access) if self.observed.contains(&access) => {}
            Lesson::Observed(access) => self.observed.push(access),
            Lesson::Synchronised(access) if self.synchronised.contains(&access) => {}
            Lesson::Synchronised(access) => self.synchronised.push(access),
            Lesson::CountsNothing => self.counts_nothing = true,
            Lesson::Candidate(access, name) => self.add_candidate(access, name),
            Lesson::Together(mutex, _) if self.in_order.contains(&mutex) => {}
            Lesson::Together(mutex, names) => self.put_together(mutex, names),
            Lesson::InOrder(mutex) => {
                self.groups.retain(|group| group.mutex != mutex);
                if !self.in_order.contains(&mutex) {
                    self.in_order.push(mutex);
                }
            }
            Lesson::PartsNothing => self.parts_nothing = true,
            Lesson::Party(party) if self.party(party.access).is_some() => {}
            Lesson::Party(party) => self.parties.push(party),
            Lesson::Crowd(access) => {
                self.parties.retain(|party| party.access != access);
                if !self.crowds.contains(&access) {
                    self.crowds.push(access);
                }
            }
        }
    }

    fn add_candidate(&mut self, access: Access, name: SectionName) {
        if !self.candidates.iter().any(|(known, _)| *known == access) {
            self.candidates.push((access, Vec::new()));
        }
        let names = self.candidates.iter_mut().filter(|(known, _)| *known == access).map(|(_, names)| names);
        for names in names {
            if let Err(place) = names.binary_search(&name) {
                names.insert(place, name);
            }
        }
    }

    /// Those that may be the last owners of what the location counts references to.
    pub(crate) fn candidates(&self, access: Access) -> &[SectionName] {
        let found = self.candidates.iter().find(|(known, _)| *known == access);
        found.map_or(&[], |(_, names)| names)
    }

    /// Two sections of a mutex get an order, and with them all that have one with either.
    fn put_together(&mut self, mutex: Access, names: [SectionName; 2]) {
        let is_met = |group: &SectionGroup| {
            group.mutex == mutex && names.iter().any(|name| group.sections.contains(name))
        };
        let met: Vec<SectionGroup> = self.groups.extract_if(.., |group| is_met(group)).collect();
        let mut sections: Vec<_> = met.into_iter().flat_map(|group| group.sections).chain(names).collect();
        sections.sort_unstable();
        sections.dedup();
        self.groups.push(SectionGroup { mutex, sections });
    }

    /// The threads that meet at the barrier of this location, if their order does not matter.
    pub(crate) fn party(&self, access: Access) -> Option<&Party> {
        self.parties.iter().find(|party| party.access == access)
    }

    /// The place of a thread in the chosen order; unknown threads come last.
    pub(crate) fn rank(&self, key: ThreadKey) -> usize {
        let order = self.thread_order.as_deref().unwrap_or_default();
        order.iter().position(|&other| other == key).unwrap_or(order.len())
    }
}
