// Transfers between accounts, each with its own mutex; both are taken at once, without an order to agree on.
//
// BUG=1: the mutexes are taken one after the other, in the order of the transfer.
// BUG=2: only the paying account is locked.
// BUG=3: the balance is tested before the mutexes are taken.
//
// check: rc11 rf verified
// check: -DBUG=1 sc rf violation deadlock
// check: -DBUG=2 sc rf violation assertion 59
// check: -DBUG=3 sc rf violation assertion 60
// options: --unroll 3
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifndef BUG
#define BUG 0
#endif

class Account {
  public:
    explicit Account(long balance) : balance_(balance) {}

    static bool transfer(Account &from, Account &to, long amount) {
#if BUG == 1
        std::lock_guard<std::mutex> first(from.mutex_);
        std::lock_guard<std::mutex> second(to.mutex_);
#elif BUG == 2
        std::lock_guard<std::mutex> first(from.mutex_);
#elif BUG == 3
        if (from.balance_ < amount)
            return false;
        std::scoped_lock both(from.mutex_, to.mutex_);
#else
        std::scoped_lock both(from.mutex_, to.mutex_);
#endif
        if (BUG != 3 && from.balance_ < amount)
            return false;
        from.balance_ -= amount;
        to.balance_ += amount;
        return true;
    }

    long balance() const { return balance_; }

  private:
    std::mutex mutex_;
    long balance_;
};

int main() {
    Account alice(10), bob(10);
    std::vector<std::thread> threads;
    threads.emplace_back([&] { Account::transfer(alice, bob, 10); });
    threads.emplace_back([&] { BUG == 3 ? Account::transfer(alice, bob, 10) : Account::transfer(bob, alice, 5); });
    for (auto &thread : threads)
        thread.join();
    assert(alice.balance() + bob.balance() == 20);
    assert(alice.balance() >= 0 && bob.balance() >= 0);
}
