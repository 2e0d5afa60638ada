// check: rc11 rf violation invalid-access 5
// A function that is declared weakly and that nobody defines is the null pointer.
__attribute__((weak)) extern int hook(int);
int main(void) {
    return hook(1);
}
