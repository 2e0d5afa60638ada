//! Loads that an optimiser has moved to where the program may not need them: what they find unwritten is an error only
//! where control or memory depends on it.

use atropos_differential::SearchSettings;
use atropos_llvm::{LibraryOptions, SourceFiles};
use atropos_testkit::UpTo;
use atropos_vm::{Config, Vm};

/// What a program does: 0 if it ends, the kind of its violation otherwise.
fn outcome(body: &str, is_optimised: bool) -> String {
    let attribute = if is_optimised { "nounwind" } else { "optnone nounwind" };
    let ir = format!(
        "@cell = global i64 7
         declare void @__VERIFIER_error()
         declare ptr @malloc(i64)
         declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
         declare i64 @llvm.umax.i64(i64, i64)
         declare {{ i64, i1 }} @llvm.uadd.with.overflow.i64(i64, i64)
         declare i64 @llvm.vector.reduce.add.v4i64(<4 x i64>)
         define void @takes(i64 noundef %x) #0 {{ ret void }}
         define i64 @gives(i64 %x, i64 %y) #0 {{ ret i64 %x }}
         define i32 @main() #0 {{
           %p = alloca [8 x i64], align 16
           %q = alloca [8 x i64], align 16
           %p1 = getelementptr i8, ptr %p, i64 8
           %p4 = getelementptr i8, ptr %p, i64 32
           store i64 5, ptr %p1, align 8
           store i64 6, ptr %q, align 8
           %five = load i64, ptr %p1, align 8
           %yes = icmp eq i64 %five, 5
           %no = icmp ne i64 %five, 5
           br label %start
         start:
           {body}
           ret i32 0
         }}
         attributes #0 = {{ {attribute} }}
         !llvm.ident = !{{!0}}
         !0 = !{{!\"clang version 19.1.7\"}}"
    );
    let ir: Vec<&str> = ir.lines().map(str::trim_start).collect();
    let texts = vec![("t.ll".to_string(), ir.join("\n"))];
    let loaded = atropos_llvm::load(texts, "main", &LibraryOptions::default(), &SourceFiles::none());
    let loaded = loaded.unwrap_or_else(|diagnostics| panic!("{diagnostics}\n{body}"));
    let vm = Vm::new(loaded.module, Config { entry: loaded.entry, ..Config::default() })
        .expect("it is well-formed");
    let explored = SearchSettings::new("sc", UpTo::Co).run(&vm);
    assert_eq!(explored.refused, None, "{body}");
    explored.violations.first().map_or("ends".to_string(), |violation| format!("{violation:?}"))
}

/// Ends the program if `%c` does not hold.
const TEST: &str = "br i1 %c, label %good, label %bad
    bad:
      call void @__VERIFIER_error()
      unreachable
    good:";

/// What is loaded here is not needed, or any value of it does.
const FOR_NOTHING: &[&str] = &[
        // An operation of each kind, and then a choice of something else.
        "%x = load i64, ptr %p, align 8
         %y = add i64 %x, 1
         %m = call i64 @llvm.umax.i64(i64 %y, i64 3)
         %z = select i1 %yes, i64 5, i64 %m
         %c = icmp eq i64 %z, 5",
        "%x = load i64, ptr %p, align 8
         %b = icmp ult i64 %x, 9
         %both = and i1 %b, %no
         %any = or i1 %both, %yes
         %other = or i1 %b, %yes
         %c = and i1 %any, %other",
        "%x = load i128, ptr %p, align 16
         %y = mul i128 %x, 3
         %z = select i1 %no, i128 %y, i128 4
         %c = icmp eq i128 %z, 4",
        "%x = load double, ptr %p, align 8
         %y = fmul double %x, 2.0
         %z = select i1 %no, double %y, double 4.0
         %c = fcmp oeq double %z, 4.0",
        "%x = load i64, ptr %p, align 8
         %y = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %x, i64 1)
         %sum = extractvalue { i64, i1 } %y, 0
         %z = select i1 %no, i64 %sum, i64 4
         %c = icmp eq i64 %z, 4",
        // The elements of a vector are unwritten one by one.
        "%v = load <4 x i64>, ptr %p, align 16
         %w = add <4 x i64> %v, <i64 1, i64 2, i64 3, i64 4>
         %e = extractelement <4 x i64> %w, i64 1
         %c = icmp eq i64 %e, 7",
        "%v = load <4 x i64>, ptr %p, align 16
         %w = shufflevector <4 x i64> %v, <4 x i64> <i64 9, i64 8, i64 7, i64 6>, <4 x i32> <i32 1, i32 4, i32 5, i32 6>
         %e = call i64 @llvm.vector.reduce.add.v4i64(<4 x i64> %w)
         %c = icmp eq i64 %e, 29",
        "%v = load <4 x i64>, ptr %p, align 16
         %w = select <4 x i1> <i1 0, i1 1, i1 0, i1 0>, <4 x i64> %v, <4 x i64> zeroinitializer
         %e = call i64 @llvm.vector.reduce.add.v4i64(<4 x i64> %w)
         %c = icmp eq i64 %e, 5",
        "%x = load i64, ptr %p, align 8
         %v = insertelement <4 x i64> zeroinitializer, i64 %x, i64 2
         %w = insertelement <4 x i64> %v, i64 3, i64 2
         %e = call i64 @llvm.vector.reduce.add.v4i64(<4 x i64> %w)
         %c = icmp eq i64 %e, 3",
        // It goes through a loop and through memory.
        "%x = load i64, ptr %p, align 8
         br label %loop
         loop:
         %now = phi i64 [ %x, %start ], [ %next, %loop ]
         %n = phi i64 [ 0, %start ], [ %n1, %loop ]
         %one = add i64 %now, 1
         %is_first = icmp eq i64 %n, 0
         %next = select i1 %is_first, i64 4, i64 %one
         %n1 = add i64 %n, 1
         %more = icmp ult i64 %n1, 3
         br i1 %more, label %loop, label %end
         end:
         %c = icmp eq i64 %next, 6",
        "%x = load i64, ptr %p, align 8
         %y = add i64 %x, 1
         %z = select i1 %yes, i64 %y, i64 3
         store i64 %z, ptr %q, align 8
         %w = load i64, ptr %q, align 8
         %r = select i1 %yes, i64 1, i64 %w
         %c = icmp eq i64 %r, 1",
        // It becomes an element of a vector that is only moved.
        "%x = load i64, ptr %p, align 8
         %y = add i64 %x, 1
         %v = load <4 x i64>, ptr %q, align 16
         %w = insertelement <4 x i64> %v, i64 %y, i64 2
         %s = shufflevector <4 x i64> %w, <4 x i64> zeroinitializer, <4 x i32> <i32 0, i32 2, i32 5, i32 6>
         store <4 x i64> %s, ptr %q, align 16
         %r = load i64, ptr %q, align 8
         %c = icmp eq i64 %r, 6",
        // Any value of it does.
        "%x = load i64, ptr %p, align 8
         %y = freeze i64 %x
         %z = and i64 %y, 0
         %c = icmp eq i64 %z, 0",
];

#[test]
fn what_is_loaded_for_nothing_is_no_error() {
    for body in FOR_NOTHING {
        let body = format!("{body}\n{TEST}");
        assert_eq!(outcome(&body, true), "ends", "{body}");
    }
}

#[test]
fn what_is_written_keeps_its_value() {
    for body in [
        "%x = load i64, ptr %p1, align 8
         %y = add i64 %x, 1
         %z = select i1 %yes, i64 %y, i64 3
         store i64 %z, ptr %p, align 8
         %w = load i64, ptr %p, align 8
         %c = icmp eq i64 %w, 6",
        "%x = load i64, ptr %p1, align 8
         %b = icmp eq i64 %x, 5
         %c = and i1 %b, %yes",
        "%h = call ptr @malloc(i64 64)
         call void @llvm.memset.p0.i64(ptr %h, i8 1, i64 64, i1 false)
         %x = load i128, ptr %h, align 16
         %y = lshr i128 %x, 120
         %z = select i1 %yes, i128 %y, i128 0
         %c = icmp eq i128 %z, 1",
        "%v = load <4 x i64>, ptr %p, align 16
         %e = extractelement <4 x i64> %v, i64 1
         %c = icmp eq i64 %e, 5",
    ] {
        let body = format!("{body}\n{TEST}");
        assert_eq!(outcome(&body, true), "ends", "{body}");
    }
}

#[test]
fn what_is_unwritten_must_not_decide() {
    let chosen = "%x = load i64, ptr %p, align 8
        %y = add i64 %x, 1
        %z = select i1 %yes, i64 %y, i64 3";
    for need in [
        "%c = icmp eq i64 %z, 0\n br i1 %c, label %a, label %a\n a:",
        "%b = icmp eq i64 %z, 0\n %c = and i1 %b, %yes\n br i1 %c, label %a, label %a\n a:",
        "%b = icmp eq i64 %z, 0\n %c = or i1 %no, %b\n br i1 %c, label %a, label %a\n a:",
        "%b = icmp eq i64 %z, 0\n %c = select i1 %b, i1 true, i1 false\n br i1 %c, label %a, label %a\n a:",
        "switch i64 %z, label %a [ i64 3, label %a ]\n a:",
        "%at = getelementptr i64, ptr %p, i64 %z\n %w = load i64, ptr %at",
        "%at = getelementptr i64, ptr %p, i64 %z\n store i64 1, ptr %at",
        "%w = udiv i64 8, %z",
        "store atomic i64 %z, ptr @cell monotonic, align 8",
        "%w = atomicrmw add ptr @cell, i64 %z monotonic",
        "call void @takes(i64 noundef %z)",
        "call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 %z, i1 false)",
        "store i64 %z, ptr %q, align 8\n %w = load i64, ptr %q\n %c = icmp eq i64 %w, 0
         br i1 %c, label %a, label %a\n a:",
        "%v = insertelement <4 x i64> zeroinitializer, i64 %z, i64 2
         %w = extractelement <4 x i64> %v, i64 2\n %c = icmp eq i64 %w, 0\n br i1 %c, label %a, label %a\n a:",
    ] {
        let body = format!("{chosen}\n{need}");
        assert_eq!(outcome(&body, true), "Uninitialised", "{body}");
    }
    let moved = "%v = load <4 x i64>, ptr %q, align 16
        %w = insertelement <4 x i64> %v, i64 %z, i64 0
        store <4 x i64> %w, ptr %q, align 16
        %r = load i64, ptr %q, align 8
        %c = icmp eq i64 %r, 6
        br i1 %c, label %a, label %a\n a:";
    assert_eq!(outcome(&format!("{chosen}\n{moved}"), true), "Uninitialised");
    let directly = "%x = load i64, ptr %p, align 8\n %y = add i64 %x, 1\n store i64 %y, ptr %q, align 8";
    assert_eq!(outcome(directly, true), "Uninitialised");
    assert_eq!(
        outcome(
            "%v = load <2 x i64>, ptr %p4, align 16\n %e = extractelement <2 x i64> %v, i64 1
        %c = icmp eq i64 %e, 0\n br i1 %c, label %a, label %a\n a:",
            true
        ),
        "Uninitialised"
    );
    // Without optimisation a load is a use.
    assert_eq!(outcome(chosen, true), "ends");
    assert_eq!(outcome(chosen, false), "Uninitialised");
}
