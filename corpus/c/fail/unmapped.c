// An access to memory that was unmapped.
// check: rc11 rf violation use-after-free 10
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void) {
    int *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *p = 1;
    munmap(p, 8192);
    return *p;
}
