// <bits/atomic_wait.h>: how libstdc++'s atomics wait, as the standard says [atomics.wait].
//
// A call that observes another value returns, as if it came late; only the load orders anything then. A call that
// observes the old value waits for a notification: it begins to wait, looks again, and blocks. What a thread can do
// after it was woken, it can also do after it came late, so most executions in which a thread is woken are given up
// (runtime/waits.vm says which are not). What remains are threads that are never woken: deadlocks.

#if !__has_include(<bits/c++config.h>)
#include_next <bits/atomic_wait.h>
#elif !defined(_GLIBCXX_ATOMIC_WAIT_H)
#define _GLIBCXX_ATOMIC_WAIT_H 1
#pragma GCC system_header
#include <bits/c++config.h>
#include <bits/functional_hash.h>
#include <bits/gthr.h>
#include <bits/std_mutex.h>
#include <ext/numeric_traits.h>
#include <atropos/primitives.h>

#define __cpp_lib_atomic_wait 201907L

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

namespace __detail {
using __platform_wait_t = int;

inline void __thread_yield() noexcept { __gthread_yield(); }
inline void __thread_relax() noexcept { __gthread_yield(); }

template <typename _Tp>
ATROPOS_INLINE bool __atomic_compare(const _Tp &__a, const _Tp &__b) {
    return __builtin_memcmp(&__a, &__b, sizeof(_Tp)) == 0;
}
} // namespace __detail

template <typename _Tp, typename _Pred>
ATROPOS_INLINE void __atomic_wait_address(const _Tp *__object, _Pred __pred) noexcept {
    while (!__pred()) {
        long __number = __atropos_begin_wait(__object);
        if (__pred())
            __atropos_abandon();
        __atropos_wait(__object, __number);
    }
}

template <typename _Tp, typename _ValFn>
ATROPOS_INLINE void __atomic_wait_address_v(const _Tp *__object, _Tp __old, _ValFn __value) noexcept {
    while (__detail::__atomic_compare(__old, __value())) {
        long __number = __atropos_begin_wait(__object);
        if (!__detail::__atomic_compare(__old, __value()))
            __atropos_abandon();
        __atropos_wait(__object, __number);
    }
}

template <typename _Pred>
ATROPOS_INLINE void __atomic_wait_address_bare(const __detail::__platform_wait_t *__object, _Pred __pred) noexcept {
    std::__atomic_wait_address(__object, __pred);
}

template <typename _Tp>
ATROPOS_INLINE void __atomic_notify_address(const _Tp *__object, bool __all) noexcept {
    if (__all)
        __atropos_notify_all(__object);
    else
        __atropos_notify_one(__object);
}

ATROPOS_INLINE void __atomic_notify_address_bare(const __detail::__platform_wait_t *__object, bool __all) noexcept {
    std::__atomic_notify_address(__object, __all);
}

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
