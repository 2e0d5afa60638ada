// check: rc11 rf violation uncaught-exception
// options: --malloc-may-fail
int main() {
    delete new int;
}
