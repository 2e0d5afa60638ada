/* The language of the store: one command a line. */
#ifndef COMMAND_H
#define COMMAND_H

#include "log.h"
#include "map.h"

#include <stdatomic.h>

enum status { STATUS_OK, STATUS_MISSING, STATUS_SYNTAX, STATUS_UNKNOWN, STATUS_TYPE };

const char *status_name(enum status status);

struct statistics {
    atomic_ulong n_commands;
    atomic_ulong n_errors;
};

struct store {
    struct arena arena;
    struct map map;
    struct log *log;
    struct statistics statistics;
};

void store_init(struct store *store, size_t arena_chunk, struct log *log);
void store_destroy(struct store *store);

struct reply {
    enum status status;
    struct buffer *value; /* Owned by the receiver of the reply; may be NULL. */
};

/*  SET key value     ADD key number     APPEND key value
 *  GET key           DELETE key         LENGTH key          COUNT */
struct reply store_execute(struct store *store, const char *line);

#endif
