// The address of a local variable outlives it.
//
// check: rc11 rf violation use-after-free 13
static int *kept;

static void keep(void) {
    int local = 3;
    kept = &local;
}

int main(void) {
    keep();
    return *kept;
}
