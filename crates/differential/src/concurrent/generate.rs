//! Threads that communicate, and what they compute in between.

use crate::sequential::generate::{FunctionWriter, PRELUDE};
use atropos_testkit::Rng;
use std::fmt::Write as _;

/// What all programs of a file share.
const SHARED: &str = "typedef u64 pthread_t; typedef struct { u64 words[5]; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
struct pair { u64 first, second; } __attribute__((aligned(16)));
";

/// The types of shared variables.
const TYPES: [&str; 7] = ["u8", "u16", "u32", "u64", "i32", "i64", "_Bool"];

const LOAD_ORDERS: [&str; 3] = ["__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE", "__ATOMIC_SEQ_CST"];
const STORE_ORDERS: [&str; 3] = ["__ATOMIC_RELAXED", "__ATOMIC_RELEASE", "__ATOMIC_SEQ_CST"];
const UPDATE_ORDERS: [&str; 4] =
    ["__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE", "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"];

/// The name of a program's entry function.
pub fn entry(number: u64) -> String {
    format!("p{number}_main")
}

/// The name of the variable that receives the outcome.
pub fn outcome(number: u64) -> String {
    format!("p{number}_outcome")
}

/// A C file with the programs of these seeds.
pub fn generate(seeds: std::ops::Range<u64>) -> String {
    let mut text = PRELUDE.to_string() + SHARED;
    for seed in seeds {
        let mut rng = Rng::new(seed.wrapping_mul(0x5_0003).wrapping_add(17));
        ProgramWriter { number: seed, types: Vec::new(), has_pair: false, text: &mut text }.program(&mut rng);
    }
    text
}

struct ProgramWriter<'t> {
    number: u64,
    /// The types of the shared atomics.
    types: Vec<&'static str>,
    /// Whether one more is a struct of 16 bytes.
    has_pair: bool,
    text: &'t mut String,
}

impl ProgramWriter<'_> {
    fn program(mut self, rng: &mut Rng) {
        let number = self.number;
        self.types = (0..rng.between(1, 3)).map(|_| rng.pick(&TYPES)).collect();
        self.has_pair = rng.chance(10);
        for (nth, ty) in self.types.iter().enumerate() {
            let _ = writeln!(self.text, "static volatile {ty} p{number}_x{nth};");
        }
        let _ = writeln!(
            self.text,
            "static _Atomic struct pair p{number}_pair; static int p{number}_data;\n\
             static pthread_mutex_t p{number}_mutex; volatile u64 {};",
            outcome(number)
        );
        let n_threads = if rng.chance(75) { 2 } else { 3 };
        for thread in 0..n_threads {
            let n_accesses = rng.between(1, 6 / n_threads + 1);
            self.thread(rng, thread, n_accesses);
        }
        self.main(n_threads);
    }

    fn thread(&mut self, rng: &mut Rng, thread: usize, n_accesses: usize) {
        let mut writer = FunctionWriter::new(rng, Vec::new());
        writer.line("u64 h = 1; struct fields s = {0}; union views u = {0};");
        for _ in 0..writer.rng.between(1, 3) {
            writer.declare_private();
        }
        for _ in 0..n_accesses {
            self.access(&mut writer);
            if writer.rng.chance(60) {
                writer.statement(1);
            }
        }
        writer.mix_variables();
        writer.line("return (void *)h;");
        let body = writer.into_text();
        let _ = write!(self.text, "static void *p{}_t{thread}(void *unused) {{\n{body}}}\n", self.number);
    }

    /// Something that other threads see, often under a condition.
    fn access(&self, writer: &mut FunctionWriter<'_>) {
        let number = self.number;
        let nth = writer.rng.below(self.types.len());
        let (place, ty) = (format!("&p{number}_x{nth}"), self.types[nth]);
        // Small values, so that threads often meet.
        let value = if writer.rng.chance(30) {
            "(h & 1) + 1".to_string()
        } else {
            writer.rng.between(1, 3).to_string()
        };
        let line = match writer.rng.below(12) {
            0..=2 => format!("MIX(__atomic_load_n({place}, {}));", writer.rng.pick(&LOAD_ORDERS)),
            3..=5 => {
                format!("__atomic_store_n({place}, ({ty})({value}), {});", writer.rng.pick(&STORE_ORDERS))
            }
            6 | 7 if ty != "_Bool" => {
                let op = writer.rng.pick(&["fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "exchange_n"]);
                format!("MIX(__atomic_{op}({place}, ({ty})({value}), {}));", writer.rng.pick(&UPDATE_ORDERS))
            }
            8 if ty != "_Bool" => {
                let order = writer.rng.pick(&UPDATE_ORDERS);
                let call = format!(
                    "__atomic_compare_exchange_n({place}, &old, ({ty})3, 0, {order}, __ATOMIC_RELAXED)"
                );
                format!("{{ {ty} old = ({ty})({value}); MIX({call}); MIX(old); }}")
            }
            9 => format!("__atomic_thread_fence({});", writer.rng.pick(&UPDATE_ORDERS[1..])),
            10 if self.has_pair => {
                let change = format!("struct pair q = {{p.first + {value}, p.second}}");
                let pair = format!("p{number}_pair");
                format!(
                    "{{ struct pair p = __c11_atomic_load(&{pair}, __ATOMIC_ACQUIRE); {change}; \
                     MIX(__c11_atomic_compare_exchange_strong(&{pair}, &p, q, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
                     MIX(p.first); }}"
                )
            }
            _ => format!(
                "pthread_mutex_lock(&p{number}_mutex); MIX(p{number}_data); p{number}_data = (int)({value}); \
                 pthread_mutex_unlock(&p{number}_mutex);"
            ),
        };
        match writer.rng.below(6) {
            0 => writer.line(&format!("if (h & 1) {{ {line} }}")),
            1 => writer.line(&format!("for (int i = 0; i < 2; i++) {{ {line} }}")),
            _ => writer.line(&line),
        }
    }

    /// Starts and joins the threads, and makes one number of what they and the variables have at the end.
    fn main(&mut self, n_threads: usize) {
        let number = self.number;
        let mut body = format!("pthread_t t[{n_threads}]; void *r; u64 h = 1;\n");
        for thread in 0..n_threads {
            let _ = writeln!(body, "  pthread_create(&t[{thread}], 0, p{number}_t{thread}, 0);");
        }
        for thread in 0..n_threads {
            let _ = writeln!(body, "  pthread_join(t[{thread}], &r); MIX((u64)r);");
        }
        for nth in 0..self.types.len() {
            let _ = writeln!(body, "  MIX(__atomic_load_n(&p{number}_x{nth}, __ATOMIC_RELAXED));");
        }
        let pair =
            format!("struct pair p = __c11_atomic_load(&p{number}_pair, __ATOMIC_RELAXED); MIX(p.first);");
        let pair = if self.has_pair { pair } else { String::new() };
        let _ = write!(
            self.text,
            "int {}(void) {{\n  {body}  {pair} MIX(p{number}_data); {} = h; return 0;\n}}\n",
            entry(number),
            outcome(number)
        );
    }
}
