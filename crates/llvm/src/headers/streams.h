// The streams of C++: formats, buffers, and input and output [input.output].
//
// std::cout and its like are recognised by their addresses, and printing to them touches no memory: threads may use
// them at the same time. std::cin has reached its end. Streams of strings are as the standard says, in the "C" locale.
//
// An input stream is an output stream here, so that a stream that is both has one state without a virtual base.

#pragma once
#pragma GCC system_header
// libstdc++'s own headers with these contents are not needed.
#define _IOS_BASE_H 1
#define _BASIC_IOS_H 1
#define _GLIBCXX_STREAMBUF 1

#include <bits/exception_defines.h>
#include <bits/locale_classes.h>
#include <bits/move.h>
#include <bits/stl_algobase.h>
#include <cstdio>
#include <cstdlib>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <type_traits>

extern "C" {
// Whether to print at all.
bool __atropos_prints() noexcept;
}

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

/// Whether an object is one of std::cout, std::cerr, std::clog, std::cin, and those of wide characters.
inline bool __is_standard(const volatile void *__stream) noexcept;

class ios_base {
public:
    typedef unsigned fmtflags;
    typedef unsigned iostate;
    typedef unsigned openmode;
    enum seekdir { beg, cur, end };

    static constexpr fmtflags boolalpha = 1 << 0, dec = 1 << 1, fixed = 1 << 2, hex = 1 << 3, internal = 1 << 4,
                              left = 1 << 5, oct = 1 << 6, right = 1 << 7, scientific = 1 << 8, showbase = 1 << 9,
                              showpoint = 1 << 10, showpos = 1 << 11, skipws = 1 << 12, unitbuf = 1 << 13,
                              uppercase = 1 << 14;
    static constexpr fmtflags adjustfield = left | right | internal, basefield = dec | oct | hex,
                              floatfield = scientific | fixed;
    static constexpr iostate goodbit = 0, badbit = 1, eofbit = 2, failbit = 4;
    static constexpr openmode app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32;

    class failure : public runtime_error {
    public:
        explicit failure(const string &__what) : runtime_error(__what) {}
        explicit failure(const char *__what) : runtime_error(__what) {}
    };
    class Init {};

    ios_base(const ios_base &) = delete;
    ios_base &operator=(const ios_base &) = delete;
    virtual ~ios_base() {}

    fmtflags flags() const { return __is_standard(this) ? skipws | dec : _M_flags; }
    fmtflags flags(fmtflags __new) {
        fmtflags __old = flags();
        if (!__is_standard(this))
            _M_flags = __new;
        return __old;
    }
    fmtflags setf(fmtflags __more) { return flags(flags() | __more); }
    fmtflags setf(fmtflags __more, fmtflags __mask) { return flags((flags() & ~__mask) | (__more & __mask)); }
    void unsetf(fmtflags __mask) { flags(flags() & ~__mask); }

    streamsize precision() const { return __is_standard(this) ? 6 : _M_precision; }
    streamsize precision(streamsize __new) { return _M_exchange(_M_precision, __new, 6); }
    streamsize width() const { return __is_standard(this) ? 0 : _M_width; }
    streamsize width(streamsize __new) { return _M_exchange(_M_width, __new, 0); }

    static bool sync_with_stdio(bool = true) { return true; }
    locale getloc() const { return locale(); }
    locale imbue(const locale &) { return locale(); }
    const locale &_M_getloc() const { return locale::classic(); }

protected:
    constexpr ios_base() noexcept : _M_flags(skipws | dec), _M_precision(6), _M_width(0) {}

    streamsize _M_exchange(streamsize &__place, streamsize __new, streamsize __default) {
        if (__is_standard(this))
            return __default;
        streamsize __old = __place;
        __place = __new;
        return __old;
    }
    void _M_take(ios_base &__other) {
        _M_flags = __other._M_flags;
        _M_precision = __other._M_precision;
        _M_width = __other._M_width;
    }

private:
    fmtflags _M_flags;
    streamsize _M_precision, _M_width;
};

template <typename _CharT, typename _Traits> class basic_streambuf {
public:
    typedef _CharT char_type;
    typedef _Traits traits_type;
    typedef typename _Traits::int_type int_type;
    typedef typename _Traits::pos_type pos_type;
    typedef typename _Traits::off_type off_type;

    virtual ~basic_streambuf() {}

    locale getloc() const { return locale(); }
    locale pubimbue(const locale &) { return locale(); }
    basic_streambuf *pubsetbuf(_CharT *__s, streamsize __n) { return setbuf(__s, __n); }
    pos_type pubseekoff(off_type __off, ios_base::seekdir __way, ios_base::openmode __which = ios_base::in | ios_base::out) {
        return seekoff(__off, __way, __which);
    }
    pos_type pubseekpos(pos_type __at, ios_base::openmode __which = ios_base::in | ios_base::out) {
        return seekpos(__at, __which);
    }
    int pubsync() { return sync(); }

    streamsize in_avail() { return _M_next < _M_end ? _M_end - _M_next : showmanyc(); }
    int_type sgetc() { return _M_next < _M_end ? _Traits::to_int_type(*_M_next) : underflow(); }
    int_type sbumpc() { return _M_next < _M_end ? _Traits::to_int_type(*_M_next++) : uflow(); }
    int_type snextc() { return _Traits::eq_int_type(sbumpc(), _Traits::eof()) ? _Traits::eof() : sgetc(); }
    streamsize sgetn(_CharT *__s, streamsize __n) { return xsgetn(__s, __n); }
    int_type sputbackc(_CharT __c) {
        bool __fits = _M_first < _M_next && _Traits::eq(__c, _M_next[-1]);
        return __fits ? _Traits::to_int_type(*--_M_next) : pbackfail(_Traits::to_int_type(__c));
    }
    int_type sungetc() { return _M_first < _M_next ? _Traits::to_int_type(*--_M_next) : pbackfail(); }
    int_type sputc(_CharT __c) {
        if (_M_out_next >= _M_out_end)
            return overflow(_Traits::to_int_type(__c));
        *_M_out_next++ = __c;
        return _Traits::to_int_type(__c);
    }
    streamsize sputn(const _CharT *__s, streamsize __n) { return xsputn(__s, __n); }

protected:
    basic_streambuf() {}
    basic_streambuf(const basic_streambuf &) = default;
    basic_streambuf &operator=(const basic_streambuf &) = default;
    void swap(basic_streambuf &__other) {
        basic_streambuf __copy(*this);
        *this = __other;
        __other = __copy;
    }

    _CharT *eback() const { return _M_first; }
    _CharT *gptr() const { return _M_next; }
    _CharT *egptr() const { return _M_end; }
    void gbump(int __n) { _M_next += __n; }
    void setg(_CharT *__first, _CharT *__next, _CharT *__end) {
        _M_first = __first;
        _M_next = __next;
        _M_end = __end;
    }
    _CharT *pbase() const { return _M_out_first; }
    _CharT *pptr() const { return _M_out_next; }
    _CharT *epptr() const { return _M_out_end; }
    void pbump(int __n) { _M_out_next += __n; }
    void setp(_CharT *__first, _CharT *__end) {
        _M_out_first = _M_out_next = __first;
        _M_out_end = __end;
    }

    virtual void imbue(const locale &) {}
    virtual basic_streambuf *setbuf(_CharT *, streamsize) { return this; }
    virtual pos_type seekoff(off_type, ios_base::seekdir, ios_base::openmode = ios_base::in | ios_base::out) {
        return pos_type(off_type(-1));
    }
    virtual pos_type seekpos(pos_type, ios_base::openmode = ios_base::in | ios_base::out) {
        return pos_type(off_type(-1));
    }
    virtual int sync() { return 0; }
    virtual streamsize showmanyc() { return 0; }
    virtual streamsize xsgetn(_CharT *__s, streamsize __n) {
        streamsize __done = 0;
        for (; __done < __n; ++__done) {
            int_type __c = sbumpc();
            if (_Traits::eq_int_type(__c, _Traits::eof()))
                break;
            __s[__done] = _Traits::to_char_type(__c);
        }
        return __done;
    }
    virtual int_type underflow() { return _Traits::eof(); }
    virtual int_type uflow() {
        if (_Traits::eq_int_type(underflow(), _Traits::eof()))
            return _Traits::eof();
        return _Traits::to_int_type(*_M_next++);
    }
    virtual int_type pbackfail(int_type = _Traits::eof()) { return _Traits::eof(); }
    virtual streamsize xsputn(const _CharT *__s, streamsize __n) {
        streamsize __done = 0;
        while (__done < __n && !_Traits::eq_int_type(sputc(__s[__done]), _Traits::eof()))
            ++__done;
        return __done;
    }
    virtual int_type overflow(int_type = _Traits::eof()) { return _Traits::eof(); }

private:
    _CharT *_M_first = nullptr, *_M_next = nullptr, *_M_end = nullptr;
    _CharT *_M_out_first = nullptr, *_M_out_next = nullptr, *_M_out_end = nullptr;
};

template <typename _CharT, typename _Traits> class basic_ios : public ios_base {
public:
    typedef _CharT char_type;
    typedef _Traits traits_type;
    typedef typename _Traits::int_type int_type;
    typedef typename _Traits::pos_type pos_type;
    typedef typename _Traits::off_type off_type;

    explicit basic_ios(basic_streambuf<_CharT, _Traits> *__buffer) { init(__buffer); }

    explicit operator bool() const { return !fail(); }
    bool operator!() const { return fail(); }
    iostate rdstate() const;
    void clear(iostate __state = goodbit) {
        if (__is_standard(this))
            return;
        _M_state = _M_buffer ? __state : __state | badbit;
        if (_M_state & _M_exceptions)
            __throw_exception(ios_base::failure("basic_ios::clear: iostream error"));
    }
    void setstate(iostate __more) { clear(rdstate() | __more); }
    void _M_setstate(iostate __more) {
        if (!__is_standard(this))
            _M_state |= __more;
    }
    bool good() const { return rdstate() == goodbit; }
    bool eof() const { return rdstate() & eofbit; }
    bool fail() const { return rdstate() & (failbit | badbit); }
    bool bad() const { return rdstate() & badbit; }
    iostate exceptions() const { return __is_standard(this) ? iostate(goodbit) : _M_exceptions; }
    void exceptions(iostate __mask) {
        if (__is_standard(this))
            return;
        _M_exceptions = __mask;
        clear(_M_state);
    }

    basic_ostream<_CharT, _Traits> *tie() const { return __is_standard(this) ? nullptr : _M_tie; }
    basic_ostream<_CharT, _Traits> *tie(basic_ostream<_CharT, _Traits> *__new) {
        basic_ostream<_CharT, _Traits> *__old = tie();
        if (!__is_standard(this))
            _M_tie = __new;
        return __old;
    }
    basic_streambuf<_CharT, _Traits> *rdbuf() const { return __is_standard(this) ? nullptr : _M_buffer; }
    basic_streambuf<_CharT, _Traits> *rdbuf(basic_streambuf<_CharT, _Traits> *__new) {
        basic_streambuf<_CharT, _Traits> *__old = rdbuf();
        if (!__is_standard(this))
            _M_buffer = __new;
        clear();
        return __old;
    }
    basic_ios &copyfmt(const basic_ios &__other) {
        flags(__other.flags());
        precision(__other.precision());
        width(__other.width());
        fill(__other.fill());
        return *this;
    }
    _CharT fill() const { return __is_standard(this) ? widen(' ') : _M_fill; }
    _CharT fill(_CharT __new) {
        _CharT __old = fill();
        if (!__is_standard(this))
            _M_fill = __new;
        return __old;
    }
    char narrow(_CharT __c, char __other) const { return _CharT(char(__c)) == __c ? char(__c) : __other; }
    _CharT widen(char __c) const { return _CharT(__c); }

protected:
    constexpr basic_ios() noexcept
        : _M_buffer(nullptr), _M_tie(nullptr), _M_state(badbit), _M_exceptions(goodbit), _M_fill(' ') {}
    void init(basic_streambuf<_CharT, _Traits> *__buffer) {
        _M_buffer = __buffer;
        _M_state = __buffer ? goodbit : badbit;
    }
    void set_rdbuf(basic_streambuf<_CharT, _Traits> *__buffer) { _M_buffer = __buffer; }
    void move(basic_ios &__other) {
        _M_take(__other);
        _M_tie = __other._M_tie;
        _M_state = __other._M_state;
        _M_exceptions = __other._M_exceptions;
        _M_fill = __other._M_fill;
    }
    void move(basic_ios &&__other) { move(__other); }

private:
    template <typename _Error> [[noreturn]] static void __throw_exception(_Error __error) {
#if __cpp_exceptions
        throw __error;
#else
        __builtin_abort();
#endif
    }

    basic_streambuf<_CharT, _Traits> *_M_buffer;
    basic_ostream<_CharT, _Traits> *_M_tie;
    iostate _M_state, _M_exceptions;
    _CharT _M_fill;
};

inline ios_base &boolalpha(ios_base &__s) { return __s.setf(ios_base::boolalpha), __s; }
inline ios_base &noboolalpha(ios_base &__s) { return __s.unsetf(ios_base::boolalpha), __s; }
inline ios_base &showbase(ios_base &__s) { return __s.setf(ios_base::showbase), __s; }
inline ios_base &noshowbase(ios_base &__s) { return __s.unsetf(ios_base::showbase), __s; }
inline ios_base &showpoint(ios_base &__s) { return __s.setf(ios_base::showpoint), __s; }
inline ios_base &noshowpoint(ios_base &__s) { return __s.unsetf(ios_base::showpoint), __s; }
inline ios_base &showpos(ios_base &__s) { return __s.setf(ios_base::showpos), __s; }
inline ios_base &noshowpos(ios_base &__s) { return __s.unsetf(ios_base::showpos), __s; }
inline ios_base &skipws(ios_base &__s) { return __s.setf(ios_base::skipws), __s; }
inline ios_base &noskipws(ios_base &__s) { return __s.unsetf(ios_base::skipws), __s; }
inline ios_base &uppercase(ios_base &__s) { return __s.setf(ios_base::uppercase), __s; }
inline ios_base &nouppercase(ios_base &__s) { return __s.unsetf(ios_base::uppercase), __s; }
inline ios_base &unitbuf(ios_base &__s) { return __s.setf(ios_base::unitbuf), __s; }
inline ios_base &nounitbuf(ios_base &__s) { return __s.unsetf(ios_base::unitbuf), __s; }
inline ios_base &internal(ios_base &__s) { return __s.setf(ios_base::internal, ios_base::adjustfield), __s; }
inline ios_base &left(ios_base &__s) { return __s.setf(ios_base::left, ios_base::adjustfield), __s; }
inline ios_base &right(ios_base &__s) { return __s.setf(ios_base::right, ios_base::adjustfield), __s; }
inline ios_base &dec(ios_base &__s) { return __s.setf(ios_base::dec, ios_base::basefield), __s; }
inline ios_base &hex(ios_base &__s) { return __s.setf(ios_base::hex, ios_base::basefield), __s; }
inline ios_base &oct(ios_base &__s) { return __s.setf(ios_base::oct, ios_base::basefield), __s; }
inline ios_base &fixed(ios_base &__s) { return __s.setf(ios_base::fixed, ios_base::floatfield), __s; }
inline ios_base &scientific(ios_base &__s) { return __s.setf(ios_base::scientific, ios_base::floatfield), __s; }
inline ios_base &hexfloat(ios_base &__s) { return __s.setf(ios_base::floatfield, ios_base::floatfield), __s; }
inline ios_base &defaultfloat(ios_base &__s) { return __s.unsetf(ios_base::floatfield), __s; }

} // namespace __atropos
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std

#include <atropos/ostream.h>
#include <atropos/istream.h>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

#define _ATROPOS_STANDARD(_Type, _Name) [[clang::no_destroy]] __attribute__((__weak__)) _Type _Name(__standard_stream{});
_ATROPOS_STANDARD(ostream, cout)
_ATROPOS_STANDARD(ostream, cerr)
_ATROPOS_STANDARD(ostream, clog)
_ATROPOS_STANDARD(istream, cin)
_ATROPOS_STANDARD(wostream, wcout)
_ATROPOS_STANDARD(wostream, wcerr)
_ATROPOS_STANDARD(wostream, wclog)
_ATROPOS_STANDARD(wistream, wcin)
#undef _ATROPOS_STANDARD

inline bool __is_standard(const volatile void *__stream) noexcept {
    return __stream == &cout || __stream == &cerr || __stream == &clog || __stream == &cin || __stream == &wcout ||
           __stream == &wcerr || __stream == &wclog || __stream == &wcin;
}

/// There is nothing to read, and no limit on what is written.
template <typename _CharT, typename _Traits> ios_base::iostate basic_ios<_CharT, _Traits>::rdstate() const {
    const volatile void *__this = this;
    if (__this == &cin || __this == &wcin)
        return eofbit | failbit;
    return __is_standard(this) ? iostate(goodbit) : _M_state;
}

} // namespace __atropos
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
