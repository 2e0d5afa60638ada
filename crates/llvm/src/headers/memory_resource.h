// <memory_resource> with what the compiled part of the library has [mem.res]: libstdc++'s header, and definitions of the
// functions that it only declares.
//
// A pool takes each block from the resource behind it and gives it back when it is freed. The blocks are in a list.

#include_next <memory_resource>
#if __has_include(<bits/c++config.h>) && __cplusplus >= 201703L && !defined(_ATROPOS_MEMORY_RESOURCE)
#define _ATROPOS_MEMORY_RESOURCE 1
#pragma GCC system_header
#include <new>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
namespace pmr
{
inline memory_resource::~memory_resource() = default;

class __atropos_new_delete final : public memory_resource {
    void *do_allocate(size_t __bytes, size_t __align) override {
        return ::operator new(__bytes, align_val_t(__align));
    }
    void do_deallocate(void *__block, size_t, size_t __align) noexcept override {
        ::operator delete(__block, align_val_t(__align));
    }
    bool do_is_equal(const memory_resource &__other) const noexcept override { return &__other == this; }
};
class __atropos_null final : public memory_resource {
    void *do_allocate(size_t, size_t) override { __throw_bad_alloc(); }
    void do_deallocate(void *, size_t, size_t) noexcept override {}
    bool do_is_equal(const memory_resource &__other) const noexcept override { return &__other == this; }
};
[[clang::no_destroy]] inline __atropos_new_delete __atropos_the_new_delete{};
[[clang::no_destroy]] inline __atropos_null __atropos_the_null{};
inline memory_resource *__atropos_default = nullptr;

inline memory_resource *new_delete_resource() noexcept { return &__atropos_the_new_delete; }
inline memory_resource *null_memory_resource() noexcept { return &__atropos_the_null; }
inline memory_resource *get_default_resource() noexcept {
    auto __now = __atomic_load_n(&__atropos_default, __ATOMIC_ACQUIRE);
    return __now ? __now : new_delete_resource();
}
inline memory_resource *set_default_resource(memory_resource *__next) noexcept {
    auto __old = __atomic_exchange_n(&__atropos_default, __next, __ATOMIC_ACQ_REL);
    return __old ? __old : new_delete_resource();
}

class monotonic_buffer_resource::_Chunk {
public:
    _Chunk *_M_next;
    size_t _M_bytes, _M_align;
};
inline monotonic_buffer_resource::~monotonic_buffer_resource() { release(); }
inline void monotonic_buffer_resource::_M_new_buffer(size_t __bytes, size_t __align) {
    if (__align < alignof(_Chunk))
        __align = alignof(_Chunk);
    size_t __n = __bytes < _M_next_bufsiz ? _M_next_bufsiz : __bytes;
    // What describes the buffer lies behind it.
    __n = (__n + alignof(_Chunk) - 1) / alignof(_Chunk) * alignof(_Chunk);
    auto __buffer = static_cast<char *>(_M_upstream->allocate(__n + sizeof(_Chunk), __align));
    _M_head = ::new (__buffer + __n) _Chunk{_M_head, __n, __align};
    _M_current_buf = __buffer;
    _M_avail = __n;
    _M_next_bufsiz = static_cast<size_t>(_M_next_bufsiz * _S_growth_factor);
}
inline void monotonic_buffer_resource::_M_release_buffers() noexcept {
    while (_M_head) {
        _Chunk __chunk = *_M_head;
        auto __buffer = reinterpret_cast<char *>(_M_head) - __chunk._M_bytes;
        _M_head = __chunk._M_next;
        _M_upstream->deallocate(__buffer, __chunk._M_bytes + sizeof(_Chunk), __chunk._M_align);
    }
}

struct __pool_resource::_BigBlock {
    void *_M_block;
    size_t _M_bytes, _M_align;
};
inline __pool_resource::__pool_resource(const pool_options &__options, memory_resource *__upstream)
    : _M_opts(__options), _M_unpooled(__upstream), _M_npools(0) {}
inline __pool_resource::~__pool_resource() { release(); }
inline void *__pool_resource::allocate(size_t __bytes, size_t __align) {
    void *__block = resource()->allocate(__bytes, __align);
    _M_unpooled.push_back({__block, __bytes, __align});
    return __block;
}
inline void __pool_resource::deallocate(void *__block, size_t __bytes, size_t __align) {
    for (auto &__known : _M_unpooled)
        if (__known._M_block == __block) {
            __known = _M_unpooled.back();
            _M_unpooled.pop_back();
            break;
        }
    resource()->deallocate(__block, __bytes, __align);
}
inline void __pool_resource::release() noexcept {
    for (auto &__known : _M_unpooled)
        resource()->deallocate(__known._M_block, __known._M_bytes, __known._M_align);
    _M_unpooled.clear();
}

inline unsynchronized_pool_resource::unsynchronized_pool_resource(const pool_options &__options,
                                                                  memory_resource *__upstream)
    : _M_impl(__options, __upstream) {}
inline unsynchronized_pool_resource::~unsynchronized_pool_resource() = default;
inline void unsynchronized_pool_resource::release() { _M_impl.release(); }
inline void *unsynchronized_pool_resource::do_allocate(size_t __bytes, size_t __align) {
    return _M_impl.allocate(__bytes, __align);
}
inline void unsynchronized_pool_resource::do_deallocate(void *__block, size_t __bytes, size_t __align) {
    _M_impl.deallocate(__block, __bytes, __align);
}

#ifdef _GLIBCXX_HAS_GTHREADS
inline synchronized_pool_resource::synchronized_pool_resource(const pool_options &__options,
                                                              memory_resource *__upstream)
    : _M_impl(__options, __upstream) {}
inline synchronized_pool_resource::~synchronized_pool_resource() = default;
inline void synchronized_pool_resource::release() {
    lock_guard<shared_mutex> __lock(_M_mx);
    _M_impl.release();
}
inline void *synchronized_pool_resource::do_allocate(size_t __bytes, size_t __align) {
    lock_guard<shared_mutex> __lock(_M_mx);
    return _M_impl.allocate(__bytes, __align);
}
inline void synchronized_pool_resource::do_deallocate(void *__block, size_t __bytes, size_t __align) {
    lock_guard<shared_mutex> __lock(_M_mx);
    _M_impl.deallocate(__block, __bytes, __align);
}
#endif
} // namespace pmr
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
