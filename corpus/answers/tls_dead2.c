#include <pthread.h>
#include <stdatomic.h>
_Thread_local int x; int *_Atomic g;
void*t1(void*u){ x=1; g=&x; return 0;}
int main(void){ pthread_t a; pthread_create(&a,0,t1,0); pthread_join(a,0); *g = 7; return 0; }
