// musl's internal lock, on futexes: two threads add to a plain counter.
// source: musl
// prepare: musl | ./configure --target=x86_64 CC=cc && make obj/include/bits/alltypes.h obj/include/bits/syscall.h
// file: $musl/src/thread/__lock.c
// file: $musl/src/thread/__wait.c
// flags: -D_XOPEN_SOURCE=700 -nostdinc -I $musl/arch/x86_64 -I $musl/arch/generic -I $musl/obj/src/internal -I $musl/src/include -I $musl/src/internal -I $musl/obj/include -I $musl/include
// check: --volatile relaxed | verified, 36 executions
#include <assert.h>
#include <pthread.h>
#include "lock.h"
#include "libc.h"

hidden struct __libc __libc = {.need_locks = 1};
static volatile int lock[1];
static int counter;

static void *adder(void *unused) {
    LOCK(lock);
    counter++;
    UNLOCK(lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, adder, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(counter == 2);
}
