//! C and C++ programs: options that are only for them, several files, and input that is refused.

use crate::clang::has_clang;
use crate::run::Sandbox;
use std::process::Command;

const CHOICES: &str = "\
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
double __VERIFIER_nondet_double(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
#ifdef DOUBLE
  __VERIFIER_nondet_double();
#endif
  return __VERIFIER_nondet_bool() ? n : 0;
}
";

#[test]
fn every_algorithm_tries_all_choices() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("p.c", CHOICES);
    let pairs = [
        "trust --model rc11",
        "trust --model tso --equivalence co",
        "rcmc --model wrc11",
        "tracer --model ra",
        "source-dpor --model pso",
        "optimal-dpor --model tso",
        "rvf --model sc",
    ];
    for pair in pairs {
        let run = sandbox.run(&format!("check --format json --jobs 1 --nondet -1..2 --algorithm {pair} p.c"));
        assert_eq!(run.json()["executions"], 8, "{pair}: {run:?}");
        assert_eq!(run.json()["blocked"], 0, "{pair}");
    }
}

#[test]
fn choices_without_a_range_are_refused_with_the_option_that_gives_one() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("p.c", CHOICES).with("p.vm", "fn main() { return }");
    let refused = |args: &str, message: &str| {
        let run = sandbox.run(args);
        assert_eq!(run.exit, Some(2), "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    };
    refused(
        "check p.c",
        "p.c:5:11: error: __VERIFIER_nondet_int() may return any value: say which ones to try with --nondet LO..HI",
    );
    refused("check --nondet 0..3 p.c -- -DDOUBLE", "__VERIFIER_nondet_double() is not modelled");
    refused(
        "check --nondet 2..3 p.c",
        "no value of --nondet 2..3 can be returned by __VERIFIER_nondet_bool()",
    );
    refused("check --nondet 3..2 p.c", "the range from 3 to 2 is empty");
    refused("check --nondet 5 p.c", "write a range as LO..HI");
    refused("check --nondet 0..100000000 p.c", "a range may have at most");
    refused("check --nondet 0..1 p.vm", "--nondet is for C and C++ programs, and p.vm is not one");
}

const TALKING: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
static int x;
static void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
}
static void *worker(void *name) {
  say("%s sees %-3d|\n", (char *)name, x);
  x = 2;
  return 0;
}
int main(void) {
  pthread_t t;
  printf("%05.1f %s %c%%\n", 2.25, "text", 'c');
  pthread_create(&t, 0, worker, "worker");
  pthread_join(t, 0);
  puts("end");
  assert(x != 2);
}
"#;

#[test]
fn output_is_shown_with_the_violation_when_asked_for() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with("p.c", TALKING);
    let run = sandbox.run("check --jobs 1 --show-output p.c");
    let output = "  output:\n    main: 002.2 text c%\n    t1: worker sees 0  |\n    main: end\n";
    assert!(run.stdout.contains(output), "{}", run.stdout);
    assert!(run.stdout.contains("--show-output --jobs 1 p.c"), "{}", run.stdout);
    let run = sandbox.run("check --jobs 1 --show-output --format json p.c");
    let shown = &run.json()["violations"][0]["output"];
    assert_eq!(shown[1]["thread"], "t1");
    assert_eq!(shown[1]["text"], "worker sees 0  |\n");
    let silent = sandbox.run("check --jobs 1 p.c");
    assert_eq!(silent.exit, Some(1));
    assert!(!silent.stdout.contains("worker sees"), "{}", silent.stdout);
}

#[test]
fn several_files_make_one_program() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new()
        .with("a.c", "extern int x;\nint get(void);\nint main(void) { return get() - x - 1; }\n")
        .with(
            "b.c",
            "int x = 4;\nstatic int more(void) { return 1; }\nint get(void) { return x + more(); }\n",
        )
        .with("c.c", "int x = 5;\n");
    assert_eq!(sandbox.run("check --jobs 1 a.c b.c").exit, Some(0));
    let twice = sandbox.run("check a.c b.c c.c");
    assert_eq!((twice.exit, twice.stderr.contains("`x` is defined twice")), (Some(2), true), "{twice:?}");
    let missing = sandbox.run("check a.c");
    assert!(missing.stderr.contains("the function `get` is neither defined nor modelled"), "{missing:?}");
    for (kind, file) in [("-S", "b.ll"), ("-c", "b.bc")] {
        let args = ["-emit-llvm", "-g", kind, "-o", file, "b.c"];
        assert!(Command::new("clang-19").args(args).current_dir(sandbox.path()).status().unwrap().success());
        let run = sandbox.run(&format!("check --jobs 1 a.c {file}"));
        assert_eq!(run.exit, Some(0), "{run:?}");
    }
}

#[test]
fn input_of_another_kind_or_version_is_refused() {
    let sandbox = Sandbox::new()
        .with("old.ll", "define i32 @main() {\n  %x = alloca i32\n  %y = load i32* %x\n  ret i32 %y\n}\n")
        .with("broken.bc", "this is not bitcode")
        .with("half.ll", "define i32 @main() {\n  %x = alloca i32, align 4\n");
    for file in ["old.ll", "broken.bc", "half.ll"] {
        let run = sandbox.run(&format!("check {file}"));
        assert_eq!(run.exit, Some(2), "{run:?}");
        assert!(run.stderr.contains(file), "{run:?}");
    }
}

/// A bounded part of what `make fuzz-input` does with files that clang reads.
#[test]
fn broken_bitcode_and_c_end_with_a_status_that_is_documented() {
    if !has_clang() {
        return;
    }
    let text =
        "#include <stdatomic.h>\n_Atomic int x;\nint main(void) { atomic_store(&x, 1); return x - 1; }\n";
    let sandbox = Sandbox::new().with("good.c", text);
    let args = ["-emit-llvm", "-c", "-o", "good.bc", "good.c"];
    assert!(Command::new("clang-19").args(args).current_dir(sandbox.path()).status().unwrap().success());
    for (good, broken) in [("good.bc", "broken.bc"), ("good.c", "broken.c")] {
        let bytes = std::fs::read(sandbox.path().join(good)).unwrap();
        for turn in 1..10 {
            let mut bytes = bytes.clone();
            let at = bytes.len() * turn / 10;
            bytes[at] ^= 1 << (turn % 7);
            std::fs::write(sandbox.path().join(broken), bytes).unwrap();
            let run = sandbox.run(&format!("check --jobs 1 --timeout 30 {broken}"));
            assert!(matches!(run.exit, Some(0..=3)), "{broken}, turn {turn}: {run:?}");
        }
    }
}

#[test]
fn programs_that_are_too_big_are_refused_with_what_is_too_big() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new()
        .with("deep.c", "static int f(int n) { return n ? 1 + f(n - 1) : 0; }\nint main(void) { return f(1000000); }\n")
        .with("array.c", "static char a[1ul << 40];\nint main(void) { return a[5]; }\n")
        .with("stack.c", "int main(void) {\n  volatile char a[1ul << 33];\n  a[5] = 1;\n}\n")
        .with("loop.c", "int main(void) {\n  unsigned long s = 0;\n  for (unsigned long i = 0; i < 1ul << 40; i++)\n    s += i;\n  return s == 0;\n}\n")
        .with("vector.c", "typedef int v __attribute__((vector_size(8192)));\nint main(void) {\n  v a = {1, 2, 3, 4};\n  a = a + a;\n  return a[1];\n}\n");
    let refused = [
        ("deep.c", "deep.c:1:38: error: calls are nested too deeply"),
        ("array.c", "over the limit of"),
        ("stack.c", "over the limit of"),
        ("loop.c", "without accessing shared memory"),
        ("vector.c", "an array as a value is not modelled"),
    ];
    for (file, message) in refused {
        let run = sandbox.run(&format!("check {file}"));
        assert_eq!(run.exit, Some(2), "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

#[test]
fn what_is_asked_of_the_system_is_refused_by_name_and_place() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with(
        "p.c",
        "#include <poll.h>\n#include <pthread.h>\n#include <signal.h>\n#include <sys/mman.h>\n\
         #include <sys/syscall.h>\n#include <unistd.h>\n\n\
         int main(void) {\n  (void)CALL;\n  return 0;\n}\n",
    );
    let of_function =
        |name: &str| format!("p.c:9:9: error: the function `{name}` is neither defined nor modelled");
    let refused = [
        ("daemon(0,0)", of_function("daemon")),
        ("poll(NULL,0,-1)", "p.c:9:9: error: this system call is not modelled".to_string()),
        ("mmap(0,1,3,2,0,0)", "p.c:9:9: error: this system call is not modelled".to_string()),
        ("kill(2,SIGINT)", "p.c:9:9: error: this system call is not modelled".to_string()),
        ("fork()", of_function("fork")),
        (
            "(pthread_cancel(pthread_self()),pthread_setcanceltype(1,0))",
            "p.c:9:9: error: asynchronous cancellation (pthread_setcanceltype) is not modelled".to_string(),
        ),
        ("syscall(SYS_getcpu,8,0,0)", "p.c:9:9: error: this system call is not modelled".to_string()),
    ];
    for (call, message) in refused {
        let run = sandbox.run(&format!("check p.c -- -DCALL={call}"));
        assert_eq!(run.exit, Some(2), "{run:?}");
        assert!(run.stderr.contains(&message), "{run:?}");
    }
}

#[test]
fn types_that_no_register_holds_are_refused_where_they_are_used() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new()
        .with("long.c", "int main(void) {\n  long double x = 1;\n  x += 2;\n  return x > 5;\n}\n")
        .with("bits.c", "int main(void) {\n  _BitInt(200) x = 1;\n  x += 2;\n  return (double)x > 5;\n}\n")
        .with("atomic.c", "static _Atomic __int128 x;\nint main(void) {\n  return x > 5;\n}\n");
    for modelled in ["long.c", "atomic.c", "atomic.c -- -mcx16"] {
        assert_eq!(sandbox.run(&format!("check {modelled}")).exit, Some(0));
    }
    let refused = [
        ("long.c -- -mlong-double-80", "long.c:2:15: error: values of type `x86_fp80` are not modelled"),
        ("bits.c", "error: the instruction `sitofp` is not modelled for integers of more than 64 bits"),
    ];
    for (check, message) in refused {
        let run = sandbox.run(&format!("check {check}"));
        assert_eq!(run.exit, Some(2), "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

#[test]
fn an_execution_is_complete_when_any_thread_ends_the_program() {
    if !has_clang() {
        return;
    }
    let sandbox = Sandbox::new().with(
        "p.c",
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\nstatic atomic_int x;\n\
         static void *ends(void *p) {\n  if (x) exit(0);\n  return p;\n}\nint main(void) {\n  pthread_t t;\n  \
         pthread_create(&t, 0, ends, 0);\n  x = 1;\n  x = 2;\n  pthread_join(t, 0);\n}\n",
    );
    for [algorithm, model] in [
        ["trust", "rc11"],
        ["rcmc", "rc11"],
        ["tracer", "ra"],
        ["source-dpor", "tso"],
        ["optimal-dpor", "sc"],
        ["rvf", "sc"],
    ] {
        let run = sandbox.run(&format!("check --format json --algorithm {algorithm} --model {model} p.c"));
        assert_eq!(run.exit, Some(0), "{run:?}");
        assert_eq!([&run.json()["executions"], &run.json()["blocked"]], [3, 0], "{run:?}");
    }
}

#[test]
fn mutexes_protect_on_machines_that_ignore_orders() {
    if !has_clang() {
        return;
    }
    let counter = "#include <assert.h>\n#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                   static int n;\nstatic void *count(void *p) {\n  pthread_mutex_lock(&m);\n  n++;\n  \
                   pthread_mutex_unlock(&m);\n  return p;\n}\nint main(void) {\n  pthread_t a, b;\n  \
                   pthread_create(&a, 0, count, 0);\n  pthread_create(&b, 0, count, 0);\n  pthread_join(a, 0);\n  \
                   pthread_join(b, 0);\n  assert(n == 2);\n}\n";
    let sandbox = Sandbox::new().with("p.c", counter);
    for model in ["tso", "pso"] {
        for algorithm in ["trust", "source-dpor", "optimal-dpor"] {
            let run =
                sandbox.run(&format!("check --model {model} --mapping raw --algorithm {algorithm} p.c"));
            assert_eq!(run.exit, Some(0), "{run:?}");
        }
    }
}
