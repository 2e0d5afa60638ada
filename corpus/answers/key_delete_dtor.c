#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
pthread_key_t k;void des(void*v){assert(0);}void*t(void*u){pthread_setspecific(k,(void*)1);pthread_key_delete(k);return 0;}int main(void){pthread_t a;pthread_key_create(&k,des);pthread_create(&a,0,t,0);pthread_join(a,0);return 0;}