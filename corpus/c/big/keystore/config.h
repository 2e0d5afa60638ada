/* Settings, read from a line such as "workers = 2; queue = 4; log = warning". */
#ifndef CONFIG_H
#define CONFIG_H

#include "log.h"

struct config {
    size_t n_workers;
    size_t queue_capacity;
    size_t arena_chunk;
    enum log_level log_level;
};

/* The first mistake, in words; NULL if there is none. Lives until the next call of the same thread. */
const char *config_parse(struct config *config, const char *text);

#endif
