// <barrier> as the standard says [thread.barrier].
//
// One word holds the number of the phase (24 bits), how many arrivals later phases wait for, and how many this one still
// waits for (20 bits each), so that arriving, dropping out and reading the phase are one step. An arrival only releases;
// the last one acquires all others with a fence, runs the completion function, and begins the next phase. Without a
// completion function, no thread can tell which one was last, and the order in which threads arrive and wait may be left open.

#if !__has_include(<bits/c++config.h>)
#include_next <barrier>
#elif !defined(_GLIBCXX_BARRIER)
#define _GLIBCXX_BARRIER 1
#pragma GCC system_header
#if __cplusplus > 201703L
#include <bits/atomic_base.h>
#include <bits/std_thread.h>
#include <bits/unique_ptr.h>
#include <array>
#include <atropos/primitives.h>

#define __cpp_lib_barrier 201907L

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

struct __empty_completion {
    ATROPOS_INLINE void operator()() noexcept {}
};

template <typename _CompletionF = __empty_completion>
class barrier {
    using __word = unsigned long;

    static constexpr int _S_expected_shift = 20;
    static constexpr int _S_phase_shift = 40;
    static constexpr __word _S_mask = 0xfffff;

public:
    class arrival_token final {
    public:
        ATROPOS_INLINE arrival_token(arrival_token &&) = default;
        ATROPOS_INLINE arrival_token &operator=(arrival_token &&) = default;
        ATROPOS_INLINE ~arrival_token() = default;

    private:
        friend class barrier;
        ATROPOS_INLINE arrival_token(const barrier *__barrier, __word __phase) noexcept
            : _M_barrier(__barrier), _M_phase(__phase) {}

        const barrier *_M_barrier;
        __word _M_phase;
    };

    static constexpr ptrdiff_t max() noexcept { return _S_mask; }

    ATROPOS_INLINE constexpr explicit barrier(ptrdiff_t __expected, _CompletionF __completion = _CompletionF())
        : _M_word(static_cast<__word>(__expected) << _S_expected_shift | static_cast<__word>(__expected)),
          _M_completion(std::move(__completion)) {
        if (__expected < 0 || __expected > max())
            __atropos_misuse("std::barrier::barrier", "barrier", "invalid-count");
    }
    ~barrier() = default;
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;

    [[nodiscard]] ATROPOS_INLINE arrival_token arrive(ptrdiff_t __update = 1) {
        return arrival_token(this, _M_arrive(__update) >> _S_phase_shift);
    }

    ATROPOS_INLINE void wait(arrival_token &&__arrival) const {
        if (__arrival._M_barrier != this)
            __atropos_misuse("std::barrier::wait", "barrier", "foreign-token");
        _M_wait(__arrival._M_phase);
    }

    ATROPOS_INLINE void arrive_and_wait() {
        if constexpr (is_same<_CompletionF, __empty_completion>::value) {
            __atropos_barrier_meet(&_M_word);
        } else {
            __word __old = _M_arrive(1);
            // The last one to arrive has begun the next phase itself.
            if ((__old & _S_mask) != 1)
                _M_wait(__old >> _S_phase_shift);
        }
    }

    ATROPOS_INLINE void arrive_and_drop() {
        _M_arrive(1, 1);
    }

private:
    ATROPOS_INLINE __word _M_arrive(ptrdiff_t __update, __word __dropped = 0) {
        if (__update <= 0 || __update > max())
            __atropos_misuse("std::barrier::arrive", "barrier", "invalid-number");
        __word __old = __atropos_barrier_arrive(&_M_word, __dropped << _S_expected_shift | static_cast<__word>(__update));
        __word __pending = __old & _S_mask;
        if (__pending < static_cast<__word>(__update))
            __atropos_misuse("std::barrier::arrive", "barrier", "too-many-arrivals");
        if (__pending == static_cast<__word>(__update)) {
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            _M_completion();
            __word __next = ((__old >> _S_phase_shift) + 1) << _S_phase_shift;
            __word __expected = (__old >> _S_expected_shift & _S_mask) - __dropped;
            __atomic_store_n(&_M_word, __next | __expected << _S_expected_shift | __expected, __ATOMIC_RELEASE);
        }
        return __old;
    }

    ATROPOS_INLINE void _M_wait(__word __phase) const {
        if (__atropos_barrier_wait(&_M_word, __phase) != __phase + 1)
            __atropos_misuse("std::barrier::wait", "barrier", "old-token");
    }

    __word _M_word;
    _CompletionF _M_completion;
};

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
#endif
