//! The output of programs, the word of a thread, and the end of the program.

mod common;

use atropos_event::{BlockReason, Run, Step, ThreadId};
use common::{Sc, outcome_of, result_of, vm};

#[test]
fn each_thread_has_a_word_of_its_own_that_outlives_calls() {
    let source = "global result: i64
        fn more() { w = word; w = add.i64 w, 1; word w; return }
        fn child() { w = word; return w }
        fn main() {
          word 5
          call more()
          t = spawn child()
          c = join t
          c = mul.i64 c, 100
          w = word
          w = add.i64 w, c
          store.i64 result, w
        }";
    assert_eq!(result_of(source), 6);
}

#[test]
fn what_is_shown_belongs_to_a_position() {
    let vm = vm("global x: i32
        const global ok: [i8; 3] = { 32, 111, 107 }
        const global hi: [i8; 3] = { 104, 105, 10 }
        fn main() {
          private text: 64
          print hi, 3
          store.i32 x, 1
          n = format text, -7, 262244, 4, -1
          print text, n
          print ok, 3
          store.i32 x, 2
        }");
    let mut sc = Sc::new(&vm);
    assert_eq!(sc.run.shown(ThreadId::MAIN), "hi\n");
    let start = sc.run.position(ThreadId::MAIN);
    sc.run.resume(ThreadId::MAIN, 0);
    assert_eq!(sc.run.shown(ThreadId::MAIN), "  -7 ok");
    sc.run.resume(ThreadId::MAIN, 0);
    assert_eq!(sc.run.shown(ThreadId::MAIN), "");
    sc.run.rewind(ThreadId::MAIN, start);
    assert_eq!(sc.run.shown(ThreadId::MAIN), "hi\n");
}

#[test]
fn only_private_memory_can_be_shown() {
    let source = "global x: i32\n fn main() { print x, 4 }";
    assert!(
        outcome_of(source).contains("output from x, which other threads can see"),
        "{}",
        outcome_of(source)
    );
    let source = "fn main() { private text: 64\n n = format text, 1, 33, 0, 0 }";
    assert!(outcome_of(source).contains("this conversion between numbers and text is not modelled"));
}

#[test]
fn a_program_ends_by_halt_but_not_when_main_returns_or_ends_itself() {
    let exited = |main: &str| {
        let vm = vm(&format!("fn f() {{ halt }}\n fn main() {{ t = spawn f(); {main} }}"));
        let mut sc = Sc::new(&vm);
        sc.run_all();
        assert_eq!(sc.run.pending(ThreadId::new(1)), Step::Blocked(BlockReason::Exit));
        sc.run.has_exited()
    };
    assert!(exited("halt"));
    assert!(!exited("return"));
    assert!(!exited("exit"));
    assert!(!exited("join t"));
}

#[test]
fn text_becomes_the_nearest_number() {
    let number = |operation: &str| {
        result_of(&format!(
            "global result: i64\n const global text: [i8; 7] = {{ 45, 48, 46, 49, 101, 49, 120 }}\n \
             fn main() {{ a = {operation}; store.i64 result, a }}"
        ))
    };
    assert_eq!(number("parse.f64 text, 4"), (-0.1f64).to_bits());
    assert_eq!(number("parse.f32 text, 6"), u64::from((-1f32).to_bits()));
    let source = "const global text: [i8; 2] = { 49, 120 }\n fn main() { a = parse.f64 text, 2 }";
    assert!(outcome_of(source).contains("this conversion between numbers and text is not modelled"));
}
