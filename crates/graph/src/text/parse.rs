//! Parses the text form word by word, and resolves names at the end.

use super::{Canonical, CanonicalEvent, CanonicalThread, Status};
use atropos_event::{
    Access, Addr, AllocKind, BlockReason, EventId, Fault, Label, Rmw, RmwOp, Span, ThreadId, ThreadKey, Value,
};
use std::str::FromStr;

impl FromStr for Canonical {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Canonical, Fault> {
        let threads = Threads::of(text)?;
        let mut canonical = Canonical::default();
        for mut words in lines(text) {
            match words.peek() {
                Some("thread") => {
                    words.word("`thread`")?;
                    words.word("a thread")?;
                    let key = threads.keys[canonical.threads.len()];
                    canonical.threads.push(CanonicalThread {
                        key,
                        status: words.status()?,
                        events: Vec::new(),
                    });
                }
                Some("co") => {
                    words.word("`co`")?;
                    let access = words.access()?;
                    let mut writes = Vec::new();
                    while words.peek().is_some() {
                        writes.push(words.event_id(&threads)?);
                    }
                    canonical.co.push((access, writes));
                }
                _ => {
                    let event = words.event(&threads)?;
                    let missing = words.error("expected `thread` before the first event");
                    canonical.threads.last_mut().ok_or(missing)?.events.push(event);
                }
            }
            words.end()?;
        }
        add_sources(&mut canonical);
        Ok(canonical)
    }
}

/// What the parser needs to know of all threads before it reads the first event.
#[derive(Default)]
struct Threads {
    /// In the order of their headers, which must be increasing.
    keys: Vec<ThreadKey>,
    n_events: Vec<usize>,
}

impl Threads {
    fn of(text: &str) -> Result<Self, Fault> {
        let mut threads = Threads::default();
        for mut words in lines(text) {
            match words.next() {
                Some("thread") => {
                    let key = words.key()?;
                    if threads.keys.last().is_some_and(|&last| last >= key) {
                        return Err(words.error_before(format!("thread {key} is out of order")));
                    }
                    if threads.keys.len() == ThreadId::LIMIT {
                        return Err(words.error_before("too many threads"));
                    }
                    threads.keys.push(key);
                    threads.n_events.push(0);
                }
                Some("co") | None => {}
                Some(_) => {
                    if threads.n_events.last() == Some(&EventId::INDEX_LIMIT) {
                        return Err(words.error_before("too many events"));
                    }
                    threads.n_events.last_mut().into_iter().for_each(|n_events| *n_events += 1);
                }
            }
        }
        Ok(threads)
    }

    fn place(&self, word: &str) -> Option<ThreadId> {
        let key: ThreadKey = word.parse().ok()?;
        self.keys.iter().position(|&other| other == key).map(ThreadId::new)
    }

    fn event_id(&self, word: &str) -> Option<EventId> {
        let (key, index) = word.strip_suffix(']')?.split_once('[')?;
        let thread = self.place(key)?;
        let index = index.parse().ok().filter(|&index| index < self.n_events[thread.index()])?;
        Some(EventId::new(thread, index))
    }
}

/// Adds the sources of `begin` and `join`, which the text omits.
fn add_sources(canonical: &mut Canonical) {
    let events: Vec<_> = canonical.events().map(|(id, event)| (id, event.label)).collect();
    for &(id, label) in &events {
        let source = match label {
            Label::Begin => {
                let is_spawn = |label: &Label| label.created() == Some(id.thread());
                events.iter().find(|(_, label)| is_spawn(label)).map(|&(spawn, _)| spawn)
            }
            Label::Join { child } => {
                let n_events = canonical.threads[child.index()].events.len();
                n_events.checked_sub(1).map(|last| EventId::new(child, last))
            }
            Label::End
            | Label::Read { .. }
            | Label::Write { .. }
            | Label::Fence { .. }
            | Label::Spawn { .. }
            | Label::Alloc { .. }
            | Label::Free { .. } => continue,
        };
        canonical.threads[id.thread().index()].events[id.index()].source = source;
    }
}

/// The place in `text` of the event of `thread` with this index, or of the thread if it has no such event.
pub fn place_of(text: &str, thread: ThreadKey, index: usize) -> Option<Span> {
    let is_header =
        |words: &mut Words<'_>| words.next() == Some("thread") && words.key().is_ok_and(|key| key == thread);
    let mut lines = lines(text);
    let header =
        lines.by_ref().map(|mut words| (is_header(&mut words), words)).find(|(is_header, _)| *is_header)?.1;
    let is_event = |words: &Words<'_>| {
        !["thread", "co"].contains(&words.text.split_whitespace().next().unwrap_or_default())
    };
    let event = lines.take_while(is_event).nth(index);
    Some(event.unwrap_or(header).whole())
}

/// The lines that are not blank.
fn lines(text: &str) -> impl Iterator<Item = Words<'_>> {
    let starts = text.split_inclusive('\n').scan(0, |end, line| {
        let start = *end;
        *end += line.len();
        Some((start, line.trim_end()))
    });
    let written = starts.filter(|(_, line)| !line.is_empty());
    written.map(|(start, text)| Words { text, at: 0, before: 0, start })
}

/// One line, read word by word.
struct Words<'text> {
    text: &'text str,
    /// The place of the next word, and the start of the last one.
    at: usize,
    before: usize,
    /// The place of the line.
    start: usize,
}

impl<'text> Words<'text> {
    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&mut self) -> Option<&'text str> {
        self.skip_blanks();
        self.text[self.at..].split_whitespace().next()
    }

    fn next(&mut self) -> Option<&'text str> {
        let word = self.peek()?;
        self.before = self.at;
        self.at += word.len();
        Some(word)
    }

    /// The line without the blanks around it.
    fn whole(&self) -> Span {
        let indent = self.text.len() - self.text.trim_start().len();
        Span::new(self.start + indent, self.start + self.text.len())
    }

    fn error(&self, message: impl Into<String>) -> Fault {
        let word = self.text[self.at..].split_whitespace().next().unwrap_or_default();
        Fault::new(Span::new(self.start + self.at, self.start + self.at + word.len()), message)
    }

    /// An error at the word read last.
    fn error_before(&self, message: impl Into<String>) -> Fault {
        Fault::new(Span::new(self.start + self.before, self.start + self.at), message)
    }

    fn word(&mut self, what: &str) -> Result<&'text str, Fault> {
        self.next().ok_or_else(|| self.error(format!("expected {what}")))
    }

    /// The next word, read by `read`.
    fn read<T>(&mut self, what: &str, read: impl FnOnce(&'text str) -> Option<T>) -> Result<T, Fault> {
        let word = self.word(what)?;
        read(word).ok_or_else(|| self.error_before(format!("expected {what}, found `{word}`")))
    }

    fn expect(&mut self, word: &str) -> Result<(), Fault> {
        self.read(&format!("`{word}`"), |found| (found == word).then_some(()))
    }

    fn parsed<T: FromStr>(&mut self, what: &str) -> Result<T, Fault> {
        self.read(what, |word| word.parse().ok())
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(self.error(format!("unexpected `{word}`"))),
        }
    }

    fn key(&mut self) -> Result<ThreadKey, Fault> {
        self.parsed("a thread")
    }

    fn thread(&mut self, threads: &Threads) -> Result<ThreadId, Fault> {
        self.read("a thread of this graph", |word| threads.place(word))
    }

    fn event_id(&mut self, threads: &Threads) -> Result<EventId, Fault> {
        self.read("an event", |word| threads.event_id(word))
    }

    fn access(&mut self) -> Result<Access, Fault> {
        let bytes = |text: &str| {
            let (addr, size) = text.split_once('/')?;
            let (Addr(addr), size) = (parse_addr(addr)?, size.parse().ok().filter(|&size: &u8| size > 0)?);
            addr.checked_add(size.into()).map(|_| Access::new(addr, size))
        };
        self.read("an access like `0x10/4`", |word| match word.split_once(':') {
            None => bytes(word),
            Some((cell, part)) => {
                let (cell, part) = (bytes(cell)?, bytes(part)?);
                cell.contains(part).then(|| part.within(cell))
            }
        })
    }

    /// A value of these bytes: a number, or the bytes themselves if there are more than eight.
    fn value(&mut self, access: Access) -> Result<Value, Fault> {
        if !access.is_wide() {
            return self.parsed("a value");
        }
        self.read("the bytes of a value", |word| {
            let digits =
                word.strip_prefix('#').filter(|digits| digits.len() == 2 * usize::from(access.size))?;
            let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
            let bytes = (0..digits.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
            Some(Access::value_of(&bytes))
        })
    }

    fn status(&mut self) -> Result<Status, Fault> {
        let word = self.word("a status")?;
        let mut reads = || self.parsed("a number of reads");
        Ok(match word {
            "finished" => Status::Finished,
            "unfinished" => Status::Unfinished,
            "joining" => Status::Joining,
            "failed" => Status::Failed,
            "assume" => Status::Blocked(BlockReason::Assume),
            "bound" => Status::Blocked(BlockReason::Bound),
            "exit" => Status::Blocked(BlockReason::Exit),
            "retry" => Status::Blocked(BlockReason::Retry),
            "spin" => Status::Blocked(BlockReason::Spin { reads: reads()? }),
            "lock" => Status::Blocked(BlockReason::Lock { reads: reads()? }),
            "wait" => Status::Blocked(BlockReason::Wait { reads: reads()? }),
            _ => return Err(self.error_before(format!("expected a status, found `{word}`"))),
        })
    }

    fn event(&mut self, threads: &Threads) -> Result<CanonicalEvent, Fault> {
        let verb = self.word("an event")?;
        let label = match verb {
            "begin" => Label::Begin,
            "end" => Label::End,
            "spawn" => Label::Spawn { child: self.thread(threads)?, drains: true },
            "spawn.weak" => Label::Spawn { child: self.thread(threads)?, drains: false },
            "join" => Label::Join { child: self.thread(threads)? },
            "fence" => Label::Fence { order: self.parsed("a fence order")? },
            "alloc" => Label::Alloc { addr: self.addr()?, size: self.parsed("a size")?, kind: self.kind()? },
            "free" => Label::Free { addr: self.addr()?, kind: self.kind()? },
            "write" => return self.write(),
            "read" | "update" | "attempt" => return self.read_event(verb, threads),
            _ => return Err(self.error_before(format!("expected an event, found `{verb}`"))),
        };
        Ok(CanonicalEvent { label, source: None, value: 0, exclusive: false })
    }

    fn addr(&mut self) -> Result<Addr, Fault> {
        self.read("an address", parse_addr)
    }

    fn kind(&mut self) -> Result<AllocKind, Fault> {
        self.read("`heap` or `stack`", |word| match word {
            "heap" => Some(AllocKind::Heap),
            "stack" => Some(AllocKind::Stack),
            _ => None,
        })
    }

    fn write(&mut self) -> Result<CanonicalEvent, Fault> {
        let access = self.access()?;
        let (value, order) = (self.value(access)?, self.parsed("a write order")?);
        let exclusive = self.peek().is_some();
        if exclusive {
            self.expect("exclusive")?;
        }
        let label = Label::Write { access, order, value, exclusive };
        Ok(CanonicalEvent { label, source: None, value, exclusive })
    }

    fn read_event(&mut self, verb: &str, threads: &Threads) -> Result<CanonicalEvent, Fault> {
        let access = self.access()?;
        let (value, order) = (self.value(access)?, self.parsed("a read order")?);
        self.expect("from")?;
        let source = match self.peek() {
            Some("init") => self.next().and(None),
            _ => Some(self.event_id(threads)?),
        };
        let rmw = if verb == "read" { Rmw::None } else { self.rmw(access)? };
        let label = Label::Read { access, order, rmw };
        Ok(CanonicalEvent { label, source, value, exclusive: verb == "update" })
    }

    fn rmw(&mut self, access: Access) -> Result<Rmw, Fault> {
        self.expect("by")?;
        if self.peek() == Some("cas") {
            self.next();
            return Ok(Rmw::Cas {
                expected: self.parsed("a value")?,
                desired: self.parsed("a value")?,
                write_order: self.parsed("a write order")?,
                failure_order: self.parsed("a read order")?,
            });
        }
        if self.peek() == Some("merge") {
            self.next();
            let (value, write_order) = (self.value(access.part())?, self.parsed("a write order")?);
            return Ok(Rmw::Merge { value, write_order });
        }
        let op = self.read("an operation", |word| RmwOp::ALL.into_iter().find(|op| op.name() == word))?;
        Ok(Rmw::Fetch { op, operand: self.parsed("a value")?, write_order: self.parsed("a write order")? })
    }
}

fn parse_addr(word: &str) -> Option<Addr> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok().map(Addr)
}
