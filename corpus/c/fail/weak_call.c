// check: rc11 rf violation invalid-access 5
// A function that is declared weakly and never defined is the null pointer.
__attribute__((weak)) extern int hook(int);
int main(void) {
    return hook(1);
}
