//! Modules from text, without a compiler.

use atropos_vm::{Config, Vm, text};

fn load(ir: &str) -> Result<String, String> {
    let loaded = atropos_llvm::load(
        vec![("t.ll".to_string(), ir.to_string())],
        "main",
        &atropos_llvm::LibraryOptions::default(),
        &atropos_llvm::SourceFiles::none(),
    );
    let loaded = loaded.map_err(|diagnostic| diagnostic.to_string())?;
    let printed = text::print(&loaded.module);
    Vm::new(loaded.module, Config { entry: loaded.entry, ..Config::default() })
        .map_err(|problems| problems.0[0].to_string())?;
    let main = &printed[printed.find("fn main").unwrap_or(0)..];
    Ok(main[..main.find("\n}").unwrap_or(main.len())].to_string())
}

#[test]
fn a_variable_of_another_type_with_the_same_bits_is_a_register() {
    let ir = |other: &str| {
        format!(
            "define ptr @main() {{\nentry:\n  %t = alloca ptr, align 8\n  store ptr null, ptr %t, align 8\n  \
             %v = load {other}, ptr %t, align 8\n  store {other} %v, ptr %t, align 8\n  \
             %r = load ptr, ptr %t, align 8\n  ret ptr %r\n}}\n"
        )
    };
    for same in ["ptr", "i64", "double"] {
        let printed = load(&ir(same)).unwrap();
        assert!(!printed.contains("load"), "{printed}");
    }
    for narrower in ["i32", "i63"] {
        let printed = load(&ir(narrower)).unwrap();
        assert!(printed.contains("load"), "{printed}");
    }
}

#[test]
fn variables_become_registers_and_phis_become_copies() {
    let ir = "define i32 @main() {\nentry:\n  %x = alloca i32, align 4\n  store i32 5, ptr %x, align 4\n  \
              %v = load i32, ptr %x, align 4\n  %c = icmp slt i32 %v, 3\n  br i1 %c, label %a, label %b\n\
              a:                  ; preds = %entry\n  br label %b\n\
              b:\n  %r = phi i32 [ 1, %entry ], [ %v, %a ]\n  ret i32 %r\n}\n";
    let printed = load(ir).unwrap();
    assert!(!printed.contains("load") && !printed.contains("private"), "{printed}");
    assert!(printed.contains("r = 1") && printed.contains("r = v"), "{printed}");
}

#[test]
fn structs_are_laid_out_as_the_target_has_them() {
    let ir = "%struct.s = type { i8, i64, [3 x i16] }\n@s = global [2 x %struct.s] zeroinitializer, align 8\n\
              define i32 @main() {\n  %p = getelementptr inbounds [2 x %struct.s], ptr @s, i64 0, i64 1, i32 2, i64 2\n  \
              store i16 7, ptr %p, align 2\n  ret i32 0\n}\n";
    let printed = load(ir).unwrap();
    assert!(printed.contains("p = addr s + 44"), "{printed}");
    assert!(printed.contains("store.i16 p, 7"), "{printed}");
}

#[test]
fn atomic_orders_are_kept() {
    let ir = "@x = global i32 0\ndefine i32 @main() {\n  fence syncscope(\"singlethread\") seq_cst\n  fence acquire\n  \
              %o = atomicrmw volatile add ptr @x, i32 1 acq_rel, align 4\n  \
              %r = cmpxchg weak ptr @x, i32 1, i32 2 release monotonic, align 4\n  \
              store atomic i32 1, ptr @x release, align 4\n  ret i32 %o\n}\n";
    let printed = load(ir).unwrap();
    assert_eq!(printed.matches("fence").count(), 1, "{printed}");
    for expected in ["rmw.add.acqrel.i32 x, 1", "cas.rel.rlx.i32 x, 1, 2", "store.rel.i32 x, 1"] {
        assert!(printed.contains(expected), "{expected} in {printed}");
    }
}

#[test]
fn what_is_not_modelled_is_named_where_it_stands() {
    let ir = "define i32 @main() {\n  %x = va_arg ptr null, i32\n  ret i32 %x\n}\n";
    assert!(load(ir).unwrap().contains("unsupported instruction, \"va_arg\""));
    assert_eq!(
        load("define i32 @f() {\n  ret i32 0\n}\n").unwrap_err(),
        "t.ll: error: there is no function `main` to start with; name the file that defines it as well, or another function with --entry"
    );
    assert_eq!(
        load("define i32 @main() {\n  ret i32\n}\n").unwrap_err(),
        "t.ll:3:1: error: expected a value, found ``"
    );
}

#[test]
fn what_has_no_name_is_numbered_in_the_order_of_the_text() {
    let ir = "@x = global i32 0\ndefine i32 @f(i32, i32 %named, i32) {\n  load i32, ptr @x\n  add i32 %0, %1\n  \
              call void @llvm.donothing()\n  %5 = add i32 %3, %4\n  br label %6\n  ret i32 %5\n}\n\
              declare void @llvm.donothing()\n\
              define i32 @main() {\n  cmpxchg ptr @x, i32 0, i32 1 seq_cst seq_cst\n  \
              atomicrmw add ptr @x, i32 1 seq_cst\n  %3 = call i32 @f(i32 1, i32 2, i32 3)\n  ret i32 %3\n}\n";
    let printed = load(ir).unwrap();
    for expected in ["cas.sc.sc.i32 x, 0, 1", "rmw.add.sc.i32 x, 1", "call f(1, 2, 3)"] {
        assert!(printed.contains(expected), "{expected} in {printed}");
    }
    assert!(!printed.contains("unsupported"), "{printed}");
}

#[test]
fn names_are_defined_once() {
    let complaint = |ir: &str| load(ir).unwrap_err();
    let main = |body: &str| complaint(&format!("define i32 @main(i32 %p) {{\n{body}\n}}\n"));
    assert_eq!(
        main("a:\n  br label %b\nb:\n  br label %b\na:\n  ret i32 0"),
        "t.ll:6:1: error: `%a` is defined twice"
    );
    assert_eq!(
        main("  %x = add i32 1, 1\n  %x = add i32 1, 1\n  ret i32 0"),
        "t.ll:3:3: error: `%x` is defined twice"
    );
    assert_eq!(main("  %p = add i32 1, 1\n  ret i32 0"), "t.ll:2:3: error: `%p` is defined twice");
    assert_eq!(main("x:\n  %x = add i32 1, 1\n  ret i32 0"), "t.ll:3:3: error: `%x` is defined twice");
    assert_eq!(
        main("  %3 = add i32 1, 1\n  %2 = add i32 1, 1\n  ret i32 0"),
        "t.ll:3:3: error: `%2` is out of order: the next number is 4"
    );
    assert_eq!(
        main("  %x = store i32 1, ptr null\n  ret i32 0"),
        "t.ll:2:3: error: `store` has no result that could have a name"
    );
    assert_eq!(main("a:\nb:\n  ret i32 0"), "t.ll:3:1: error: a block without instructions");
    assert_eq!(complaint("@x = global i32 0\n@x = global i32 1\n"), "t.ll:2:1: error: `@x` is defined twice");
    assert_eq!(
        complaint("%t = type { i32 }\n%t = type { i32 }\n"),
        "t.ll:2:1: error: the type `%t` is defined twice"
    );
    let twice = "define void @f() {\n  ret void\n}\n";
    assert_eq!(complaint(&format!("{twice}{twice}")), "t.ll:4:13: error: `@f` is defined twice");
    assert_eq!(complaint("declare void @f(i32 %a, i32 %a)\n"), "t.ll:1:29: error: `%a` is defined twice");
}

#[test]
fn attributes_and_debug_records_stand_behind_any_call() {
    let ir = "define i32 @main() {\n  %r = call i32 @abs(i32 1) nounwind memory(none) \"key\"=\"value\" #0\n    \
              #dbg_value(i32 %r, !1, !DIExpression(), !2)\n  call i32 @abs(i32 2) #1\n    \
              #dbg_declare(ptr null, !1, !DIExpression(), !2)\n  ret i32 %r, !range !{i32 0, i32 2}\n}\n\
              declare i32 @abs(i32)\nattributes #0 = { nounwind }\n";
    let printed = load(ir).unwrap();
    assert!(printed.contains("call abs(1)") && printed.contains("call abs(2)"), "{printed}");
}

#[test]
fn line_breaks_and_indentation_mean_nothing() {
    let ir = "  @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [\n  { i32, ptr, ptr } { i32 1, ptr @c, ptr null }]\n\
              define internal void @c() { ret void } define i32 @main() { ret i32\n0 }";
    assert_eq!(load(ir).unwrap().matches("return 0").count(), 1);
}

/// Makes a VM module of several files.
fn load_files(files: &[(&str, &str)]) -> Result<atropos_vm::Module, String> {
    let texts = files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    let loaded = atropos_llvm::load(texts, "main", &Default::default(), &atropos_llvm::SourceFiles::none());
    loaded.map(|loaded| loaded.module).map_err(|diagnostic| diagnostic.to_string())
}

#[test]
fn a_strong_definition_takes_the_place_of_weak_ones_in_all_files() {
    let weak = "define weak i32 @f() {\n  ret i32 1\n}\ndefine i32 @main() {\n  %r = call i32 @f()\n  ret i32 %r\n}\n";
    let alias = "@f = weak alias i32 (), ptr @g\ndefine i32 @g() {\n  ret i32 1\n}\n\
                 define i32 @main() {\n  %r = call i32 @f()\n  ret i32 %r\n}\n";
    let strong = "define i32 @f() {\n  ret i32 2\n}\n";
    for first in [weak, alias] {
        for files in [[("a.ll", first), ("b.ll", strong)], [("b.ll", strong), ("a.ll", first)]] {
            let printed = text::print(&load_files(&files).unwrap());
            assert!(printed.contains("return 2") && !printed.contains("return 1"), "{printed}");
        }
    }
    let complaint = load_files(&[("a.ll", strong), ("b.ll", strong)]).unwrap_err();
    assert_eq!(complaint, "b.ll: error: `f` is defined twice, here and in a.ll");
}

#[test]
fn what_is_declared_weakly_and_defined_nowhere_is_null() {
    let ir = "@v = extern_weak global i32\n@table = global [2 x ptr] [ptr @hook, ptr @v]\n\
              declare extern_weak void @hook()\ndefine i32 @main() {\n  %c = icmp eq ptr @hook, null\n  \
              %d = icmp eq ptr @v, null\n  %e = load ptr, ptr @table\n  call void @hook()\n  ret i32 0\n}\n";
    let printed = load(ir).unwrap();
    for expected in ["c = eq.i64 0, 0", "d = eq.i64 0, 0", "call *0()"] {
        assert!(printed.contains(expected), "{expected} in {printed}");
    }
    let defined = [("a.ll", ir), ("b.ll", "define void @hook() {\n  ret void\n}\n@v = global i32 1\n")];
    let printed = text::print(&load_files(&defined).unwrap());
    assert!(printed.contains("c = eq.i64 hook, 0") && printed.contains("call hook()"), "{printed}");
}

#[test]
fn a_file_may_define_nothing_if_another_one_has_the_entry() {
    let main = "define i32 @main() {\n  ret i32 0\n}\n";
    assert!(load_files(&[("empty.ll", "; nothing\n"), ("main.ll", main)]).is_ok());
    let complaint = load_files(&[("empty.ll", "; nothing\n"), ("empty.c", "source_filename = \"x\"\n")]);
    assert_eq!(
        complaint.unwrap_err(),
        "empty.ll: error: this defines nothing: there is no function `main` to start with"
    );
}

#[test]
fn assembly_of_a_module_is_refused_if_it_defines_something() {
    let main = "define i32 @main() {\n  ret i32 0\n}\n";
    assert!(load(&format!("module asm \".globl foo\"\n{main}")).is_ok());
    let complaint = load(&format!("module asm \"foo: ret\"\n{main}")).unwrap_err();
    assert!(
        complaint.starts_with("t.ll:1:1: error: assembly outside of functions is not modelled"),
        "{complaint}"
    );
}

#[test]
fn an_ifunc_with_any_number_of_arguments_is_refused_where_it_is_called() {
    let ir = "@f = ifunc i32 (...), ptr @r\ndefine ptr @r() {\n  ret ptr null\n}\n\
              define i32 @main() {\n  %x = call i32 (...) @f()\n  ret i32 %x\n}\n";
    assert!(load(ir).unwrap().contains("unsupported ifunc, \"f\""));
}

#[test]
fn an_alias_of_itself_is_not_defined() {
    let ir = "@a = alias i32, ptr @b\n@b = alias i32, ptr @a\n\
              define i32 @main() {\n  %x = load i32, ptr @a\n  ret i32 %x\n}\n";
    assert!(load(ir).unwrap().contains("unsupported variable, \"a\""));
}

#[test]
fn deep_nesting_is_refused_and_overflows_nothing() {
    const N: usize = 200_000;
    let nest = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(N), close.repeat(N));
    let types = "types are nested more than 300 deep";
    let constants = "constants are nested more than 300 deep";
    let chain: String = (1..N).map(|nth| format!("%t{nth} = type {{ %t{} }}\n", nth - 1)).collect();
    let cases = [
        (format!("@x = global {} zeroinitializer\n", nest("{", "i32", "}")), types),
        (format!("@x = global {} zeroinitializer\n", nest("[1 x ", "i32", "]")), types),
        (format!("declare void @f({})\n", nest("<{", "i32", "}>")), types),
        (format!("%t0 = type {{ i32 }}\n{chain}@x = global %t{} zeroinitializer\n", N - 1), types),
        ("%a = type { %b }\n%b = type { %a }\n@x = global %a zeroinitializer\n".to_string(), types),
        (format!("@x = global i64 {}\n", nest("add (i64 1, i64 ", "1", ")")), constants),
        (format!("@x = global ptr {}\n", nest("getelementptr (i8, ptr ", "null", ", i64 1)")), constants),
        (format!("@x = global i64 {}\n", nest("{ i64 ", "1", "}")), constants),
        (
            format!("define i32 @main() {{\n  %x = call i32{} @f()\n}}\n", "()".repeat(N)),
            "a function cannot return a function",
        ),
    ];
    for (ir, expected) in cases {
        let complaint = load(&ir).unwrap_err();
        assert!(complaint.contains(expected), "{}: {complaint}", &ir[..60]);
    }
    let metadata = format!("define i32 @main() {{\n  ret i32 0\n}}\n!0 = {}\n", nest("!{", "", "}"));
    assert!(load(&metadata).is_ok());
    let addresses: String =
        (1..N).map(|nth| format!("  %{} = getelementptr i8, ptr %{nth}, i64 0\n", nth + 1)).collect();
    let ir = format!(
        "define i32 @main() {{\n  alloca {{ i32 }}\n{addresses}  load i32, ptr %{N}\n  ret i32 0\n}}\n"
    );
    assert!(load(&ir).unwrap_err().contains("over the limit"), "too many registers, but no overflow");
}

#[test]
fn a_value_that_is_only_stored_again_is_copied() {
    let body = |middle: &str| {
        format!(
            "define void @f(ptr %from, ptr %to) {{\n  %t = alloca i32\n{middle}  ret void\n}}\n\
             define i32 @main() {{\n  %a = alloca [2 x i32]\n  call void @f(ptr %a, ptr %a)\n  ret i32 0\n}}\n"
        )
    };
    let printed = |middle: &str| {
        let printed = text::print(&load_files(&[("t.ll", &body(middle))]).unwrap());
        let start = printed.find("fn f(").unwrap();
        printed[start..start + printed[start..].find("\n}").unwrap()].to_string()
    };
    let direct = printed("  %v = load i32, ptr %from\n  store i32 %v, ptr %to\n");
    assert_eq!(direct.matches("copy ").count(), 2, "{direct}");
    let by_variable = "  %v = load i32, ptr %from\n  store i32 %v, ptr %t\n  %w = load i32, ptr %t\n  \
                       store i32 %w, ptr %to\n";
    assert_eq!(printed(by_variable).matches("copy ").count(), 4, "{}", printed(by_variable));
    for used in ["  %u = add i32 %v, 1\n", "  %u = icmp eq i32 %v, 0\n", "  %u = sext i32 %v to i64\n"] {
        let used = printed(&format!("  %v = load i32, ptr %from\n  store i32 %v, ptr %to\n{used}"));
        assert_eq!(used.matches("copy ").count(), 0, "{used}");
    }
    let variable_used = printed(&format!("{by_variable}  %x = load i32, ptr %t\n  %u = add i32 %x, 1\n"));
    assert_eq!(variable_used.matches("copy ").count(), 0, "{variable_used}");
    let address = printed("  %v = load ptr, ptr %from\n  store ptr %v, ptr %v\n");
    assert_eq!(address.matches("copy ").count(), 0, "{address}");
    let order = printed("  %v = load atomic i32, ptr %from monotonic, align 4\n  store i32 %v, ptr %to\n");
    assert_eq!(order.matches("copy ").count(), 0, "{order}");
}
