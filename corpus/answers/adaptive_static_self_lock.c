#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
pthread_mutex_t m=PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;int main(void){pthread_mutex_lock(&m);pthread_mutex_lock(&m);return 0;}