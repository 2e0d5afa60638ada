//! Functions with variables, arrays, structs, loops and jumps.

use super::expression::Scalar;
use atropos_testkit::Rng;
use std::fmt::Write as _;

/// What every file starts with. `MIX` folds a value into the result of a function.
pub const PRELUDE: &str = include_str!("prelude.h");

/// The machine prints the results; the VM compares a range of them with what another module has.
const MAIN: &str = "#ifdef NATIVE
int main(void) {
  for (u64 i = 0; i < sizeof functions / sizeof *functions; i++)
    printf(\"%llu\\n\", (unsigned long long)functions[i]());
}
#else
extern const u64 first, last, expected[];
void __VERIFIER_error(void);
int main(void) {
  for (u64 i = first; i < last; i++)
    if (functions[i]() != expected[i]) __VERIFIER_error();
}
#endif
";

/// A variable that expressions may use.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub ty: Scalar,
    /// The number of elements, a power of two; zero for a scalar.
    pub length: usize,
}

impl Variable {
    /// Whether its address may be taken: not of a bit-field, and not of a volatile variable.
    pub fn has_address(&self) -> bool {
        self.name.starts_with('v')
    }

    /// Whether it is part of a struct or union, and may be a bit-field.
    pub fn is_field(&self) -> bool {
        self.name.contains('.')
    }
}

/// Writes one function.
pub(crate) struct FunctionWriter<'r> {
    pub(crate) rng: &'r mut Rng,
    pub(super) variables: Vec<Variable>,
    pub(super) text: String,
    /// What stands before the function.
    outside: String,
    /// The start of the names there; none if it shares its file with threads that could see them.
    pub(super) owner: Option<String>,
    depth: usize,
    n_names: usize,
    /// The functions that may be called.
    pub(super) callees: Vec<String>,
}

/// The text of a file with the functions `f0`, `f1` and so on.
pub fn generate(seed: u64, n_functions: usize) -> String {
    let mut text = PRELUDE.to_string();
    for nth in 0..n_functions {
        // A function does not depend on the number of its neighbours.
        let mut rng = Rng::new(seed.wrapping_mul(0x1_0001).wrapping_add(nth as u64));
        // Every fourth function calls none, and the others call only those.
        let callees = if nth % 4 == 0 { Vec::new() } else { vec![format!("f{}", nth - nth % 4)] };
        let mut writer = FunctionWriter::new(&mut rng, callees);
        writer.owner = Some(format!("f{nth}"));
        writer.function(nth);
        text.push_str(&writer.outside);
        text.push_str(&writer.text);
    }
    text.push_str("typedef u64 (*function)(void);\nstatic const function functions[] = {");
    for nth in 0..n_functions {
        let _ = write!(text, "f{nth}, ");
    }
    text.push_str("};\n");
    text.push_str(MAIN);
    text
}

impl<'r> FunctionWriter<'r> {
    pub(crate) fn new(rng: &'r mut Rng, callees: Vec<String>) -> Self {
        let (text, outside) = (String::new(), String::new());
        FunctionWriter {
            rng,
            variables: Vec::new(),
            text,
            outside,
            owner: None,
            depth: 1,
            n_names: 0,
            callees,
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    pub(crate) fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.n_names += 1;
        format!("{prefix}{}", self.n_names)
    }

    /// Writes a line before the function.
    pub(super) fn outside(&mut self, line: &str) {
        self.outside.push_str(line);
        self.outside.push('\n');
    }

    /// A name that nothing else in the file has, if the function may have such.
    pub(super) fn name_outside(&mut self, prefix: &str) -> Option<String> {
        let owner = self.owner.clone()?;
        Some(self.fresh(&format!("{owner}_{prefix}")))
    }

    fn function(&mut self, nth: usize) {
        let _ = writeln!(self.text, "static u64 f{nth}(void) {{");
        self.line("u64 h = 1;");
        self.line("struct fields s = {0}; union views u = {0};");
        for _ in 0..self.rng.between(1, 4) {
            self.declare();
        }
        match self.rng.below(8) {
            0 | 1 => self.global(),
            2 => self.constructed(),
            _ => {}
        }
        for _ in 0..self.rng.between(1, 4) {
            self.statement(2);
        }
        self.mix_variables();
        self.line("return h;");
        self.text.push_str("}\n");
    }

    /// Folds all variables into the result.
    pub(crate) fn mix_variables(&mut self) {
        for variable in self.variables.clone() {
            self.mix(&variable);
        }
        self.line("MIX(s.a); MIX(s.b); MIX(s.c); MIX(s.d); MIX(s.e.x); MIX(s.e.y); MIX(u.word);");
    }

    /// Folds a variable into the result.
    pub(super) fn mix(&mut self, variable: &Variable) {
        let Variable { name, ty, length } = variable;
        match length {
            0 => self.line(&format!("MIX({});", ty.hash(name))),
            _ => self.line(&format!(
                "for (int i = 0; i < {length}; i++) MIX({});",
                ty.hash(&format!("{name}[i]"))
            )),
        }
    }

    fn declare(&mut self) {
        // Static ones do not keep what earlier calls left.
        let storage = self.rng.pick_weighted(&[(7, ""), (2, "static "), (1, "static _Thread_local ")]);
        self.declare_in(storage);
    }

    /// A variable that no other thread has.
    pub(crate) fn declare_private(&mut self) {
        self.declare_in("");
    }

    fn declare_in(&mut self, storage: &str) {
        let (name, ty) = (self.fresh("v"), self.scalar());
        let length = if self.rng.chance(40) { self.rng.pick(&[4, 8, 16, 32]) } else { 0 };
        if length == 0 {
            let value = self.literal(ty);
            self.line(&format!("{storage}{} {name}; {name} = {value};", ty.name()));
        } else {
            let values: Vec<String> = (0..length).map(|_| self.literal(ty)).collect();
            let type_name = ty.name();
            self.line(&format!("static const {type_name} {name}_initial[] = {{{}}};", values.join(", ")));
            self.line(&format!("{storage}{type_name} {name}[{length}];"));
            self.line(&format!("__builtin_memcpy({name}, {name}_initial, sizeof {name});"));
        }
        self.variables.push(Variable { name, ty, length });
    }

    /// A place that can be assigned.
    fn target(&mut self) -> (String, Scalar) {
        if self.rng.chance(15) {
            let fields = [
                ("s.a", Scalar::U32),
                ("s.b", Scalar::I32),
                ("s.c", Scalar::U64),
                ("s.d", Scalar::I8),
                ("s.e.x", Scalar::I16),
                ("s.e.y", Scalar::I64),
                ("u.word", Scalar::U64),
                ("u.bytes[3]", Scalar::U8),
                ("u.halves[1]", Scalar::U32),
            ];
            let (name, ty) = self.rng.pick(&fields);
            return (name.to_string(), ty);
        }
        let nth = self.rng.below(self.variables.len());
        let Variable { name, ty, length } = self.variables[nth].clone();
        if length == 0 {
            return (name, ty);
        }
        let index = self.expression(Scalar::U32, 1);
        (format!("{name}[({index}) & {}]", length - 1), ty)
    }

    pub(crate) fn statement(&mut self, depth: usize) {
        match self.rng.below(if depth == 0 { 4 } else { 18 }) {
            0..=3 => {
                let (to, ty) = self.target();
                if self.rng.chance(10) && ty.is_integer() {
                    return self.step(&to, ty);
                }
                let value = self.expression(ty, 3);
                let op = if self.rng.chance(25) && ty.is_integer() {
                    self.rng.pick(&["+=", "-=", "*=", "&=", "|=", "^="])
                } else {
                    "="
                };
                self.line(&format!("{to} {op} {value};"));
            }
            4 => {
                let condition = self.expression(Scalar::Bool, 3);
                self.block(&format!("if ({condition}) {{"), depth);
                if self.rng.chance(50) {
                    self.block("else {", depth);
                }
            }
            5 => self.array_loop(),
            6 => {
                let (counter, n) = (self.fresh("k"), self.rng.between(1, 6));
                self.block(&format!("for (int {counter} = 0; {counter} < {n}; {counter}++) {{"), depth);
            }
            7 => self.switch(depth),
            8 if self.rng.chance(50) => self.vector(),
            8 => self.long_vector(),
            9 => self.block_copy(),
            10 | 11 => self.structure(depth),
            12 => self.call_of_helper(),
            _ => self.rare(depth),
        }
    }

    /// Counts and shifts in place.
    fn step(&mut self, to: &str, ty: Scalar) {
        let by = self.expression(Scalar::U32, 1);
        // A narrow bit-field becomes an `int` here.
        let bits = if to.contains('.') { 8 * ty.bytes().min(4) } else { 8 * ty.bytes() };
        let most = bits - 1;
        let line = match self.rng.below(4) {
            0 => format!("MIX({to}++);"),
            1 => format!("MIX(--{to});"),
            2 => format!("{to} <<= ({by}) & {most};"),
            _ => format!("MIX({by}), {to} >>= ({by}) & {most};"),
        };
        self.line(&line);
    }

    pub(super) fn block(&mut self, head: &str, depth: usize) {
        self.line(head);
        self.depth += 1;
        for _ in 0..self.rng.between(1, 3) {
            self.statement(depth - 1);
        }
        self.depth -= 1;
        self.line("}");
    }

    pub(super) fn arrays(&self) -> Vec<Variable> {
        self.variables.iter().filter(|variable| variable.length > 0).cloned().collect()
    }

    /// A loop that optimisers turn into vector code.
    fn array_loop(&mut self) {
        let arrays = self.arrays();
        if arrays.is_empty() {
            return self.statement(0);
        }
        let nth = self.rng.below(arrays.len());
        let to = arrays[nth].clone();
        let from = arrays[self.rng.below(arrays.len())].clone();
        let other = arrays[self.rng.below(arrays.len())].clone();
        let element = |array: &Variable| match array.length == to.length {
            true => format!("{}[i]", array.name),
            false => format!("{}[i & {}]", array.name, array.length - 1),
        };
        let (left, right) = (to.ty.from(from.ty, &element(&from)), to.ty.from(other.ty, &element(&other)));
        let value = self.binary(to.ty, &left, &right);
        let head = format!("for (int i = 0; i < {}; i++)", to.length);
        if self.rng.chance(35) {
            let sum = self.fresh("sum");
            self.line(&format!("{} {sum} = 0;", to.ty.name()));
            let op = if to.ty.is_integer() { self.rng.pick(&["+", "^", "|"]) } else { "+" };
            self.line(&format!("{head} {sum} = ({})({sum} {op} {});", to.ty.name(), value));
            self.line(&format!("MIX({});", to.ty.hash(&sum)));
            if self.rng.chance(30) {
                let most = self.fresh("most");
                self.line(&format!("{} {most} = {}[0];", to.ty.name(), to.name));
                self.line(&format!("{head} if ({0}[i] > {most}) {most} = {0}[i];", to.name));
                self.line(&format!("MIX({});", to.ty.hash(&most)));
            }
        } else if self.rng.chance(30) {
            self.line(&format!("{head} if ({left} < {right}) {}[i] = {value};", to.name));
        } else {
            self.line(&format!("{head} {}[i] = {value};", to.name));
        }
    }

    fn switch(&mut self, depth: usize) {
        let value = self.expression(Scalar::U32, 2);
        let n = self.rng.between(2, 5);
        self.line(&format!("switch (({value}) % {}) {{", n + 1));
        for case in 0..n {
            self.line(&format!("case {case}:"));
            self.depth += 1;
            self.statement(depth.saturating_sub(1).min(1));
            if self.rng.chance(70) {
                self.line("break;");
            }
            self.depth -= 1;
        }
        self.line("default: MIX(77); }");
    }

    /// Vectors as the source writes them.
    fn vector(&mut self) {
        let (ty, element, n) = self.rng.pick(&[
            ("v4i32", Scalar::I32, 4),
            ("v2i64", Scalar::I64, 2),
            ("v8i16", Scalar::I16, 8),
            ("v16u8", Scalar::U8, 16),
            ("v4float", Scalar::Float, 4),
            ("v2double", Scalar::Double, 2),
        ]);
        let (a, b) = (self.fresh("a"), self.fresh("b"));
        for name in [&a, &b] {
            let elements: Vec<String> = (0..n).map(|_| self.expression(element, 1)).collect();
            self.line(&format!("{ty} {name} = {{{}}};", elements.join(", ")));
        }
        let op = if element.is_integer() { self.rng.pick(&["+", "-", "*", "&", "|", "^"]) } else { "+" };
        self.line(&format!("{a} = {a} {op} {b};"));
        match self.rng.below(4) {
            0 if element.is_integer() => self.line(&format!("{a} = ({ty})({a} > {b});")),
            1 => {
                let (to, from) = (self.rng.below(n), self.rng.below(n));
                self.line(&format!("{a}[{to}] = {b}[{from}];"));
            }
            2 => {
                let index = self.expression(Scalar::U32, 1);
                self.line(&format!("{a}[({index}) & {}] = {b}[0];", n - 1));
            }
            _ => {
                let mask: Vec<String> = (0..n).map(|_| self.rng.below(2 * n).to_string()).collect();
                self.line(&format!("{a} = __builtin_shufflevector({a}, {b}, {});", mask.join(", ")));
            }
        }
        self.line(&format!("for (int i = 0; i < {n}; i++) MIX({});", element.hash(&format!("{a}[i]"))));
    }

    /// Copies of bytes and of whole structs.
    fn block_copy(&mut self) {
        match self.rng.below(3) {
            0 => {
                let copy = self.fresh("copy");
                self.line(&format!("struct fields {copy} = s; {copy}.c += h; s = {copy};"));
            }
            1 => {
                self.line("s = change(s, u);");
            }
            _ => {
                // The bytes of a NaN are not fixed.
                let arrays = self.arrays();
                if let Some(array) = arrays.iter().find(|array| !array.ty.is_float()) {
                    let size = array.ty.bytes().min(8);
                    self.line(&format!("__builtin_memcpy(&u.bytes, {}, {size});", array.name));
                    self.line("MIX(u.halves[0]);");
                }
            }
        }
    }
}
