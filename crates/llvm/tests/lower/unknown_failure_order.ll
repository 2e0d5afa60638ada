%struct.S = type { i8, i32, i32, [4 x i32] }
@s = dso_local global %struct.S zeroinitializer, align 4
define dso_local i32 @main() {
  %e = alloca %struct.S, align 4
  %.atomictmp = alloca %struct.S, align 4
  %call = call zeroext i1 @__atomic_compare_exchange(i64 noundef 28, ptr noundef @s, ptr noundef %e, ptr noundef %.atomictmp, i32 noundef 5, i32 noundef 28)
  unreachable
}
