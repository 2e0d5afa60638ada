// check: rc11 rf verified
// check: -fdiscard-value-names rc11 rf verified
// A function that ends without a return has no result, which is not used here.
static int sometimes(int c) {
    if (c) return 1;
}

int main(void) {
    sometimes(0);
}
