//! Sequential C programs, run natively and in the VM: the lowering must compute what the hardware computes.
//!
//! A generator makes functions of arithmetic, floating point, arrays (also of variable length), structs, unions,
//! bit-fields, loops, switches, pointers, recursion, variable arguments and texts, without undefined behaviour: signed
//! arithmetic is done unsigned, divisors are odd, shifts and indices are masked, and floating-point numbers are
//! brought into range before they become integers. The program prints a checksum when it runs natively, and asserts
//! it when it is checked. So do the programs of `corpus/c/native`, which are about the library and wide integers.

use crate::clang::has_clang;
use atropos_testkit::clang::CLANG;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many programs are compared; `ATROPOS_NATIVE_PROGRAMS` may ask for more.
const N_PROGRAMS: u64 = 24;

/// The generator's source of numbers: splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const TYPES: [&str; 8] =
    ["unsigned char", "signed char", "unsigned short", "short", "unsigned", "int", "unsigned long", "long"];
const VARIABLES: [&str; 17] = [
    "a", "b", "c", "d", "s.x", "s.y", "s.z", "s.bits", "array[1]", "g", "t.s.y", "p->z", "u.l", "u.c[3]",
    "u.b.a", "u.b.b", "u.b.c",
];

fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return match random.below(3) {
            0 => format!("{}u", random.next() as u32),
            1 => format!("{}ul", random.next()),
            _ => random.choose(&VARIABLES).to_string(),
        };
    }
    let (left, right) = (expression(random, depth - 1), expression(random, depth - 1));
    let ty = random.choose(&TYPES);
    match random.below(12) {
        0..=2 => {
            format!("((unsigned long)({left}) {} (unsigned long)({right}))", random.choose(&["+", "-", "*"]))
        }
        3 => format!("(({left}) {} ({right}))", random.choose(&["&", "|", "^"])),
        4 => format!("((unsigned long)({left}) {} (({right}) | 1ul))", random.choose(&["/", "%"])),
        5 => format!("((long)({left}) {} ((long)(({right}) & 0xfffful) | 1))", random.choose(&["/", "%"])),
        6 => format!("((unsigned long)({left}) << (({right}) & 31))"),
        7 => format!("(({ty})({left}) >> (({right}) & 7))"),
        8 => {
            format!("(({ty})({left}) {} ({ty})({right}))", random.choose(&["<", "<=", "==", "!=", ">", ">="]))
        }
        9 => format!("(({left}) ? ({right}) : ({ty})({left}))"),
        10 => format!("(({ty})({left}))"),
        _ => format!("(unsigned long)(((double)(int)({left}) * 0.5 + (float)(short)({right})) < 1000.0)"),
    }
}

/// An expression of type `double`.
fn float_expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return match random.below(4) {
            0 => format!("{}.{:02}", random.below(1000), random.below(100)),
            1 => format!("(double)(int)({})", expression(random, 1)),
            2 => format!("(double)(unsigned long)({})", expression(random, 1)),
            _ => random.choose(&["f", "h", "(double)(float)b", "-h", "(float)(unsigned)d"]).to_string(),
        };
    }
    let (left, right) = (float_expression(random, depth - 1), float_expression(random, depth - 1));
    match random.below(6) {
        0..=3 => format!("({left} {} {right})", random.choose(&["+", "-", "*", "/"])),
        4 => format!("(double)(float)({left})"),
        _ => format!("({left} {} {right} ? {left} : 1.5)", random.choose(&["<", ">=", "==", "!="])),
    }
}

/// A statement about something that the others are not about.
fn special_statement(random: &mut Random, text: &mut String) {
    let value = expression(random, 1);
    let line = match random.below(9) {
        0 => format!("h = {};", float_expression(random, 2)),
        1 => format!("f = (float)({});", float_expression(random, 2)),
        2 => format!("b = in_range({});", float_expression(random, 1)),
        3 => format!("u.c[({value}) & 7] = (unsigned char)({});", expression(random, 1)),
        4 => format!("g = operations[({value}) & 3](g, {});", expression(random, 1)),
        5 => format!("g ^= recursive(({value}) & 7, {});", expression(random, 1)),
        6 => format!(
            "for (int i = 1; i < 4; i++) {{ long v[i], w[({value}) & 3 | 4]; v[i - 1] = {}; w[i] = v[i - 1] ^ i; g += w[i]; }}",
            expression(random, 1)
        ),
        7 => format!(
            "g += fold(\"ldlc\", (unsigned long)({value}), {}, g, (int)a);",
            float_expression(random, 0)
        ),
        _ => {
            let formats = ["%d:%x %c", "%5d|%-7u|%c", "%+d %#o%c", "%08d%6.3u %c", "% d %X %3c"];
            let format = random.choose(&formats);
            format!(
                "g += snprintf(text, 1 + (({value}) & 31), \"{format}%s%.3f\", (int)b, d, 'a' + (a & 15), \
                 words[a & 3], (double)(int)c / 8); g = g * 31 + strlen(text) + text[strlen(text) / 2];"
            )
        }
    };
    writeln!(text, "{line}").unwrap();
}

fn statement(random: &mut Random, text: &mut String, depth: u32) {
    if random.below(3) == 0 {
        return special_statement(random, text);
    }
    let value = expression(random, 2);
    match random.below(9) {
        0..=3 => writeln!(text, "{} = {value};", random.choose(&VARIABLES)).unwrap(),
        4 => writeln!(text, "array[({value}) & 7] += {};", expression(random, 1)).unwrap(),
        5 if depth > 0 => {
            writeln!(text, "if ({value}) {{").unwrap();
            statement(random, text, depth - 1);
            writeln!(text, "}} else {{").unwrap();
            statement(random, text, depth - 1);
            writeln!(text, "}}").unwrap();
        }
        6 if depth > 0 => {
            let name = format!("i{}", random.below(1 << 40));
            writeln!(text, "for (int {name} = 0; {name} < {}; {name}++) {{", random.below(5)).unwrap();
            statement(random, text, depth - 1);
            writeln!(text, "}}").unwrap();
        }
        7 if depth > 0 => {
            writeln!(text, "switch (({value}) & 3) {{ case 0:").unwrap();
            statement(random, text, depth - 1);
            writeln!(text, "break; case 2:").unwrap();
            statement(random, text, depth - 1);
            writeln!(text, "default: a ^= 5; }}").unwrap();
        }
        _ => writeln!(text, "s = mix(s, {value}); t.s = s; t.copy[({value}) & 1] = t.s.x;").unwrap(),
    }
}

fn program(seed: u64) -> String {
    let mut random = Random(seed);
    let mut text = String::from(
        "#include <assert.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <string.h>\n\
         struct s { int x; short y; unsigned long z; unsigned bits : 11; int more : 5; };\n\
         struct t { char pad; struct s s; int copy[2]; };\n\
         static unsigned long g = 3;\n\
         static struct s mix(struct s s, unsigned long by) { s.x ^= (int)by; s.y += (short)by; s.more = (int)(by & 7); return s; }\n\
         union u { unsigned long l; unsigned char c[8]; struct { unsigned a : 5; signed b : 11; unsigned long c : 40; } b; };\n\
         static const char *const words[4] = {\"\", \"one\", \"two words\", \"x\"};\n\
         static unsigned long add(unsigned long x, unsigned long y) { return x + y; }\n\
         static unsigned long sub(unsigned long x, unsigned long y) { return x - y; }\n\
         static unsigned long mul(unsigned long x, unsigned long y) { return x * y; }\n\
         static unsigned long rot(unsigned long x, unsigned long y) { return x << (y & 63) | x >> (-y & 63); }\n\
         static unsigned long (*const operations[4])(unsigned long, unsigned long) = {add, sub, mul, rot};\n\
         static unsigned long recursive(unsigned n, unsigned long x) { return n ? recursive(n - 1, x * 3 + n) ^ n : x; }\n\
         static long in_range(double x) { return x > -1e15 && x < 1e15 ? (long)x : 7; }\n\
         static unsigned long fold(const char *kinds, ...) {\n\
         unsigned long sum = 0; va_list list; va_start(list, kinds);\n\
         for (; *kinds; kinds++) switch (*kinds) {\n\
         case 'l': sum = sum * 31 + va_arg(list, unsigned long); break;\n\
         case 'd': sum = sum * 31 + in_range(va_arg(list, double)); break;\n\
         default: sum = sum * 31 + va_arg(list, int); }\n\
         va_end(list); return sum; }\n\
         static unsigned long run(unsigned char a, long b) {\n\
         short c = 7; unsigned d = 9; unsigned long array[8] = {1, 2, 3}; float f = 1.5f; double h = -0.25;\n\
         struct s s = {1, 2, 3, 4, 5}, *p = &s; struct t t = {0}; union u u = {0x123456789}; char text[40] = \"\";\n",
    );
    for _ in 0..16 {
        statement(&mut random, &mut text, 2);
    }
    text += "unsigned long sum = a + b * 3 + c * 5 + d * 7 + g + s.x + s.y + s.z + s.bits + s.more + t.s.y + t.copy[1];\n\
             for (int i = 0; i < 8; i++) sum = sum * 31 + array[i];\n\
             sum ^= u.l + in_range(f * 8) * 3 + in_range(h) * 5; unsigned long raw; memcpy(&raw, &h, 8); if (h == h) sum += raw;\n\
             return sum; }\n\
             int main(void) { unsigned long sum = run(200, -5) ^ run(1, 1ul << 40);\n\
             #ifdef EXPECTED\nassert(sum == EXPECTED);\n#else\nprintf(\"%luul\\n\", sum);\n#endif\nreturn 0; }\n";
    text
}

/// Every third program is checked as it is optimised.
fn level(seed: u64) -> &'static str {
    if seed % 3 == 2 { "-O1" } else { "-O0" }
}

/// What a program computes natively: the checksum that it prints.
fn native(source: &Path, binary: &Path, flags: &[&str]) -> String {
    let mut clang = Command::new(CLANG);
    clang.args(["-w", "-fwrapv", "-o"]).args([binary, source]).arg("-lm").args(flags);
    let compiled = clang.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let native = Command::new(binary).output().unwrap();
    String::from_utf8(native.stdout).unwrap().trim().to_string()
}

/// Checks that the VM computes it too.
fn compare(folder: &Path, source: &Path, level: &str) {
    let checksum = native(source, &folder.join("native"), &[]);
    compare_with(&checksum, source, &[level]);
}

fn compare_with(checksum: &str, source: &Path, flags: &[&str]) {
    let checked = Command::new(env!("CARGO_BIN_EXE_atropos"))
        .args(["check", "--equivalence", "co", "--jobs", "1", "--timeout", "60"])
        .arg(source)
        .args(["--", "-w", "-fwrapv", &format!("-DEXPECTED={checksum}")])
        .args(flags)
        .output()
        .unwrap();
    let said = [checked.stdout, checked.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let text = std::fs::read_to_string(source).unwrap();
    assert_eq!(checked.status.code(), Some(0), "{source:?} {flags:?}, natively {checksum}\n{text}\n{said}");
}

/// A folder for this test, if there is a compiler to make programs with.
fn folder(name: &str) -> Option<PathBuf> {
    if !has_clang() {
        return None;
    }
    let folder = std::env::temp_dir().join(format!("atropos-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    Some(folder)
}

#[test]
fn sequential_programs_compute_the_same_natively_and_in_the_vm() {
    let Some(folder) = folder("native") else { return };
    let more = std::env::var("ATROPOS_NATIVE_PROGRAMS").ok().and_then(|n| n.parse().ok());
    for seed in 0..more.unwrap_or(N_PROGRAMS) {
        let source = folder.join(format!("{seed}.c"));
        std::fs::write(&source, program(seed)).unwrap();
        compare(&folder, &source, level(seed));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn programs_of_the_corpus_compute_the_same_natively_and_in_the_vm() {
    let Some(folder) = folder("native-corpus") else { return };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/native");
    for entry in std::fs::read_dir(corpus).unwrap() {
        for level in ["-O0", "-O1"] {
            compare(&folder, &entry.as_ref().unwrap().path(), level);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Programs about the corners of C and of LLVM IR, at every level of optimisation.
#[test]
fn programs_of_the_torture_corpus_compute_the_same_at_every_level() {
    let Some(folder) = folder("torture") else { return };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/torture");
    for entry in std::fs::read_dir(corpus).unwrap() {
        let source = entry.unwrap().path();
        if source.extension().is_some_and(|extension| extension == "c") {
            let checksum = native(&source, &folder.join("native"), &["-std=c2x", "-latomic"]);
            for level in ["-O0", "-O1", "-O2", "-O3"] {
                compare_with(&checksum, &source, &["-std=c2x", level]);
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
