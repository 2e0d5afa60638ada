// Recursive and error-checking mutexes.
//
// check: rc11 rf verified
#include <pthread.h>
#include <assert.h>
#include <errno.h>
pthread_mutex_t m; int n;
void *t(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a);
 pthread_t x, y; pthread_create(&x,0,t,0); pthread_create(&y,0,t,0); pthread_join(x,0); pthread_join(y,0); assert(n==2);
 pthread_mutex_t e; pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&e,&a); assert(pthread_mutex_lock(&e)==0); assert(pthread_mutex_lock(&e)==EDEADLK); assert(pthread_mutex_trylock(&e)==EBUSY); pthread_mutex_unlock(&e); assert(pthread_mutex_unlock(&e)==EPERM); return 0; }
