#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
pthread_mutex_t m;int main(void){pthread_mutexattr_t a;pthread_mutexattr_init(&a);pthread_mutexattr_settype(&a,PTHREAD_MUTEX_ADAPTIVE_NP);pthread_mutex_init(&m,&a);pthread_mutex_lock(&m);pthread_mutex_lock(&m);return 0;}