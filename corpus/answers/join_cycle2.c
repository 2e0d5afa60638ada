#include <pthread.h>
#include <stdatomic.h>
pthread_t ta,tb; atomic_int r;
void*t1(void*u){ while(!r); pthread_join(tb,0); return 0;}
void*t2(void*u){ while(!r); pthread_join(ta,0); return 0;}
int main(void){ pthread_create(&ta,0,t1,0); pthread_create(&tb,0,t2,0); r=1; pthread_exit(0); }
