// Nothing catches it.
//
// check: rc11 rf violation uncaught-exception 5
int main() {
    throw 1;
}
