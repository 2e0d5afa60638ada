#include <assert.h>
struct s { int a, b, c; };
static int sum(struct s x) { return x.a + x.b + x.c; }
int main(void) {
    struct s x = {1, 2, 3};
    assert(sum(x) == 6);
}
