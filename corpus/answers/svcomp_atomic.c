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
atomic_int x;
void*t1(void*u){ __VERIFIER_atomic_begin();x=1;x=0;__VERIFIER_atomic_end(); return 0;}
void*t2(void*u){ assert(x==0); return 0;}
int main(void){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0);  return 0; }
