// A key-value store served by a pool of threads: strings and formatted text, an arena, buffers that count their
// owners, a log in a ring without locks, a hash map with striped reader-writer locks, a bounded queue with condition
// variables, worker threads, and a language of commands. Its client sends a few requests at the same time and looks
// whether the answers fit together. It runs natively as well.
//
// BUG=1: a value is looked up under the lock, but its owner is counted only after unlocking.
// BUG=2: closing the queue does not wake the threads that wait for a job.
// BUG=3: the last owner of a buffer frees it without having synchronised with the others.
//
// check: rc11 rf executions 128
// check: sc co executions 128
// check: tso co verified
// check: -DBUG=1 rc11 rf violation assertion 46
// check: -DBUG=2 rc11 rf violation deadlock 61
// check: -DBUG=3 rc11 rf violation use-after-free 63
#include "command.h"
#include "config.h"
#include "pool.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef SETTINGS
#define SETTINGS "workers = 1; queue = 2; log = warning; arena = 64"
#endif

/* How many of the requests are sent. */
#ifndef N_REQUESTS
#define N_REQUESTS 1
#endif

struct server {
    struct log log;
    struct store store;
    struct pool pool;
};

struct request {
    struct server *server;
    const char *line;
    struct reply reply;
};

static void handle(void *argument) {
    struct request *request = argument;
    request->reply = store_execute(&request->server->store, request->line);
}

static void execute(struct server *server, const char *line) {
    struct reply reply = store_execute(&server->store, line);
    buffer_release(reply.value);
}

/* Hands all requests to the pool, executes one more meanwhile, and waits for the replies. */
static void serve(struct server *server, struct request *requests, size_t n, const char *own) {
    struct group group;
    group_init(&group);
    for (size_t i = 0; i < n; i++) {
        requests[i].server = server;
        bool accepted = pool_submit(&server->pool, &group, handle, &requests[i]);
        assert(accepted);
        (void)accepted;
    }
    execute(server, own);
    group_wait(&group);
    group_destroy(&group);
}

static bool reply_is(const struct request *request, const char *text) {
    return request->reply.value != NULL && slice_is(buffer_slice(request->reply.value), text);
}

static void show(const char *key, const struct buffer *value, void *context) {
    size_t *n_shown = context;
    printf("%s = %.*s\n", key, (int)buffer_slice(value).length, buffer_slice(value).start);
    ++*n_shown;
}

static void check_settings(void) {
    struct config config;
    const char *mistake = config_parse(&config, "workers = 3; log = error");
    assert(mistake == NULL && config.n_workers == 3 && config.log_level == LOG_ERROR);
    assert(config.queue_capacity == 8);
    mistake = config_parse(&config, "workers = many");
    assert(mistake != NULL && slice_is(slice_of(mistake), "workers: `many` is not a number"));
    mistake = config_parse(&config, "queue = 0");
    assert(mistake != NULL && slice_is(slice_of(mistake), "queue: 0 is not between 1 and 1024"));
    mistake = config_parse(&config, "colour = red");
    assert(mistake != NULL && slice_is(slice_of(mistake), "there is no setting `colour`"));
}

static void check_text(void) {
    char line[32];
    struct writer writer;
    writer_init(&writer, line, sizeof line);
    writer_format(&writer, "%s %c %d %lu %x %%", "abc", 'd', -12, 34ul, 0xffu);
    assert(slice_is(slice_of(line), "abc d -12 34 ff %"));
    long number;
    assert(slice_number(slice_of("-9223372036854775808"), &number) && number < 0);
    assert(!slice_number(slice_of("9223372036854775808"), &number));
    writer_init(&writer, line, 5);
    writer_string(&writer, "truncated");
    assert(writer.truncated && slice_is(slice_of(line), "trun"));
}

static void check_commands(struct server *server) {
    execute(server, "SET name Lachesis");
    execute(server, "ADD count 40");
    struct request request = {.server = server, .line = "LENGTH name"};
    handle(&request);
    assert(reply_is(&request, "8"));
    buffer_release(request.reply.value);
    request.line = "COUNT";
    handle(&request);
    assert(reply_is(&request, "2"));
    buffer_release(request.reply.value);
    request.line = "GET nothing";
    handle(&request);
    assert(request.reply.status == STATUS_MISSING);
    assert(slice_is(slice_of(log_text(&server->log, 0)), "GET nothing: no such key"));
}

static bool server_start(struct server *server, const char *settings) {
    struct config config;
    const char *mistake = config_parse(&config, settings);
    if (mistake != NULL) {
        fprintf(stderr, "settings: %s\n", mistake);
        return false;
    }
    log_init(&server->log, config.log_level);
    store_init(&server->store, config.arena_chunk, &server->log);
    check_commands(server);
    return pool_start(&server->pool, config.n_workers, config.queue_capacity, &server->log);
}

static void server_stop(struct server *server) {
    pool_stop(&server->pool);
    size_t n_shown = 0;
    map_for_each(&server->store.map, show, &n_shown);
    assert(n_shown == map_size(&server->store.map));
    store_destroy(&server->store);
    log_dump(&server->log, stdout);
}

int main(void) {
    check_text();
    check_settings();
    struct server *server = malloc(sizeof *server);
    if (server == NULL || !server_start(server, SETTINGS))
        return EXIT_FAILURE;
    struct request requests[] = {{.line = "LENGTH name"}, {.line = "ADD count 2"}};
    const size_t n_requests = N_REQUESTS;
    serve(server, requests, n_requests, "SET name Clotho");
    assert(reply_is(&requests[0], "8") || reply_is(&requests[0], "6"));
    assert(requests[n_requests - 1].reply.status == STATUS_OK);
    for (size_t i = 0; i < n_requests; i++)
        buffer_release(requests[i].reply.value);
    server_stop(server);
    assert(atomic_load(&server->pool.n_done) == n_requests);
    assert(log_count(&server->log) == 1);
    assert(buffer_count() == 0);
    free(server);
    return EXIT_SUCCESS;
}
