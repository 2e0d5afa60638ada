#include <pthread.h>
pthread_t m;
void*t1(void*u){ pthread_join(m,0); return 0;}
int main(void){ pthread_t a; m=pthread_self(); pthread_create(&a,0,t1,0); pthread_join(a,0); return 0; }
