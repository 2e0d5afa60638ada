// A log whose functions call each other: its mutex is recursive, so that its holder may take it again.
//
// BUG=1: an ordinary mutex.
// BUG=2: the error path leaves without giving the mutex back.
//
// check: rc11 rf verified
// check: tso rf verified
// check: sc rf verified
// check: -DBUG=1 sc rf violation deadlock 26
// check: -DBUG=2 sc rf violation lock-misuse 68
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif

static pthread_mutex_t mutex;
static char lines[4][16];
static int n_lines;

static int log_line(const char *format, ...) {
    pthread_mutex_lock(&mutex);
    if (n_lines == 4) {
        if (BUG != 2)
            pthread_mutex_unlock(&mutex);
        return -1;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lines[n_lines++], sizeof lines[0], format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void log_pair(int a, int b) {
    pthread_mutex_lock(&mutex);
    int first = n_lines;
    if (log_line("a=%d", a) == 0 && log_line("b=%d", b) == 0)
        assert(strncmp(lines[first], "a=", 2) == 0 && strncmp(lines[first + 1], "b=", 2) == 0);
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *argument) {
    log_pair(*(int *)argument, *(int *)argument + 1);
    log_line("%s", "done");
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {1, 5};
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (BUG != 1)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(n_lines == 4);
    pthread_mutex_destroy(&mutex);
    return 0;
}
