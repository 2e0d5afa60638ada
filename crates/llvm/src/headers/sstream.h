// Streams of strings [string.streams].

#if !__has_include(<bits/c++config.h>)
#include_next <sstream>
#elif !defined(_GLIBCXX_SSTREAM)
#define _GLIBCXX_SSTREAM 1
#pragma GCC system_header
#include <atropos/streams.h>
#if __cplusplus >= 201703L
#include <string_view>
#endif

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

/// The buffer is the string, with a position for input and one for output.
template <typename _CharT, typename _Traits, typename _Alloc>
class basic_stringbuf : public basic_streambuf<_CharT, _Traits> {
public:
    typedef _CharT char_type;
    typedef _Traits traits_type;
    typedef _Alloc allocator_type;
    typedef typename _Traits::int_type int_type;
    typedef typename _Traits::pos_type pos_type;
    typedef typename _Traits::off_type off_type;
    typedef basic_string<_CharT, _Traits, _Alloc> __string_type;

    basic_stringbuf() : basic_stringbuf(ios_base::in | ios_base::out) {}
    explicit basic_stringbuf(ios_base::openmode __mode) : _M_mode(__mode) { __rewind(); }
    explicit basic_stringbuf(const __string_type &__s, ios_base::openmode __mode = ios_base::in | ios_base::out)
        : _M_string(__s), _M_mode(__mode) {
        __rewind();
    }
    explicit basic_stringbuf(__string_type &&__s, ios_base::openmode __mode = ios_base::in | ios_base::out)
        : _M_string(std::move(__s)), _M_mode(__mode) {
        __rewind();
    }
    basic_stringbuf(basic_stringbuf &&) = default;
    basic_stringbuf &operator=(basic_stringbuf &&) = default;
    void swap(basic_stringbuf &__other) { std::swap(*this, __other); }

    __string_type str() const { return _M_string; }
    void str(const __string_type &__s) {
        _M_string = __s;
        __rewind();
    }
#if __cplusplus >= 201703L
    basic_string_view<_CharT, _Traits> view() const noexcept { return _M_string; }
#endif

protected:
    typedef basic_streambuf<_CharT, _Traits> __base;

    streamsize showmanyc() override { return _M_mode & ios_base::in ? streamsize(_M_string.size() - _M_in) : -1; }
    int_type underflow() override {
        bool __has_more = (_M_mode & ios_base::in) && _M_in < _M_string.size();
        return __has_more ? _Traits::to_int_type(_M_string[_M_in]) : _Traits::eof();
    }
    int_type uflow() override {
        int_type __c = underflow();
        if (!_Traits::eq_int_type(__c, _Traits::eof()))
            ++_M_in;
        return __c;
    }
    int_type pbackfail(int_type __c) override {
        bool __is_any = _Traits::eq_int_type(__c, _Traits::eof());
        if (_M_in == 0)
            return _Traits::eof();
        if (!__is_any && !_Traits::eq(_M_string[_M_in - 1], _Traits::to_char_type(__c))) {
            if (!(_M_mode & ios_base::out))
                return _Traits::eof();
            _M_string[_M_in - 1] = _Traits::to_char_type(__c);
        }
        --_M_in;
        return _Traits::not_eof(__c);
    }
    int_type overflow(int_type __c) override {
        if (!(_M_mode & ios_base::out))
            return _Traits::eof();
        if (!_Traits::eq_int_type(__c, _Traits::eof())) {
            _CharT __one = _Traits::to_char_type(__c);
            xsputn(&__one, 1);
        }
        return _Traits::not_eof(__c);
    }
    streamsize xsputn(const _CharT *__s, streamsize __n) override {
        if (!(_M_mode & ios_base::out))
            return 0;
        if (_M_mode & ios_base::app)
            _M_out = _M_string.size();
        size_t __rest = _M_string.size() - _M_out;
        _M_string.replace(_M_out, __rest < size_t(__n) ? __rest : size_t(__n), __s, __n);
        _M_out += __n;
        return __n;
    }
    pos_type seekoff(off_type __off, ios_base::seekdir __way, ios_base::openmode __which) override {
        const pos_type __failed(off_type(-1));
        bool __in = __which & _M_mode & ios_base::in, __out = __which & _M_mode & ios_base::out;
        if ((!__in && !__out) || (__in && __out && __way == ios_base::cur))
            return __failed;
        off_type __from = __way == ios_base::beg   ? 0
                          : __way == ios_base::end ? off_type(_M_string.size())
                                                   : off_type(__in ? _M_in : _M_out);
        off_type __at = __from + __off;
        if (__at < 0 || __at > off_type(_M_string.size()))
            return __failed;
        if (__in)
            _M_in = __at;
        if (__out)
            _M_out = __at;
        return pos_type(__at);
    }
    pos_type seekpos(pos_type __at, ios_base::openmode __which) override {
        return seekoff(off_type(__at), ios_base::beg, __which);
    }

private:
    void __rewind() {
        _M_in = 0;
        _M_out = _M_mode & (ios_base::ate | ios_base::app) ? _M_string.size() : 0;
    }

    __string_type _M_string;
    ios_base::openmode _M_mode;
    size_t _M_in, _M_out;
};

/// What the three classes of streams have in common.
template <typename _Base, typename _CharT, typename _Traits, typename _Alloc, unsigned _Default, unsigned _Always>
class __string_stream : public _Base {
public:
    typedef _CharT char_type;
    typedef _Traits traits_type;
    typedef _Alloc allocator_type;
    typedef typename _Traits::int_type int_type;
    typedef typename _Traits::pos_type pos_type;
    typedef typename _Traits::off_type off_type;
    typedef basic_string<_CharT, _Traits, _Alloc> __string_type;

    __string_stream() : __string_stream(ios_base::openmode(_Default)) {}
    explicit __string_stream(ios_base::openmode __mode) : _Base(nullptr), _M_stringbuf(__mode | _Always) {
        this->init(&_M_stringbuf);
    }
    explicit __string_stream(const __string_type &__s, ios_base::openmode __mode = _Default)
        : _Base(nullptr), _M_stringbuf(__s, __mode | _Always) {
        this->init(&_M_stringbuf);
    }
    explicit __string_stream(__string_type &&__s, ios_base::openmode __mode = _Default)
        : _Base(nullptr), _M_stringbuf(std::move(__s), __mode | _Always) {
        this->init(&_M_stringbuf);
    }
    __string_stream(__string_stream &&__other)
        : _Base(std::move(__other)), _M_stringbuf(std::move(__other._M_stringbuf)) {
        this->set_rdbuf(&_M_stringbuf);
    }
    __string_stream &operator=(__string_stream &&__other) {
        _Base::operator=(std::move(__other));
        _M_stringbuf = std::move(__other._M_stringbuf);
        return *this;
    }
    void swap(__string_stream &__other) { std::swap(*this, __other); }

    basic_stringbuf<_CharT, _Traits, _Alloc> *rdbuf() const {
        return const_cast<basic_stringbuf<_CharT, _Traits, _Alloc> *>(&_M_stringbuf);
    }
    basic_streambuf<_CharT, _Traits> *rdbuf(basic_streambuf<_CharT, _Traits> *__new) {
        return basic_ios<_CharT, _Traits>::rdbuf(__new);
    }
    __string_type str() const { return _M_stringbuf.str(); }
    void str(const __string_type &__s) { _M_stringbuf.str(__s); }
#if __cplusplus >= 201703L
    basic_string_view<_CharT, _Traits> view() const noexcept { return _M_stringbuf.view(); }
#endif

private:
    basic_stringbuf<_CharT, _Traits, _Alloc> _M_stringbuf;
};

#define _ATROPOS_STRING_STREAM(_Name, _Stream, _Default, _Always)                                                      \
    template <typename _CharT, typename _Traits, typename _Alloc>                                                      \
    class _Name : public __string_stream<_Stream<_CharT, _Traits>, _CharT, _Traits, _Alloc, _Default, _Always> {       \
    public:                                                                                                            \
        using __string_stream<_Stream<_CharT, _Traits>, _CharT, _Traits, _Alloc, _Default, _Always>::__string_stream;  \
        _Name() = default;                                                                                             \
        _Name(_Name &&) = default;                                                                                     \
        _Name &operator=(_Name &&) = default;                                                                          \
    };

_ATROPOS_STRING_STREAM(basic_istringstream, basic_istream, ios_base::in, ios_base::in)
_ATROPOS_STRING_STREAM(basic_ostringstream, basic_ostream, ios_base::out, ios_base::out)
_ATROPOS_STRING_STREAM(basic_stringstream, basic_iostream, ios_base::in | ios_base::out, 0)
#undef _ATROPOS_STRING_STREAM

template <typename _CharT, typename _Traits, typename _Alloc>
inline void swap(basic_stringstream<_CharT, _Traits, _Alloc> &__a, basic_stringstream<_CharT, _Traits, _Alloc> &__b) {
    __a.swap(__b);
}

} // namespace __atropos
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
