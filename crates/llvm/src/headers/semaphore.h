// <semaphore> as the standard says [thread.sema].
//
// A wait with a time limit may end at any moment, so it does not wait. `try_acquire` does not fail spuriously: the
// standard allows this, but discourages it.

#if !__has_include(<bits/c++config.h>)
#include_next <semaphore>
#elif !defined(_GLIBCXX_SEMAPHORE)
#define _GLIBCXX_SEMAPHORE 1
#pragma GCC system_header
#if __cplusplus > 201703L
#include <bits/atomic_base.h>
#include <bits/chrono.h>
#include <ext/numeric_traits.h>
#include <atropos/primitives.h>

#define __cpp_lib_semaphore 201907L

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

template <ptrdiff_t __least_max_value = __INT_MAX__>
class counting_semaphore {
    static_assert(__least_max_value >= 0);

public:
    static constexpr ptrdiff_t max() noexcept { return __least_max_value; }

    ATROPOS_INLINE constexpr explicit counting_semaphore(ptrdiff_t __desired) noexcept : _M_counter(__desired) {
        if (__desired < 0 || __desired > __least_max_value)
            __atropos_misuse("std::counting_semaphore", "semaphore", "invalid-count");
    }
    ~counting_semaphore() = default;
    counting_semaphore(const counting_semaphore &) = delete;
    counting_semaphore &operator=(const counting_semaphore &) = delete;

    ATROPOS_INLINE void release(ptrdiff_t __update = 1) {
        if (__update < 0)
            __atropos_misuse("std::counting_semaphore::release", "semaphore", "invalid-number");
        if (__least_max_value - __atropos_semaphore_release(&_M_counter, __update) < __update)
            __atropos_misuse("std::counting_semaphore::release", "semaphore", "counter-too-large");
    }

    ATROPOS_INLINE void acquire() { __atropos_semaphore_acquire(&_M_counter); }

    ATROPOS_INLINE bool try_acquire() noexcept { return __atropos_semaphore_try_acquire(&_M_counter); }

    template <typename _Rep, typename _Period>
    ATROPOS_INLINE bool try_acquire_for(const chrono::duration<_Rep, _Period> &) {
        return try_acquire();
    }

    template <typename _Clock, typename _Duration>
    ATROPOS_INLINE bool try_acquire_until(const chrono::time_point<_Clock, _Duration> &) {
        return try_acquire();
    }

private:
    ptrdiff_t _M_counter;
};

using binary_semaphore = counting_semaphore<1>;

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
#endif
