#include "config.h"

static const struct config defaults = {
    .n_workers = 1,
    .queue_capacity = 8,
    .arena_chunk = 256,
    .log_level = LOG_INFO,
};

static _Thread_local char complaint[80];

static const char *complain(const char *format, ...) {
    struct writer writer;
    writer_init(&writer, complaint, sizeof complaint);
    va_list args;
    va_start(args, format);
    writer_vformat(&writer, format, args);
    va_end(args);
    return complaint;
}

/* The settings that are numbers, with their bounds. */
static const struct number_setting {
    const char *name;
    size_t offset;
    long least, most;
} number_settings[] = {
    {"workers", offsetof(struct config, n_workers), 1, 8},
    {"queue", offsetof(struct config, queue_capacity), 1, 1024},
    {"arena", offsetof(struct config, arena_chunk), 64, 1 << 20},
};

#define N_NUMBER_SETTINGS (sizeof number_settings / sizeof number_settings[0])

static const char *set_number(struct config *config, const struct number_setting *setting, struct slice value) {
    long number;
    if (!slice_number(value, &number))
        return complain("%s: `%S` is not a number", setting->name, &value);
    if (number < setting->least || number > setting->most)
        return complain("%s: %ld is not between %ld and %ld", setting->name, number, setting->least, setting->most);
    *(size_t *)((char *)config + setting->offset) = (size_t)number;
    return NULL;
}

static const char *set(struct config *config, struct slice name, struct slice value) {
    for (size_t i = 0; i < N_NUMBER_SETTINGS; i++)
        if (slice_is(name, number_settings[i].name))
            return set_number(config, &number_settings[i], value);
    if (slice_is(name, "log")) {
        if (!log_level_parse(value, &config->log_level))
            return complain("log: there is no level `%S`", &value);
        return NULL;
    }
    return complain("there is no setting `%S`", &name);
}

const char *config_parse(struct config *config, const char *text) {
    *config = defaults;
    struct slice rest = slice_of(text);
    while (rest.length > 0) {
        struct slice value = slice_trim(slice_until(&rest, ';'));
        if (value.length == 0)
            continue;
        struct slice name = slice_trim(slice_until(&value, '='));
        const char *mistake = set(config, name, slice_trim(value));
        if (mistake != NULL)
            return mistake;
    }
    return NULL;
}
