// A spin lock of inline assembly, and a counter.
#include <pthread.h>
#include <assert.h>
static int x, y, r1, r2; static int lk;
static inline int xchg(int*p,int v){ __asm__ __volatile__("xchgl %0,%1":"=r"(v),"+m"(*p):"0"(v):"memory"); return v;}
static inline void mb(void){ __asm__ __volatile__("mfence":::"memory"); }
static inline int xadd(int*p,int v){ __asm__ __volatile__("lock; xaddl %0, %1":"+r"(v),"+m"(*p)::"memory","cc"); return v;}
static inline int cas(int*p,int o,int n){ int r; __asm__ __volatile__("lock; cmpxchgl %2,%1":"=a"(r),"+m"(*p):"r"(n),"0"(o):"memory"); return r;}
static int cnt;
void*t(void*_){ while(cas(&lk,0,1)!=0) __asm__ __volatile__("pause"); cnt++; __asm__ __volatile__("":::"memory"); xchg(&lk,0); xadd(&x,1); mb(); return 0;}
int main(){pthread_t a,b;pthread_create(&a,0,t,0);pthread_create(&b,0,t,0);pthread_join(a,0);pthread_join(b,0);assert(cnt==2);assert(x==2);}
