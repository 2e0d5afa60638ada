; A fence for one thread is none.
define i32 @main() {
  fence acquire
  fence release
  fence acq_rel
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  ret i32 0
}
