; options: nondet -1..3
declare i32 @__VERIFIER_nondet_int()
declare i32 @__VERIFIER_nondet_uint()
declare i1 @__VERIFIER_nondet_bool()
declare double @__VERIFIER_nondet_double()
define i32 @main() {
  %a = call i32 @__VERIFIER_nondet_int()
  %b = call i32 @__VERIFIER_nondet_uint()
  %c = call i1 @__VERIFIER_nondet_bool()
  %d = call double @__VERIFIER_nondet_double()
  ret i32 %a
}
