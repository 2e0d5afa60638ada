/* A log kept in memory: the latest lines, in a ring that many threads write without a lock. */
#ifndef LOG_H
#define LOG_H

#include "text.h"

#include <stdatomic.h>
#include <stdio.h>

#define LOG_LINES 4
#define LOG_WIDTH 48

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_SILENT };

struct log_line {
    /* Odd while the line is being written, then twice the number of times that it has been. */
    atomic_uint version;
    enum log_level level;
    char text[LOG_WIDTH];
};

struct log {
    _Atomic(enum log_level) threshold;
    atomic_uint next;
    atomic_uint n_dropped;
    struct log_line lines[LOG_LINES];
};

const char *log_level_name(enum log_level level);
bool log_level_parse(struct slice name, enum log_level *level);

void log_init(struct log *log, enum log_level threshold);

/* Drops the line, and counts it, if the ring has come round to one that is still being written. */
void log_write(struct log *log, enum log_level level, const char *format, ...);

/* The number of lines written. No thread may be writing when they are read. */
unsigned log_count(struct log *log);
const char *log_text(struct log *log, unsigned number);
void log_dump(struct log *log, FILE *to);

#endif
