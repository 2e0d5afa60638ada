/* Immutable bytes with a count of owners; the last one frees them. */
#ifndef BUFFER_H
#define BUFFER_H

#include "text.h"

struct buffer;

struct buffer *buffer_new(struct slice contents);
struct buffer *buffer_number(long number);
struct buffer *buffer_retain(struct buffer *buffer);
void buffer_release(struct buffer *buffer);
struct slice buffer_slice(const struct buffer *buffer);

/* How many buffers there are; for tests and statistics. */
long buffer_count(void);

#endif
