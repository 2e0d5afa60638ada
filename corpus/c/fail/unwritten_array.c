// One element of a local array is forgotten.
//
// check: rc11 rf violation uninitialised 9
int main(void) {
    int table[4], sum = 0;
    for (int i = 0; i < 3; i++)
        table[i] = i;
    for (int i = 0; i < 4; i++)
        sum += table[i];
    return sum;
}
