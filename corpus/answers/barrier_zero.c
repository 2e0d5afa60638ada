#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
pthread_barrier_t b;int main(void){assert(pthread_barrier_init(&b,0,0)==EINVAL);return 0;}