//! What takes the place of the crate `test` in programs that are checked: what the code that rustc makes of `#[test]`
//! needs, and a function that runs one test. Nothing lists or selects tests here.

use std::process::Termination;

/// A test. The fields have fixed places, which `rust_tests.rs` knows.
#[repr(C)]
pub struct TestDescAndFn {
    pub desc: TestDesc,
    pub testfn: StaticTestFn,
}

#[repr(C)]
pub struct TestDesc {
    pub name: StaticTestName,
    pub ignore: bool,
    pub ignore_message: Option<&'static str>,
    pub source_file: &'static str,
    pub start_line: usize,
    pub start_col: usize,
    pub end_line: usize,
    pub end_col: usize,
    pub should_panic: ShouldPanic,
    pub compile_fail: bool,
    pub no_run: bool,
    pub test_type: TestType,
}

#[repr(C)]
pub struct StaticTestName(pub &'static str);

#[repr(C)]
pub struct StaticTestFn(pub fn());

pub enum ShouldPanic {
    No,
    Yes,
    YesWithMessage(&'static str),
}

pub enum TestType {
    UnitTest,
    IntegrationTest,
    Unknown,
}

/// What a test returned.
pub fn assert_test_result<T: Termination>(result: T) {
    if result.report() != std::process::ExitCode::SUCCESS.report() {
        panic!("the test returned an error");
    }
}

/// The harness, which is left out.
pub fn test_main_static(_: &[&TestDescAndFn]) {}

/// Runs a test.
#[unsafe(no_mangle)]
pub fn atropos_run_test(test: &'static TestDescAndFn) {
    let expected = match test.desc.should_panic {
        ShouldPanic::No => return (test.testfn.0)(),
        ShouldPanic::Yes => "",
        ShouldPanic::YesWithMessage(message) => message,
    };
    let Err(value) = std::panic::catch_unwind(test.testfn.0) else {
        panic!("the test should panic, and does not");
    };
    let text = value.downcast_ref::<&str>().copied();
    let text = text.or_else(|| value.downcast_ref::<String>().map(String::as_str)).unwrap_or_default();
    if !text.contains(expected) {
        panic!("the test panics, but its message does not contain `{expected}`");
    }
}
