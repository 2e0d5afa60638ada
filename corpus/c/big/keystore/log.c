#include "log.h"

#include <assert.h>

static const char *const level_names[] = {
    [LOG_DEBUG] = "debug", [LOG_INFO] = "info",     [LOG_WARNING] = "warning",
    [LOG_ERROR] = "error", [LOG_SILENT] = "silent",
};

#define N_LEVELS (sizeof level_names / sizeof level_names[0])

const char *log_level_name(enum log_level level) {
    return (size_t)level < N_LEVELS ? level_names[level] : "unknown";
}

bool log_level_parse(struct slice name, enum log_level *level) {
    for (size_t i = 0; i < N_LEVELS; i++) {
        if (slice_is(name, level_names[i])) {
            *level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

void log_init(struct log *log, enum log_level threshold) {
    atomic_init(&log->threshold, threshold);
    atomic_init(&log->next, 0);
    atomic_init(&log->n_dropped, 0);
    for (size_t i = 0; i < LOG_LINES; i++)
        atomic_init(&log->lines[i].version, 0);
}

void log_write(struct log *log, enum log_level level, const char *format, ...) {
    if (level < atomic_load_explicit(&log->threshold, memory_order_relaxed))
        return;
    unsigned number = atomic_fetch_add_explicit(&log->next, 1, memory_order_relaxed);
    struct log_line *line = &log->lines[number % LOG_LINES];
    unsigned round = number / LOG_LINES * 2;
    if (!atomic_compare_exchange_strong_explicit(&line->version, &round, round + 1, memory_order_acquire,
                                                 memory_order_relaxed)) {
        atomic_fetch_add_explicit(&log->n_dropped, 1, memory_order_relaxed);
        return;
    }
    line->level = level;
    struct writer writer;
    writer_init(&writer, line->text, sizeof line->text);
    va_list args;
    va_start(args, format);
    writer_vformat(&writer, format, args);
    va_end(args);
    atomic_store_explicit(&line->version, round + 2, memory_order_release);
}

unsigned log_count(struct log *log) {
    return atomic_load_explicit(&log->next, memory_order_relaxed) -
           atomic_load_explicit(&log->n_dropped, memory_order_relaxed);
}

const char *log_text(struct log *log, unsigned number) {
    struct log_line *line = &log->lines[number % LOG_LINES];
    unsigned version = atomic_load_explicit(&line->version, memory_order_acquire);
    assert(version % 2 == 0);
    return version == 0 ? NULL : line->text;
}

void log_dump(struct log *log, FILE *to) {
    for (unsigned i = 0; i < LOG_LINES; i++) {
        const char *text = log_text(log, i);
        if (text != NULL)
            fprintf(to, "[%s] %s\n", log_level_name(log->lines[i].level), text);
    }
}
