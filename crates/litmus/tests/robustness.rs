//! No input makes the parser panic: mutations of the corpus, and deep nesting.

use atropos_litmus::{load, parse};
use std::path::Path;

/// A small generator of pseudo-random numbers (xorshift), so that failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus");
    let mut texts = Vec::new();
    for folder in ["c", "x86"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        texts.extend(entries.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()));
    }
    texts.sort();
    texts
}

const SPLINTERS: [&str; 24] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "|",
    "||",
    "(*",
    "*)",
    "/*",
    "\"",
    "&",
    "*",
    "0x",
    "99999999999",
    "-",
    ":",
    "LOCK",
    "memory_order_release",
    "exists",
    "é",
    "\0",
];

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(4) {
            0 => drop(chars.drain(at..end)),
            1 => drop(chars.splice(at..at, SPLINTERS[random.below(SPLINTERS.len())].chars())),
            2 => {
                let copy = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            _ => {
                let start = random.below(other.len());
                let piece: Vec<char> = other.chars().skip(start).take(20).collect();
                chars.splice(at..end, piece);
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_tests_are_read_or_refused() {
    let texts = corpus();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut n_read, mut n_refused) = (0, 0);
    for _ in 0..20_000 {
        let (one, other) = (&texts[random.below(texts.len())], &texts[random.below(texts.len())]);
        let text = mutate(one, other, &mut random);
        match load(&text, "mutant") {
            Ok(test) => {
                n_read += 1;
                let printed = test.syntax().to_string();
                assert_eq!(
                    parse(&printed, "printed").as_ref().ok(),
                    Some(test.syntax()),
                    "{text}\n{printed}"
                );
            }
            Err(diagnostics) => {
                n_refused += 1;
                assert!(!diagnostics.0.is_empty());
                assert!(!diagnostics.to_string().is_empty());
            }
        }
    }
    assert!(n_read > 1000 && n_refused > 1000, "{n_read} read, {n_refused} refused");
}

#[test]
fn towers_are_refused() {
    let n = 100_000;
    let bodies = [
        "(".repeat(n),
        format!("int r0 = {}", "-".repeat(n)),
        format!("int r0 = {}1;", "1 + ".repeat(n)),
        format!("int r0 = {}1;", "1 ? 1 : ".repeat(n)),
        "{".repeat(n),
        "if (1) ".repeat(n),
        "for (;;) ".repeat(n),
        format!("int {}p;", "*".repeat(n)),
        format!("_Atomic({}", "_Atomic(".repeat(n)),
    ];
    for body in bodies {
        assert!(load(&format!("C tower\n{{}}\nP0 (int* x) {{ {body} }}\nexists (x=1)"), "tower").is_err());
    }
    for condition in ["(", "not ", "x=1 => ", "x=1 /\\ ", "x=1 \\/ "] {
        let text = format!("C tower\n{{ x=0; }}\nP0 (int* x) {{ }}\nexists {}x=1", condition.repeat(n));
        assert!(load(&text, "tower").is_err());
    }
}
