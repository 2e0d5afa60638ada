//! Parses the text form word by word, and resolves names at the end.

use super::{Canonical, CanonicalEvent, CanonicalThread, Status};
use atropos_event::{Access, Addr, AllocKind, BlockReason, EventId, Label, Rmw, RmwOp, ThreadId, ThreadKey};
use std::fmt;
use std::str::FromStr;

/// An error in a text and its place; lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Canonical {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Canonical, ParseError> {
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
    fn of(text: &str) -> Result<Self, ParseError> {
        let mut threads = Threads::default();
        for mut words in lines(text) {
            match words.next() {
                Some("thread") => {
                    let key = words.key()?;
                    if threads.keys.last().is_some_and(|&last| last >= key) {
                        return Err(words.error_before(format!("thread {key} is out of order")));
                    }
                    threads.keys.push(key);
                    threads.n_events.push(0);
                }
                Some("co") | None => {}
                Some(_) => threads.n_events.last_mut().into_iter().for_each(|n_events| *n_events += 1),
            }
        }
        Ok(threads)
    }

    fn place(&self, word: &str) -> Option<ThreadId> {
        let key = parse_key(word)?;
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

/// The lines that are not blank.
fn lines(text: &str) -> impl Iterator<Item = Words<'_>> {
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered.map(|(index, line)| Words { text: line, at: 0, before: 0, line: index + 1 })
}

/// One line, read word by word.
struct Words<'text> {
    text: &'text str,
    /// The place of the next word, and the start of the last one.
    at: usize,
    before: usize,
    line: usize,
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

    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.at + 1, message: message.into() }
    }

    /// An error at the word read last.
    fn error_before(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.line, column: self.before + 1, message: message.into() }
    }

    fn word(&mut self, what: &str) -> Result<&'text str, ParseError> {
        self.next().ok_or_else(|| self.error(format!("expected {what}")))
    }

    /// The next word, read by `read`.
    fn read<T>(&mut self, what: &str, read: impl FnOnce(&'text str) -> Option<T>) -> Result<T, ParseError> {
        let word = self.word(what)?;
        read(word).ok_or_else(|| self.error_before(format!("expected {what}, found `{word}`")))
    }

    fn expect(&mut self, word: &str) -> Result<(), ParseError> {
        self.read(&format!("`{word}`"), |found| (found == word).then_some(()))
    }

    fn parsed<T: FromStr>(&mut self, what: &str) -> Result<T, ParseError> {
        self.read(what, |word| word.parse().ok())
    }

    fn end(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(self.error(format!("unexpected `{word}`"))),
        }
    }

    fn key(&mut self) -> Result<ThreadKey, ParseError> {
        self.read("a thread", parse_key)
    }

    fn thread(&mut self, threads: &Threads) -> Result<ThreadId, ParseError> {
        self.read("a thread of this graph", |word| threads.place(word))
    }

    fn event_id(&mut self, threads: &Threads) -> Result<EventId, ParseError> {
        self.read("an event", |word| threads.event_id(word))
    }

    fn access(&mut self) -> Result<Access, ParseError> {
        let bytes = |text: &str| {
            let (addr, size) = text.split_once('/')?;
            let size = size.parse().ok().filter(|size| matches!(size, 1 | 2 | 4 | 8))?;
            Some(Access::new(parse_addr(addr)?.0, size))
        };
        self.read("an access like `0x10/4`", |word| match word.split_once(':') {
            None => bytes(word),
            Some((cell, part)) => {
                let (cell, part) = (bytes(cell)?, bytes(part)?);
                cell.contains(part).then(|| part.within(cell))
            }
        })
    }

    fn status(&mut self) -> Result<Status, ParseError> {
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
            "spin" => Status::Blocked(BlockReason::Spin { reads: reads()? }),
            "lock" => Status::Blocked(BlockReason::Lock { reads: reads()? }),
            "wait" => Status::Blocked(BlockReason::Wait { reads: reads()? }),
            _ => return Err(self.error_before(format!("expected a status, found `{word}`"))),
        })
    }

    fn event(&mut self, threads: &Threads) -> Result<CanonicalEvent, ParseError> {
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

    fn addr(&mut self) -> Result<Addr, ParseError> {
        self.read("an address", parse_addr)
    }

    fn kind(&mut self) -> Result<AllocKind, ParseError> {
        self.read("`heap` or `stack`", |word| match word {
            "heap" => Some(AllocKind::Heap),
            "stack" => Some(AllocKind::Stack),
            _ => None,
        })
    }

    fn write(&mut self) -> Result<CanonicalEvent, ParseError> {
        let (access, value, order) = (self.access()?, self.parsed("a value")?, self.parsed("a write order")?);
        let exclusive = self.peek().is_some();
        if exclusive {
            self.expect("exclusive")?;
        }
        let label = Label::Write { access, order, value, exclusive };
        Ok(CanonicalEvent { label, source: None, value, exclusive })
    }

    fn read_event(&mut self, verb: &str, threads: &Threads) -> Result<CanonicalEvent, ParseError> {
        let (access, value, order) = (self.access()?, self.parsed("a value")?, self.parsed("a read order")?);
        self.expect("from")?;
        let source = match self.peek() {
            Some("init") => self.next().and(None),
            _ => Some(self.event_id(threads)?),
        };
        let rmw = if verb == "read" { Rmw::None } else { self.rmw()? };
        let label = Label::Read { access, order, rmw };
        Ok(CanonicalEvent { label, source, value, exclusive: verb == "update" })
    }

    fn rmw(&mut self) -> Result<Rmw, ParseError> {
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
            let (value, write_order) = (self.parsed("a value")?, self.parsed("a write order")?);
            return Ok(Rmw::Merge { value, write_order });
        }
        let op = self.read("an operation", |word| RmwOp::ALL.into_iter().find(|op| op.name() == word))?;
        Ok(Rmw::Fetch { op, operand: self.parsed("a value")?, write_order: self.parsed("a write order")? })
    }
}

fn parse_addr(word: &str) -> Option<Addr> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok().map(Addr)
}

fn parse_key(word: &str) -> Option<ThreadKey> {
    let mut path = word.split('.').map(|part| part.parse().ok());
    (path.next()? == Some(0)).then_some(())?;
    ThreadKey::from_path(&path.collect::<Option<Vec<u64>>>()?)
}
