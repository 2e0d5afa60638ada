#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
#include <stdbool.h>
_Thread_local int x; int* g;
void*t1(void*u){x=1;g=&x; return 0;}
int main(void){pthread_t a;pthread_create(&a,0,t1,0);pthread_join(a,0);return *g;}