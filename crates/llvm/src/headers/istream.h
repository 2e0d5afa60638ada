// Input streams [input.streams]. A part of <atropos/streams.h>.

#pragma once
#pragma GCC system_header

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

/// Whether a character is white space in the "C" locale.
template <typename _CharT> inline bool __is_space(_CharT __c) { return __c == ' ' || (__c >= '\t' && __c <= '\r'); }

template <typename _CharT, typename _Traits> class basic_istream : public basic_ostream<_CharT, _Traits> {
public:
    typedef _CharT char_type;
    typedef _Traits traits_type;
    typedef typename _Traits::int_type int_type;
    typedef typename _Traits::pos_type pos_type;
    typedef typename _Traits::off_type off_type;

    class sentry {
    public:
        explicit sentry(basic_istream &__in, bool __keeps_space = false) : _M_ok(false) {
            if (!__in.good()) {
                __in.setstate(ios_base::failbit);
                return;
            }
            if (__in.tie())
                __in.tie()->flush();
            if (!__keeps_space && (__in.flags() & ios_base::skipws))
                __in.__skip_space();
            _M_ok = __in.good();
            if (!_M_ok)
                __in.setstate(ios_base::failbit);
        }
        sentry(const sentry &) = delete;
        sentry &operator=(const sentry &) = delete;
        explicit operator bool() const { return _M_ok; }

    private:
        bool _M_ok;
    };

    explicit basic_istream(basic_streambuf<_CharT, _Traits> *__buffer)
        : basic_ostream<_CharT, _Traits>(__buffer), _M_count(0) {}
    constexpr explicit basic_istream(__standard_stream __mark) noexcept
        : basic_ostream<_CharT, _Traits>(__mark), _M_count(0) {}
    virtual ~basic_istream() {}

    basic_istream &operator>>(basic_istream &(*__change)(basic_istream &)) { return __change(*this); }
    basic_istream &operator>>(basic_ios<_CharT, _Traits> &(*__change)(basic_ios<_CharT, _Traits> &)) {
        __change(*this);
        return *this;
    }
    basic_istream &operator>>(ios_base &(*__change)(ios_base &)) {
        __change(*this);
        return *this;
    }
    basic_istream &operator>>(bool &__value) {
        if (this->flags() & ios_base::boolalpha)
            return __boolean(__value);
        long __n = 0;
        sentry __cerb(*this);
        if (!__cerb)
            return *this;
        __read_integer(__n);
        __value = __n != 0;
        if (__n != 0 && __n != 1)
            this->setstate(ios_base::failbit);
        return *this;
    }
    basic_istream &operator>>(short &__n) { return __integer(__n); }
    basic_istream &operator>>(int &__n) { return __integer(__n); }
    basic_istream &operator>>(long &__n) { return __integer(__n); }
    basic_istream &operator>>(long long &__n) { return __integer(__n); }
    basic_istream &operator>>(unsigned short &__n) { return __integer(__n); }
    basic_istream &operator>>(unsigned &__n) { return __integer(__n); }
    basic_istream &operator>>(unsigned long &__n) { return __integer(__n); }
    basic_istream &operator>>(unsigned long long &__n) { return __integer(__n); }
    basic_istream &operator>>(float &__x) { return __floating(__x); }
    basic_istream &operator>>(double &__x) { return __floating(__x); }
    basic_istream &operator>>(long double &__x) { return __floating(__x); }
    basic_istream &operator>>(basic_streambuf<_CharT, _Traits> *__to) {
        sentry __cerb(*this, true);
        streamsize __n = 0;
        for (int_type __c; __cerb && __to && !__ends(__c = this->rdbuf()->sgetc()); ++__n, this->rdbuf()->sbumpc())
            if (__ends(__to->sputc(_Traits::to_char_type(__c))))
                break;
        if (__cerb && __n == 0)
            this->setstate(ios_base::failbit);
        return *this;
    }

    streamsize gcount() const { return __is_standard(this) ? 0 : _M_count; }
    int_type get() {
        __count(0);
        sentry __cerb(*this, true);
        if (!__cerb)
            return _Traits::eof();
        int_type __c = this->rdbuf()->sbumpc();
        if (__ends(__c))
            this->setstate(ios_base::eofbit | ios_base::failbit);
        else
            __count(1);
        return __c;
    }
    basic_istream &get(_CharT &__c) {
        int_type __read = get();
        if (!__ends(__read))
            __c = _Traits::to_char_type(__read);
        return *this;
    }
    basic_istream &get(_CharT *__s, streamsize __n) { return get(__s, __n, this->widen('\n')); }
    basic_istream &get(_CharT *__s, streamsize __n, _CharT __delimiter) { return __line(__s, __n, __delimiter, false); }
    basic_istream &getline(_CharT *__s, streamsize __n) { return getline(__s, __n, this->widen('\n')); }
    basic_istream &getline(_CharT *__s, streamsize __n, _CharT __delimiter) {
        return __line(__s, __n, __delimiter, true);
    }
    basic_istream &ignore(streamsize __n = 1, int_type __delimiter = _Traits::eof()) {
        __count(0);
        sentry __cerb(*this, true);
        for (streamsize __done = 0; __cerb && (__n == __LONG_MAX__ || __done < __n);) {
            int_type __c = this->rdbuf()->sbumpc();
            if (__ends(__c)) {
                this->setstate(ios_base::eofbit);
                break;
            }
            __count(++__done);
            if (_Traits::eq_int_type(__c, __delimiter))
                break;
        }
        return *this;
    }
    int_type peek() {
        __count(0);
        sentry __cerb(*this, true);
        int_type __c = __cerb ? this->rdbuf()->sgetc() : _Traits::eof();
        if (__cerb && __ends(__c))
            this->setstate(ios_base::eofbit);
        return __c;
    }
    basic_istream &read(_CharT *__s, streamsize __n) {
        __count(0);
        if (sentry __cerb{*this, true}) {
            __count(this->rdbuf()->sgetn(__s, __n));
            if (_M_count != __n)
                this->setstate(ios_base::eofbit | ios_base::failbit);
        }
        return *this;
    }
    streamsize readsome(_CharT *__s, streamsize __n) {
        __count(0);
        sentry __cerb(*this, true);
        if (!__cerb)
            return 0;
        streamsize __ready = this->rdbuf()->in_avail();
        if (__ready == -1)
            this->setstate(ios_base::eofbit);
        else if (__ready > 0)
            __count(this->rdbuf()->sgetn(__s, __ready < __n ? __ready : __n));
        return _M_count;
    }
    basic_istream &putback(_CharT __c) {
        __count(0);
        this->clear(this->rdstate() & ~ios_base::eofbit);
        sentry __cerb(*this, true);
        if (__cerb && __ends(this->rdbuf()->sputbackc(__c)))
            this->setstate(ios_base::badbit);
        return *this;
    }
    basic_istream &unget() {
        __count(0);
        this->clear(this->rdstate() & ~ios_base::eofbit);
        sentry __cerb(*this, true);
        if (__cerb && __ends(this->rdbuf()->sungetc()))
            this->setstate(ios_base::badbit);
        return *this;
    }
    int sync() { return this->rdbuf() ? this->rdbuf()->pubsync() : -1; }
    pos_type tellg() {
        sentry __cerb(*this, true);
        return __cerb ? this->rdbuf()->pubseekoff(0, ios_base::cur, ios_base::in) : pos_type(off_type(-1));
    }
    basic_istream &seekg(pos_type __at) {
        this->clear(this->rdstate() & ~ios_base::eofbit);
        if (this->rdbuf() && !this->fail() && this->rdbuf()->pubseekpos(__at, ios_base::in) == pos_type(off_type(-1)))
            this->setstate(ios_base::failbit);
        return *this;
    }
    basic_istream &seekg(off_type __off, ios_base::seekdir __way) {
        this->clear(this->rdstate() & ~ios_base::eofbit);
        if (this->rdbuf() && !this->fail() &&
            this->rdbuf()->pubseekoff(__off, __way, ios_base::in) == pos_type(off_type(-1)))
            this->setstate(ios_base::failbit);
        return *this;
    }

    /// Skips white space. At the end of the input, the stream is no longer good.
    void __skip_space() {
        int_type __c = this->rdbuf()->sgetc();
        while (!__ends(__c) && __is_space(_Traits::to_char_type(__c)))
            __c = this->rdbuf()->snextc();
        if (__ends(__c))
            this->setstate(ios_base::eofbit);
    }
    static bool __ends(int_type __c) { return _Traits::eq_int_type(__c, _Traits::eof()); }

protected:
    basic_istream() : _M_count(0) {}
    basic_istream(basic_istream &&__other)
        : basic_ostream<_CharT, _Traits>(std::move(__other)), _M_count(__other._M_count) {}
    basic_istream &operator=(basic_istream &&__other) {
        basic_ostream<_CharT, _Traits>::operator=(std::move(__other));
        _M_count = __other._M_count;
        return *this;
    }

private:
    void __count(streamsize __n) {
        if (!__is_standard(this))
            _M_count = __n;
    }

    /// Characters up to a delimiter, which `getline` takes and `get` leaves.
    basic_istream &__line(_CharT *__s, streamsize __n, _CharT __delimiter, bool __takes) {
        streamsize __stored = 0;
        __count(0);
        if (sentry __cerb{*this, true}) {
            for (;;) {
                int_type __c = this->rdbuf()->sgetc();
                if (__ends(__c)) {
                    this->setstate(ios_base::eofbit);
                    break;
                }
                if (_Traits::eq(_Traits::to_char_type(__c), __delimiter)) {
                    if (__takes) {
                        this->rdbuf()->sbumpc();
                        ++_M_count;
                    }
                    break;
                }
                if (__stored + 1 >= __n) {
                    if (__takes)
                        this->setstate(ios_base::failbit);
                    break;
                }
                __s[__stored++] = _Traits::to_char_type(__c);
                this->rdbuf()->sbumpc();
                ++_M_count;
            }
            if (_M_count == 0)
                this->setstate(ios_base::failbit);
        }
        if (__n > 0)
            __s[__stored] = _CharT();
        return *this;
    }

    basic_istream &__boolean(bool &__value) {
        sentry __cerb(*this);
        if (!__cerb)
            return *this;
        const char *__words[] = {"false", "true"};
        bool __is_true = _Traits::eq_int_type(this->rdbuf()->sgetc(), _Traits::to_int_type(this->widen('t')));
        for (const char *__next = __words[__is_true]; *__next; ++__next) {
            int_type __c = this->rdbuf()->sgetc();
            if (__ends(__c) || !_Traits::eq(_Traits::to_char_type(__c), this->widen(*__next))) {
                __value = false;
                this->setstate(__ends(__c) ? ios_base::eofbit | ios_base::failbit : +ios_base::failbit);
                return *this;
            }
            this->rdbuf()->sbumpc();
        }
        __value = __is_true;
        return *this;
    }

    template <typename _Number> basic_istream &__integer(_Number &__n) {
        sentry __cerb(*this);
        if (__cerb)
            __read_integer(__n);
        return *this;
    }

    template <typename _Number> void __read_integer(_Number &__n) {
        ios_base::fmtflags __field = this->flags() & ios_base::basefield;
        unsigned __base = __field == ios_base::hex ? 16 : __field == ios_base::oct ? 8 : __field ? 10 : 0;
        basic_streambuf<_CharT, _Traits> *__from = this->rdbuf();
        int_type __c = __from->sgetc();
        char __sign = __ends(__c) ? 0 : this->narrow(_Traits::to_char_type(__c), 0);
        if (__sign == '-' || __sign == '+')
            __c = __from->snextc();
        bool __has_digits = false, __is_too_large = false;
        if (!__ends(__c) && __base != 10 && _Traits::to_char_type(__c) == '0') {
            __has_digits = true;
            __c = __from->snextc();
            bool __has_x = !__ends(__c) && (_Traits::to_char_type(__c) == 'x' || _Traits::to_char_type(__c) == 'X');
            if (__has_x && __base != 8) {
                __base = 16;
                __has_digits = false;
                __c = __from->snextc();
            } else if (__base == 0) {
                __base = 8;
            }
        }
        if (__base == 0)
            __base = 10;
        const bool __is_signed = _Number(-1) < _Number(0);
        const unsigned long long __all = (unsigned long long)-1 >> (64 - 8 * sizeof(_Number));
        const unsigned long long __most = __is_signed ? (__all >> 1) + (__sign == '-') : __all;
        unsigned long long __value = 0;
        for (; !__ends(__c); __c = __from->snextc()) {
            char __letter = this->narrow(_Traits::to_char_type(__c), 0);
            unsigned __digit = __letter >= '0' && __letter <= '9'   ? unsigned(__letter - '0')
                               : __letter >= 'a' && __letter <= 'f' ? unsigned(__letter - 'a') + 10
                               : __letter >= 'A' && __letter <= 'F' ? unsigned(__letter - 'A') + 10
                                                                    : 16;
            if (__digit >= __base)
                break;
            __has_digits = true;
            __is_too_large |= __value > (__most - __digit) / __base;
            __value = __value * __base + __digit;
        }
        ios_base::iostate __state = __ends(__c) ? ios_base::eofbit : ios_base::goodbit;
        if (!__has_digits) {
            __n = 0;
            __state |= ios_base::failbit;
        } else if (__is_too_large) {
            __n = _Number(__is_signed && __sign == '-' ? -__most : __most);
            __state |= ios_base::failbit;
        } else {
            __n = _Number(__sign == '-' ? -__value : __value);
        }
        if (__state)
            this->setstate(__state);
    }

    template <typename _Number> basic_istream &__floating(_Number &__x) {
        sentry __cerb(*this);
        if (!__cerb)
            return *this;
        basic_streambuf<_CharT, _Traits> *__from = this->rdbuf();
        string __text;
        bool __has_digits = false, __has_point = false, __has_exponent = false;
        int_type __c = __from->sgetc();
        for (; !__ends(__c); __c = __from->snextc()) {
            char __letter = this->narrow(_Traits::to_char_type(__c), 0);
            char __before = __text.empty() ? 0 : __text.back();
            if (__letter >= '0' && __letter <= '9')
                __has_digits = true;
            else if (__letter == '.' && !__has_point && !__has_exponent)
                __has_point = true;
            else if ((__letter == 'e' || __letter == 'E') && __has_digits && !__has_exponent)
                __has_exponent = true;
            else if (!((__letter == '-' || __letter == '+') && (!__before || __before == 'e' || __before == 'E')))
                break;
            __text.push_back(__letter);
        }
        char *__end;
        __x = _Number(strtod(__text.c_str(), &__end));
        ios_base::iostate __state = __ends(__c) ? ios_base::eofbit : ios_base::goodbit;
        if (!__has_digits || *__end) {
            __x = 0;
            __state |= ios_base::failbit;
        }
        if (__state)
            this->setstate(__state);
        return *this;
    }

    streamsize _M_count;
};

template <typename _CharT, typename _Traits> class basic_iostream : public basic_istream<_CharT, _Traits> {
public:
    typedef _CharT char_type;
    typedef _Traits traits_type;
    typedef typename _Traits::int_type int_type;
    typedef typename _Traits::pos_type pos_type;
    typedef typename _Traits::off_type off_type;

    explicit basic_iostream(basic_streambuf<_CharT, _Traits> *__buffer) : basic_istream<_CharT, _Traits>(__buffer) {}
    virtual ~basic_iostream() {}

protected:
    basic_iostream() {}
    basic_iostream(basic_iostream &&__other) : basic_istream<_CharT, _Traits>(std::move(__other)) {}
    basic_iostream &operator=(basic_iostream &&) = default;
};

template <typename _CharT, typename _Traits>
inline basic_istream<_CharT, _Traits> &operator>>(basic_istream<_CharT, _Traits> &__in, _CharT &__c) {
    typename basic_istream<_CharT, _Traits>::sentry __cerb(__in);
    if (__cerb) {
        typename _Traits::int_type __read = __in.rdbuf()->sbumpc();
        if (__in.__ends(__read))
            __in.setstate(ios_base::eofbit | ios_base::failbit);
        else
            __c = _Traits::to_char_type(__read);
    }
    return __in;
}
template <typename _Traits>
inline basic_istream<char, _Traits> &operator>>(basic_istream<char, _Traits> &__in, signed char &__c) {
    return __in >> reinterpret_cast<char &>(__c);
}
template <typename _Traits>
inline basic_istream<char, _Traits> &operator>>(basic_istream<char, _Traits> &__in, unsigned char &__c) {
    return __in >> reinterpret_cast<char &>(__c);
}

/// Reads a word of at most `__most` characters, and calls `__add` with each.
template <typename _CharT, typename _Traits, typename _Add>
inline void __read_word(basic_istream<_CharT, _Traits> &__in, streamsize __most, _Add __add) {
    typename basic_istream<_CharT, _Traits>::sentry __cerb(__in);
    if (!__cerb)
        return;
    streamsize __width = __in.width(0), __n = 0;
    if (__width > 0 && __width < __most)
        __most = __width;
    ios_base::iostate __state = ios_base::goodbit;
    for (; __n < __most; ++__n) {
        typename _Traits::int_type __c = __in.rdbuf()->sgetc();
        if (__in.__ends(__c)) {
            __state |= ios_base::eofbit;
            break;
        }
        if (__is_space(_Traits::to_char_type(__c)))
            break;
        __add(_Traits::to_char_type(__c));
        __in.rdbuf()->sbumpc();
    }
    if (__n == 0)
        __state |= ios_base::failbit;
    if (__state)
        __in.setstate(__state);
}

#if __cplusplus > 201703L
template <typename _CharT, typename _Traits, size_t _Size>
inline basic_istream<_CharT, _Traits> &operator>>(basic_istream<_CharT, _Traits> &__in, _CharT (&__s)[_Size]) {
    size_t __n = 0;
    __read_word(__in, _Size - 1, [&](_CharT __c) { __s[__n++] = __c; });
    __s[__n] = _CharT();
    return __in;
}
#else
template <typename _CharT, typename _Traits>
inline basic_istream<_CharT, _Traits> &operator>>(basic_istream<_CharT, _Traits> &__in, _CharT *__s) {
    streamsize __width = __in.width();
    __read_word(__in, __width > 0 ? __width - 1 : __LONG_MAX__, [&](_CharT __c) { *__s++ = __c; });
    *__s = _CharT();
    return __in;
}
#endif

/// Input from a temporary stream.
template <typename _Stream, typename _Value,
          typename = typename enable_if<!is_lvalue_reference<_Stream>::value && is_base_of<ios_base, _Stream>::value>::type,
          typename = decltype(declval<_Stream &>() >> declval<_Value &&>())>
inline _Stream &&operator>>(_Stream &&__in, _Value &&__value) {
    __in >> std::forward<_Value>(__value);
    return std::move(__in);
}

template <typename _CharT, typename _Traits>
inline basic_istream<_CharT, _Traits> &ws(basic_istream<_CharT, _Traits> &__in) {
    if (typename basic_istream<_CharT, _Traits>::sentry __cerb{__in, true})
        __in.__skip_space();
    return __in;
}

/// Reads a line into a string.
template <typename _CharT, typename _Traits, typename _Alloc>
inline basic_istream<_CharT, _Traits> &__get_line(basic_istream<_CharT, _Traits> &__in,
                                                  basic_string<_CharT, _Traits, _Alloc> &__s, _CharT __delimiter) {
    typename basic_istream<_CharT, _Traits>::sentry __cerb(__in, true);
    if (!__cerb)
        return __in;
    __s.clear();
    for (bool __is_first = true;; __is_first = false) {
        typename _Traits::int_type __c = __in.rdbuf()->sbumpc();
        if (__in.__ends(__c)) {
            __in.setstate(__is_first ? ios_base::eofbit | ios_base::failbit : +ios_base::eofbit);
            return __in;
        }
        if (_Traits::eq(_Traits::to_char_type(__c), __delimiter))
            return __in;
        __s.push_back(_Traits::to_char_type(__c));
    }
}

} // namespace __atropos

template <> inline istream &operator>>(istream &__in, string &__s) {
    if (!__in.good()) {
        __in.setstate(ios_base::failbit);
        return __in;
    }
    __s.clear();
    __read_word(__in, __LONG_MAX__, [&](char __c) { __s.push_back(__c); });
    return __in;
}
template <> inline istream &getline(istream &__in, string &__s, char __delimiter) {
    return __get_line(__in, __s, __delimiter);
}
template <> inline wistream &getline(wistream &__in, wstring &__s, wchar_t __delimiter) {
    return __get_line(__in, __s, __delimiter);
}

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
