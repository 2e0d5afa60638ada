//! Executions as text, for tests.
//!
//! Threads are separated by `||`, events by blanks. `Wx=1.rel` writes, `Rx=0.acq` reads, `Ux=0>1` is a
//! read-modify-write, `Cx=2` the read of a failed compare-and-swap, `F.sc` a fence; without a suffix an
//! access is relaxed. `spawn1` and `join1` concern thread 1, which gets `BEGIN` and `END` events then.
//! Initial writes (value 0) are added for each location.
//!
//! **Values are coherence positions**: a read names its source by the value, and the writes of a location
//! are in coherence order by increasing value. So 2+2W is `Wx=2 Wy=1 || Wy=2 Wx=1`. Without values the same
//! text is a program, and `candidates` enumerates its executions.

#![allow(dead_code, reason = "each test file uses its part")]

use atropos_cat::{BaseRelation, BaseSet, EventSet, Relation, Structure};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Read,
    Write,
    Fence,
    Spawn(usize),
    Begin,
    End,
    Join(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Na,
    Rlx,
    Acq,
    Rel,
    AcqRel,
    Sc,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub kind: Kind,
    /// `None` for initial writes.
    pub thread: Option<usize>,
    pub location: Option<char>,
    pub value: Option<usize>,
    pub order: Order,
    /// Half of a successful read-modify-write; the write follows the read immediately.
    pub is_exclusive: bool,
    pub is_failed_cas: bool,
}

impl Event {
    fn is_access_to(&self, kind: Kind, location: Option<char>) -> bool {
        self.kind == kind && self.location == location
    }
}

/// The events of a text, initial writes first.
pub fn parse(text: &str) -> Vec<Event> {
    let threads: Vec<&str> = text.split("||").collect();
    let mut events = Vec::new();
    for (thread, body) in threads.iter().enumerate() {
        let of_kind = |kind| plain(kind, thread);
        let is_spawned = text.contains(&format!("spawn{thread}"));
        events.extend(is_spawned.then(|| of_kind(Kind::Begin)));
        body.split_whitespace().for_each(|word| parse_event(word, thread, &mut events));
        events.extend(is_spawned.then(|| of_kind(Kind::End)));
    }
    let mut locations: Vec<char> = events.iter().filter_map(|event| event.location).collect();
    locations.sort_unstable();
    locations.dedup();
    let initial = |location| Event {
        thread: None,
        location: Some(location),
        value: Some(0),
        order: Order::Na,
        ..plain(Kind::Write, 0)
    };
    locations.into_iter().map(initial).chain(events).collect()
}

fn plain(kind: Kind, thread: usize) -> Event {
    Event {
        kind,
        thread: Some(thread),
        location: None,
        value: None,
        order: Order::Rlx,
        is_exclusive: false,
        is_failed_cas: false,
    }
}

fn parse_event(word: &str, thread: usize, events: &mut Vec<Event>) {
    if let Some(child) = word.strip_prefix("spawn") {
        return events.push(plain(Kind::Spawn(child.parse().unwrap()), thread));
    }
    if let Some(child) = word.strip_prefix("join") {
        return events.push(plain(Kind::Join(child.parse().unwrap()), thread));
    }
    let (access, order) = word.split_once('.').unwrap_or((word, "rlx"));
    let order = match order {
        "na" => Order::Na,
        "rlx" => Order::Rlx,
        "acq" => Order::Acq,
        "rel" => Order::Rel,
        "acqrel" => Order::AcqRel,
        "sc" => Order::Sc,
        other => panic!("order {other}"),
    };
    let (place, values) = access.split_once('=').unwrap_or((access, ""));
    let (first, second) = values.split_once('>').unwrap_or((values, ""));
    let location = place.chars().nth(1);
    let event = |kind, value: &str, order| Event {
        location,
        value: value.parse().ok(),
        order,
        is_exclusive: word.starts_with('U'),
        is_failed_cas: word.starts_with('C'),
        ..plain(kind, thread)
    };
    match &place[..1] {
        "R" | "C" => events.push(event(Kind::Read, first, order)),
        "W" => events.push(event(Kind::Write, first, order)),
        "F" => events.push(event(Kind::Fence, "", order)),
        "U" => {
            let (read, write) = match order {
                Order::Acq => (Order::Acq, Order::Rlx),
                Order::Rel => (Order::Rlx, Order::Rel),
                Order::AcqRel => (Order::Acq, Order::Rel),
                same => (same, same),
            };
            events.push(event(Kind::Read, first, read));
            events.push(event(Kind::Write, second, write));
        }
        other => panic!("event {other}"),
    }
}

/// The single execution that a text with values describes.
pub fn execution(text: &str) -> Structure {
    let events = parse(text);
    let n = events.len();
    let same_location = |a: &Event, b: &Event| a.location == b.location;
    let mut rf = Relation::new(n);
    let mut co = Relation::new(n);
    for (w, write) in events.iter().enumerate().filter(|(_, event)| event.kind == Kind::Write) {
        for (e, event) in events.iter().enumerate().filter(|(_, event)| same_location(write, event)) {
            match event.kind {
                Kind::Read if event.value == write.value => rf.insert(w, e),
                Kind::Write if write.value < event.value => co.insert(w, e),
                _ => {}
            }
        }
    }
    let n_reads = events.iter().filter(|event| event.kind == Kind::Read).count();
    assert_eq!(rf.len(), n_reads, "each read needs exactly one source: {text}");
    structure(&events, rf, co)
}

/// Every (rf, co) of a program whose accesses have no values.
pub fn candidates(text: &str) -> Vec<Structure> {
    let events = parse(text);
    let rfs = all_rf(&events);
    let cos = all_co(&events);
    let pairs = rfs.iter().flat_map(|rf| cos.iter().map(move |co| (rf.clone(), co.clone())));
    pairs.map(|(rf, co)| structure(&events, rf, co)).collect()
}

/// Every rf, with some co.
pub fn rf_candidates(text: &str) -> Vec<Structure> {
    let events = parse(text);
    let co = all_co(&events).swap_remove(0);
    all_rf(&events).into_iter().map(|rf| structure(&events, rf, co.clone())).collect()
}

fn all_rf(events: &[Event]) -> Vec<Relation> {
    let mut rfs = vec![Relation::new(events.len())];
    for (r, read) in events.iter().enumerate().filter(|(_, event)| event.kind == Kind::Read) {
        let is_own = |w: usize| read.is_exclusive && w == r + 1;
        let sources: Vec<usize> = (0..events.len())
            .filter(|&w| events[w].is_access_to(Kind::Write, read.location) && !is_own(w))
            .collect();
        rfs = extend_all(&rfs, &sources, |rf, &w| rf.insert(w, r));
    }
    rfs
}

fn all_co(events: &[Event]) -> Vec<Relation> {
    let mut cos = vec![Relation::new(events.len())];
    for (initial, location) in (0..).zip(events.iter().take_while(|e| e.thread.is_none()).map(|e| e.location))
    {
        let writes = (0..events.len())
            .filter(|&w| events[w].is_access_to(Kind::Write, location) && events[w].thread.is_some())
            .collect();
        cos = extend_all(&cos, &permutations(writes), |co, order| {
            for (i, &write) in order.iter().enumerate() {
                co.insert(initial, write);
                order[i + 1..].iter().for_each(|&later| co.insert(write, later));
            }
        });
    }
    cos
}

fn extend_all<T>(bases: &[Relation], choices: &[T], add: impl Fn(&mut Relation, &T)) -> Vec<Relation> {
    let extend = |base: &Relation, choice| {
        let mut extended = base.clone();
        add(&mut extended, choice);
        extended
    };
    bases.iter().flat_map(|base| choices.iter().map(move |choice| extend(base, choice))).collect()
}

fn permutations(items: Vec<usize>) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..items.len() {
        let mut rest = items.clone();
        let first = rest.remove(i);
        all.extend(permutations(rest).into_iter().map(|mut tail| {
            tail.insert(0, first);
            tail
        }));
    }
    all
}

/// The whole vocabulary for some events and a choice of rf and co, with the default mapping to hardware.
pub fn structure(events: &[Event], rf: Relation, co: Relation) -> Structure {
    let n = events.len();
    let mut s = Structure::new(n);
    for &base in BaseSet::ALL {
        s.put_set(base, EventSet::from_events(n, (0..n).filter(|&e| is_member(base, &events[e]))));
    }
    let pairs = |holds: &dyn Fn(usize, usize) -> bool| {
        let all = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        Relation::from_pairs(n, all.filter(|&(a, b)| holds(a, b)))
    };
    let is_initial = |e: usize| events[e].thread.is_none();
    let same_thread = |a: usize, b: usize| a == b || !is_initial(a) && events[a].thread == events[b].thread;
    s.put_relation(
        BaseRelation::Po,
        pairs(&|a, b| is_initial(a) && !is_initial(b) || a < b && same_thread(a, b)),
    );
    s.put_relation(BaseRelation::Rf, rf);
    s.put_relation(BaseRelation::Co, co);
    s.put_relation(
        BaseRelation::Rmw,
        pairs(&|a, b| b == a + 1 && events[a].is_exclusive && events[a].kind == Kind::Read),
    );
    let location = |e: usize| events[e].location;
    let same_location = |a: usize, b: usize| location(a).is_some() && location(a) == location(b);
    s.put_relation(BaseRelation::Loc, pairs(&same_location));
    s.put_relation(BaseRelation::Overlap, pairs(&same_location));
    let covers = |a: usize, b: usize| events[a].kind == Kind::Write && same_location(a, b);
    s.put_relation(BaseRelation::Covers, pairs(&covers));
    s.put_relation(BaseRelation::Pieces, Relation::new(n));
    s.put_relation(BaseRelation::Int, pairs(&same_thread));
    s.put_relation(BaseRelation::Ext, pairs(&|a, b| !same_thread(a, b)));
    s.put_relation(
        BaseRelation::Sync,
        pairs(&|a, b| match (events[a].kind, events[b].kind) {
            (Kind::Spawn(child), Kind::Begin) => events[b].thread == Some(child),
            (Kind::End, Kind::Join(child)) => events[a].thread == Some(child),
            _ => false,
        }),
    );
    s
}

fn is_member(base: BaseSet, event: &Event) -> bool {
    let is_access = matches!(event.kind, Kind::Read | Kind::Write);
    let has_order = |order| (is_access || event.kind == Kind::Fence) && event.order == order;
    match base {
        BaseSet::Reads => event.kind == Kind::Read,
        BaseSet::Writes => event.kind == Kind::Write,
        BaseSet::InitialWrites => event.thread.is_none(),
        BaseSet::Accesses => is_access,
        BaseSet::Fences => event.kind == Kind::Fence,
        BaseSet::Relaxed => has_order(Order::Rlx),
        BaseSet::Acquire => has_order(Order::Acq),
        BaseSet::Release => has_order(Order::Rel),
        BaseSet::AcquireRelease => has_order(Order::AcqRel),
        BaseSet::SequentiallyConsistent => has_order(Order::Sc),
        BaseSet::Plain => is_access && has_order(Order::Na),
        BaseSet::Atomic => is_access && !has_order(Order::Na),
        BaseSet::Exclusive => event.is_exclusive,
        BaseSet::FailedCas => event.is_failed_cas,
        BaseSet::Spawn => matches!(event.kind, Kind::Spawn(_)),
        BaseSet::Begin => event.kind == Kind::Begin,
        BaseSet::End => event.kind == Kind::End,
        BaseSet::Join => matches!(event.kind, Kind::Join(_)),
        BaseSet::Alloc | BaseSet::Free | BaseSet::Merging => false,
        BaseSet::Barrier => {
            event.is_exclusive || event.is_failed_cas || event.kind != Kind::Read && has_order(Order::Sc)
        }
        BaseSet::StoreBarrier => {
            event.kind != Kind::Read && [Order::Rel, Order::AcqRel, Order::Sc].into_iter().any(has_order)
        }
    }
}
