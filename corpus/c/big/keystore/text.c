#include "text.h"

#include <limits.h>
#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct slice slice_of(const char *string) {
    struct slice slice = {string, strlen(string)};
    return slice;
}

bool slice_equal(struct slice a, struct slice b) {
    return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

bool slice_is(struct slice slice, const char *string) { return slice_equal(slice, slice_of(string)); }

struct slice slice_trim(struct slice slice) {
    while (slice.length > 0 && is_space(slice.start[0])) {
        slice.start++;
        slice.length--;
    }
    while (slice.length > 0 && is_space(slice.start[slice.length - 1]))
        slice.length--;
    return slice;
}

struct slice slice_word(struct slice *rest) {
    *rest = slice_trim(*rest);
    struct slice word = {rest->start, 0};
    while (word.length < rest->length && !is_space(rest->start[word.length]))
        word.length++;
    rest->start += word.length;
    rest->length -= word.length;
    return word;
}

struct slice slice_until(struct slice *rest, char separator) {
    struct slice piece = {rest->start, 0};
    while (piece.length < rest->length && rest->start[piece.length] != separator)
        piece.length++;
    size_t skipped = piece.length + (piece.length < rest->length);
    rest->start += skipped;
    rest->length -= skipped;
    return piece;
}

bool slice_number(struct slice slice, long *number) {
    bool negative = false;
    size_t at = 0;
    if (slice.length > 0 && (slice.start[0] == '-' || slice.start[0] == '+')) {
        negative = slice.start[0] == '-';
        at = 1;
    }
    if (at == slice.length)
        return false;
    unsigned long limit = negative ? (unsigned long)LONG_MAX + 1 : (unsigned long)LONG_MAX;
    unsigned long value = 0;
    for (; at < slice.length; at++) {
        if (!is_digit(slice.start[at]))
            return false;
        unsigned long digit = (unsigned long)(slice.start[at] - '0');
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = negative ? (long)(0 - value) : (long)value;
    return true;
}

uint32_t slice_hash(struct slice slice) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < slice.length; i++) {
        hash ^= (unsigned char)slice.start[i];
        hash *= 16777619u;
    }
    return hash;
}

void writer_init(struct writer *writer, char *start, size_t capacity) {
    writer->start = start;
    writer->capacity = capacity;
    writer->length = 0;
    writer->truncated = false;
    if (capacity > 0)
        start[0] = '\0';
}

void writer_char(struct writer *writer, char c) {
    if (writer->length + 1 >= writer->capacity) {
        writer->truncated = true;
        return;
    }
    writer->start[writer->length++] = c;
    writer->start[writer->length] = '\0';
}

void writer_slice(struct writer *writer, struct slice slice) {
    for (size_t i = 0; i < slice.length; i++)
        writer_char(writer, slice.start[i]);
}

void writer_string(struct writer *writer, const char *string) {
    writer_slice(writer, slice_of(string != NULL ? string : "(null)"));
}

void writer_unsigned(struct writer *writer, unsigned long number, unsigned base) {
    char digits[sizeof number * CHAR_BIT];
    size_t n = 0;
    do {
        digits[n++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    while (n > 0)
        writer_char(writer, digits[--n]);
}

void writer_signed(struct writer *writer, long number) {
    if (number < 0)
        writer_char(writer, '-');
    writer_unsigned(writer, number < 0 ? 0 - (unsigned long)number : (unsigned long)number, 10);
}

void writer_vformat(struct writer *writer, const char *format, va_list args) {
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            writer_char(writer, *at);
            continue;
        }
        at++;
        bool is_long = *at == 'l';
        if (is_long)
            at++;
        switch (*at) {
        case 's':
            writer_string(writer, va_arg(args, const char *));
            break;
        case 'S':
            writer_slice(writer, *va_arg(args, const struct slice *));
            break;
        case 'c':
            writer_char(writer, (char)va_arg(args, int));
            break;
        case 'd':
            writer_signed(writer, is_long ? va_arg(args, long) : va_arg(args, int));
            break;
        case 'u':
            writer_unsigned(writer, is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned), 10);
            break;
        case 'x':
            writer_unsigned(writer, is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned), 16);
            break;
        case 'p':
            writer_string(writer, "0x");
            writer_unsigned(writer, (unsigned long)va_arg(args, void *), 16);
            break;
        case '%':
            writer_char(writer, '%');
            break;
        case '\0':
            return;
        default:
            writer_char(writer, '?');
            break;
        }
    }
}

void writer_format(struct writer *writer, const char *format, ...) {
    va_list args;
    va_start(args, format);
    writer_vformat(writer, format, args);
    va_end(args);
}
