// Large objects that start with zeroes: mapped memory, which is unmapped in parts, and `calloc`.
// check: rc11 rf verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB (1 << 20)

static char *map(size_t size, int protection) {
    char *p = mmap(0, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(p != MAP_FAILED);
    return p;
}

static void *other(void *shared) {
    char *p = map(8192, PROT_READ | PROT_WRITE);
    assert(p[5] == 0);
    p[5] = *(char *)shared;
    assert(p[5] == 3);
    assert(munmap(p, 4096) == 0 && munmap(p + 4096, 4096) == 0);
    return 0;
}

static void parts_of_a_mapping(void) {
    char *p = map(32 * MIB, PROT_NONE);
    assert(mprotect(p, 32 * MIB, PROT_READ | PROT_WRITE) == 0);
    long *words = (long *)(p + 5 * MIB);
    assert(words[0] == 0 && words[100000] == 0);
    words[7] = 3;
    long copy[8];
    memcpy(copy, words, sizeof copy);
    assert(copy[7] == 3 && copy[0] == 0);
    assert(memcmp(p, p + MIB, 64) == 0);
    __atomic_fetch_add(&words[8], 2, __ATOMIC_RELAXED);
    p[100] = 1;
    assert(*(long *)(p + 96) == 1L << 32 && *(int *)(p + 96) == 0);
    assert(words[8] == 2 && *(int *)(words + 7) == 3 && *((char *)words + 57) == 0);
    pthread_t t;
    pthread_create(&t, 0, other, words + 7);
    pthread_join(t, 0);
    assert(munmap(p, MIB) == 0);
    assert(munmap(p + 31 * MIB, MIB) == 0);
    assert(words[7] == 3);
    assert(munmap(p + MIB, 30 * MIB) == 0);
}

static void large_table(void) {
    int *table = calloc(1000000, sizeof *table);
    for (int i = 0; i < 10; i++) assert(table[i * 7777] == 0);
    table[5] = 1;
    table = realloc(table, 100 * sizeof *table);
    assert(table[5] == 1 && table[6] == 0);
    free(table);
}

int main(void) {
    parts_of_a_mapping();
    large_table();
    return 0;
}
