@_ZTIi = external constant ptr
declare ptr @__cxa_allocate_exception(i64)
declare void @__cxa_throw(ptr, ptr, ptr)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
declare i32 @llvm.eh.typeid.for.p0(ptr)
declare i32 @__gxx_personality_v0(...)
define void @throws() {
  %e = call ptr @__cxa_allocate_exception(i64 4)
  store i32 7, ptr %e
  call void @__cxa_throw(ptr %e, ptr @_ZTIi, ptr null) noreturn
  unreachable
}
define void @harmless() {
  ret void
}
define void @cleans() personality ptr @__gxx_personality_v0 {
  invoke void @throws() to label %fine unwind label %pad
fine:
  ret void
pad:
  %x = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %x
}
define i32 @main() personality ptr @__gxx_personality_v0 {
entry:
  invoke void @harmless() to label %next unwind label %pad
next:
  invoke void @cleans() to label %fine unwind label %pad
fine:
  ret i32 0
pad:
  %x = landingpad { ptr, i32 } catch ptr @_ZTIi catch ptr null
  %object = extractvalue { ptr, i32 } %x, 0
  %selector = extractvalue { ptr, i32 } %x, 1
  %id = call i32 @llvm.eh.typeid.for.p0(ptr @_ZTIi)
  %is = icmp eq i32 %selector, %id
  %caught = call ptr @__cxa_begin_catch(ptr %object)
  call void @__cxa_end_catch()
  ret i32 1
}
