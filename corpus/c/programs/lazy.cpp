// A value that is made at its first use: std::call_once, and a static variable in a function, for which the
// compiler does the same.
//
// BUG=1: a plain flag, tested without a lock, instead of std::once_flag.
// BUG=2: the static object is changed later by every thread that uses it.
//
// check: rc11 rf verified
// check: -DBUG=1 sc rf violation assertion 61
// check: -DBUG=2 rc11 rf violation race 54
#include <cassert>
#include <mutex>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

static int n_made;

struct Table {
    int squares[4];
    int uses = 0;
    Table() {
        ++n_made;
        for (int i = 0; i < 4; i++)
            squares[i] = i * i;
    }
};

static Table &by_static() {
    static Table table;
    return table;
}

static Table *by_once() {
    static Table *table;
#if BUG == 1
    static bool is_made;
    if (!is_made) {
        table = new Table;
        is_made = true;
    }
#else
    static std::once_flag once;
    std::call_once(once, [] { table = new Table; });
#endif
    return table;
}

static void client(int i) {
    assert(by_static().squares[i] == i * i);
    assert(by_once()->squares[i] == i * i);
    if (BUG == 2)
        by_static().uses++;
}

int main() {
    std::thread first(client, 2), second(client, 3);
    first.join();
    second.join();
    assert(n_made == 2);
    delete by_once();
}
