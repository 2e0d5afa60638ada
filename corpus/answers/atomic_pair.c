// A pointer with a tag, exchanged as one: an atomic struct of 16 bytes.
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
typedef struct { void*p; unsigned long tag; } T;
_Atomic T top;
void*t(void*_){ T o=atomic_load(&top), n; do { n.p=(void*)(o.tag+1); n.tag=o.tag+1; } while(!atomic_compare_exchange_weak(&top,&o,n)); return 0;}
int main(){pthread_t a,b;pthread_create(&a,0,t,0);pthread_create(&b,0,t,0);pthread_join(a,0);pthread_join(b,0);T f=atomic_load(&top); assert(f.tag==2);}
