//! The scripts of `integrations`, the commands for packagers, and what a new user types first.

use crate::files::TWO;
use crate::run::{Run, Sandbox};
use std::path::Path;
use std::process::Command;

/// Runs a script of `integrations` in the sandbox, with `atropos` on the path.
fn run_script(sandbox: &Sandbox, script: &str, args: &[&str], variables: &[(&str, &str)]) -> Run {
    let binary = Path::new(env!("CARGO_BIN_EXE_atropos")).parent().unwrap().display().to_string();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap_or_default());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations").join(script);
    let mut command = Command::new("bash");
    command.arg(script.canonicalize().unwrap()).args(args).current_dir(sandbox.path()).env("PATH", path);
    Run::of(command.envs(variables.iter().copied()).output().unwrap())
}

#[test]
fn the_action_checks_every_file_and_fails_with_the_worst_status() {
    let good = TWO.replace("  v = load.i32 x\n", "").replace("assert good", "assert 1");
    let sandbox = Sandbox::new().with("bad.vm", TWO).with("good.vm", &good);
    let run = |files: &str| {
        let variables = [("FILES", files), ("OPTIONS", "--jobs 1"), ("CFLAGS", ""), ("REPORTS", "reports")];
        run_script(&sandbox, "github/check", &[], &variables)
    };
    assert_eq!(run("good.vm").exit, Some(0), "{:?}", run("good.vm"));
    let failed = run("bad.vm good.vm");
    assert_eq!(failed.exit, Some(1), "{failed:?}");
    assert!(failed.stdout.contains("::error file=bad.vm,line="), "{failed:?}");
    assert!(sandbox.path().join("reports/good.vm.sarif").is_file());
    assert!(sandbox.path().join("reports/bad.vm.html").is_file());
    assert_eq!(run("absent.vm").exit, Some(2));
}

#[test]
fn the_hook_checks_files_that_ask_for_it() {
    let asks = "// atropos: --model sc --jobs 1\n#include <assert.h>\nint main(void) { assert(0); }\n";
    let sandbox = Sandbox::new().with("asks.c", asks).with("silent.c", "no program at all\n");
    assert_eq!(run_script(&sandbox, "pre-commit/atropos-check", &["silent.c"], &[]).exit, Some(0));
    let failed = run_script(&sandbox, "pre-commit/atropos-check", &["silent.c", "asks.c"], &[]);
    assert_eq!(failed.exit, Some(1), "{failed:?}");
    assert!(failed.stdout.contains("model sc"), "{failed:?}");
}

#[test]
fn the_doctor_says_what_works() {
    let sandbox = Sandbox::new();
    let run = sandbox.run("doctor");
    assert!(run.stdout.contains("litmus    built in") && run.stdout.contains("  cluster   "), "{run:?}");
    let rustless = Run::of(sandbox.command("doctor").env("RUSTC", "/nowhere/rustc").output().unwrap());
    assert!(
        rustless.stdout.contains("missing  Rust") && rustless.stdout.contains("https://rustup.rs"),
        "{rustless:?}"
    );
    let absent = Run::of(sandbox.command("doctor").env("ATROPOS_CLANG", "/nowhere/clang").output().unwrap());
    assert_eq!(absent.exit, Some(2), "{absent:?}");
    assert!(
        absent.stdout.contains("missing  C") && absent.stdout.contains("apt-get install clang-19"),
        "{absent:?}"
    );
}

#[test]
fn packagers_get_completions_and_manual_pages() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let run = sandbox.run(&format!("completions {shell}"));
        assert_eq!(run.exit, Some(0));
        assert!(run.stdout.contains("release-sequences"), "{shell}");
    }
    assert_eq!(sandbox.run("manual man").exit, Some(0));
    let page = std::fs::read_to_string(sandbox.path().join("man/atropos-check.1")).unwrap();
    assert!(page.contains("\\-\\-report"), "{page}");
}
