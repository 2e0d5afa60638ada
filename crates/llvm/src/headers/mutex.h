// <mutex>, with our own std::lock [thread.lock.algorithm].
//
// The standard does not say in which sequence std::lock calls lock(), try_lock() and unlock(), as long as it does not
// deadlock. A failed attempt ends with no mutex held and has changed nothing, as if the thread had come later. So it is
// not repeated: the thread locks the mutex that it did not get, holding no other one, and if it succeeds, other
// executions stand for this one. What remains are mutexes that never become free: deadlocks.

#if __cplusplus >= 201103L && __has_include(<bits/c++config.h>) && !defined(_GLIBCXX_MUTEX)
#pragma GCC system_header
#include <bits/unique_lock.h>
#include <atropos/primitives.h>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

namespace __atropos {
// Locks all mutexes and returns -1, or locks none and returns the index of the first that cannot be locked.
template <typename _L1>
ATROPOS_INLINE int __try_all(_L1 &__l1) {
    return __l1.try_lock() ? -1 : 0;
}
template <typename _L1, typename _L2, typename... _L3>
ATROPOS_INLINE int __try_all(_L1 &__l1, _L2 &__l2, _L3 &...__l3) {
    unique_lock<_L1> __first(__l1, try_to_lock);
    if (!__first.owns_lock())
        return 0;
    int __failed = __atropos::__try_all(__l2, __l3...);
    if (__failed < 0)
        __first.release();
    return __failed < 0 ? -1 : __failed + 1;
}

// Waits until the mutex with this index can be locked.
template <typename _L1>
ATROPOS_INLINE void __wait_for(int, _L1 &__l1) {
    __l1.lock();
    __l1.unlock();
}
template <typename _L1, typename _L2, typename... _L3>
ATROPOS_INLINE void __wait_for(int __index, _L1 &__l1, _L2 &__l2, _L3 &...__l3) {
    if (__index == 0)
        __atropos::__wait_for(0, __l1);
    else
        __atropos::__wait_for(__index - 1, __l2, __l3...);
}

template <typename... _Ls>
ATROPOS_INLINE void __check_distinct(int __failed, _Ls &...__ls) {
    const void *__all[] = {static_cast<const void *>(__builtin_addressof(__ls))...};
    for (int __i = 0; __i < __failed; ++__i)
        if (__all[__i] == __all[__failed])
            __atropos_misuse("std::lock", "mutex", "given-twice");
}
} // namespace __atropos

// Clang prefers a function with this attribute to libstdc++'s, which is otherwise the same.
template <typename _L1, typename _L2, typename... _L3>
ATROPOS_INLINE void lock(_L1 &__l1, _L2 &__l2, _L3 &...__l3) __attribute__((__enable_if__(true, ""))) {
    int __failed;
    {
        unique_lock<_L1> __first(__l1);
        __failed = __atropos::__try_all(__l2, __l3...);
        if (__failed < 0) {
            __first.release();
            return;
        }
        __atropos::__check_distinct(__failed + 1, __l1, __l2, __l3...);
    }
    __atropos::__wait_for(__failed, __l2, __l3...);
    __atropos_abandon();
}

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
#include_next <mutex>
