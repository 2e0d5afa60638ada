//! What a function needs outside of itself: variables of every linkage, constructors that run before it, functions with
//! parameters of every type. It stands before the function in the file, under names that no other function uses.

use super::expression::Scalar;
use super::generate::{FunctionWriter, Variable};

/// How variables outside of functions are defined: before the type, and after the name.
const LINKAGES: [(&str, &str); 12] = [
    ("static ", ""),
    ("", ""),
    ("__attribute__((weak)) ", ""),
    ("__attribute__((visibility(\"hidden\"))) ", ""),
    ("static ", " __attribute__((aligned(64)))"),
    ("static ", " __attribute__((section(\"elsewhere\")))"),
    ("_Thread_local ", ""),
    ("static _Thread_local ", " __attribute__((tls_model(\"local-exec\")))"),
    ("_Thread_local ", " __attribute__((tls_model(\"initial-exec\")))"),
    ("static volatile ", ""),
    ("volatile ", ""),
    ("volatile _Thread_local ", ""),
];

impl FunctionWriter<'_> {
    /// A variable outside of the function. Each call of the function gives it its first value again.
    pub(super) fn global(&mut self) {
        let Some(name) = self.name_outside("g") else { return self.declare_private() };
        let ty = self.scalar();
        let (before, after) = self.rng.pick(&LINKAGES);
        let (initial, value) = (self.literal(ty), self.literal(ty));
        let type_name = ty.name();
        // One that has no initial value is common to all files that define it.
        let initial = if self.rng.chance(30) { String::new() } else { format!(" = {initial}") };
        self.outside(&format!("{before}{type_name} {name}{after}{initial};"));
        // Functions that others call are called again, and those that call others are not.
        if !self.callees.is_empty() {
            self.line(&format!("MIX({});", ty.hash(&name)));
        }
        self.line(&format!("{name} = {value};"));
        let is_aliased = before.is_empty() && after.is_empty() && !initial.is_empty();
        if is_aliased {
            self.outside(&format!("extern {type_name} {name}_again __attribute__((alias(\"{name}\")));"));
            self.variables.push(Variable { name: format!("{name}_again"), ty, length: 0 });
        }
        self.variables.push(Variable { name, ty, length: 0 });
    }

    /// A number that constructors of several priorities have made.
    pub(super) fn constructed(&mut self) {
        let Some(name) = self.name_outside("made") else { return self.declare_private() };
        let first = self.rng.below(9);
        self.outside(&format!("static u64 {name} = {first};"));
        for nth in 0..self.rng.between(1, 3) {
            let priority = match self.rng.between(101, 110) {
                110 => String::new(),
                priority => format!("({priority})"),
            };
            let factor = 2 * self.rng.below(50) + 3;
            self.outside(&format!(
                "__attribute__((constructor{priority})) static void {name}_{nth}(void) \
                 {{ {name} = {name} * {factor} + {nth}; }}"
            ));
        }
        self.line(&format!("MIX({name});"));
    }

    /// A call of a function of its own, whose parameters have any type, some of them addresses of variables.
    pub(super) fn call_of_helper(&mut self) {
        let Some(name) = self.name_outside("help") else { return self.statement(0) };
        let (mut parameters, mut arguments, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for nth in 0..self.rng.between(1, 9) {
            let parameter = format!("arg{nth}");
            let lent = self.rng.below(self.variables.len().max(1));
            match self.variables.get(lent).cloned() {
                Some(variable) if self.rng.chance(30) && variable.has_address() => {
                    let ty = variable.ty.name();
                    parameters.push(format!("{ty} *{parameter}"));
                    let is_array = variable.length > 0;
                    arguments.push(if is_array { variable.name } else { format!("&{}", variable.name) });
                    let inside = if is_array { parameter } else { format!("(*{parameter})") };
                    known.push(Variable { name: inside, ty: variable.ty, length: variable.length });
                }
                _ => {
                    let ty = self.scalar();
                    parameters.push(format!("{} {parameter}", ty.name()));
                    arguments.push(self.expression(ty, 1));
                    known.push(Variable { name: parameter, ty, length: 0 });
                }
            }
        }
        let result = self.scalar();
        let body = self.elsewhere(known, result);
        let attribute = self.rng.pick(&["", "__attribute__((noinline)) ", "inline "]);
        let head = format!("static {attribute}{} {name}({})", result.name(), parameters.join(", "));
        self.outside(&format!("{head} {{\n{body}}}"));
        let call = format!("{name}({})", arguments.join(", "));
        if self.rng.chance(25) {
            let types: Vec<&str> =
                parameters.iter().map(|p| p.rsplit_once("arg").map_or("", |(ty, _)| ty)).collect();
            let pointer = self.fresh("call");
            let declared = format!("{} (*volatile {pointer})({})", result.name(), types.join(", "));
            let through = call.replacen(&name, &pointer, 1);
            return self.line(&format!("{{ {declared} = {name}; MIX({}); }}", result.hash(&through)));
        }
        self.line(&format!("MIX({});", result.hash(&call)));
    }

    /// The body of another function with these variables.
    fn elsewhere(&mut self, known: Vec<Variable>, result: Scalar) -> String {
        let outer = std::mem::replace(&mut self.variables, known);
        let (text, callees) = (std::mem::take(&mut self.text), std::mem::take(&mut self.callees));
        let owner = self.owner.take();
        self.line("u64 h = 5; struct fields s = {0}; union views u = {0};");
        for _ in 0..self.rng.between(1, 2) {
            self.statement(1);
        }
        let value = self.expression(result, 2);
        let mixed = self.rng.chance(50);
        let h = result.from(Scalar::U64, "h");
        self.line(&match result.is_integer() && mixed {
            true => format!("return ({})({value} ^ {h});", result.name()),
            false => format!("return {value};"),
        });
        self.owner = owner;
        self.variables = outer;
        self.callees = callees;
        std::mem::replace(&mut self.text, text)
    }
}
