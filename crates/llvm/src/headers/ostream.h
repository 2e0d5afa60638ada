// Output streams [output.streams]. A part of <atropos/streams.h>.

#pragma once
#pragma GCC system_header

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

/// Marks the constructors of the standard streams, which have no state.
struct __standard_stream {};

template <typename _CharT, typename _Traits> class basic_ostream : public basic_ios<_CharT, _Traits> {
public:
    typedef _CharT char_type;
    typedef _Traits traits_type;
    typedef typename _Traits::int_type int_type;
    typedef typename _Traits::pos_type pos_type;
    typedef typename _Traits::off_type off_type;

    class sentry {
    public:
        explicit sentry(basic_ostream &__stream) : _M_stream(__stream), _M_ok(__stream.good() && __stream.rdbuf()) {
            if (!__is_standard(&__stream) && !__stream.good())
                __stream.setstate(ios_base::failbit);
        }
        sentry(const sentry &) = delete;
        sentry &operator=(const sentry &) = delete;
        ~sentry() {
            if (_M_ok && (_M_stream.flags() & ios_base::unitbuf))
                _M_stream.flush();
        }
        explicit operator bool() const { return _M_ok; }

    private:
        basic_ostream &_M_stream;
        bool _M_ok;
    };

    explicit basic_ostream(basic_streambuf<_CharT, _Traits> *__buffer) { this->init(__buffer); }
    constexpr explicit basic_ostream(__standard_stream) noexcept {}
    virtual ~basic_ostream() {}

    basic_ostream &operator<<(basic_ostream &(*__change)(basic_ostream &)) { return __change(*this); }
    basic_ostream &operator<<(basic_ios<_CharT, _Traits> &(*__change)(basic_ios<_CharT, _Traits> &)) {
        __change(*this);
        return *this;
    }
    basic_ostream &operator<<(ios_base &(*__change)(ios_base &)) {
        __change(*this);
        return *this;
    }
    basic_ostream &operator<<(bool __value) {
        if (!(this->flags() & ios_base::boolalpha))
            return *this << long(__value);
        return __text(__value ? "true" : "false");
    }
    // Hexadecimal and octal numbers are those of the bits.
    basic_ostream &operator<<(short __n) { return __integer(__n, (unsigned short)__n); }
    basic_ostream &operator<<(int __n) { return __integer(__n, (unsigned)__n); }
    basic_ostream &operator<<(long __n) { return __integer(__n, (unsigned long)__n); }
    basic_ostream &operator<<(long long __n) { return __integer(__n, (unsigned long long)__n); }
    basic_ostream &operator<<(unsigned short __n) { return __natural(__n); }
    basic_ostream &operator<<(unsigned __n) { return __natural(__n); }
    basic_ostream &operator<<(unsigned long __n) { return __natural(__n); }
    basic_ostream &operator<<(unsigned long long __n) { return __natural(__n); }
    basic_ostream &operator<<(float __x) { return __floating(__x); }
    basic_ostream &operator<<(double __x) { return __floating(__x); }
    basic_ostream &operator<<(long double __x) { return __floating(double(__x)); }
    basic_ostream &operator<<(const void *__pointer) {
        if (__is_silent())
            return *this;
        char __out[32];
        snprintf(__out, sizeof __out, "%#lx", (unsigned long)__pointer);
        return __text(__out);
    }
#if __cplusplus > 202002L
    basic_ostream &operator<<(const volatile void *__pointer) { return *this << const_cast<const void *>(__pointer); }
#endif
#if __cplusplus >= 201703L
    basic_ostream &operator<<(nullptr_t) { return __text("nullptr"); }
#endif
    basic_ostream &operator<<(basic_streambuf<_CharT, _Traits> *__from) {
        if (__is_standard(this))
            return *this;
        if (!__from)
            this->setstate(ios_base::badbit);
        streamsize __n = 0;
        for (; this->good(); ++__n) {
            int_type __c = __from->sbumpc();
            if (_Traits::eq_int_type(__c, _Traits::eof()))
                break;
            put(_Traits::to_char_type(__c));
        }
        if (__n == 0)
            this->setstate(ios_base::failbit);
        return *this;
    }

    basic_ostream &put(_CharT __c) { return write(&__c, 1); }
    basic_ostream &write(const _CharT *__s, streamsize __n) {
        if (__is_standard(this)) {
            if (__atropos_prints())
                for (streamsize __i = 0; __i < __n; ++__i)
                    putchar(int(__s[__i]));
        } else if (sentry __cerb{*this}) {
            if (this->rdbuf()->sputn(__s, __n) != __n)
                this->setstate(ios_base::badbit);
        }
        return *this;
    }
    basic_ostream &flush() {
        if (this->rdbuf() && this->rdbuf()->pubsync() == -1)
            this->setstate(ios_base::badbit);
        return *this;
    }
    pos_type tellp() {
        return this->rdbuf() && !this->fail() ? this->rdbuf()->pubseekoff(0, ios_base::cur, ios_base::out)
                                              : pos_type(off_type(-1));
    }
    basic_ostream &seekp(pos_type __at) {
        if (this->rdbuf() && !this->fail() && this->rdbuf()->pubseekpos(__at, ios_base::out) == pos_type(off_type(-1)))
            this->setstate(ios_base::failbit);
        return *this;
    }
    basic_ostream &seekp(off_type __off, ios_base::seekdir __way) {
        if (this->rdbuf() && !this->fail() &&
            this->rdbuf()->pubseekoff(__off, __way, ios_base::out) == pos_type(off_type(-1)))
            this->setstate(ios_base::failbit);
        return *this;
    }

    /// Writes characters with the fill characters that the width demands, the first `__n_sign` before them.
    basic_ostream &__padded(const _CharT *__s, streamsize __n, streamsize __n_sign = 0) {
        if (__is_standard(this))
            return write(__s, __n);
        sentry __cerb(*this);
        if (!__cerb)
            return *this;
        streamsize __n_fill = this->width(0) - __n;
        ios_base::fmtflags __adjust = this->flags() & ios_base::adjustfield;
        streamsize __before = __adjust == ios_base::left ? __n : __adjust == ios_base::internal ? __n_sign : 0;
        basic_streambuf<_CharT, _Traits> *__buffer = this->rdbuf();
        bool __ok = __buffer->sputn(__s, __before) == __before;
        for (; __ok && __n_fill > 0; --__n_fill)
            __ok = !_Traits::eq_int_type(__buffer->sputc(this->fill()), _Traits::eof());
        if (!__ok || __buffer->sputn(__s + __before, __n - __before) != __n - __before)
            this->setstate(ios_base::badbit);
        return *this;
    }
    /// The same for a text of plain characters; a number may begin with its sign and base.
    basic_ostream &__text(const char *__s) {
        if (__is_standard(this)) {
            if (__atropos_prints())
                fputs(__s, nullptr);
            return *this;
        }
        streamsize __n = __builtin_strlen(__s), __n_sign = *__s == '-' || *__s == '+';
        if (__s[__n_sign] == '0' && (__s[__n_sign + 1] == 'x' || __s[__n_sign + 1] == 'X'))
            __n_sign += 2;
        basic_string<_CharT, _Traits> __wide(__s, __s + __n);
        return __padded(__wide.data(), __n, __n_sign);
    }

protected:
    basic_ostream() {}
    basic_ostream(const basic_ostream &) = delete;
    basic_ostream &operator=(const basic_ostream &) = delete;
    basic_ostream(basic_ostream &&__other) { this->move(__other); }
    basic_ostream &operator=(basic_ostream &&__other) {
        this->move(__other);
        return *this;
    }

private:
    bool __is_silent() const { return __is_standard(this) && !__atropos_prints(); }

    basic_ostream &__integer(long long __n, unsigned long long __bits) {
        ios_base::fmtflags __base = this->flags() & ios_base::basefield;
        if (__base == ios_base::hex || __base == ios_base::oct)
            return __natural(__bits);
        if (__is_silent())
            return *this;
        char __out[32];
        snprintf(__out, sizeof __out, this->flags() & ios_base::showpos ? "%+lld" : "%lld", __n);
        return __text(__out);
    }
    basic_ostream &__natural(unsigned long long __n) {
        if (__is_silent())
            return *this;
        ios_base::fmtflags __flags = this->flags();
        char __format[8] = "%", *__end = __format + 1, __out[32];
        if (__flags & ios_base::showbase)
            *__end++ = '#';
        *__end++ = 'l';
        *__end++ = 'l';
        switch (__flags & ios_base::basefield) {
        case ios_base::hex:
            *__end++ = __flags & ios_base::uppercase ? 'X' : 'x';
            break;
        case ios_base::oct:
            *__end++ = 'o';
            break;
        default:
            *__end++ = 'u';
        }
        *__end = 0;
        snprintf(__out, sizeof __out, __format, __n);
        return __text(__out);
    }
    basic_ostream &__floating(double __x) {
        if (__is_silent())
            return *this;
        ios_base::fmtflags __flags = this->flags(), __field = __flags & ios_base::floatfield;
        char __format[8] = "%", *__end = __format + 1, __out[400];
        if (__flags & ios_base::showpos)
            *__end++ = '+';
        if (__flags & ios_base::showpoint)
            *__end++ = '#';
        bool __is_hex = __field == ios_base::floatfield;
        if (!__is_hex) {
            *__end++ = '.';
            *__end++ = '*';
        }
        char __letter = __is_hex ? 'a' : __field == ios_base::fixed ? 'f' : __field == ios_base::scientific ? 'e' : 'g';
        *__end++ = __flags & ios_base::uppercase ? char(__letter - 'a' + 'A') : __letter;
        *__end = 0;
        if (__is_hex)
            snprintf(__out, sizeof __out, __format, __x);
        else
            snprintf(__out, sizeof __out, __format, int(this->precision()), __x);
        return __text(__out);
    }
};

template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &operator<<(basic_ostream<_CharT, _Traits> &__out, _CharT __c) {
    return __out.__padded(&__c, 1);
}
template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &operator<<(basic_ostream<_CharT, _Traits> &__out, char __c) {
    return __out << __out.widen(__c);
}
template <typename _Traits>
inline basic_ostream<char, _Traits> &operator<<(basic_ostream<char, _Traits> &__out, char __c) {
    return __out.__padded(&__c, 1);
}
template <typename _Traits>
inline basic_ostream<char, _Traits> &operator<<(basic_ostream<char, _Traits> &__out, signed char __c) {
    return __out << char(__c);
}
template <typename _Traits>
inline basic_ostream<char, _Traits> &operator<<(basic_ostream<char, _Traits> &__out, unsigned char __c) {
    return __out << char(__c);
}
template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &operator<<(basic_ostream<_CharT, _Traits> &__out, const _CharT *__s) {
    if (!__s)
        __out.setstate(ios_base::badbit);
    else
        __out.__padded(__s, _Traits::length(__s));
    return __out;
}
template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &operator<<(basic_ostream<_CharT, _Traits> &__out, const char *__s) {
    if (!__s)
        __out.setstate(ios_base::badbit);
    else
        __out.__text(__s);
    return __out;
}
template <typename _Traits>
inline basic_ostream<char, _Traits> &operator<<(basic_ostream<char, _Traits> &__out, const char *__s) {
    if (!__s)
        __out.setstate(ios_base::badbit);
    else if (!__is_standard(&__out))
        __out.__padded(__s, __builtin_strlen(__s));
    else if (__atropos_prints())
        fputs(__s, nullptr);
    return __out;
}
template <typename _Traits>
inline basic_ostream<char, _Traits> &operator<<(basic_ostream<char, _Traits> &__out, const signed char *__s) {
    return __out << reinterpret_cast<const char *>(__s);
}
template <typename _Traits>
inline basic_ostream<char, _Traits> &operator<<(basic_ostream<char, _Traits> &__out, const unsigned char *__s) {
    return __out << reinterpret_cast<const char *>(__s);
}

/// Output to a temporary stream.
template <typename _Stream, typename _Value,
          typename = typename enable_if<!is_lvalue_reference<_Stream>::value && is_base_of<ios_base, _Stream>::value>::type,
          typename = decltype(declval<_Stream &>() << declval<const _Value &>())>
inline _Stream &&operator<<(_Stream &&__out, const _Value &__value) {
    __out << __value;
    return std::move(__out);
}

template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &flush(basic_ostream<_CharT, _Traits> &__out) {
    return __out.flush();
}
template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &endl(basic_ostream<_CharT, _Traits> &__out) {
    return __out.put(__out.widen('\n')).flush();
}
template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &ends(basic_ostream<_CharT, _Traits> &__out) {
    return __out.put(_CharT());
}

} // namespace __atropos

// <bitset> asks the locale for the digits.
template <size_t _Size> class bitset;
inline namespace __atropos {
template <size_t _Size> inline ostream &operator<<(ostream &__out, const bitset<_Size> &__bits) {
    return __out << __bits.to_string();
}
} // namespace __atropos
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
