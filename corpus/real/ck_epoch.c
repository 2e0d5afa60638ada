// Concurrency Kit's epochs: a reader in a section never sees a node that was freed after the grace period.
// source: ck
// package: libck-dev
// file: $ck/src/ck_epoch.c
// check: | verified, 13 executions
#include <assert.h>
#include <ck_epoch.h>
#include <pthread.h>
#include <stdlib.h>

static ck_epoch_t epoch;
static ck_epoch_record_t records[2];
static int *shared;

static void *reader(void *unused) {
    ck_epoch_begin(&records[1], 0);
    int *node = ck_pr_load_ptr(&shared);
    assert(*node == 1 || *node == 2);
    ck_epoch_end(&records[1], 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    int *old = malloc(sizeof(int)), *new = malloc(sizeof(int));
    *old = 1, *new = 2;
    ck_epoch_init(&epoch);
    ck_epoch_register(&epoch, &records[0], 0);
    ck_epoch_register(&epoch, &records[1], 0);
    ck_pr_store_ptr(&shared, old);
    pthread_create(&thread, 0, reader, 0);
    ck_pr_store_ptr(&shared, new);
    ck_epoch_synchronize(&records[0]);
    free(old);
    pthread_join(thread, 0);
    free(new);
}
