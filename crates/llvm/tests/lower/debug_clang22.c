struct point {
    int x, y;
    unsigned small : 3, big : 5;
};
struct point origin;
int main(void) {
    struct point here = { 1, 2, 3, 4 };
    int *p = &here.y;
    origin.x = *p;
    return origin.small;
}
