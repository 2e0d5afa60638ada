// <iosfwd>: the streams of <atropos/streams.h>, in a namespace of their own.

#if !__has_include(<bits/c++config.h>)
#include_next <iosfwd>
#elif !defined(_GLIBCXX_IOSFWD)
#define _GLIBCXX_IOSFWD 1
#pragma GCC system_header
#include <bits/c++config.h>
#include <bits/postypes.h>
#include <bits/stringfwd.h>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

class ios_base;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_ios;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_streambuf;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_istream;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_ostream;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_iostream;
template <typename _CharT, typename _Traits = char_traits<_CharT>, typename _Alloc = allocator<_CharT>>
class basic_stringbuf;
template <typename _CharT, typename _Traits = char_traits<_CharT>, typename _Alloc = allocator<_CharT>>
class basic_istringstream;
template <typename _CharT, typename _Traits = char_traits<_CharT>, typename _Alloc = allocator<_CharT>>
class basic_ostringstream;
template <typename _CharT, typename _Traits = char_traits<_CharT>, typename _Alloc = allocator<_CharT>>
class basic_stringstream;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_filebuf;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_ifstream;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_ofstream;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class basic_fstream;

} // namespace __atropos

template <typename _CharT, typename _Traits = char_traits<_CharT>> class istreambuf_iterator;
template <typename _CharT, typename _Traits = char_traits<_CharT>> class ostreambuf_iterator;

#define _ATROPOS_STREAM_NAMES(_Prefix, _CharT)                                                                         \
    typedef basic_ios<_CharT> _Prefix##ios;                                                                            \
    typedef basic_streambuf<_CharT> _Prefix##streambuf;                                                                \
    typedef basic_istream<_CharT> _Prefix##istream;                                                                    \
    typedef basic_ostream<_CharT> _Prefix##ostream;                                                                    \
    typedef basic_iostream<_CharT> _Prefix##iostream;                                                                  \
    typedef basic_stringbuf<_CharT> _Prefix##stringbuf;                                                                \
    typedef basic_istringstream<_CharT> _Prefix##istringstream;                                                        \
    typedef basic_ostringstream<_CharT> _Prefix##ostringstream;                                                        \
    typedef basic_stringstream<_CharT> _Prefix##stringstream;                                                          \
    typedef basic_filebuf<_CharT> _Prefix##filebuf;                                                                    \
    typedef basic_ifstream<_CharT> _Prefix##ifstream;                                                                  \
    typedef basic_ofstream<_CharT> _Prefix##ofstream;                                                                  \
    typedef basic_fstream<_CharT> _Prefix##fstream;

_ATROPOS_STREAM_NAMES(, char)
_ATROPOS_STREAM_NAMES(w, wchar_t)
#undef _ATROPOS_STREAM_NAMES

_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
