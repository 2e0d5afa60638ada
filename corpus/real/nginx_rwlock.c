// nginx' reader-writer lock: a writer and two readers of plain data.
// source: nginx
// prepare: nginx | ./configure --without-http --without-pcre
// file: $nginx/src/core/ngx_rwlock.c
// flags: -I $nginx/src/core -I $nginx/src/os/unix -I $nginx/src/event -I $nginx/objs
// check: --volatile relaxed | verified, 46 executions
#include <ngx_config.h>
#include <ngx_core.h>
#include <assert.h>
#include <pthread.h>

ngx_int_t ngx_ncpu = 1;
static ngx_atomic_t lock;
static int data[2];

static void *writer(void *unused) {
    ngx_rwlock_wlock(&lock);
    data[0]++;
    data[1]++;
    ngx_rwlock_unlock(&lock);
    return unused;
}

static void *reader(void *unused) {
    ngx_rwlock_rlock(&lock);
    assert(data[0] == data[1]);
    ngx_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, i ? reader : writer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
