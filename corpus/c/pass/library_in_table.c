// check: rc11 rf verified
//
// Library functions that only a table names.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    void *(*allocate)(size_t);
    void *(*resize)(void *, size_t);
    void (*release)(void *);
    int (*set_kind)(pthread_mutexattr_t *, int);
} library = {malloc, realloc, free, pthread_mutexattr_settype};

int main(void) {
    char *text = library.allocate(4);
    memcpy(text, "abc", 4);
    text = library.resize(text, 100);
    assert(strcmp(text, "abc") == 0);
    library.release(text);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    library.set_kind(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    for (int i = 0; i < 2; i++)
        pthread_mutex_lock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
}
