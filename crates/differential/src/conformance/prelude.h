// What random programs over the thread library have in common.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#ifdef NATIVE
struct program {
  unsigned long number;
  int (*main)(void);
  int n_results;
  long **results;
};
void pause_at_random(void);
const struct timespec *soon(void);
#define PAUSE() pause_at_random()
#define SOON soon()
#else
static const struct timespec some_time = {2000000000, 0};
#define PAUSE()
#define SOON &some_time
#endif
static const struct timespec not_a_time = {2000000000, 1000000000};
#define NEVER_A_TIME &not_a_time
#define ADD(variable, value) atomic_fetch_add(variable, value)

static inline long create(pthread_t *thread, void *(*function)(void *)) {
  return pthread_create(thread, NULL, function, NULL);
}
static inline long create_detached(pthread_t *thread, void *(*function)(void *)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  long code = pthread_create(thread, &attributes, function, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}
static inline long join(pthread_t thread) {
  void *value;
  long code = pthread_join(thread, &value);
  return code ? code : 100 + (long)value;
}
static inline long mutex_init(pthread_mutex_t *mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  long code = pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return code;
}
static inline long mutex_init_as_robust(pthread_mutex_t *mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  long code = pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return code;
}
static inline long mutex_init_robust(pthread_mutex_t *mutex) {
  return mutex_init_as_robust(mutex, PTHREAD_MUTEX_NORMAL);
}
static inline long mutex_init_robust_recursive(pthread_mutex_t *mutex) {
  return mutex_init_as_robust(mutex, PTHREAD_MUTEX_RECURSIVE);
}
static inline long set_cancel_state(int state) {
  int old;
  long code = pthread_setcancelstate(state, &old);
  return code ? code : old;
}
static inline long mutex_init_normal(pthread_mutex_t *mutex) {
  return pthread_mutex_init(mutex, NULL);
}
static inline long mutex_init_recursive(pthread_mutex_t *mutex) {
  return mutex_init(mutex, PTHREAD_MUTEX_RECURSIVE);
}
static inline long mutex_init_errorcheck(pthread_mutex_t *mutex) {
  return mutex_init(mutex, PTHREAD_MUTEX_ERRORCHECK);
}
static inline long mutex_init_adaptive(pthread_mutex_t *mutex) {
  return mutex_init(mutex, PTHREAD_MUTEX_ADAPTIVE_NP);
}
static inline long cond_await(_Atomic long *variable, pthread_cond_t *cond, pthread_mutex_t *mutex) {
  while (atomic_load(variable) == 0) {
    long code = pthread_cond_wait(cond, mutex);
    if (code) return code;
  }
  return 0;
}
static inline long await(_Atomic long *variable) {
  while (atomic_load(variable) == 0);
  return 0;
}
static inline long getvalue(sem_t *semaphore) {
  int value;
  return sem_getvalue(semaphore, &value) ? errno : 100L + value;
}
