// A lock-free hash table with open addressing. A key is claimed by a compare-and-swap and stays; a value is replaced by
// a compare-and-swap. Where no place is left, a table of twice the size is put beside, every place of the old one is
// sealed and its value copied, and a thread that finds a seal continues in the new table. Half of the THREADS threads put a key
// each, the other half get one each; all keys have the same first place.
//
// row: Tracer Table 7 | THREADS=4 | --model ra --algorithm tracer | executions 4576, time 0.94 | ours executions 33004: the paper does not say what its threads do, and the original has more accesses
// row: Tracer Table 7 | THREADS=4 | --model ra --equivalence rf | executions 4576 | ours executions 33004: the paper does not say what its threads do, and the original has more accesses
#include "ra.h"

enum { SMALL = 1, LARGE = 4, NONE = 0, SEALED = -1 };

// The first table, and the one it grows to; `has_grown` says that the second is in use.
static atomic_int keys[2][LARGE], values[2][LARGE], has_grown;

static int size(int table) {
    return table ? LARGE : SMALL;
}

// The place of a key, or -1 if it has none and none is left.
static int place(int table, int key, int claims) {
    for (int i = 0; i < size(table); i++) {
        int there = LOAD(keys[table][i]);
        if (there == NONE) {
            if (!claims)
                return -1;
            if (CAS(keys[table][i], NONE, key))
                return i;
            there = LOAD(keys[table][i]);
        }
        if (there == key)
            return i;
    }
    return -1;
}

static void copy(int from) {
    int key = LOAD(keys[0][from]), value = SWAP(values[0][from], SEALED);
    if (key == NONE || value == NONE || value == SEALED)
        return;
    int to = place(1, key, 1);
    if (to >= 0)
        (void)CAS(values[1][to], NONE, value);
}

static void grow(void) {
    for (int i = 0; i < SMALL; i++)
        copy(i);
    STORE(has_grown, 1);
}

static void put(int key, int value) {
    for (int table = LOAD(has_grown); table < 2; table++) {
        int at = place(table, key, 1);
        if (at >= 0) {
            int old = LOAD(values[table][at]);
            if (old != SEALED && CAS(values[table][at], old, value))
                return;
        }
        if (table == 0)
            grow();
    }
}

static int get(int key) {
    for (int table = LOAD(has_grown); table < 2; table++) {
        int at = place(table, key, 0);
        int value = at >= 0 ? LOAD(values[table][at]) : NONE;
        if (value != SEALED && (at >= 0 || !LOAD(has_grown)))
            return value;
    }
    return NONE;
}

static void *writer(void *argument) {
    int key = 1 + number(argument);
    put(key, 10 * key);
    return NULL;
}

static void *reader(void *argument) {
    get(1 + number(argument));
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    create(threads, 0, THREADS / 2, writer);
    create(threads, THREADS / 2, THREADS - THREADS / 2, reader);
    join(threads, THREADS);
    return 0;
}
