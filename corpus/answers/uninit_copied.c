int table[4];
int main(void) {
    int part[4];
    part[0] = 7;
    for (int i = 0; i < 4; i++) table[i] = part[i];
    return table[0] == 7 ? 0 : 1;
}
