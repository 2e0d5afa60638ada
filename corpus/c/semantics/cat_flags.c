// What a user's own model flags is reported: a race as one, anything else by its name, also where it is about the
// absence of something.
// expect: models/rc11.cat -- -DRACE => violation race
// expect: models/rc11.cat -- -DATOMIC => verified
// expect: models/rc11.cat --no-race-detection -- -DRACE => verified
// expect: corpus/c/semantics/flags.cat -- -DRACE => violation race
// expect: corpus/c/semantics/flags.cat -- -DATOMIC => verified
// expect: corpus/c/semantics/flags.cat -- -DADD => violation flag
// expect: corpus/c/semantics/flags.cat -- -DADD -DREAD => verified
// expect: corpus/c/semantics/flags.cat -- -DUNFENCED => violation flag
// expect: corpus/c/semantics/flags.cat => verified
// expect: models/sc.cat,models/tso.cat -- -DRACE => verified
#include <pthread.h>
#include <stdatomic.h>
static int x;
static atomic_int y;
static void *work(void *u) {
#ifdef RACE
    x = 1;
#endif
#ifdef ATOMIC
    y = 1;
#endif
    return u;
}
int main(void) {
    pthread_t s, t;
#ifndef UNFENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
#ifdef ADD
    y++;
#endif
#ifdef READ
    (void)y;
#endif
    return x;
}
