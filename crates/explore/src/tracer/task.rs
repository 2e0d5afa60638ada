//! A part of a search as a value, and its text.
//!
//! A part is a *branch* of a read: one of its sources, or one of its schedules. The search below it leaves schedules at
//! that read and at those before it, so these reads belong to the part as [`TaskAnchor`]s. All branches of a read share
//! its anchor, which has a name: a worker that meets a schedule for it gives the schedule away as a part with a key, the
//! name and the history of the write, so that it is explored once, however many meet it.
//!
//! All that is *left* of a part is one part, too: besides the anchors that it shares with others, it has the reads whose
//! branches are its own, with what is left of them.
//!
//! Workers number threads as they see them, so a part names them by their keys. Its text is a line of words, in the
//! order in which the worker needs them:
//!
//! ```text
//! @READ.HISTORY                a key; always the first word
//! e:THREAD<WRITE               an event, with its source if it is a read; then
//!   !  or  ^NTH:WRITE          that it can be served later: by any write, or by those after one, at the nth anchor
//! a:THREAD/NAME                the next event of this thread is the read of an anchor
//! f:THREAD/NAME^WRITE          the same for a read with branches of its own; it may have no name, and is after a write
//!   s:WRITE                      a source that is left
//!   k:HISTORY                    a write whose schedule is known
//!   w:  or  w:y                  a schedule that is left, and whether it gives way; its events follow
//! l:NTH:READ:WRITE             a read that was left for later
//! b:THREAD<WRITE^WRITE         the branch is a source
//! c:  or  c:y                  the branch is a schedule; its events follow
//! g:THREAD<WRITE               an event of a schedule
//! ```

use super::history::History;
use super::schedule::SharedWrites;
use crate::engine::{Name, read_name};
use atropos_event::ThreadKey;
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::Arc;

/// A part of a search; by default all of it.
#[derive(Clone, Debug, Default)]
pub struct TracerTask {
    pub(super) origin: Arc<Origin>,
    /// How many of the origin's anchors belong to it.
    pub(super) n_anchors: usize,
    pub(super) start: Start,
}

/// Where parts come from: all that lead to one of these anchors share it.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// The events. The writes of read-modify-writes belong to their reads.
    pub(super) path: Vec<(NamedEvent, NamedSwap)>,
    pub(super) anchors: Vec<TaskAnchor>,
    /// The reads that have given way: the anchor, the read, and the write.
    pub(super) late: Vec<(usize, Name, Name)>,
}

/// A read that several parts share.
#[derive(Clone, Debug)]
pub(super) struct TaskAnchor {
    /// The number of events of the path before it.
    pub step: usize,
    pub thread: ThreadKey,
    pub id: History,
    pub known: SharedWrites,
}

/// What to do at the end of the path.
#[derive(Clone, Debug, Default)]
pub(super) enum Start {
    /// Go on.
    #[default]
    Whole,
    /// Take a source of the last anchor, which has given way to a write.
    Source(NamedEvent, Option<Name>),
    /// Take a schedule of the last anchor. If another worker may take it too, the history of its write identifies it.
    Schedule(NamedSchedule, Option<History>),
    /// Go on with what is left of these reads.
    Rest { named: Vec<Vec<History>>, frames: Vec<TaskFrame> },
}

/// A read with branches of its own.
#[derive(Clone, Debug)]
pub(super) struct TaskFrame {
    pub step: usize,
    pub thread: ThreadKey,
    pub after: Option<Name>,
    pub sources: Vec<Option<Name>>,
    pub waiting: Vec<NamedSchedule>,
    /// If other workers have some of its branches.
    pub shared: Option<(History, SharedWrites)>,
    pub known: Vec<History>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct NamedSchedule {
    pub steps: Vec<NamedEvent>,
    pub gives_way: bool,
}

/// A [`ScheduledEvent`](super::schedule::ScheduledEvent) that means the same to every worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NamedEvent {
    pub thread: ThreadKey,
    pub source: Option<Name>,
}

/// A [`Swap`](super::explorer::Swap) that means the same to every worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NamedSwap {
    No,
    Open,
    After { frame: u32, write: Name },
}

/// The key of the schedule with this write at the read `id`.
pub(super) fn key(id: History, write: History) -> String {
    format!("{id}.{write}")
}

/// Reads parts. Those that share reads share them again, and also what is `known` of them.
pub(super) fn read_all(texts: &[String], known: &[String]) -> Option<Vec<TracerTask>> {
    let mut shared = FxHashMap::<History, SharedWrites>::default();
    for key in known {
        let (id, write) = key.split_once('.')?;
        shared.entry(id.parse().ok()?).or_default().insert(write.parse().ok()?);
    }
    let read = |text: &String| {
        let mut task: TracerTask = text.parse().ok()?;
        let origin = Arc::get_mut(&mut task.origin).expect("it was just read");
        let mut named: &mut [Vec<History>] = &mut [];
        if let Start::Rest { named: all, frames } = &mut task.start {
            named = all;
            for frame in frames.iter_mut() {
                if let Some((id, known)) = &mut frame.shared {
                    *known = shared.entry(*id).or_default().clone();
                    known.extend(&frame.known);
                }
            }
        }
        for (nth, anchor) in origin.anchors.iter_mut().enumerate() {
            anchor.known = shared.entry(anchor.id).or_default().clone();
            anchor.known.extend(named.get(nth).map_or(&[], Vec::as_slice));
        }
        Some(task)
    };
    texts.iter().map(read).collect()
}

impl fmt::Display for NamedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.thread)?;
        self.source.map_or(Ok(()), |source| write!(f, "<{}", Spelt(source)))
    }
}

/// The text of a name.
struct Spelt(Name);

impl fmt::Display for Spelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spelt((key, index)) = self;
        write!(f, "{key}[{index}]")
    }
}

impl fmt::Display for TracerTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.spell(&mut text)?;
        f.write_str(text.trim_start())
    }
}

impl TracerTask {
    fn anchors(&self) -> &[TaskAnchor] {
        &self.origin.anchors[..self.n_anchors]
    }

    /// How many events of the path belong to this part.
    pub(super) fn n_steps(&self) -> usize {
        let last_frame = match &self.start {
            Start::Rest { frames, .. } => frames.last(),
            _ => None,
        };
        let last = self.anchors().last().map_or(0, |anchor| anchor.step);
        last_frame.map_or(last, |frame| frame.step)
    }

    /// Every word comes after a space.
    fn spell(&self, text: &mut String) -> fmt::Result {
        let (named, frames) = match &self.start {
            Start::Rest { named, frames } => (named.as_slice(), frames.as_slice()),
            Start::Whole | Start::Source(..) | Start::Schedule(..) => (&[][..], &[][..]),
        };
        if let (Start::Schedule(_, Some(write)), Some(anchor)) = (&self.start, self.anchors().last()) {
            write!(text, "@{}", key(anchor.id, *write))?;
        }
        let mut anchors = self.anchors().iter().enumerate().peekable();
        let mut open = frames.iter().peekable();
        for step in 0..=self.n_steps() {
            while let Some((nth, anchor)) = anchors.next_if(|(_, anchor)| anchor.step == step) {
                write!(text, " a:{}/{}", anchor.thread, anchor.id)?;
                spell_known(text, named.get(nth).map_or(&[], Vec::as_slice))?;
            }
            while let Some(frame) = open.next_if(|frame| frame.step == step) {
                frame.spell(text)?;
            }
            if step == self.n_steps() {
                break;
            }
            let (event, swap) = &self.origin.path[step];
            write!(text, " e:{event}")?;
            match swap {
                NamedSwap::No => {}
                NamedSwap::Open => text.push('!'),
                NamedSwap::After { frame, write } => write!(text, "^{frame}:{}", Spelt(*write))?,
            }
        }
        let n_all = self.n_anchors + frames.len();
        for (anchor, read, after) in self.origin.late.iter().filter(|(anchor, ..)| anchor + 1 < n_all) {
            write!(text, " l:{anchor}:{}:{}", Spelt(*read), Spelt(*after))?;
        }
        match &self.start {
            Start::Whole | Start::Rest { .. } => Ok(()),
            Start::Source(event, after) => {
                write!(text, " b:{event}")?;
                after.map_or(Ok(()), |after| write!(text, "^{}", Spelt(after)))
            }
            Start::Schedule(schedule, _) => schedule.spell(text, 'c'),
        }
    }
}

impl TaskFrame {
    fn spell(&self, text: &mut String) -> fmt::Result {
        write!(text, " f:{}", self.thread)?;
        if let Some((id, _)) = &self.shared {
            write!(text, "/{id}")?;
        }
        if let Some(after) = self.after {
            write!(text, "^{}", Spelt(after))?;
        }
        for source in &self.sources {
            match source {
                None => write!(text, " s:init")?,
                Some(source) => write!(text, " s:{}", Spelt(*source))?,
            }
        }
        spell_known(text, &self.known)?;
        self.waiting.iter().try_for_each(|schedule| schedule.spell(text, 'w'))
    }
}

impl NamedSchedule {
    fn spell(&self, text: &mut String, kind: char) -> fmt::Result {
        write!(text, " {kind}:{}", if self.gives_way { "y" } else { "" })?;
        self.steps.iter().try_for_each(|step| write!(text, " g:{step}"))
    }
}

fn spell_known(text: &mut String, known: &[History]) -> fmt::Result {
    known.iter().try_for_each(|write| write!(text, " k:{write}"))
}

impl FromStr for TracerTask {
    type Err = ();

    fn from_str(text: &str) -> Result<TracerTask, ()> {
        let mut reader = Reader::default();
        text.split_ascii_whitespace().try_for_each(|word| reader.read(word)).ok_or(())?;
        reader.end().ok_or(())
    }
}

/// What was read of a part.
#[derive(Default)]
struct Reader {
    origin: Origin,
    key: Option<(History, History)>,
    named: Vec<Vec<History>>,
    frames: Vec<TaskFrame>,
    branch: Start,
}

impl Reader {
    fn read(&mut self, word: &str) -> Option<()> {
        if let Some(key) = word.strip_prefix('@') {
            let (id, write) = key.split_once('.')?;
            let is_first =
                self.key.is_none() && self.origin.path.is_empty() && self.origin.anchors.is_empty();
            self.key = Some((id.parse().ok()?, write.parse().ok()?));
            return is_first.then_some(());
        }
        let (kind, text) = word.split_once(':')?;
        let step = self.origin.path.len();
        match (&mut self.branch, kind) {
            (Start::Schedule(schedule, _), "g") => schedule.steps.push(read_event(text)?),
            (Start::Source(..) | Start::Schedule(..), _) => return None,
            (_, "e") => self.origin.path.push(read_step(text)?),
            (_, "a") if self.frames.is_empty() => {
                let (thread, id) = text.split_once('/')?;
                let (thread, id) = (thread.parse().ok()?, id.parse().ok()?);
                self.origin.anchors.push(TaskAnchor { step, thread, id, known: SharedWrites::default() });
                self.named.push(Vec::new());
            }
            (_, "f") => self.frames.push(read_frame(text, step)?),
            (_, "s") => {
                let source = if text == "init" { None } else { Some(read_name(text)?) };
                self.frames.last_mut()?.sources.push(source);
            }
            (_, "k") => {
                let known = match self.frames.last_mut() {
                    Some(frame) => &mut frame.known,
                    None => self.named.last_mut()?,
                };
                known.push(text.parse().ok()?);
            }
            (_, "w") => self.frames.last_mut()?.waiting.push(read_schedule(text)?),
            (_, "g") => self.frames.last_mut()?.waiting.last_mut()?.steps.push(read_event(text)?),
            (_, "l") => {
                let mut words = text.split(':');
                let late =
                    (words.next()?.parse().ok()?, read_name(words.next()?)?, read_name(words.next()?)?);
                self.origin.late.push(late);
                words.next().is_none().then_some(())?;
            }
            (_, "b") => {
                let (event, after) = split_caret(text);
                self.branch = Start::Source(read_event(event)?, read_after(after)?);
            }
            (_, "c") => {
                let key = self.key.map(|(_, write)| write);
                self.branch = Start::Schedule(read_schedule(text)?, key);
            }
            _ => return None,
        }
        Some(())
    }

    fn end(self) -> Option<TracerTask> {
        let Reader { origin, key, named, frames, branch } = self;
        let n_anchors = origin.anchors.len();
        let is_keyed = match &branch {
            Start::Schedule(schedule, write) => {
                (!schedule.steps.is_empty()).then_some(())?;
                write.is_some()
            }
            _ => false,
        };
        let start = match (branch, frames.is_empty()) {
            (Start::Whole, false) => Start::Rest { named, frames },
            (Start::Whole, true) if n_anchors == 0 && origin.path.is_empty() => Start::Whole,
            (branch @ (Start::Source(..) | Start::Schedule(..)), true) if n_anchors > 0 => branch,
            _ => return None,
        };
        let task = TracerTask { origin: Arc::new(origin), n_anchors, start };
        let is_right_key = match key {
            None => !is_keyed,
            Some((id, _)) => is_keyed && task.anchors().last()?.id == id,
        };
        let ends_with_read = task.n_steps() == task.origin.path.len();
        (is_right_key && ends_with_read).then_some(task)
    }
}

fn read_event(text: &str) -> Option<NamedEvent> {
    let (thread, source) =
        text.split_once('<').map_or((text, None), |(thread, source)| (thread, Some(source)));
    let source = match source {
        None => None,
        Some(source) => Some(read_name(source)?),
    };
    Some(NamedEvent { thread: thread.parse().ok()?, source })
}

/// The text before and after a caret, if there is one.
fn split_caret(text: &str) -> (&str, Option<&str>) {
    text.split_once('^').map_or((text, None), |(before, after)| (before, Some(after)))
}

fn read_after(text: Option<&str>) -> Option<Option<Name>> {
    text.map_or(Some(None), |text| read_name(text).map(Some))
}

fn read_step(text: &str) -> Option<(NamedEvent, NamedSwap)> {
    if let Some(event) = text.strip_suffix('!') {
        return Some((read_event(event)?, NamedSwap::Open));
    }
    let (event, after) = split_caret(text);
    let swap = match after {
        None => NamedSwap::No,
        Some(after) => {
            let (frame, write) = after.split_once(':')?;
            NamedSwap::After { frame: frame.parse().ok()?, write: read_name(write)? }
        }
    };
    Some((read_event(event)?, swap))
}

fn read_frame(text: &str, step: usize) -> Option<TaskFrame> {
    let (text, after) = split_caret(text);
    let (thread, shared) = match text.split_once('/') {
        None => (text, None),
        Some((thread, id)) => (thread, Some((id.parse().ok()?, SharedWrites::default()))),
    };
    let (thread, after) = (thread.parse().ok()?, read_after(after)?);
    Some(TaskFrame { step, thread, after, sources: vec![], waiting: vec![], shared, known: vec![] })
}

fn read_schedule(text: &str) -> Option<NamedSchedule> {
    matches!(text, "" | "y").then(|| NamedSchedule { steps: Vec::new(), gives_way: text == "y" })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";
    const WRITE: &str = "ffffffffffffffff0000000000000001";

    /// Reads the text, in which `ID` and `WRITE` stand for fingerprints.
    fn read(text: &str) -> Result<TracerTask, ()> {
        text.replace("ID", ID).replace("WRITE", WRITE).parse()
    }

    #[test]
    fn a_part_is_one_line_of_text() {
        for text in [
            "",
            "e:0 e:0 a:0.1/ID b:0.1",
            "e:0 a:0.1/ID e:0.1<0[1]! e:0.2<0.1[2]^0:0.1[3] a:0.2/ID l:0:0.1[3]:0.2[1] b:0.2<0.1[0]^0.2[1]",
            "@ID.WRITE e:0 a:0.1/ID c: g:0.2 g:0.1<0.2[0]",
            "e:0 a:0.1/ID c:y g:0.2 g:0.1<0.2[0]",
            "f:0 s:init s:0[3]",
            "a:0/ID k:WRITE k:WRITE e:0! f:0.1/ID^0[2] s:0[1] k:WRITE w: g:0.2 g:0.1<0.2[0] w:y g:0.1<0[1] e:0.1 f:0.2",
        ] {
            let task = read(text).unwrap_or_else(|()| panic!("{text} is a part"));
            assert_eq!(task.to_string(), text.replace("ID", ID).replace("WRITE", WRITE));
        }
    }

    #[test]
    fn other_text_is_no_part() {
        for text in [
            "e:0",
            "a:0/ID",
            "a:0/ID e:0 b:0",
            "a:0 b:0",
            "a:0/x b:0",
            "b:0",
            "a:0/ID c:",
            "a:0/ID c:x g:0",
            "a:0/ID b:0 b:0",
            "a:0/ID b:0 g:0",
            "@ID.WRITE a:0/ID b:0",
            "@WRITE.ID a:0/ID c: g:0",
            "a:0/ID @ID.WRITE c: g:0",
            "f:0 a:0/ID",
            "f:0 b:0",
            "s:init",
            "k:WRITE",
            "f:0 k:0",
            "f:0 s:0",
            "f:0 g:0",
            "l:0:0[1] f:0",
            "e:0^x:0[1] f:0",
            "e:0<0 f:0",
            "x:1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
