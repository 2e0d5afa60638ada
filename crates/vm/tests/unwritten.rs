//! Memory that was never written may be copied, but not used.

mod common;

use common::{outcome_of, result_of};

fn check(body: &str, expected: &str) {
    assert_eq!(outcome_of(&format!("fn main() {{ {body} }}")), expected, "{body}");
}

#[test]
fn what_was_not_written_must_not_be_read() {
    check("fresh b: 8\n r = load.i32 b", "uninitialised: read of b, which was never written");
    check("fresh b: 8\n store.i32 b, 1; r = load.i64 b", "uninitialised: read of b, which was never written");
    check(
        "fresh b: 100\n p = addr b + 61; q = addr b + 60; store.i64 p, 1; r = load.i32 q",
        "uninitialised: read of b+60, which was never written",
    );
    check("p = malloc 8; r = load.i32 p", "uninitialised: read of heap 0+0x3a53f0, which was never written");
    check(
        "shared b: 8\n r = rmw.add.rlx.i32 b, 1",
        "uninitialised: read of heap 0+0x3a53f0, which was never written",
    );
}

#[test]
fn what_was_written_may_be_read() {
    let text = "global result: i64
        fn main() {
          fresh b: 100
          p = addr b + 61
          store.i64 p, 5
          r = load.i64 p
          store.i64 result, r
        }";
    assert_eq!(result_of(text), 5);
}

#[test]
fn a_copy_is_as_unwritten_as_the_original() {
    for (from, to) in [("fresh", "fresh"), ("fresh", "heap"), ("heap", "fresh"), ("heap", "heap")] {
        let make = |kind: &str, name: &str| match kind {
            "fresh" => format!("fresh {name}: 32\n"),
            _ => format!("{name} = malloc 32\n"),
        };
        let text = |shown: u64| {
            format!(
                "global result: i64
                 fn main() {{
                   {} {}
                   p = addr a + 8
                   store.i64 p, 7
                   copy b, a, 32
                   q = addr b + {shown}
                   r = load.i32 q
                   store.i64 result, r
                 }}",
                make(from, "a"),
                make(to, "b")
            )
        };
        assert_eq!(result_of(&text(8)), 7, "{from} to {to}");
        for shown in [0, 4, 16, 28] {
            let outcome = outcome_of(&text(shown));
            assert!(outcome.starts_with("uninitialised: "), "{from} to {to}: {outcome}");
        }
    }
}

#[test]
fn written_and_unwritten_bytes_side_by_side_are_distinguished() {
    let text = |shown: u64, size: u64| {
        format!(
            "fn main() {{
               fresh a: 16
               fresh b: 16
               p = addr a + 3
               store.i8 p, 1
               copy b, a, 16
               q = addr b + {shown}
               r = load.i{size} q
             }}"
        )
    };
    assert_eq!(outcome_of(&text(3, 8)), "finished");
    assert_eq!(outcome_of(&text(2, 8)), "uninitialised: read of b+2, which was never written");
    assert_eq!(outcome_of(&text(0, 32)), "uninitialised: read of b, which was never written");
}

#[test]
fn unwritten_bytes_are_zeroes_to_a_peek() {
    let text = "global result: i64
        fn main() {
          private b: 16
          fill b, 255, 16
          p = malloc 16
          store.i64 p, 3
          copy b, p, 16
          first = load.i64 b
          q = addr b + 8
          second = load.i64 q
          r = add.i64 first, second
          store.i64 result, r
        }";
    assert_eq!(result_of(text), 3);
}

#[test]
fn a_copy_can_make_bytes_unwritten_again() {
    check(
        "fresh a: 8\n fresh b: 8\n store.i64 a, 1; copy a, b, 8; r = load.i32 a",
        "uninitialised: read of a, which was never written",
    );
}

#[test]
fn copies_that_overlap_keep_track() {
    let text = |shown: u64| {
        format!(
            "global result: i64
             fn main() {{
               fresh a: 32
               store.i64 a, 1
               to = addr a + 4
               copy to, a, 24
               q = addr a + {shown}
               r = load.i32 q
               store.i64 result, r
             }}"
        )
    };
    assert_eq!(result_of(&text(4)), 1);
    assert_eq!(outcome_of(&text(12)), "uninitialised: read of a+12, which was never written");
}

/// The first iteration writes `seen`, the second one changes nothing.
#[test]
fn writing_a_fresh_slot_for_the_first_time_is_no_change() {
    let text = "global flag: i32
        fn main() {
          fresh seen: 8
        again:
          v = load.rlx.i32 flag
          store.i32 seen, v
          w = load.i32 seen
          if not w goto again
        }";
    assert_eq!(outcome_of(text), "Blocked(Spin { reads: 1 })");
    let vm = common::vm(text);
    let mut sc = common::Sc::new(&vm);
    sc.run_all();
    assert_eq!(sc.trace.len(), 1, "one look is enough");
}

#[test]
fn a_thread_is_joined_once() {
    let check = |body: &str, expected: &str| {
        let text = format!("fn child() {{ return 0 }}\nfn main() {{ t = spawn child(); {body} }}");
        assert_eq!(outcome_of(&text), expected, "{body}");
    };
    let wrong = "invalid-join: the thread was joined or detached before";
    check("join t; join t", wrong);
    check("detach t; join t", wrong);
    check("join t; detach t", wrong);
    check("u = spawn child(); join t; join u", "finished");
}

#[test]
fn an_object_of_zeroes_may_be_read_at_once() {
    let text = "global result: i64
        fn main() {
          p = zeroes 33554432
          q = addr p + 4097
          store.i8 q, 1
          below = addr p + 4096
          word = load.i64 below
          far = addr p + 33554424
          more = rmw.add.rlx.i64 far, 5
          most = load.i64 far
          private b: 16
          copy b, p, 16
          copied = load.i64 b
          word = add.i64 word, more
          word = add.i64 word, most
          word = add.i64 word, copied
          other = malloc 8
          store.i64 other, word
          third = zeroes 8
          word = load.i64 third
          again = load.i64 other
          word = add.i64 word, again
          store.i64 result, word
          free p
          free other
          free third
        }";
    assert_eq!(result_of(text), 256 + 5);
}

#[test]
fn a_program_may_ask_whether_private_memory_is_unwritten() {
    let text = "global result: i64
        fn main() {
          fresh a: 8
          fresh b: 8
          all = unwritten.i64 a
          store.i16 a, 1
          some = unwritten.i32 a
          p = malloc 8
          copy b, p, 8
          other = unwritten.i8 b
          store.i64 p, 1
          copy b, p, 8
          none = unwritten.i64 b
          half = unwritten.i16 a
          sum = mul.i64 all, 1000
          some = mul.i64 some, 100
          other = mul.i64 other, 10
          sum = add.i64 sum, some
          sum = add.i64 sum, other
          sum = add.i64 sum, none
          sum = add.i64 sum, half
          store.i64 result, sum
        }";
    assert_eq!(result_of(text), 1110);
}
