// check: rc11 rf executions 9
// check: sc co executions 9
// options: --malloc-may-fail
// Every call may fail: after a failure, the calls behind it are not made.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    void *p = NULL;
    char *a = malloc(8);
    if (!a) { assert(errno == ENOMEM); return 0; }
    int *b = calloc(2, 4);
    if (!b) return 0;
    assert(b[1] == 0);
    char *c = realloc(a, 16);
    if (!c) return 0;
    char *d = aligned_alloc(64, 64);
    if (!d) return 0;
    if (posix_memalign(&p, 64, 64)) { assert(!p); return 0; }
    char *e = strdup("text");
    if (!e) return 0;
    char *f = strndup("text", 2);
    if (!f) return 0;
    char *g = reallocarray(c, 4, 8);
    if (!g) return 0;
    return 0;
}
