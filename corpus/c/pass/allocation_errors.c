// check: rc11 rf verified
// check: -DREALLOC rc11 rf verified
// What cannot be allocated is NULL, with the reason in errno.
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED(call, reason) do { errno = 0; assert(!(call)); assert(errno == (reason)); } while (0)

int main(void) {
    volatile size_t huge = (size_t)-2, half = (size_t)PTRDIFF_MAX + 1, two = 2;
    REFUSED(malloc((size_t)-2), ENOMEM);
    REFUSED(malloc(huge), ENOMEM);
    REFUSED(malloc(half), ENOMEM);
    REFUSED(calloc(half, two), ENOMEM);
    REFUSED(calloc(1, huge), ENOMEM);
    REFUSED(aligned_alloc(3, 9), EINVAL);
    REFUSED(aligned_alloc(0, 9), EINVAL);
    REFUSED(aligned_alloc(64, huge), ENOMEM);
    REFUSED(aligned_alloc((size_t)1 << 63, 64), ENOMEM);
    REFUSED(memalign(((size_t)1 << 63) + 1, 64), EINVAL);
    REFUSED(valloc(huge), ENOMEM);
    REFUSED(pvalloc(huge), ENOMEM);
    void *p = &p;
    assert(posix_memalign(&p, 24, 8) == EINVAL && p == &p);
    assert(posix_memalign(&p, 4, 8) == EINVAL && p == &p);
    assert(posix_memalign(&p, 0, 8) == EINVAL && p == &p);
    assert(posix_memalign(&p, 64, huge) == ENOMEM && p == &p);
    void *empty = malloc(0), *another = malloc(0);
    assert(empty && another && empty != another);
    free(empty);
    free(another);
    // Memory that is never written costs nothing.
    char *large = malloc((size_t)3 << 30);
    assert(large);
    large[((size_t)3 << 30) - 1] = 1;
    free(large);
    char *rounded = memalign(48, 5);
    assert((uintptr_t)rounded % 64 == 0);
    free(rounded);
    char *pages = pvalloc(1);
    assert((uintptr_t)pages % 4096 == 0);
    pages[4095] = 1;
    free(pages);
#ifdef REALLOC
    char *q = malloc(4);
    memcpy(q, "abc", 4);
    REFUSED(realloc(q, huge), ENOMEM);
    REFUSED(reallocarray(q, half, two), ENOMEM);
    assert(!strcmp(q, "abc") && malloc_usable_size(q) >= 4);
    q = realloc(q, 100);
    assert(!strcmp(q, "abc"));
    q = reallocarray(q, 2, 50);
    assert(!strcmp(q, "abc"));
    char *aligned = aligned_alloc(4096, 4096);
    assert((uintptr_t)aligned % 4096 == 0 && malloc_usable_size(aligned) >= 4096);
    aligned[0] = 7;
    aligned = realloc(aligned, 8192);
    assert(aligned[0] == 7);
    free(aligned);
    assert(!realloc(q, 0));
    q = realloc(NULL, 0);
    assert(q);
    free(q);
    assert(malloc_usable_size(NULL) == 0);
#endif
}
