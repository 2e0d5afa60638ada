// Atomic arithmetic on 16 bytes.
#include <pthread.h>
#include <assert.h>
static unsigned __int128 v;
void*t(void*_){ __atomic_fetch_add(&v,((unsigned __int128)1<<64)+1,__ATOMIC_SEQ_CST); return 0;}
int main(){pthread_t a,b;pthread_create(&a,0,t,0);pthread_create(&b,0,t,0);pthread_join(a,0);pthread_join(b,0); assert((unsigned long)(v>>64)==2);}
