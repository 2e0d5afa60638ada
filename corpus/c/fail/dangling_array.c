// An array of variable length is gone when its block ends, and what `alloca` made when its function returns.
//
// check: rc11 rf violation use-after-free 20
// check: -DRETURNED rc11 rf violation use-after-free 22
#include <alloca.h>

static int *returned(int n) {
    int *kept = alloca(n * sizeof(int));
    *kept = 1;
    return kept;
}

static int left_behind(int n) {
    int *kept = 0;
    for (int i = 1; i <= n; i++) {
        int numbers[i];
        numbers[0] = i;
        kept = &numbers[0];
    }
    return *kept;
}
static int use(void) { return *returned(3); }

int main(void) {
#ifdef RETURNED
    return use();
#else
    return left_behind(3);
#endif
}
