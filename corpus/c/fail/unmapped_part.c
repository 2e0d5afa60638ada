// An access to a mapping whose parts were all unmapped, one after the other.
// check: rc11 rf violation use-after-free 15
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void) {
    char *p = mmap(0, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p[12345] != 0) return 1;
    munmap(p, 1 << 20);
    p[1 << 20] = 1;
    munmap(p + (1 << 20), (1 << 24) - (1 << 21));

    p[(1 << 24) - 1] = p[(1 << 24) - 2];
    munmap(p + (1 << 24) - (1 << 20), 1 << 20);
    return p[1 << 22];
}
