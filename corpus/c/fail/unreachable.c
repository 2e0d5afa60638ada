// A promise to the compiler that does not hold.
//
// check: rc11 rf violation unreachable 9
int main(int argc, char **argv) {
    switch (argc) {
    case 7:
        return 0;
    default:
        __builtin_unreachable();
    }
}
