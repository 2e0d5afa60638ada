#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER;atomic_int f;void*t(void*u){while(!f);pthread_rwlock_unlock(&l);return 0;}int main(void){pthread_t a;pthread_create(&a,0,t,0);pthread_rwlock_wrlock(&l);f=1;pthread_join(a,0);return 0;}