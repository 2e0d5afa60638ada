// check: rc11 rf verified
// check: -O2 rc11 co verified
// check: sc co verified
// check: tso rf verified
// check: -DTWICE rc11 rf verified
// check: -DLOST rc11 rf violation deadlock
// flags: -std=c++20
//
// Two threads wait for each other on one object: the second begins to wait when the first was woken and has not looked
// yet.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> turn{0};
static int data;

int main() {
    std::thread other([] {
        turn.wait(0);
        assert(data == 7);
        turn = 2;
        turn.notify_one();
#ifdef TWICE
        turn.wait(2);
        assert(turn == 3);
#endif
    });
    data = 7;
    turn = 1;
#ifndef LOST
    turn.notify_one();
#endif
    turn.wait(1);
    assert(turn == 2);
#ifdef TWICE
    turn = 3;
    turn.notify_all();
#endif
    other.join();
    return 0;
}
