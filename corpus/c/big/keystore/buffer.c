#include "buffer.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif

struct buffer {
    atomic_uint owners;
    size_t length;
    char bytes[];
};

static atomic_long n_buffers;

struct buffer *buffer_new(struct slice contents) {
    struct buffer *buffer = malloc(sizeof *buffer + contents.length + 1);
    if (buffer == NULL) {
        fputs("buffer: out of memory\n", stderr);
        abort();
    }
    atomic_init(&buffer->owners, 1);
    buffer->length = contents.length;
    memcpy(buffer->bytes, contents.start, contents.length);
    buffer->bytes[contents.length] = '\0';
    atomic_fetch_add_explicit(&n_buffers, 1, memory_order_relaxed);
    return buffer;
}

struct buffer *buffer_number(long number) {
    char digits[24];
    struct writer writer;
    writer_init(&writer, digits, sizeof digits);
    writer_signed(&writer, number);
    struct slice slice = {digits, writer.length};
    return buffer_new(slice);
}

struct buffer *buffer_retain(struct buffer *buffer) {
    unsigned before = atomic_fetch_add_explicit(&buffer->owners, 1, memory_order_relaxed);
    assert(before > 0);
    return buffer;
}

void buffer_release(struct buffer *buffer) {
    if (buffer == NULL)
        return;
#if BUG == 3
    const memory_order order = memory_order_relaxed; /* What the others did with it is not ordered before free. */
#else
    const memory_order order = memory_order_release;
#endif
    if (atomic_fetch_sub_explicit(&buffer->owners, 1, order) == 1) {
#if BUG != 3
        atomic_thread_fence(memory_order_acquire);
#endif
        atomic_fetch_sub_explicit(&n_buffers, 1, memory_order_relaxed);
        free(buffer);
    }
}

struct slice buffer_slice(const struct buffer *buffer) {
    struct slice slice = {buffer->bytes, buffer->length};
    return slice;
}

long buffer_count(void) { return atomic_load_explicit(&n_buffers, memory_order_relaxed); }
