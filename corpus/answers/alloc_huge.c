#include <stdlib.h>
#include <assert.h>
int main(void) { void *p = malloc(-2); assert(!p); return 0; }
