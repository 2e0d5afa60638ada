// A lock in x86 assembly.
#include <assert.h>
#include <pthread.h>

static int held, count;

static void lock(void) {
    int old = 1;
    do
        __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(held) : : "memory");
    while (old);
}

static void unlock(void) { __asm__ volatile("movl $0, %0" : "=m"(held) : : "memory"); }

static void *worker(void *unused) {
    lock();
    count++;
    unlock();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    worker(NULL);
    pthread_join(thread, NULL);
    assert(count == 2);
}
