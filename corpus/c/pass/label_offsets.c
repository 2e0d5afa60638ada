// Jumps by tables of addresses, and of differences between addresses in four bytes; calls that are jumps.
//
// check: rc11 rf verified
// check: -O1 rc11 rf verified
// check: -O3 rc11 rf verified
#include <assert.h>

static int run(const unsigned char *code) {
    static const void *const places[] = {&&halt, &&increment, &&twice, &&skip};
    static const int offsets[] = {&&halt - &&halt, &&increment - &&halt, &&twice - &&halt, &&skip - &&halt};
    int value = 0;
    goto *places[*code++];
increment:
    value++;
    goto *places[*code++];
twice:
    value *= 2;
    goto *(&&halt + offsets[*code++]);
skip:
    code += *code;
    goto *(&&halt + offsets[*code++]);
halt:
    return value;
}

static int is_odd(unsigned n, long sum);

static int is_even(unsigned n, long sum) {
    if (n == 0)
        return sum == 10;
    __attribute__((musttail)) return is_odd(n - 1, sum + 1);
}

static int is_odd(unsigned n, long sum) {
    if (n == 0)
        return 0;
    __attribute__((musttail)) return is_even(n - 1, sum + 1);
}

int main(void) {
    assert(run((unsigned char[]){1, 1, 2, 3, 2, 1, 1, 0}) == 5);
    assert(is_even(10, 0) && !is_even(7, 0));
}
