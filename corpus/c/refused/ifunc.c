// check: rc11 rf refused ifunc.c:6:24: `f` is an ifunc
#include <stdarg.h>
static int impl(int n, ...){return 42;}
static void* resolve(void){return (void*)impl;}
int f(int n, ...) __attribute__((ifunc("resolve")));
int main(void){ return f(1, 2)-42; }
