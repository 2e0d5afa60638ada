#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdio.h>
_Bool __VERIFIER_nondet_bool(void); int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
typedef struct{int a,b,c,d,e;}S;
_Atomic S f;atomic_int d;
void*t1(void*u){ atomic_store_explicit(&d,1,memory_order_relaxed);S v={1,1,1,1,1};atomic_store_explicit(&f,v,memory_order_relaxed); return 0;}
void*t2(void*u){ S v=atomic_load_explicit(&f,memory_order_relaxed);if(v.a)assert(atomic_load_explicit(&d,memory_order_relaxed)==1); return 0;}
int main(void){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0);  return 0; }
