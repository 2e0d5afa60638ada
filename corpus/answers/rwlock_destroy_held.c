#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER;int main(void){pthread_rwlock_wrlock(&l);pthread_rwlock_destroy(&l);return 0;}