// <bits/shared_ptr_atomic.h>, with our own std::atomic of shared and weak pointers [util.smartptr.atomic].
//
// libstdc++ guards the pointer with a bit of the next word, which it locks in a spin loop. A load unlocks it without
// releasing what it read, which is a race. Here a lock guards the pointer. It orders the operations on one object more
// strongly than memory orders below seq_cst require.

#include_next <bits/shared_ptr_atomic.h>
#if defined(__cpp_lib_atomic_shared_ptr) && !defined(ATROPOS_SHARED_PTR_ATOMIC_H)
#define ATROPOS_SHARED_PTR_ATOMIC_H
#pragma GCC system_header
#include <bits/atomic_wait.h>
#include <atropos/primitives.h>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

namespace __atropos {
// `_Holder::_S_same` compares two pointers.
template <typename _Pointer, typename _Holder>
class __guarded {
public:
    using value_type = _Pointer;

    constexpr __guarded() noexcept = default;
    explicit __guarded(_Pointer __value) noexcept : _M_value(std::move(__value)) {}
    __guarded(const __guarded &) = delete;
    void operator=(const __guarded &) = delete;

    _Pointer load(memory_order) const noexcept {
        __atropos_lock(&_M_lock);
        _Pointer __value = _M_value;
        __atropos_unlock(&_M_lock);
        return __value;
    }

    void swap(_Pointer &__value, memory_order) noexcept {
        __atropos_lock(&_M_lock);
        _M_value.swap(__value);
        __atropos_unlock(&_M_lock);
    }

    bool compare_exchange_strong(_Pointer &__expected, _Pointer __desired, memory_order, memory_order) noexcept {
        _Pointer __seen;
        __atropos_lock(&_M_lock);
        bool __same = _Holder::_S_same(_M_value, __expected);
        if (__same)
            _M_value.swap(__desired);
        else
            __seen = _M_value;
        __atropos_unlock(&_M_lock);
        if (!__same)
            __expected.swap(__seen);
        return __same;
    }

    void wait(_Pointer __old, memory_order) const noexcept {
        std::__atomic_wait_address(this, [&] {
            __atropos_lock(&_M_lock);
            bool __same = _Holder::_S_same(_M_value, __old);
            __atropos_unlock(&_M_lock);
            return !__same;
        });
    }

    void notify_one() noexcept { __atropos_notify_one(this); }
    void notify_all() noexcept { __atropos_notify_all(this); }

private:
    mutable int _M_lock = 0;
    _Pointer _M_value;
};
} // namespace __atropos

template <typename _Tp>
class _Sp_atomic<shared_ptr<_Tp>> : public __atropos::__guarded<shared_ptr<_Tp>, _Sp_atomic<shared_ptr<_Tp>>> {
public:
    using __atropos::__guarded<shared_ptr<_Tp>, _Sp_atomic>::__guarded;

    static bool _S_same(const shared_ptr<_Tp> &__a, const shared_ptr<_Tp> &__b) {
        return __a._M_ptr == __b._M_ptr && !__a.owner_before(__b) && !__b.owner_before(__a);
    }
};

template <typename _Tp>
class _Sp_atomic<weak_ptr<_Tp>> : public __atropos::__guarded<weak_ptr<_Tp>, _Sp_atomic<weak_ptr<_Tp>>> {
public:
    using __atropos::__guarded<weak_ptr<_Tp>, _Sp_atomic>::__guarded;

    static bool _S_same(const weak_ptr<_Tp> &__a, const weak_ptr<_Tp> &__b) {
        return __a._M_ptr == __b._M_ptr && !__a.owner_before(__b) && !__b.owner_before(__a);
    }
};

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
