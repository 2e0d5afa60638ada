// linuxrwlocks(N): a lock for readers and writers in one integer. A reader takes one of its units, a writer all of
// them; a thread that finds too few returns what it took and waits. Each of N threads reads a plain variable under the lock and
// then writes it. With GIVE_UP an execution ends where a thread would have to wait; with ALL_SC all accesses are
// sequentially consistent.
//
// row: RCMC Table 6 | N=2 GIVE_UP | --model sc --algorithm source-dpor | time 0.22 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 GIVE_UP | --model tso --algorithm source-dpor --mapping raw | time 0.25 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 GIVE_UP | --model pso --algorithm source-dpor --mapping raw | time 0.33 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 GIVE_UP | --model rc11 --algorithm rcmc | time 0.08 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 GIVE_UP | --model rc11 --equivalence co | time 0.08 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=2 GIVE_UP | --model wrc11 --algorithm rcmc | time 0.08 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 GIVE_UP | --model sc --algorithm source-dpor | time 37.65 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 GIVE_UP | --model tso --algorithm source-dpor --mapping raw | time 43.41 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 GIVE_UP | --model pso --algorithm source-dpor --mapping raw | time 65.14 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 GIVE_UP | --model rc11 --algorithm rcmc | time 7.71 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 GIVE_UP | --model rc11 --equivalence co | time 7.71 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 6 | N=3 GIVE_UP | --model wrc11 --algorithm rcmc | time 7.78 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 GIVE_UP ALL_SC | --model sc --algorithm source-dpor | time 0.22 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 GIVE_UP ALL_SC | --model rc11 --algorithm rcmc | time 0.08 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 GIVE_UP ALL_SC | --model rc11 --equivalence co | time 0.08 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=2 GIVE_UP ALL_SC | --model wrc11 --algorithm rcmc | time 0.08 | ours executions 14, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 GIVE_UP ALL_SC | --model sc --algorithm source-dpor | time 37.65 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 GIVE_UP ALL_SC | --model rc11 --algorithm rcmc | time 7.58 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 GIVE_UP ALL_SC | --model rc11 --equivalence co | time 7.58 | ours executions 690, verdict verified: the paper prints only times
// row: RCMC Table 7 | N=3 GIVE_UP ALL_SC | --model wrc11 --algorithm rcmc | time 7.55 | ours executions 690, verdict verified: the paper prints only times
// row: GenMC suite | N=2 GIVE_UP | --model rc11 --equivalence co | executions 14
#include <pthread.h>
#include <stdatomic.h>

#ifdef ALL_SC
#define ORDER(name) memory_order_seq_cst
#else
#define ORDER(name) memory_order_##name
#endif

void __VERIFIER_assume(int);

#define UNITS 0x100000

static atomic_int lock = UNITS;
static int shared;

// The paper's tools do not explore what a thread does that has to wait.
static void before_waiting(void) {
#ifdef GIVE_UP
    __VERIFIER_assume(0);
#endif
}

static void read_lock(void) {
    while (atomic_fetch_sub_explicit(&lock, 1, ORDER(acquire)) <= 0) {
        before_waiting();
        atomic_fetch_add_explicit(&lock, 1, ORDER(relaxed));
        while (atomic_load_explicit(&lock, ORDER(relaxed)) <= 0)
            ;
    }
}

static void read_unlock(void) { atomic_fetch_add_explicit(&lock, 1, ORDER(release)); }

static void write_lock(void) {
    while (atomic_fetch_sub_explicit(&lock, UNITS, ORDER(acquire)) != UNITS) {
        before_waiting();
        atomic_fetch_add_explicit(&lock, UNITS, ORDER(relaxed));
        while (atomic_load_explicit(&lock, ORDER(relaxed)) != UNITS)
            ;
    }
}

static void write_unlock(void) { atomic_fetch_add_explicit(&lock, UNITS, ORDER(release)); }

static void *worker(void *unused) {
    read_lock();
    int value = shared;
    read_unlock();
    write_lock();
    shared = value + 1;
    write_unlock();
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    pthread_exit(NULL);
}
