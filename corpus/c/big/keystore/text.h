/* Strings: bounded copies, numbers, words and formatted text. */
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of another owner's string. */
struct slice {
    const char *start;
    size_t length;
};

struct slice slice_of(const char *string);
bool slice_equal(struct slice a, struct slice b);
bool slice_is(struct slice slice, const char *string);
struct slice slice_trim(struct slice slice);

/* Cuts the first word off the front of `rest`; an empty slice when there is none. */
struct slice slice_word(struct slice *rest);

/* Cuts what stands before `separator` off the front of `rest`, and the separator with it. */
struct slice slice_until(struct slice *rest, char separator);

/* Reads a decimal number that makes up the whole slice. */
bool slice_number(struct slice slice, long *number);

uint32_t slice_hash(struct slice slice);

/* A string that is written piece by piece into a fixed array. What does not fit is cut off. */
struct writer {
    char *start;
    size_t capacity; /* With the final zero. */
    size_t length;   /* Without it. */
    bool truncated;
};

void writer_init(struct writer *writer, char *start, size_t capacity);
void writer_char(struct writer *writer, char c);
void writer_slice(struct writer *writer, struct slice slice);
void writer_string(struct writer *writer, const char *string);
void writer_unsigned(struct writer *writer, unsigned long number, unsigned base);
void writer_signed(struct writer *writer, long number);

/* Knows %s %c %d %ld %u %lu %x %p and %%, and %S for a slice that is passed by its address. */
void writer_vformat(struct writer *writer, const char *format, va_list args);
void writer_format(struct writer *writer, const char *format, ...);

#endif
