// An index runs one past the end.
//
// check: rc11 rf violation invalid-access 10
static int numbers[4];

int main(int argc, char **argv) {
    int sum = 0;
    (void)argv;
    for (int i = 0; i <= 4; i += argc)
        sum += numbers[i];
    return sum;
}
