// A cache behind a reader-writer lock: a lookup takes the read lock; what is missing is computed and put in under the
// write lock, after a second look, since another thread may have been faster.
//
// BUG=1: no second look: an entry gets in twice.
// BUG=2: the entry is put in under the read lock.
// BUG=3: the read lock is not given back before the write lock is asked for.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation assertion 78
// check: -DBUG=2 sc rf violation assertion 78
// check: -DBUG=2 rc11 rf violation race 59
// check: -DBUG=3 sc rf violation deadlock 51
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif

struct entry {
    char name[8];
    int id;
    struct entry *next;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry *entries;
static int n_entries;

static struct entry *find(const char *name) {
    for (struct entry *it = entries; it; it = it->next)
        if (strcmp(it->name, name) == 0)
            return it;
    return NULL;
}

static int intern(const char *name) {
    pthread_rwlock_rdlock(&lock);
    struct entry *it = find(name);
    if (BUG != 3)
        pthread_rwlock_unlock(&lock);
    if (it)
        return it->id;
    if (BUG == 2)
        pthread_rwlock_rdlock(&lock);
    else
        pthread_rwlock_wrlock(&lock);
    if (BUG != 1)
        it = find(name);
    if (!it) {
        it = calloc(1, sizeof *it);
        strncpy(it->name, name, sizeof it->name - 1);
        it->id = n_entries++;
        it->next = entries;
        entries = it;
    }
    int id = it->id;
    pthread_rwlock_unlock(&lock);
    return id;
}

static void *client(void *id) {
    *(int *)id = intern("eth0");
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int ids[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, client, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(ids[0] == ids[1]);
    assert(n_entries == 1);
    while (entries) {
        struct entry *next = entries->next;
        free(entries);
        entries = next;
    }
    return 0;
}
