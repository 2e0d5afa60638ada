#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
atomic_int x,y; int r1,r2;
void*t1(void*u){ atomic_store_explicit(&x,1,memory_order_relaxed); _Bool b=__VERIFIER_nondet_bool(); r1=b?atomic_load_explicit(&y,memory_order_relaxed):1; return 0;}
void*t2(void*u){ atomic_store_explicit(&y,1,memory_order_relaxed); _Bool b=__VERIFIER_nondet_bool(); r2=b?atomic_load_explicit(&x,memory_order_relaxed):1; return 0;}
int main(void){ pthread_t a,b; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_join(a,0); pthread_join(b,0); assert(r1||r2); return 0; }
