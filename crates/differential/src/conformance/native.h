// Runs every program RUNS times, each time in a process of its own, and prints each outcome once:
// "NUMBER RESULT RESULT ...", or "NUMBER stuck" where a run did not end in time.
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef RUNS
#define RUNS 100
#endif
// How long a run may take.
#ifndef MILLISECONDS
#define MILLISECONDS 200
#endif
#define MOST 64
#define MOST_OUTCOMES 512

static _Atomic unsigned long turn;
static long *shared;
static struct program *running;

static unsigned long draw(void) {
  unsigned long mixed = atomic_fetch_add(&turn, 0x9e3779b97f4a7c15ul);
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ul;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebul;
  return mixed ^ mixed >> 31;
}
void pause_at_random(void) {
  unsigned long n = draw() % 8;
  if (n < 3) sched_yield();
  // Not a cancellation point, as usleep would be.
  if (n == 3) for (int i = draw() % 50; i > 0; i--) sched_yield();
  if (n == 4) for (volatile int i = draw() % 2000; i > 0; i--);
}
const struct timespec *soon(void) {
  static _Thread_local struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += draw() % 200000;
  if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
  return &time;
}
// The last thing that a process does, whichever thread ends it.
static void report(void) {
  for (int i = 0; i < running->n_results; i++) shared[1 + i] = *running->results[1 + i];
  atomic_thread_fence(memory_order_seq_cst);
  shared[0] = 1;
}

// 1 if the run ended by itself, 0 if it got stuck.
static int run(struct program *program, unsigned long seed) {
  shared[0] = 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    turn = seed;
    running = program;
    atexit(report);
    exit(program->main());
  }
  for (int waited = 0; waited < MILLISECONDS * 20; waited++) {
    if (waitpid(child, NULL, WNOHANG) == child) return shared[0] == 1;
    usleep(waited < 40 ? 20 : 50);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return 0;
}
static void check(struct program *program) {
  static long seen[MOST_OUTCOMES][MOST];
  int n_seen = 0, n_stuck = 0;
  for (unsigned long i = 0; i < RUNS && n_stuck < 3; i++) {
    if (!run(program, (program->number * RUNS + i) * 0x51ed27ul)) {
      if (n_stuck++ == 0) printf("%lu stuck\n", program->number);
      continue;
    }
    int known = 0;
    for (int k = 0; k < n_seen; k++) known |= !memcmp(seen[k], shared + 1, program->n_results * sizeof(long));
    if (known || n_seen == MOST_OUTCOMES) continue;
    memcpy(seen[n_seen++], shared + 1, program->n_results * sizeof(long));
    printf("%lu", program->number);
    for (int k = 0; k < program->n_results; k++) printf(" %ld", shared[1 + k]);
    printf("\n");
  }
}
int main(void) {
  shared = mmap(NULL, (MOST + 1) * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) check(&programs[i]);
  return 0;
}
