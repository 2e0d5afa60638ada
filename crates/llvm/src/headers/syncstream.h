// Streams whose output reaches another stream at once [syncstream].

#if !__has_include(<bits/c++config.h>)
#include_next <syncstream>
#elif !defined(_GLIBCXX_SYNCSTREAM)
#define _GLIBCXX_SYNCSTREAM 1
#pragma GCC system_header
#if __cplusplus > 201703L
#include <atropos/primitives.h>
#include <sstream>

#define __cpp_lib_syncbuf 201803L

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

/// One lock is enough: no thread waits while it holds it.
__attribute__((__weak__)) int __lock_of_synchronised_streams = 0;

template <typename _CharT, typename _Traits = char_traits<_CharT>, typename _Alloc = allocator<_CharT>>
class basic_osyncstream : public basic_ostringstream<_CharT, _Traits, _Alloc> {
public:
    typedef basic_streambuf<_CharT, _Traits> streambuf_type;

    explicit basic_osyncstream(basic_ostream<_CharT, _Traits> &__stream) : _M_to(__stream.rdbuf()) {}
    explicit basic_osyncstream(streambuf_type *__to) : _M_to(__to) {}
    basic_osyncstream(basic_osyncstream &&__other)
        : basic_ostringstream<_CharT, _Traits, _Alloc>(std::move(__other)), _M_to(__other._M_to) {
        __other._M_to = nullptr;
    }
    ~basic_osyncstream() { emit(); }

    /// Passes everything on. What goes to a standard stream is printed.
    void emit() {
        basic_string<_CharT, _Traits, _Alloc> __text = this->str();
        this->str(basic_string<_CharT, _Traits, _Alloc>());
        if (!_M_to) {
            if (__atropos_prints())
                for (_CharT __c : __text)
                    putchar(int(__c));
        } else if (!__text.empty()) {
            __atropos_lock(&__lock_of_synchronised_streams);
            bool __is_all = _M_to->sputn(__text.data(), __text.size()) == streamsize(__text.size());
            __atropos_unlock(&__lock_of_synchronised_streams);
            if (!__is_all)
                this->setstate(ios_base::badbit);
        }
    }
    streambuf_type *get_wrapped() const noexcept { return _M_to; }

private:
    streambuf_type *_M_to;
};

typedef basic_osyncstream<char> osyncstream;
typedef basic_osyncstream<wchar_t> wosyncstream;

} // namespace __atropos
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
#endif
