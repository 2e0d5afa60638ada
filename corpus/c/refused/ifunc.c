// check: rc11 rf refused ifunc.c:6:24: `f` is an ifunc
#include <pthread.h>
static int impl(void){return 42;}
static void* resolve(void){return (void*)impl;}
int f(void) __attribute__((ifunc("resolve")));
int main(void){ return f()-42; }
