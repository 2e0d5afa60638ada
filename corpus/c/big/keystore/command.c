#include "command.h"

#include <stdlib.h>

const char *status_name(enum status status) {
    switch (status) {
    case STATUS_OK:
        return "ok";
    case STATUS_MISSING:
        return "no such key";
    case STATUS_SYNTAX:
        return "wrong arguments";
    case STATUS_UNKNOWN:
        return "unknown command";
    case STATUS_TYPE:
        return "not a number";
    }
    return "?";
}

void store_init(struct store *store, size_t arena_chunk, struct log *log) {
    arena_init(&store->arena, arena_chunk);
    map_init(&store->map, &store->arena);
    store->log = log;
    atomic_init(&store->statistics.n_commands, 0);
    atomic_init(&store->statistics.n_errors, 0);
}

void store_destroy(struct store *store) {
    map_destroy(&store->map);
    arena_destroy(&store->arena);
}

static struct reply failed(enum status status) {
    struct reply reply = {status, NULL};
    return reply;
}

static struct reply answered(struct buffer *value) {
    struct reply reply = {value != NULL ? STATUS_OK : STATUS_MISSING, value};
    return reply;
}

static struct reply set(struct store *store, struct slice key, struct slice value) {
    buffer_release(map_put(&store->map, key, buffer_new(value)));
    return failed(STATUS_OK);
}

static struct reply get(struct store *store, struct slice key, struct slice unused) {
    (void)unused;
    return answered(map_get(&store->map, key));
}

static struct reply delete (struct store *store, struct slice key, struct slice unused) {
    (void)unused;
    return failed(map_remove(&store->map, key) ? STATUS_OK : STATUS_MISSING);
}

static struct reply length(struct store *store, struct slice key, struct slice unused) {
    (void)unused;
    struct buffer *value = map_get(&store->map, key);
    if (value == NULL)
        return failed(STATUS_MISSING);
    struct reply reply = answered(buffer_number((long)buffer_slice(value).length));
    buffer_release(value);
    return reply;
}

static struct reply count(struct store *store, struct slice unused_key, struct slice unused) {
    (void)unused_key;
    (void)unused;
    return answered(buffer_number((long)map_size(&store->map)));
}

struct addition {
    long amount;
    bool failed;
};

static struct buffer *add_to(struct buffer *old, void *context) {
    struct addition *addition = context;
    long before = 0;
    if (old != NULL && !slice_number(buffer_slice(old), &before)) {
        addition->failed = true;
        return buffer_retain(old);
    }
    return buffer_number(before + addition->amount);
}

static struct reply add(struct store *store, struct slice key, struct slice number) {
    struct addition addition = {0, false};
    if (!slice_number(number, &addition.amount))
        return failed(STATUS_TYPE);
    map_modify(&store->map, key, add_to, &addition);
    return failed(addition.failed ? STATUS_TYPE : STATUS_OK);
}

static struct buffer *append_to(struct buffer *old, void *context) {
    struct slice *more = context;
    if (old == NULL)
        return buffer_new(*more);
    struct slice before = buffer_slice(old);
    size_t capacity = before.length + more->length + 1;
    char *joined = malloc(capacity);
    if (joined == NULL)
        abort();
    struct writer writer;
    writer_init(&writer, joined, capacity);
    writer_slice(&writer, before);
    writer_slice(&writer, *more);
    struct slice both = {joined, writer.length};
    struct buffer *made = buffer_new(both);
    free(joined);
    return made;
}

static struct reply append(struct store *store, struct slice key, struct slice more) {
    map_modify(&store->map, key, append_to, &more);
    return failed(STATUS_OK);
}

typedef struct reply command_function(struct store *store, struct slice key, struct slice argument);

static const struct command {
    const char *name;
    command_function *run;
    unsigned char takes_key, takes_argument;
} commands[] = {
    {"SET", set, 1, 1},       {"GET", get, 1, 0},       {"ADD", add, 1, 1},     {"APPEND", append, 1, 1},
    {"DELETE", delete, 1, 0}, {"LENGTH", length, 1, 0}, {"COUNT", count, 0, 0},
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

static struct reply dispatch(struct store *store, const char *line) {
    struct slice rest = slice_of(line);
    struct slice name = slice_word(&rest);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        const struct command *command = &commands[i];
        if (!slice_is(name, command->name))
            continue;
        struct slice key = {NULL, 0};
        if (command->takes_key)
            key = slice_word(&rest);
        struct slice argument = slice_trim(rest);
        if ((key.length > 0) != command->takes_key || (argument.length > 0) != command->takes_argument)
            return failed(STATUS_SYNTAX);
        return command->run(store, key, argument);
    }
    return failed(STATUS_UNKNOWN);
}

struct reply store_execute(struct store *store, const char *line) {
    struct reply reply = dispatch(store, line);
    atomic_fetch_add_explicit(&store->statistics.n_commands, 1, memory_order_relaxed);
    if (reply.status != STATUS_OK) {
        atomic_fetch_add_explicit(&store->statistics.n_errors, 1, memory_order_relaxed);
        log_write(store->log, LOG_WARNING, "%s: %s", line, status_name(reply.status));
    }
    return reply;
}
