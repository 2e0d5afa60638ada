; Inline assembly of AArch64: every known instruction once, with the results that the processor gives.
target datalayout = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
target triple = "aarch64-unknown-linux-gnu"

@m = internal global [2 x i32] [i32 1, i32 2], align 4
@w = internal global i64 6, align 8
@c = internal global i8 -56, align 1

; Function Attrs: nounwind
define dso_local noundef i32 @main() local_unnamed_addr #0 {
  tail call void asm sideeffect "dmb ishld\0A\09dmb ishst; isb; yield", "~{memory}"() #2, !srcloc !5
  %1 = tail call { i32, i32, i32 } asm sideeffect "1: ldaxr ${0:w}, $3\0A add ${1:w}, ${0:w}, ${4:w}\0A stlxr ${2:w}, ${1:w}, $3\0A cbnz ${2:w}, 1b", "=&r,=&r,=&r,=*Q,r,*Q,~{memory}"(ptr nonnull elementtype(i32) @m, i32 4, ptr nonnull elementtype(i32) @m) #2, !srcloc !6
  %2 = extractvalue { i32, i32, i32 } %1, 0
  %3 = extractvalue { i32, i32, i32 } %1, 1
  %4 = mul nsw i32 %3, 100
  %5 = add nsw i32 %4, %2
  %6 = icmp eq i32 %5, 501
  br i1 %6, label %8, label %7

7:                                                ; preds = %0
  tail call void @abort() #3
  br label %8

8:                                                ; preds = %7, %0
  %9 = load i32, ptr @m, align 4, !tbaa !7
  %10 = icmp eq i32 %9, 5
  br i1 %10, label %12, label %11

11:                                               ; preds = %8
  tail call void @abort() #3
  br label %12

12:                                               ; preds = %11, %8
  %13 = tail call { i32, i32 } asm sideeffect "1: ldxr ${0:w}, $2\0A cmp ${0:w}, ${3:w}\0A b.ne 2f\0A stxr ${1:w}, ${4:w}, $2\0A cbnz ${1:w}, 1b\0A2:", "=&r,=&r,=*Q,r,r,*Q,~{cc},~{memory}"(ptr nonnull elementtype(i32) @m, i32 5, i32 6, ptr nonnull elementtype(i32) @m) #2, !srcloc !11
  %14 = extractvalue { i32, i32 } %13, 0
  %15 = icmp eq i32 %14, 5
  %16 = load i32, ptr @m, align 4
  %17 = icmp eq i32 %16, 6
  %18 = select i1 %15, i1 %17, i1 false
  br i1 %18, label %20, label %19

19:                                               ; preds = %12
  tail call void @abort() #3
  br label %20

20:                                               ; preds = %12, %19
  %21 = tail call { i32, i32 } asm sideeffect "1: ldxr ${0:w}, $2\0A cmp ${0:w}, ${3:w}\0A b.ne 2f\0A stxr ${1:w}, ${4:w}, $2\0A cbnz ${1:w}, 1b\0A2:", "=&r,=&r,=*Q,r,r,*Q,~{cc},~{memory}"(ptr nonnull elementtype(i32) @m, i32 5, i32 7, ptr nonnull elementtype(i32) @m) #2, !srcloc !11
  %22 = extractvalue { i32, i32 } %21, 0
  %23 = icmp eq i32 %22, 6
  %24 = load i32, ptr @m, align 4
  %25 = icmp eq i32 %24, 6
  %26 = select i1 %23, i1 %25, i1 false
  br i1 %26, label %28, label %27

27:                                               ; preds = %20
  tail call void @abort() #3
  br label %28

28:                                               ; preds = %20, %27
  %29 = tail call { i32, i32 } asm sideeffect "1: ldaxr ${0:w}, $2\0A eor ${1:w}, ${0:w}, ${3:w}\0A cbnz ${1:w}, 2f\0A stlxr ${1:w}, ${4:w}, $2\0A cbnz ${1:w}, 1b\0A2: dmb ish", "=&r,=&r,=*Q,r,r,*Q,~{memory}"(ptr nonnull elementtype(i32) @m, i32 6, i32 8, ptr nonnull elementtype(i32) @m) #2, !srcloc !12
  %30 = extractvalue { i32, i32 } %29, 0
  %31 = icmp eq i32 %30, 6
  %32 = load i32, ptr @m, align 4
  %33 = icmp eq i32 %32, 8
  %34 = select i1 %31, i1 %33, i1 false
  br i1 %34, label %36, label %35

35:                                               ; preds = %28
  tail call void @abort() #3
  br label %36

36:                                               ; preds = %28, %35
  %37 = tail call { i32, i32 } asm sideeffect "1: ldaxr ${0:w}, $2\0A eor ${1:w}, ${0:w}, ${3:w}\0A cbnz ${1:w}, 2f\0A stlxr ${1:w}, ${4:w}, $2\0A cbnz ${1:w}, 1b\0A2: dmb ish", "=&r,=&r,=*Q,r,r,*Q,~{memory}"(ptr nonnull elementtype(i32) @m, i32 6, i32 9, ptr nonnull elementtype(i32) @m) #2, !srcloc !12
  %38 = extractvalue { i32, i32 } %37, 0
  %39 = icmp eq i32 %38, 8
  %40 = load i32, ptr @m, align 4
  %41 = icmp eq i32 %40, 8
  %42 = select i1 %39, i1 %41, i1 false
  br i1 %42, label %44, label %43

43:                                               ; preds = %36
  tail call void @abort() #3
  br label %44

44:                                               ; preds = %36, %43
  %45 = tail call { i32, i32 } asm sideeffect "1: ldxr ${0:w}, $2\0A stxr ${1:w}, ${3:w}, $2\0A cbnz ${1:w}, 1b", "=&r,=&r,=*Q,r,*Q,~{memory}"(ptr nonnull elementtype(i32) @m, i32 3, ptr nonnull elementtype(i32) @m) #2, !srcloc !13
  %46 = extractvalue { i32, i32 } %45, 0
  %47 = icmp eq i32 %46, 8
  %48 = load i32, ptr @m, align 4
  %49 = icmp eq i32 %48, 3
  %50 = select i1 %47, i1 %49, i1 false
  br i1 %50, label %52, label %51

51:                                               ; preds = %44
  tail call void @abort() #3
  br label %52

52:                                               ; preds = %44, %51
  %53 = tail call i64 asm sideeffect "ldaddal $1, $0, [$2]", "=r,r,r,~{memory}"(i64 4, ptr nonnull @w) #2, !srcloc !14
  %54 = icmp eq i64 %53, 6
  %55 = load i64, ptr @w, align 8
  %56 = icmp eq i64 %55, 10
  %57 = select i1 %54, i1 %56, i1 false
  br i1 %57, label %59, label %58

58:                                               ; preds = %52
  tail call void @abort() #3
  br label %59

59:                                               ; preds = %52, %58
  %60 = tail call i64 asm sideeffect "ldclr $1, $0, [$2]", "=r,r,r,~{memory}"(i64 2, ptr nonnull @w) #2, !srcloc !15
  %61 = icmp eq i64 %60, 10
  %62 = load i64, ptr @w, align 8
  %63 = icmp eq i64 %62, 8
  %64 = select i1 %61, i1 %63, i1 false
  br i1 %64, label %66, label %65

65:                                               ; preds = %59
  tail call void @abort() #3
  br label %66

66:                                               ; preds = %65, %59
  tail call void asm sideeffect "stset $0, [$1]", "r,r,~{memory}"(i64 1, ptr nonnull @w) #2, !srcloc !16
  %67 = load i64, ptr @w, align 8, !tbaa !17
  %68 = icmp eq i64 %67, 9
  br i1 %68, label %70, label %69

69:                                               ; preds = %66
  tail call void @abort() #3
  br label %70

70:                                               ; preds = %69, %66
  %71 = tail call i64 asm sideeffect "swpa $1, $0, [$2]", "=r,r,r,~{memory}"(i64 5, ptr nonnull @w) #2, !srcloc !19
  %72 = icmp eq i64 %71, 9
  br i1 %72, label %74, label %73

73:                                               ; preds = %70
  tail call void @abort() #3
  br label %74

74:                                               ; preds = %73, %70
  %75 = tail call i64 asm sideeffect "casal $0, $1, [$2]", "=r,r,r,0,~{memory}"(i64 6, ptr nonnull @w, i64 5) #2, !srcloc !20
  %76 = icmp eq i64 %75, 5
  %77 = load i64, ptr @w, align 8
  %78 = icmp eq i64 %77, 6
  %79 = select i1 %76, i1 %78, i1 false
  br i1 %79, label %81, label %80

80:                                               ; preds = %74
  tail call void @abort() #3
  br label %81

81:                                               ; preds = %74, %80
  %82 = tail call i64 asm sideeffect "casal $0, $1, [$2]", "=r,r,r,0,~{memory}"(i64 7, ptr nonnull @w, i64 5) #2, !srcloc !20
  %83 = icmp eq i64 %82, 6
  %84 = load i64, ptr @w, align 8
  %85 = icmp eq i64 %84, 6
  %86 = select i1 %83, i1 %85, i1 false
  br i1 %86, label %88, label %87

87:                                               ; preds = %81
  tail call void @abort() #3
  br label %88

88:                                               ; preds = %87, %81
  tail call void asm sideeffect "stlr ${0:w}, [$1]", "r,r,~{memory}"(i32 77, ptr nonnull @m) #2, !srcloc !21
  %89 = tail call i32 asm sideeffect "ldar ${0:w}, [$1]", "=r,r,~{memory}"(ptr nonnull @m) #2, !srcloc !22
  %90 = icmp eq i32 %89, 77
  br i1 %90, label %92, label %91

91:                                               ; preds = %88
  tail call void @abort() #3
  br label %92

92:                                               ; preds = %88, %91
  tail call void asm sideeffect "str wzr, [$0, #4]", "r,~{memory}"(ptr nonnull @m) #2, !srcloc !23
  %93 = load i32, ptr getelementptr inbounds (i8, ptr @m, i64 4), align 4, !tbaa !7
  %94 = icmp eq i32 %93, 0
  br i1 %94, label %96, label %95

95:                                               ; preds = %92
  tail call void @abort() #3
  br label %96

96:                                               ; preds = %95, %92
  %97 = tail call i32 asm sideeffect "ldrb ${0:w}, [$1]", "=r,r,~{memory}"(ptr nonnull @c) #2, !srcloc !24
  %98 = icmp eq i32 %97, 200
  br i1 %98, label %100, label %99

99:                                               ; preds = %96
  tail call void @abort() #3
  br label %100

100:                                              ; preds = %99, %96
  %101 = tail call i32 asm "cmp ${1:w}, ${2:w}\0A cset ${0:w}, lt", "=r,r,r,~{cc}"(i32 -1, i32 2) #4, !srcloc !25
  %102 = icmp eq i32 %101, 1
  br i1 %102, label %103, label %106

103:                                              ; preds = %100
  %104 = tail call i32 asm "cmp ${1:w}, ${2:w}\0A cset ${0:w}, lt", "=r,r,r,~{cc}"(i32 2, i32 -1) #4, !srcloc !25
  %105 = icmp eq i32 %104, 0
  br i1 %105, label %107, label %106

106:                                              ; preds = %103, %100
  tail call void @abort() #3
  br label %107

107:                                              ; preds = %103, %106
  ret i32 0
}

declare void @abort() local_unnamed_addr #1

attributes #0 = { nounwind "frame-pointer"="non-leaf" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+crc,+fp-armv8,+lse,+neon,+rdm,+v8.1a,+v8a,-fmv" }
attributes #1 = { "frame-pointer"="non-leaf" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+crc,+fp-armv8,+lse,+neon,+rdm,+v8.1a,+v8a,-fmv" }
attributes #2 = { nounwind }
attributes #3 = { nobuiltin nounwind "no-builtins" }
attributes #4 = { nounwind memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.ident = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 1}
!4 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!5 = !{i64 2186, i64 2198}
!6 = !{i64 215, i64 234, i64 254, i64 275}
!7 = !{!8, !8, i64 0}
!8 = !{!"int", !9, i64 0}
!9 = !{!"omnipotent char", !10, i64 0}
!10 = !{!"Simple C/C++ TBAA"}
!11 = !{i64 431, i64 449, i64 464, i64 474, i64 494, i64 509}
!12 = !{i64 650, i64 669, i64 689, i64 704, i64 725, i64 740}
!13 = !{i64 879, i64 897, i64 917}
!14 = !{i64 1047}
!15 = !{i64 1173}
!16 = !{i64 1291}
!17 = !{!18, !18, i64 0}
!18 = !{!"long", !9, i64 0}
!19 = !{i64 1393}
!20 = !{i64 1513}
!21 = !{i64 1736}
!22 = !{i64 1630}
!23 = !{i64 1826}
!24 = !{i64 1920}
!25 = !{i64 2019, i64 2034}
