//! The tests of a Rust crate that was compiled with `--test`.
//!
//! Rustc makes a constant of each `#[test]`, with its name and its function, and a `main` that gives the list of these
//! constants to the harness, the crate `test`. A crate of our own is in the harness's place ([`HARNESS`]), in which the
//! constants have a known form. Each test becomes a function that is named like the test, which a check can start with.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use crate::Volatile;
use crate::ast::{Type, Typed, Value};
use crate::layout;
use crate::read::{self, Module};
use atropos_event::{Diagnostic, Diagnostics};

/// The crate in the harness's place.
pub const HARNESS: &str = include_str!("rust_tests/harness.rs");

/// The function of the harness that `main` calls with the list of tests.
const MAIN: &str = "4test16test_main_static(";

/// The offsets in the constant of a test.
const NAME_AT: u64 = 0;
const IGNORE_AT: u64 = 16;
const MESSAGE_AT: u64 = 24;

/// A function with `#[test]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RustTest {
    /// Its path, without the crate.
    pub name: String,
    /// Why it has `#[ignore]`, if it has; the reason may be empty.
    pub ignored: Option<String>,
    /// The constant that describes it.
    constant: Rc<str>,
}

/// The tests in the text of a module that `file` compiles to.
///
/// # Errors
/// The text is malformed, or its tests are not those of our harness.
pub fn tests(file: &str, text: &str) -> Result<Vec<RustTest>, Diagnostics> {
    let module = read::read(file, text.to_string(), Volatile::Plain)?;
    let is_call = |line: &&str| ["call ", "invoke "].iter().any(|word| line.trim_start().starts_with(word));
    let call = text.lines().filter(is_call).find(|line| line.contains(MAIN));
    let Some(call) = call else {
        return Err(Diagnostic::about_file(file, "has no list of tests").into());
    };
    // The list of no tests is no constant.
    let arguments = call.split_once('(').map_or("", |(_, arguments)| arguments);
    let Some((_, list)) = arguments.split_once('@') else { return Ok(Vec::new()) };
    let list = list.split(',').next().unwrap_or_default();
    let found = constant(&module, list).map(|list| list.symbols.into_values().collect::<Vec<_>>());
    let tests = found.and_then(|constants| {
        constants.into_iter().map(|constant| test(&module, constant)).collect::<Option<Vec<_>>>()
    });
    tests.ok_or_else(|| Diagnostic::about_file(file, "has tests in a form that is not known").into())
}

/// The text of functions that run the tests, to be appended to that of the module.
pub fn entries(tests: &[RustTest]) -> String {
    let mut text = String::from("\ndeclare void @atropos_run_test(ptr)\n");
    for RustTest { name, constant, .. } in tests {
        write!(
            text,
            "define void @\"{name}\"() {{\n  call void @atropos_run_test(ptr @{constant})\n  ret void\n}}\n"
        )
        .expect("writing to a string");
    }
    text
}

fn test(module: &Module, name: Rc<str>) -> Option<RustTest> {
    let found = constant(module, &name)?;
    let message = found.text(module, MESSAGE_AT);
    let is_ignored = *found.bytes.get(IGNORE_AT as usize)? != 0;
    Some(RustTest {
        name: found.text(module, NAME_AT)?,
        ignored: is_ignored.then(|| message.unwrap_or_default()),
        constant: name,
    })
}

/// A constant in memory: its bytes, and the symbols whose addresses it has.
#[derive(Default)]
struct Constant {
    bytes: Vec<u8>,
    symbols: BTreeMap<u64, Rc<str>>,
}

impl Constant {
    fn add(&mut self, Typed { ty, value }: &Typed) -> Option<()> {
        let size = layout::size_of(ty).ok()? as usize;
        match value {
            Value::Global(name) => {
                self.symbols.insert(self.bytes.len() as u64, name.clone());
                self.bytes.extend(vec![0; size]);
            }
            Value::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
            Value::Aggregate(parts) => parts.iter().try_for_each(|part| self.add(part))?,
            Value::Int(n) => self.bytes.extend_from_slice(n.to_le_bytes().get(..size)?),
            Value::Zero | Value::Undef | Value::Null => self.bytes.extend(vec![0; size]),
            _ => return None,
        }
        Some(())
    }

    /// The text whose address and length are at an offset.
    fn text(&self, module: &Module, at: u64) -> Option<String> {
        let length = self.bytes.get(at as usize + 8..at as usize + 16)?;
        let length = u64::from_le_bytes(length.try_into().ok()?) as usize;
        let Some(symbol) = self.symbols.get(&at) else { return (length == 0).then(String::new) };
        let text = constant(module, symbol)?;
        String::from_utf8(text.bytes.get(..length)?.to_vec()).ok()
    }
}

fn constant(module: &Module, name: &str) -> Option<Constant> {
    let global = module.globals.get(name)?;
    let mut constant = Constant::default();
    let ty: Type = global.ty.clone();
    constant.add(&Typed { ty, value: global.initialiser.clone()? })?;
    Some(constant)
}

#[cfg(test)]
mod tests {
    use super::{entries, tests};

    const TEXT: &str = r#"
@list = private unnamed_addr constant <{ ptr, ptr }> <{ ptr @one, ptr @two }>, align 8
@name = private unnamed_addr constant [8 x i8] c"m::first", align 1
@other = private unnamed_addr constant [6 x i8] c"second", align 1
@slow = private unnamed_addr constant [4 x i8] c"slow", align 1
@one = private unnamed_addr constant <{ ptr, [16 x i8], [16 x i8], ptr }> <{ ptr @name, [16 x i8] c"\08\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00", [16 x i8] zeroinitializer, ptr @run }>, align 8
@two = private unnamed_addr constant <{ ptr, [16 x i8], ptr, [8 x i8], ptr }> <{ ptr @other, [16 x i8] c"\06\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00", ptr @slow, [8 x i8] c"\04\00\00\00\00\00\00\00", ptr @run }>, align 8
declare void @_RNvCsX_4test16test_main_static(ptr, i64)
define internal void @run() {
  ret void
}
define internal void @_RNvCsX_1m4main() {
  call void @_RNvCsX_4test16test_main_static(ptr noundef align 8 @list, i64 noundef 2)
  ret void
}
"#;

    #[test]
    fn tests_are_found_with_their_names_and_become_functions() {
        let found = tests("m.ll", TEXT).unwrap();
        let read: Vec<_> = found.iter().map(|test| (&*test.name, test.ignored.as_deref())).collect();
        assert_eq!(read, [("m::first", None), ("second", Some("slow"))]);
        assert!(
            entries(&found)
                .contains("define void @\"m::first\"() {\n  call void @atropos_run_test(ptr @one)")
        );
        let none = TEXT.replace("@list, i64", "inttoptr (i64 8 to ptr), i64");
        assert_eq!(tests("m.ll", &none).unwrap(), []);
    }

    #[test]
    fn other_forms_are_refused() {
        assert!(tests("m.ll", "define void @main() {\n  ret void\n}\n").is_err());
        assert!(tests("m.ll", &TEXT.replace("ptr @one, ptr @two", "ptr @run, ptr @two")).is_err());
    }
}
