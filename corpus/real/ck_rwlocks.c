// Concurrency Kit's reader-writer locks: a writer and two readers of plain data.
// package: libck-dev
// check: -- -DRWLOCK | verified, 234 executions
// check: -- -DPFLOCK | verified, 24 executions
// check: -- -DTFLOCK | verified, 208 executions
// check: -- -DSWLOCK | verified, 856 executions
// check: --mixed-sizes merge -- -DBYTELOCK | verified, 1718 executions
#include <assert.h>
#include <pthread.h>

#if defined(RWLOCK)
#include <ck_rwlock.h>
static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
#define READ_LOCK ck_rwlock_read_lock(&lock)
#define READ_UNLOCK ck_rwlock_read_unlock(&lock)
#define WRITE_LOCK ck_rwlock_write_lock(&lock)
#define WRITE_UNLOCK ck_rwlock_write_unlock(&lock)
#elif defined(PFLOCK)
#include <ck_pflock.h>
static ck_pflock_t lock = CK_PFLOCK_INITIALIZER;
#define READ_LOCK ck_pflock_read_lock(&lock)
#define READ_UNLOCK ck_pflock_read_unlock(&lock)
#define WRITE_LOCK ck_pflock_write_lock(&lock)
#define WRITE_UNLOCK ck_pflock_write_unlock(&lock)
#elif defined(TFLOCK)
#include <ck_tflock.h>
static ck_tflock_ticket_t lock = CK_TFLOCK_TICKET_INITIALIZER;
#define READ_LOCK ck_tflock_ticket_read_lock(&lock)
#define READ_UNLOCK ck_tflock_ticket_read_unlock(&lock)
#define WRITE_LOCK ck_tflock_ticket_write_lock(&lock)
#define WRITE_UNLOCK ck_tflock_ticket_write_unlock(&lock)
#elif defined(SWLOCK)
#include <ck_swlock.h>
static ck_swlock_t lock = CK_SWLOCK_INITIALIZER;
#define READ_LOCK ck_swlock_read_lock(&lock)
#define READ_UNLOCK ck_swlock_read_unlock(&lock)
#define WRITE_LOCK ck_swlock_write_lock(&lock)
#define WRITE_UNLOCK ck_swlock_write_unlock(&lock)
#elif defined(BYTELOCK)
#include <ck_bytelock.h>
static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
#define READ_LOCK ck_bytelock_read_lock(&lock, slot)
#define READ_UNLOCK ck_bytelock_read_unlock(&lock, slot)
#define WRITE_LOCK ck_bytelock_write_lock(&lock, slot)
#define WRITE_UNLOCK ck_bytelock_write_unlock(&lock)
#endif

static int data[2];

static void *writer(void *argument) {
    unsigned slot = (unsigned)(long)argument;
    (void)slot;
    WRITE_LOCK;
    data[0]++;
    data[1]++;
    WRITE_UNLOCK;
    return 0;
}

static void *reader(void *argument) {
    unsigned slot = (unsigned)(long)argument;
    (void)slot;
    READ_LOCK;
    assert(data[0] == data[1]);
    READ_UNLOCK;
    return 0;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, i ? reader : writer, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
