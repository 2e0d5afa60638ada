// A variable that lives in a register is assigned on one path only.
//
// check: rc11 rf violation uninitialised 8
int main(int argc, char **argv) {
    int limit;
    if (argc > 5)
        limit = 10;
    return limit > 3;
}
