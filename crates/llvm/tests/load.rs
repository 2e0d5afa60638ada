//! Modules from text, without a compiler.

use atropos_vm::{Config, Vm, text};

fn load(ir: &str) -> Result<String, String> {
    let loaded = atropos_llvm::load(
        vec![("t.ll".to_string(), ir.to_string())],
        "main",
        &atropos_llvm::Options::default(),
    );
    let loaded = loaded.map_err(|diagnostic| diagnostic.to_string())?;
    let functions: Vec<_> = loaded.module.functions.iter().filter(|f| f.name == "main").cloned().collect();
    let module = atropos_vm::Module { functions, ..loaded.module.clone() };
    let printed = text::print(&module);
    Vm::new(loaded.module, Config { entry: loaded.entry, ..Config::default() })
        .map_err(|problems| problems[0].to_string())?;
    Ok(printed[printed.find("fn main").unwrap_or(0)..].to_string())
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
    let ir =
        "define i32 @main() {\n  %x = extractelement <2 x i32> zeroinitializer, i32 0\n  ret i32 %x\n}\n";
    assert!(load(ir).unwrap().contains("the instruction `extractelement` is not modelled"));
    assert_eq!(
        load("define i32 @f() {\n  ret i32 0\n}\n").unwrap_err(),
        "t.ll: there is no function `main` to start with"
    );
    assert_eq!(
        load("define i32 @main() {\n  ret i32\n}\n").unwrap_err(),
        "t.ll:3:1: expected a value, found ``"
    );
}
