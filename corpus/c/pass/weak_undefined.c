// check: rc11 rf verified
#include <assert.h>
__attribute__((weak)) extern int hook(int);
int main(void){ if (hook) hook(1); return 0; }
