// Streams of files [file.streams]: there are no files to read, and what is written is forgotten.

#if !__has_include(<bits/c++config.h>)
#include_next <fstream>
#elif !defined(_GLIBCXX_FSTREAM)
#define _GLIBCXX_FSTREAM 1
#pragma GCC system_header
#include <atropos/streams.h>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

template <typename _CharT, typename _Traits> class basic_filebuf : public basic_streambuf<_CharT, _Traits> {
public:
    basic_filebuf() {}
    basic_filebuf(basic_filebuf &&) = default;
    basic_filebuf &operator=(basic_filebuf &&) = default;

    bool is_open() const { return _M_is_open; }
    /// Opens a file for writing.
    basic_filebuf *open(const char *, ios_base::openmode __mode) {
        if (_M_is_open || !(__mode & (ios_base::out | ios_base::app)))
            return nullptr;
        _M_is_open = true;
        return this;
    }
    basic_filebuf *close() {
        basic_filebuf *__closed = _M_is_open ? this : nullptr;
        _M_is_open = false;
        return __closed;
    }

protected:
    typename _Traits::int_type overflow(typename _Traits::int_type __c) override {
        return _M_is_open ? _Traits::not_eof(__c) : _Traits::eof();
    }
    streamsize xsputn(const _CharT *, streamsize __n) override { return _M_is_open ? __n : 0; }

private:
    bool _M_is_open = false;
};

template <typename _Base, typename _CharT, typename _Traits, unsigned _Default, unsigned _Always>
class __file_stream : public _Base {
public:
    __file_stream() : _Base(nullptr) { this->init(&_M_filebuf); }
    explicit __file_stream(const char *__name, ios_base::openmode __mode = _Default) : __file_stream() {
        open(__name, __mode);
    }
    explicit __file_stream(const string &__name, ios_base::openmode __mode = _Default)
        : __file_stream(__name.c_str(), __mode) {}
    template <typename _Path, typename = decltype(declval<const _Path &>().native().c_str())>
    explicit __file_stream(const _Path &__name, ios_base::openmode __mode = _Default)
        : __file_stream(__name.native().c_str(), __mode) {}
    __file_stream(__file_stream &&__other) : _Base(std::move(__other)), _M_filebuf(std::move(__other._M_filebuf)) {
        this->set_rdbuf(&_M_filebuf);
    }
    __file_stream &operator=(__file_stream &&__other) {
        _Base::operator=(std::move(__other));
        _M_filebuf = std::move(__other._M_filebuf);
        return *this;
    }

    basic_filebuf<_CharT, _Traits> *rdbuf() const {
        return const_cast<basic_filebuf<_CharT, _Traits> *>(&_M_filebuf);
    }
    bool is_open() const { return _M_filebuf.is_open(); }
    void open(const char *__name, ios_base::openmode __mode = _Default) {
        if (_M_filebuf.open(__name, __mode | _Always))
            this->clear();
        else
            this->setstate(ios_base::failbit);
    }
    void open(const string &__name, ios_base::openmode __mode = _Default) { open(__name.c_str(), __mode); }
    void close() {
        if (!_M_filebuf.close())
            this->setstate(ios_base::failbit);
    }

private:
    basic_filebuf<_CharT, _Traits> _M_filebuf;
};

#define _ATROPOS_FILE_STREAM(_Name, _Stream, _Default, _Always)                                                        \
    template <typename _CharT, typename _Traits>                                                                       \
    class _Name : public __file_stream<_Stream<_CharT, _Traits>, _CharT, _Traits, _Default, _Always> {                 \
    public:                                                                                                            \
        using __file_stream<_Stream<_CharT, _Traits>, _CharT, _Traits, _Default, _Always>::__file_stream;              \
        _Name() = default;                                                                                             \
        _Name(_Name &&) = default;                                                                                     \
        _Name &operator=(_Name &&) = default;                                                                          \
    };

_ATROPOS_FILE_STREAM(basic_ifstream, basic_istream, ios_base::in, ios_base::in)
_ATROPOS_FILE_STREAM(basic_ofstream, basic_ostream, ios_base::out, ios_base::out)
_ATROPOS_FILE_STREAM(basic_fstream, basic_iostream, ios_base::in | ios_base::out, 0)
#undef _ATROPOS_FILE_STREAM

} // namespace __atropos
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
