; ModuleID = 'debug_clang22.c'
source_filename = "debug_clang22.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.point = type { i32, i32, i8 }

@__const.main.here = private unnamed_addr constant { i32, i32, i8, [3 x i8] } { i32 1, i32 2, i8 35, [3 x i8] zeroinitializer }, align 4
@origin = dso_local global %struct.point zeroinitializer, align 4, !dbg !0

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 !dbg !21 {
entry:
  %retval = alloca i32, align 4
  %here = alloca %struct.point, align 4
  %p = alloca ptr, align 8
  store i32 0, ptr %retval, align 4
    #dbg_declare(ptr %here, !25, !DIExpression(), !26)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %here, ptr align 4 @__const.main.here, i64 12, i1 false), !dbg !26
    #dbg_declare(ptr %p, !27, !DIExpression(), !29)
  %y = getelementptr inbounds nuw %struct.point, ptr %here, i32 0, i32 1, !dbg !30
  store ptr %y, ptr %p, align 8, !dbg !29
  %0 = load ptr, ptr %p, align 8, !dbg !31
  %1 = load i32, ptr %0, align 4, !dbg !32
  store i32 %1, ptr @origin, align 4, !dbg !33
  %bf.load = load i8, ptr getelementptr inbounds nuw (%struct.point, ptr @origin, i32 0, i32 2), align 4, !dbg !34
  %bf.clear = and i8 %bf.load, 7, !dbg !34
  %bf.cast = zext i8 %bf.clear to i32, !dbg !34
  ret i32 %bf.cast, !dbg !35
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!13, !14, !15, !16, !17, !18, !19}
!llvm.ident = !{!20}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "origin", scope: !2, file: !3, line: 5, type: !5, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !4, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "debug_clang22.c", directory: "/src", checksumkind: CSK_MD5, checksum: "56e82279c5902ff79df888a68f3dd177")
!4 = !{!0}
!5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "point", file: !3, line: 1, size: 96, elements: !6)
!6 = !{!7, !9, !10, !12}
!7 = !DIDerivedType(tag: DW_TAG_member, name: "x", scope: !5, file: !3, line: 2, baseType: !8, size: 32)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DIDerivedType(tag: DW_TAG_member, name: "y", scope: !5, file: !3, line: 2, baseType: !8, size: 32, offset: 32)
!10 = !DIDerivedType(tag: DW_TAG_member, name: "small", scope: !5, file: !3, line: 3, baseType: !11, size: 3, offset: 64, flags: DIFlagBitField, extraData: i64 64)
!11 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!12 = !DIDerivedType(tag: DW_TAG_member, name: "big", scope: !5, file: !3, line: 3, baseType: !11, size: 5, offset: 67, flags: DIFlagBitField, extraData: i64 64)
!13 = !{i32 7, !"Dwarf Version", i32 5}
!14 = !{i32 2, !"Debug Info Version", i32 3}
!15 = !{i32 1, !"wchar_size", i32 4}
!16 = !{i32 8, !"PIC Level", i32 2}
!17 = !{i32 7, !"PIE Level", i32 2}
!18 = !{i32 7, !"uwtable", i32 2}
!19 = !{i32 7, !"frame-pointer", i32 2}
!20 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!21 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 6, type: !22, scopeLine: 6, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !24)
!22 = !DISubroutineType(types: !23)
!23 = !{!8}
!24 = !{}
!25 = !DILocalVariable(name: "here", scope: !21, file: !3, line: 7, type: !5)
!26 = !DILocation(line: 7, column: 18, scope: !21)
!27 = !DILocalVariable(name: "p", scope: !21, file: !3, line: 8, type: !28)
!28 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !8, size: 64)
!29 = !DILocation(line: 8, column: 10, scope: !21)
!30 = !DILocation(line: 8, column: 20, scope: !21)
!31 = !DILocation(line: 9, column: 17, scope: !21)
!32 = !DILocation(line: 9, column: 16, scope: !21)
!33 = !DILocation(line: 9, column: 14, scope: !21)
!34 = !DILocation(line: 10, column: 19, scope: !21)
!35 = !DILocation(line: 10, column: 5, scope: !21)
