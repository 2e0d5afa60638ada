// An actor's mailbox: any thread posts, the actor takes; a list with a stub node, of which posters exchange the tail and
// then link the predecessor.
//
// BUG=1: the predecessor is linked by a relaxed store.
// BUG=2: the tail is moved by a load and a store.
// BUG=3: the actor takes an empty list for the end although a sender is about to link.
//
// check: rc11 rf verified
// check: -DBUG=1 rc11 rf violation race 68
// check: -DBUG=2 sc rf violation assertion 76
// check: -DBUG=3 sc rf violation assertion 71
#include <atomic>
#include <cassert>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

struct Message {
    int value = 0;
    std::atomic<Message *> next{nullptr};
};

class Mailbox {
  public:
    void post(Message *message) {
        Message *before;
        if (BUG == 2) {
            before = tail_.load();
            tail_.store(message);
        } else {
            before = tail_.exchange(message, std::memory_order_acq_rel);
        }
        before->next.store(message, BUG == 1 ? std::memory_order_relaxed : std::memory_order_release);
    }

    // The next message, or nothing if there is none.
    Message *take() {
        Message *next = head_->next.load(std::memory_order_acquire);
        if (!next && BUG != 3 && tail_.load(std::memory_order_acquire) != head_) {
            while (!(next = head_->next.load(std::memory_order_acquire)))
                std::this_thread::yield();
        }
        if (next)
            head_ = next;
        return next;
    }

  private:
    Message stub_;
    Message *head_ = &stub_;
    std::atomic<Message *> tail_{&stub_};
};

int main() {
    Mailbox mailbox;
    Message messages[2];
    std::atomic<int> n_posted{0};
    auto post = [&](int i) {
        messages[i].value = i + 1;
        mailbox.post(&messages[i]);
        n_posted.fetch_add(1, std::memory_order_release);
    };
    std::thread first(post, 0), second(post, 1);
    int sum = 0, before = n_posted.load(std::memory_order_acquire), taken = 0;
    while (Message *message = mailbox.take()) {
        sum += message->value;
        ++taken;
    }
    assert(taken >= before);
    first.join();
    second.join();
    while (Message *message = mailbox.take())
        sum += message->value;
    assert(sum == 3);
}
