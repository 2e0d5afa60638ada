#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
pthread_key_t k1,k2;int n;void d1(void*v){n++;}void d2(void*v){pthread_setspecific(k1,(void*)1);}void*t(void*u){pthread_setspecific(k2,(void*)1);return 0;}int main(void){pthread_t a;pthread_key_create(&k1,d1);pthread_key_create(&k2,d2);pthread_create(&a,0,t,0);pthread_join(a,0);assert(n==1);return 0;}