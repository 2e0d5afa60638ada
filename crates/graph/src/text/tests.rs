//! Print and parse are inverse; errors say where.

use super::*;
use crate::event::Slot;
use crate::sketch::{Sketch, X, Y};
use atropos_event::{FenceOrder, Region, ThreadKey};

/// A graph with every kind of event.
fn canonical() -> Canonical {
    let mut sketch = Sketch::new();
    sketch.alloc(0, 0x100);
    let spawn = sketch.spawn(0, 1);
    let write = sketch.write(0, X, 1);
    sketch.begin(1, spawn);
    sketch.increment(1, X, write);
    sketch.fence(1, FenceOrder::AcqRel);
    sketch.read(1, Y, Slot::INIT);
    let end = sketch.end(1);
    sketch.compare_and_swap(0, X, write, 3);
    sketch.join(0, 1, end);
    sketch.free(0, 0x100);
    sketch.canonical()
}

const TEXT: &str = "\
thread 0 unfinished
  alloc 0x100 8 heap
  spawn 0.1
  write 0x10/4 1 rlx
  attempt 0x10/4 1 acq from 0[2] by cas 3 7 sc rlx
  join 0.1
  free 0x100 heap
thread 0.1 finished
  begin
  update 0x10/4 1 acq from 0[2] by add 1 rel
  write 0x10/4 2 rel exclusive
  fence acqrel
  read 0x20/4 0 acq from init
  end
co 0x10/4 0[2] 0.1[2]
";

#[test]
fn graphs_print_as_expected_and_parse_back() {
    assert_eq!(canonical().to_string(), TEXT);
    assert_eq!(TEXT.parse(), Ok(canonical()));
}

#[test]
fn accesses_to_parts_parse_back() {
    let text = "\
thread 0 unfinished
  update 0x10/4:0x12/1 0 rlx from init by merge 7 rel
  write 0x10/4:0x12/1 458752 rel exclusive
  read 0x10/4:0x10/2 458752 rlx from 0[1]
co 0x10/4 0[1]
";
    assert_eq!(text.parse::<Canonical>().map(|parsed| parsed.to_string()).as_deref(), Ok(text));
    let outside = text.replace("0x12/1", "0x14/1");
    assert!(outside.parse::<Canonical>().is_err());
}

#[test]
fn long_values_are_written_as_bytes() {
    let text = "\
thread 0 unfinished
  write 0x10/20 #0102030405060708090a0b0c0d0e0f1011121314 rlx
  read 0x10/20:0x14/4 #0102030405060708090a0b0c0d0e0f1011121314 rlx from 0[0]
  read 0x40/3 70000 na from init
co 0x10/20 0[0]
";
    assert_eq!(text.parse::<Canonical>().map(|parsed| parsed.to_string()).as_deref(), Ok(text));
    assert!(text.replace("1314", "13").parse::<Canonical>().is_err());
}

#[test]
fn events_have_places() {
    let place = |path: &[u64], index| {
        let span = place_of(TEXT, ThreadKey::from_path(path).unwrap(), index)?;
        Some(&TEXT[span.start as usize..span.end as usize])
    };
    assert_eq!(place(&[], 2), Some("write 0x10/4 1 rlx"));
    assert_eq!(place(&[1], 5), Some("end"));
    assert_eq!(place(&[1], 6), Some("thread 0.1 finished"));
    assert_eq!(place(&[2], 0), None);
}

#[test]
fn every_status_parses_back() {
    let reasons = [
        BlockReason::Assume,
        BlockReason::Bound,
        BlockReason::Retry,
        BlockReason::Spin { reads: 2 },
        BlockReason::Lock { reads: 1 },
        BlockReason::Wait { reads: 3 },
    ];
    let others = [Status::Finished, Status::Unfinished, Status::Joining, Status::Failed];
    for status in others.into_iter().chain(reasons.map(Status::Blocked)) {
        let mut canonical = canonical();
        canonical.threads[0].status = status;
        assert_eq!(canonical.to_string().parse(), Ok(canonical), "{status}");
    }
}

#[test]
fn errors_have_line_and_column() {
    for (text, error) in [
        ("end", "1:4: expected `thread` before the first event"),
        ("thread 1 finished", "1:8: expected a thread, found `1`"),
        ("thread 0 happy", "1:10: expected a status, found `happy`"),
        ("thread 0.1 finished\nthread 0 finished", "2:8: thread 0 is out of order"),
        ("thread 0 finished\n  jump", "2:3: expected an event, found `jump`"),
        (
            "thread 0 finished\n  read 0x10/0 1 acq from init",
            "2:8: expected an access like `0x10/4`, found `0x10/0`",
        ),
        ("thread 0 finished\n  read 0x10/4 1 rel from init", "2:17: expected a read order, found `rel`"),
        ("thread 0 finished\n  read 0x10/4 1 acq from 0.1[0]", "2:26: expected an event, found `0.1[0]`"),
        ("thread 0 finished\n  read 0x10/4 1 acq from 0[7]", "2:26: expected an event, found `0[7]`"),
        ("thread 0 finished\n  write 0x10/4 1", "2:17: expected a write order"),
        ("thread 0 finished\n  end now", "2:7: unexpected `now`"),
    ] {
        let fault = text.parse::<Canonical>().unwrap_err();
        let Region { line, column, .. } = Region::of(text, fault.span);
        assert_eq!(format!("{line}:{column}: {}", fault.message), error, "{text}");
    }
}
