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
atomic_int x,y;int r1,r2;
void*t1(void*u){ atomic_store_explicit(&x,1,memory_order_relaxed); (void)__VERIFIER_nondet_bool(); atomic_store_explicit(&y,1,memory_order_relaxed); return 0;}
void*t2(void*u){ r1=atomic_load_explicit(&y,memory_order_relaxed); r2=atomic_load_explicit(&x,memory_order_relaxed); return 0;}
int main(void){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0); assert(!r1||r2); return 0; }
