//! Data structures: structs with random fields and bit-fields, lists on the heap, sorted arrays, matrices, texts.

use super::expression::Scalar;
use super::generate::{FunctionWriter, Variable};

/// Types of bit-fields, with their largest widths.
const BIT_FIELDS: [(Scalar, usize); 9] = [
    (Scalar::Bool, 1),
    (Scalar::I8, 8),
    (Scalar::U8, 8),
    (Scalar::I16, 16),
    (Scalar::U16, 16),
    (Scalar::I32, 32),
    (Scalar::U32, 32),
    (Scalar::I64, 64),
    (Scalar::U64, 64),
];

impl FunctionWriter<'_> {
    pub(super) fn structure(&mut self, depth: usize) {
        match self.rng.below(9) {
            0..=2 => self.random_struct(depth),
            3 => self.list_on_heap(),
            4 => self.sorted(),
            5 => self.matrix(),
            6 => self.jump_into_loop(),
            7 => self.loops_with_exits(depth),
            _ => self.printed(),
        }
    }

    /// Statements about one of several structs of a type that only they know.
    fn random_struct(&mut self, depth: usize) {
        let (tag, x) = (self.fresh("record"), self.fresh("x"));
        let n_known = self.variables.len();
        let kind = self.rng.pick_weighted(&[(5, "struct"), (1, "union")]);
        let mut fields = String::new();
        // Clang accesses a run of bit-fields that leaves no gaps as one integer, of any width.
        let is_run = self.rng.chance(20);
        let attribute = self.rng.pick_weighted(&[
            (if is_run { 1 } else { 4 }, ""),
            (2, " __attribute__((packed))"),
            (1, " __attribute__((aligned(32)))"),
        ]);
        let n_fields = if is_run { self.rng.between(5, 16) } else { self.rng.between(2, 6) };
        for nth in 0..n_fields {
            let name = format!("m{nth}");
            let (field, ty, length) = if is_run { self.bit_field(&name) } else { self.field(&name) };
            // Bytes of other fields need not be a truth value, and those of a NaN are not fixed. Elements of packed arrays
            // have no usable address.
            let needs_bytes = ty == Scalar::Bool || ty.is_float();
            if kind == "union" && needs_bytes || attribute.contains("packed") && length > 0 {
                continue;
            }
            fields.push_str(&field);
            self.variables.push(Variable { name: format!("{x}.{name}"), ty, length });
        }
        if fields.is_empty() {
            fields.push_str("int unused; ");
        }
        self.line(&format!("{{ {kind} {tag} {{ {fields}}}{attribute};"));
        self.line(&format!(
            "{kind} {tag} many[3], {x}; memset(&{x}, 0, sizeof {x}); memset(many, 0, sizeof many);"
        ));
        for _ in 0..self.rng.between(1, 3) {
            self.statement(depth.saturating_sub(1));
        }
        let (to, from) = (self.expression(Scalar::U32, 1), self.expression(Scalar::U32, 1));
        self.line(&format!("many[({to}) % 3] = {x}; {kind} {tag} *p = &many[({from}) % 3];"));
        for field in self.variables.split_off(n_known) {
            let own = field.name.rsplit_once('.').map_or("", |(_, own)| own).to_string();
            for owner in [format!("{x}."), "p->".to_string()] {
                self.mix(&Variable { name: format!("{owner}{own}"), ..field.clone() });
            }
        }
        self.line("}");
    }

    /// The text of a field, its type, and its number of elements.
    fn field(&mut self, name: &str) -> (String, Scalar, usize) {
        if self.rng.chance(50) {
            let gap = if self.rng.chance(10) { "u32 : 0; " } else { "" };
            let (field, ty, length) = self.bit_field(name);
            return (format!("{gap}{field}"), ty, length);
        }
        let ty = self.scalar();
        let length = if self.rng.chance(25) { self.rng.pick(&[2, 4, 8]) } else { 0 };
        let brackets = if length > 0 { format!("[{length}]") } else { String::new() };
        (format!("{} {name}{brackets}; ", ty.name()), ty, length)
    }

    fn bit_field(&mut self, name: &str) -> (String, Scalar, usize) {
        let (ty, most) = self.rng.pick(&BIT_FIELDS);
        let bits = self.rng.between(1, most);
        (format!("{} {name} : {bits}; ", ty.name()), ty, 0)
    }

    fn list_on_heap(&mut self) {
        let (n, value) = (self.rng.between(1, 6), self.expression(Scalar::U32, 2));
        let divisor = self.rng.between(2, 4);
        self.line(&format!("{{ struct node *first = 0; for (u32 i = 0; i < {n}; i++) first = push(first, ({value}) * (i + 1));"));
        match self.rng.below(3) {
            0 => self.line("first = reversed(first);"),
            1 => self.line(&format!("first = without(first, {divisor});")),
            _ => self.line(&format!("first = push(without(reversed(first), {divisor}), 9);")),
        }
        self.line("while (first) { struct node *next = first->next; MIX(first->value); free(first); first = next; } }");
    }

    /// An array of numbers in order, and a search in it.
    fn sorted(&mut self) {
        let (ty, n) = (self.rng.pick(&[Scalar::I32, Scalar::U8, Scalar::I64]), self.rng.between(1, 9));
        let name = ty.name();
        let values: Vec<String> = (0..n).map(|_| self.expression(ty, 1)).collect();
        self.line(&format!(
            "{{ {name} row[] = {{{}}}; qsort(row, {n}, sizeof *row, order_{name});",
            values.join(", ")
        ));
        self.line(&format!("for (int i = 0; i < {n}; i++) MIX(row[i]); {name} wanted = {};", values[n / 2]));
        self.line(&format!("{name} *found = bsearch(&wanted, row, {n}, sizeof *row, order_{name}); MIX(found ? *found : 3); }}"));
    }

    /// Two dimensions, with loops that leave elements out.
    fn matrix(&mut self) {
        let (ty, rows, columns) = (self.scalar(), self.rng.between(1, 5), self.rng.between(1, 5));
        let (name, first) = (ty.name(), self.expression(ty, 1));
        let element = ty.from(Scalar::I32, "i * 3 - j");
        let value = self.binary(ty, &element, "first");
        self.line(&format!("{{ {name} grid[{rows}][{columns}], first = {first};"));
        self.line(&format!(
            "for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++) grid[i][j] = {value};"
        ));
        let hash = ty.hash("grid[i][j]");
        let skip = self.rng.between(2, 4);
        self.line(&format!(
            "for (int j = 0; j < {columns}; j++) {{ for (int i = 0; i < {rows}; i++) {{ \
             if ((i + j) % {skip} == 1) continue; if (h % 11 == 7) break; MIX({hash}); }} }}"
        ));
        self.line(&format!(
            "{name} (*row)[{columns}] = grid + (h % {rows}); MIX({}); }}",
            ty.hash("(*row)[0]")
        ));
    }

    /// A switch whose cases are inside of a loop.
    fn jump_into_loop(&mut self) {
        let (n, value) = (self.fresh("n"), self.expression(Scalar::U32, 2));
        self.line(&format!("{{ u32 {n} = (({value}) & 15) + 1, turns = ({n} + 3) / 4;"));
        self.line(&format!(
            "switch ({n} & 3) {{ case 0: do {{ MIX(turns); case 3: MIX(3); case 2: MIX({n}); case 1: MIX(h >> 5); }} \
             while (--turns > 0); }} }}"
        ));
    }

    fn loops_with_exits(&mut self, depth: usize) {
        let (k, again, out) = (self.fresh("k"), self.fresh("again"), self.fresh("out"));
        let (condition, n) = (self.expression(Scalar::Bool, 2), self.rng.between(1, 5));
        self.line(&format!("{{ u32 {k} = 0; {again}: do {{"));
        self.statement(depth.saturating_sub(1));
        self.line(&format!("if ({condition}) {{ if (++{k} > {n}) goto {out}; continue; }}"));
        self.statement(depth.saturating_sub(1));
        self.line(&format!(
            "if (h & 4) break; }} while ({k}++ < {n}); MIX({k}); if ({k}++ < 3) goto {again}; {out}:; }}"
        ));
    }

    /// Numbers as text.
    fn printed(&mut self) {
        let (first, second) = (self.expression(Scalar::I32, 2), self.expression(Scalar::U64, 2));
        let format = self.rng.pick(&["%d|%lx", "%5d,%-20lu.", "%+.3d %#lo", "%08x%lX", "%c%3lu"]);
        let first = if format.contains("%c") { format!("'a' + (({first}) & 15)") } else { first };
        let size = self.rng.between(1, 48);
        self.line(&format!(
            "{{ char text[48]; MIX(snprintf(text, {size}, \"{format}\", {first}, {second}));"
        ));
        self.line("for (char *at = text; *at; at++) MIX(*at); MIX(strtol(text, 0, 10)); }");
    }
}
