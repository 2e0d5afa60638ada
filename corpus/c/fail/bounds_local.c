// One element too many, on the stack.
//
// check: rc11 rf violation invalid-access 7
int main(void) {
    int numbers[4];
    for (int i = 0; i <= 4; i++)
        numbers[i] = i;
    return 0;
}
