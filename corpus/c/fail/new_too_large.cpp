// check: rc11 rf violation uncaught-exception
#include <new>

int main() {
    volatile std::size_t huge = (std::size_t)-8;
    delete[] new char[huge];
}
