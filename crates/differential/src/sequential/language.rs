//! What C has besides expressions and loops: jumps to computed places, arguments behind an ellipsis, arrays of a length
//! that is known late, structs by value, atomics, functions of memory, numbers of unusual widths.

use super::expression::{SCALARS, Scalar};
use super::generate::FunctionWriter;

/// Structs of the prelude, with a value that a number can be put into, and what stands for them in the result.
const STRUCTS: [(&str, &str, &[&str]); 9] = [
    ("tiny", ".a = (u8)k", &["x.a"]),
    ("three", ".a = {(u8)k, 2, (u8)(k >> 9)}", &["x.a[0]", "x.a[1]", "x.a[2]"]),
    (
        "mixed",
        ".f = (float)(k & 63), .i = (i32)k, .d = (double)(k & 1023) / 8",
        &["hash_float(x.f)", "x.i", "hash_double(x.d)"],
    ),
    ("floats", ".a = 1.5f, .b = (float)(k & 15)", &["hash_float(x.a)", "hash_float(x.b)", "hash_float(x.c)"]),
    ("large", ".w = {k, 1, ~k, [4] = 9}", &["x.w[0]", "x.w[1]", "x.w[2]", "x.w[3]", "x.w[4]"]),
    ("wide", ".x = (i128)k << 40, .y = (u8)k", &["x.x", "x.x >> 64", "x.y"]),
    ("halves", ".a = (i16)k, .b = -5, .c = 2.25f, .d = 200", &["x.a", "x.b", "hash_float(x.c)", "x.d"]),
    ("packed", ".a = (u8)k, .b = (u32)(k >> 3), .c = 77", &["x.a", "x.b", "x.c"]),
    (
        "nested",
        ".in = {(i16)k, -3}, .u = {.word = k}, .t = {{1}, {2}}",
        &["x.in.x", "x.in.y", "x.u.word", "x.t[0].a", "x.t[1].a"],
    ),
];

/// Types of which functions and intrinsics are called: all integers up to 64 bits.
const INTEGERS: [Scalar; 8] =
    [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];

impl FunctionWriter<'_> {
    /// A statement of a kind that is rare in C.
    pub(super) fn rare(&mut self, depth: usize) {
        match self.rng.below(14) {
            0 => self.computed_goto(depth),
            1 => self.ellipsis(),
            2 => self.variable_length(),
            3 | 4 => self.struct_by_value(),
            5 | 6 => self.atomic(),
            7 => self.memory_functions(),
            8 => self.bit_int(),
            9 => self.call_of_prelude(),
            10 => self.pointers(),
            11 => self.mathematics(),
            12 => self.unusual_numbers(),
            _ => self.wide_switch(depth),
        }
    }

    /// Blocks in any order, each left through a table of labels.
    fn computed_goto(&mut self, depth: usize) {
        let (table, turns, end) = (self.fresh("table"), self.fresh("turns"), self.fresh("end"));
        let labels: Vec<String> = (0..self.rng.between(2, 4)).map(|_| self.fresh("label")).collect();
        let places: Vec<String> = labels.iter().map(|label| format!("&&{label}")).collect();
        let (n, n_turns) = (labels.len(), self.rng.between(1, 5));
        self.line("{");
        self.line(&format!(
            "static const void *const {table}[] = {{{}}}; u32 {turns} = 0;",
            places.join(", ")
        ));
        for label in &labels {
            let block = format!("{label}: if ({turns}++ > {n_turns}) goto {end}; {{");
            self.block(&block, depth.max(1));
            let index = self.expression(Scalar::U32, 2);
            self.line(&format!("goto *{table}[({index}) % {n}];"));
        }
        self.line(&format!("{end}:; }}"));
    }

    fn ellipsis(&mut self) {
        let mut kinds = String::new();
        let mut arguments = String::new();
        for _ in 0..self.rng.between(1, 9) {
            let (kind, argument) = match self.rng.below(6) {
                0 | 1 => ('i', self.expression(Scalar::I32, 1)),
                2 => ('l', self.expression(Scalar::U64, 1)),
                3 => ('d', self.expression(Scalar::Double, 1)),
                4 => {
                    let value = self.expression(Scalar::I32, 1);
                    ('m', format!("((struct mixed){{1.5f, {value}, 2.5}})"))
                }
                _ if self.rng.chance(50) => {
                    let value = self.expression(Scalar::U64, 1);
                    ('g', format!("((struct large){{{{1, {value}, 3}}}})"))
                }
                _ => ('t', "((struct three){{1, 2, 3}})".to_string()),
            };
            kinds.push(kind);
            arguments.push_str(&format!(", {argument}"));
        }
        self.line(&format!("MIX(gather(\"{kinds}\"{arguments}));"));
    }

    /// An array whose length is an expression.
    fn variable_length(&mut self) {
        let (array, n, ty) = (self.fresh("array"), self.fresh("n"), self.rng.pick(&INTEGERS));
        let (length, value) = (self.expression(Scalar::U32, 2), self.expression(ty, 1));
        let name = ty.name();
        self.line(&format!("{{ u32 {n} = (({length}) & 7) + 1;"));
        if self.rng.chance(50) {
            self.line(&format!("{name} {array}[{n}];"));
        } else {
            self.line(&format!("{name} *{array} = __builtin_alloca({n} * sizeof({name}));"));
        }
        self.line(&format!("for (u32 i = 0; i < {n}; i++) {array}[i] = ({name})({value} + i);"));
        self.line(&format!("for (u32 i = {n}; i-- > 0;) MIX({array}[i] ^ i); }}"));
    }

    fn struct_by_value(&mut self) {
        let (name, value, parts) = self.rng.pick(&STRUCTS);
        let (first, second) = (self.expression(Scalar::U64, 1), self.expression(Scalar::U64, 1));
        self.line(&format!("{{ u64 k = {first}; struct {name} x = {{{value}}};"));
        match self.rng.below(4) {
            0 => self.line(&format!("x = turn_{name}(turn_{name}(x, k), {second});")),
            1 => {
                let condition = self.expression(Scalar::Bool, 1);
                self.line(&format!("struct {name} y = turn_{name}(x, {second});"));
                self.line(&format!("x = {condition} ? x : y;"));
            }
            2 => {
                self.line(&format!("struct {name} many[3] = {{x, turn_{name}(x, {second}), x}};"));
                self.line("many[2] = many[k % 3]; x = many[2];");
            }
            _ => {
                self.line(&format!("struct {name} (*volatile call)(struct {name}, u64) = turn_{name};"));
                self.line(&format!("for (int i = 0; i < 2; i++) x = call(x, {second} + i);"));
            }
        }
        let parts: Vec<String> = parts.iter().map(|part| format!("MIX({part});")).collect();
        self.line(&format!("{} }}", parts.join(" ")));
    }

    /// Operations on an atomic variable that no other thread knows.
    fn atomic(&mut self) {
        let ty = self.rng.pick(&INTEGERS);
        let (name, place) = (ty.name(), self.fresh("cell"));
        let storage = if self.rng.chance(50) { "static " } else { "" };
        let order = self.rng.pick(&["__ATOMIC_RELAXED", "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST"]);
        let first = self.literal(ty);
        self.line(&format!(
            "{{ {storage}{name} {place}; __atomic_store_n(&{place}, {first}, __ATOMIC_RELEASE);"
        ));
        for _ in 0..self.rng.between(1, 4) {
            let value = self.expression(ty, 1);
            match self.rng.below(4) {
                0 => {
                    let other = self.expression(ty, 1);
                    let orders = format!("{order}, __ATOMIC_RELAXED");
                    let call = format!("__atomic_compare_exchange_n(&{place}, &old, {value}, 0, {orders})");
                    self.line(&format!("{{ {name} old = {other}; MIX({call}); MIX(old); }}"));
                }
                1 => self.line(&format!("MIX(__atomic_exchange_n(&{place}, {value}, {order}));")),
                _ => {
                    let ops = [
                        "fetch_add",
                        "fetch_sub",
                        "fetch_and",
                        "fetch_or",
                        "fetch_xor",
                        "fetch_nand",
                        "fetch_max",
                    ];
                    let (op, after) = (self.rng.pick(&ops), self.rng.chance(30));
                    let op = match op {
                        "fetch_max" if self.rng.chance(50) => "fetch_min",
                        "fetch_add" if after => "add_fetch",
                        "fetch_nand" if after => "nand_fetch",
                        op => op,
                    };
                    self.line(&format!("MIX(__atomic_{op}(&{place}, {value}, {order}));"));
                }
            }
        }
        self.line(&format!("MIX(__atomic_load_n(&{place}, __ATOMIC_ACQUIRE)); }}"));
    }

    /// Functions that move, set and compare bytes.
    fn memory_functions(&mut self) {
        let arrays: Vec<_> = self.arrays().into_iter().filter(|array| array.ty.is_integer()).collect();
        let Some(array) = arrays.first() else { return self.call_of_prelude() };
        let (name, n) = (&array.name, array.length);
        let (from, to) = (self.rng.below(n / 2), self.rng.below(n / 2));
        let size = format!("{} * sizeof *{name}", self.rng.between(1, n / 2));
        match self.rng.below(5) {
            0 => self.line(&format!("memmove({name} + {to}, {name} + {from}, {size});")),
            1 => {
                let byte = self.expression(Scalar::U8, 1);
                self.line(&format!("memset({name} + {to}, {byte}, {size});"));
            }
            2 => self.line(&format!(
                "{{ int c = memcmp({name} + {to}, {name} + {from}, {size}); MIX((c > 0) - (c < 0)); }}"
            )),
            3 => self.line(&format!("memcpy({name} + {}, {name}, {size});", n / 2)),
            _ => {
                let text = self.fresh("text");
                let letters: String =
                    (0..self.rng.between(0, 12)).map(|_| self.rng.pick(&['a', 'b', 'c'])).collect();
                self.line(&format!(
                    "{{ char {text}[16] = \"{letters}\"; {text}[h & 15] = 0; MIX(strlen({text}));"
                ));
                self.line(&format!(
                    "char *at = strchr({text}, 'b'); MIX(at ? at - {text} : 99); MIX(strcmp({text}, \"abc\") > 0); }}"
                ));
            }
        }
    }

    /// Integers of any width that the VM has.
    fn bit_int(&mut self) {
        let (left, right) = (self.fresh("left"), self.fresh("right"));
        let bits = self.rng.pick(&[3, 7, 12, 17, 24, 33, 47, 63, 65, 77, 100, 127, 128]);
        let sign = if self.rng.chance(50) { "" } else { "unsigned " };
        let ty = format!("{sign}_BitInt({bits})");
        let wide = if bits > 64 { Scalar::I128 } else { Scalar::I64 };
        let (first, second) = (self.expression(wide, 1), self.expression(wide, 1));
        self.line(&format!("{{ {ty} {left} = ({ty})({first}), {right} = ({ty})({second});"));
        for _ in 0..self.rng.between(1, 3) {
            let by = self.rng.below(bits);
            let line = match self.rng.below(7) {
                0 => format!("{left} = {left} * {right};"),
                1 => format!("{left} = ({left} << {by}) ^ ({right} >> {by});"),
                2 => format!("if ({left} < {right}) {left} -= {right}; else {right} = ~{left};"),
                3 => format!("if ({right} > 0) {left} = {left} / {right};"),
                4 => format!("if ({right} > 0) {left} = {left} % {right};"),
                5 => format!("{right} += {left}; {left} = -{left};"),
                _ => format!("{left} |= ({ty})(double)whole({by}.5); MIX({left} == {right});"),
            };
            self.line(&line);
        }
        self.line(&format!("MIX((u64){left}); MIX((u64)((i128){left} >> 64)); MIX((i64){right}); }}"));
    }

    fn call_of_prelude(&mut self) {
        let (value, small) = (self.expression(Scalar::U64, 2), self.expression(Scalar::U32, 1));
        let call = match self.rng.below(5) {
            0 => format!("leap({value}, ({small}) & 3)"),
            1 => format!("even_turn(({small}) & 15, {value}, (struct tiny){{4}})"),
            2 => format!("recursive(({small}) & 7, {value})"),
            3 => format!("steps[({small}) & 1].call({value}, 3)"),
            _ => format!("steps[({small}) & 1].name[1] + (steps[({small}) & 1].place ? *steps[1].place : 3)"),
        };
        self.line(&format!("MIX({call});"));
    }

    /// Addresses: differences, comparisons, pointers to pointers and as numbers.
    fn pointers(&mut self) {
        let arrays = self.arrays();
        if arrays.is_empty() {
            return self.struct_by_value();
        }
        let nth = self.rng.below(arrays.len());
        let array = arrays[nth].clone();
        let (name, n, p) = (&array.name, array.length, self.fresh("p"));
        let index = self.expression(Scalar::U32, 1);
        let ty = array.ty.name();
        let value = array.ty.hash(&format!("*{p}"));
        self.line(&format!("{{ {ty} *{p} = {name} + (({index}) & {}), **pp = &{p};", n - 1));
        let line = match self.rng.below(4) {
            0 => format!("while (*pp > {name} && {p} != {name} + 2) --*pp; MIX({p} - {name}); MIX({value});"),
            1 => format!("{p} = ({ty} *)((u64){p} | 0); MIX({value}); MIX({name} + {n} - *pp);"),
            2 => format!("for ({ty} *q = {name}; q < *pp; q++) MIX(q == {p} - 1); MIX({value});"),
            _ => {
                format!("{ty} *all[] = {{{name}, {p}, &{name}[{}]}}; {p} = all[h % 3]; MIX({value});", n - 1)
            }
        };
        self.line(&format!("{line} }}"));
    }

    /// Functions of mathematics whose results the standard fixes to the last bit.
    fn mathematics(&mut self) {
        let (x, y, z) = (self.fresh("x"), self.fresh("y"), self.fresh("z"));
        let values = [(); 3].map(|()| self.expression(Scalar::Double, 2));
        self.line(&format!("{{ double {x} = {}, {y} = {}, {z} = {};", values[0], values[1], values[2]));
        let call = match self.rng.below(9) {
            0 => format!("__builtin_floor({x}) + __builtin_ceil({y})"),
            1 => format!("__builtin_trunc({x}) - __builtin_rint({y})"),
            2 => format!("__builtin_sqrt(__builtin_fabs({x}))"),
            3 => format!("__builtin_fma({x}, {y}, {z})"),
            4 => format!("__builtin_round({x}) * __builtin_nearbyint({z})"),
            5 => format!("(double)((float){x} * (float){y})"),
            6 => format!("__builtin_fabsf((float){x}) + __builtin_floorf((float){z})"),
            7 => format!("(double)(u128)(whole({x}) + 100) + (double)(i64)(h >> 3) + (float)h"),
            _ => format!(
                "__builtin_isgreater({x}, {y}) + 2 * __builtin_isunordered({y}, {z}) + 4 * ({x} <= {z})"
            ),
        };
        self.line(&format!("MIX(hash_double({call})); }}"));
    }

    /// Complex numbers, and floating-point numbers of 16 bits.
    fn unusual_numbers(&mut self) {
        let (x, y) = (self.expression(Scalar::Double, 2), self.expression(Scalar::Double, 2));
        match self.rng.below(3) {
            0 => {
                let ty = self.rng.pick(&["double", "float"]);
                let op = self.rng.pick(&["*", "+", "-"]);
                self.line(&format!(
                    "{{ {ty} _Complex z = ({ty})({x}) + ({ty})({y}) * 1.0fi, w = z {op} (z + 3);"
                ));
                self.line("MIX(hash_double(__real__ w)); MIX(hash_double(__imag__ w)); MIX(w == z); }");
            }
            1 => {
                let op = self.rng.pick(&["*", "+", "-", "/"]);
                self.line(&format!(
                    "{{ _Float16 a = (_Float16)({x}), b = (_Float16)(float)({y}), c = a {op} b;"
                ));
                self.line("c += (_Float16)whole(a); MIX(hash_float(c)); MIX(c < b); MIX(hash_float(-a)); }");
            }
            _ => {
                self.line(&format!("{{ _Float16 a[4] = {{1, (_Float16)({x}), 3, (_Float16)({y})}};"));
                self.line("for (int i = 1; i < 4; i++) a[i] = a[i] * a[i - 1] + 1; MIX(hash_float(a[3])); }");
            }
        }
    }

    /// A switch over wide numbers, with ranges.
    fn wide_switch(&mut self, depth: usize) {
        let ty = self.rng.pick(&[Scalar::I64, Scalar::U8, Scalar::I16, Scalar::U64]);
        let value = self.expression(ty, 2);
        let cases = match ty {
            Scalar::U8 => ["case 0 ... 31:", "case 32: case 64:", "case 200 ... 255:"],
            Scalar::I16 => ["case -300 ... -1:", "case 0: case 7:", "case 1000 ... 1500:"],
            _ => ["case 0 ... 9:", "case 0x7fffffffffffffff:", "case 0x123456789:"],
        };
        self.line(&format!("switch ({value}) {{"));
        for case in cases {
            self.block(&format!("{case} {{"), depth.max(1));
            if self.rng.chance(60) {
                self.line("break;");
            }
        }
        self.line("default: MIX(5); }");
    }

    /// Operations that saturate, overflow or shift two words, at every width.
    pub(super) fn intrinsic(&mut self, depth: usize) -> String {
        let ty = self.rng.pick(&INTEGERS);
        let (name, bits) = (ty.name(), 8 * ty.bytes());
        let (left, right) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        match self.rng.below(6) {
            0 => format!("__builtin_elementwise_add_sat(({name}){left}, ({name}){right})"),
            1 => format!("__builtin_elementwise_sub_sat(({name}){left}, ({name}){right})"),
            2 => {
                let by = self.expression(Scalar::U32, 1);
                format!("FUNNEL(u{bits}, {bits}, {left}, {right}, {by})")
            }
            3 => {
                let least = format!("__builtin_elementwise_min(({name}){right}, ({name})9)");
                format!("__builtin_elementwise_max(({name}){left}, {least})")
            }
            _ => {
                let (other, result) = (self.rng.pick(&INTEGERS), self.rng.pick(&INTEGERS));
                let op = self.rng.pick(&["add", "sub", "mul"]);
                let right = self.expression(other, depth - 1);
                // Where all are of 128 bits the operation is too.
                if self.rng.chance(15) {
                    let wide = self.rng.pick(&["i128", "u128"]);
                    return format!("OVERFLOW({op}, ({wide})({left}) << 61, ({wide})({right}) << 3, {wide})");
                }
                format!("OVERFLOW({op}, {left}, {right}, {})", result.name())
            }
        }
    }

    /// Vectors of other lengths, converted, reduced and shifted.
    pub(super) fn long_vector(&mut self) {
        let (ty, element, n) = self.rng.pick(&[
            ("v2i32", Scalar::I32, 2),
            ("v8u8", Scalar::U8, 8),
            ("v4u64", Scalar::U64, 4),
            ("v8u32", Scalar::U32, 8),
            ("v32u16", Scalar::U16, 32),
            ("v8double", Scalar::Double, 8),
            ("v4i8", Scalar::I8, 4),
        ]);
        let (a, b, name) = (self.fresh("a"), self.fresh("b"), element.name());
        self.line("{");
        for vector in [&a, &b] {
            let elements: Vec<String> = (0..n.min(4)).map(|_| self.expression(element, 1)).collect();
            self.line(&format!("{ty} {vector} = {{{}}};", elements.join(", ")));
        }
        let line = match self.rng.below(7) {
            _ if !element.is_integer() => {
                let ints = self.rng.pick(&["{a} = {a} * {b} - {a}", "{a} = {b} / 2 + {a}", "{a} = -{a}"]);
                ints.replace("{a}", &a).replace("{b}", &b) + ";"
            }
            0 => format!("{a} = {a} << ({b} & {}) | {b} >> 1;", 8 * element.bytes() - 1),
            1 => {
                let op = self.rng.pick(&["add", "mul", "xor", "or", "and", "max", "min"]);
                format!("{a} += ({name})__builtin_reduce_{op}({b});")
            }
            2 => format!(
                "{a} = __builtin_elementwise_max({a}, {b}) - __builtin_elementwise_add_sat({a}, {b});"
            ),
            3 => format!("{a} = ({ty})({a} == {b}) | ~{a};"),
            4 => {
                let wide = format!("i64 __attribute__((vector_size({})))", 8 * n);
                format!("{a} = __builtin_convertvector(__builtin_convertvector({a}, {wide}) * 3, {ty});")
            }
            // A divisor with the second bit and without the first is neither 0 nor -1.
            5 => format!("{a} = {a} / (({b} | 3) ^ 1) + {a} % ({ty})(({b} & 7) + 1);"),
            _ => {
                format!("{a}[h & {}] = {b}[{}]; {b} = {a}; {a} ^= {b} * ({name})3;", n - 1, self.rng.below(n))
            }
        };
        self.line(&line);
        self.line(&format!("for (int i = 0; i < {n}; i++) MIX({}); }}", element.hash(&format!("{a}[i]"))));
    }

    /// A type for a variable.
    pub(super) fn scalar(&mut self) -> Scalar {
        self.rng.pick(&SCALARS)
    }
}
