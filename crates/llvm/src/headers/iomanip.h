// Manipulators with arguments [std.manip].

#if !__has_include(<bits/c++config.h>)
#include_next <iomanip>
#elif !defined(_GLIBCXX_IOMANIP)
#define _GLIBCXX_IOMANIP 1
#pragma GCC system_header
#include <atropos/streams.h>
#if __cplusplus >= 201402L
#include <bits/quoted_string.h>
#endif

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
inline namespace __atropos {

#define _ATROPOS_MANIPULATOR(_Name, _Type, _Change)                                                                    \
    struct __##_Name {                                                                                                 \
        _Type _M_value;                                                                                                \
    };                                                                                                                 \
    inline __##_Name _Name(_Type __value) { return {__value}; }                                                        \
    template <typename _CharT, typename _Traits>                                                                       \
    inline basic_ostream<_CharT, _Traits> &operator<<(basic_ostream<_CharT, _Traits> &__stream, __##_Name __change) {  \
        _Change;                                                                                                       \
        return __stream;                                                                                               \
    }                                                                                                                  \
    template <typename _CharT, typename _Traits>                                                                       \
    inline basic_istream<_CharT, _Traits> &operator>>(basic_istream<_CharT, _Traits> &__stream, __##_Name __change) {  \
        _Change;                                                                                                       \
        return __stream;                                                                                               \
    }

_ATROPOS_MANIPULATOR(setw, int, __stream.width(__change._M_value))
_ATROPOS_MANIPULATOR(setprecision, int, __stream.precision(__change._M_value))
_ATROPOS_MANIPULATOR(setiosflags, ios_base::fmtflags, __stream.setf(__change._M_value))
_ATROPOS_MANIPULATOR(resetiosflags, ios_base::fmtflags, __stream.unsetf(__change._M_value))
_ATROPOS_MANIPULATOR(setbase, int,
                     __stream.setf(__change._M_value == 8    ? ios_base::fmtflags(ios_base::oct)
                                   : __change._M_value == 10 ? ios_base::fmtflags(ios_base::dec)
                                   : __change._M_value == 16 ? ios_base::fmtflags(ios_base::hex)
                                                             : 0,
                                   ios_base::basefield))
#undef _ATROPOS_MANIPULATOR

template <typename _CharT> struct __setfill {
    _CharT _M_value;
};
template <typename _CharT> inline __setfill<_CharT> setfill(_CharT __c) { return {__c}; }
template <typename _CharT, typename _Traits>
inline basic_ostream<_CharT, _Traits> &operator<<(basic_ostream<_CharT, _Traits> &__stream, __setfill<_CharT> __c) {
    __stream.fill(__c._M_value);
    return __stream;
}

#if __cplusplus >= 201402L
template <typename _CharT>
inline auto quoted(const _CharT *__s, _CharT __mark = _CharT('"'), _CharT __escape = _CharT('\\')) {
    return __detail::_Quoted_string<const _CharT *, _CharT>(__s, __mark, __escape);
}
template <typename _CharT, typename _Traits, typename _Alloc>
inline auto quoted(const basic_string<_CharT, _Traits, _Alloc> &__s, _CharT __mark = _CharT('"'),
                   _CharT __escape = _CharT('\\')) {
    return __detail::_Quoted_string<const basic_string<_CharT, _Traits, _Alloc> &, _CharT>(__s, __mark, __escape);
}
template <typename _CharT, typename _Traits, typename _Alloc>
inline auto quoted(basic_string<_CharT, _Traits, _Alloc> &__s, _CharT __mark = _CharT('"'),
                   _CharT __escape = _CharT('\\')) {
    return __detail::_Quoted_string<basic_string<_CharT, _Traits, _Alloc> &, _CharT>(__s, __mark, __escape);
}
#endif

} // namespace __atropos
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std
#endif
