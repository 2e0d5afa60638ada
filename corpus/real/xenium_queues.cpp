// xenium's queues, and its hash map by Vyukov: one thread adds and another takes.
// package: libxenium-dev
// flags: -std=c++17
// check: -- -DMICHAEL_SCOTT -DRECLAIMER=generic_epoch_based<> | verified, 25 executions
// check: -- -DMICHAEL_SCOTT -DRECLAIMER=lock_free_ref_count<> | verified, 398 executions
// check: -- -DMICHAEL_SCOTT -DRECLAIMER=quiescent_state_based | verified, 3286 executions
// check: -- -DKIRSCH | verified, 6 executions
// check: -- -DVYUKOV | verified, 14 executions
// check: -- -DMAP | verified, 37 executions
// changed: $libxenium-dev/usr/include/xenium/vyukov_bounded_queue.hpp | c->sequence.store(pos + 1, std::memory_order_release); | c->sequence.store(pos + 1, std::memory_order_relaxed); | -- -DVYUKOV | race
#include <array>
#include <cassert>
#include <thread>
#include <vector>
#include <xenium/kirsch_bounded_kfifo_queue.hpp>
#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/reclamation/lock_free_ref_count.hpp>
#include <xenium/reclamation/quiescent_state_based.hpp>
#include <xenium/vyukov_bounded_queue.hpp>
#include <xenium/vyukov_hash_map.hpp>

#if defined(MICHAEL_SCOTT)
int main() {
    xenium::michael_scott_queue<int, xenium::policy::reclaimer<xenium::reclamation::RECLAIMER>> queue;
    std::thread producer([&] { queue.push(1); });
    int first = 0, second = 0;
    bool early = queue.try_pop(first);
    producer.join();
    bool late = queue.try_pop(second);
    assert(early + late == 1 && first + second == 1);
}
#elif defined(KIRSCH)
int main() {
    static int items[2];
    xenium::kirsch_bounded_kfifo_queue<int *> queue(1, 3);
    assert(queue.try_push(&items[0]));
    std::thread producer([&] { assert(queue.try_push(&items[1])); });
    int *first, *second, *third;
    assert(queue.try_pop(first));
    producer.join();
    assert(queue.try_pop(second) && !queue.try_pop(third));
    assert(first == &items[0] && second == &items[1]);
}
#elif defined(VYUKOV)
int main() {
    xenium::vyukov_bounded_queue<int> queue(2);
    std::thread producer([&] { assert(queue.try_push_strong(1)); });
    std::thread other([&] { assert(queue.try_push_strong(2)); });
    int first = 0, second = 0, third = 0;
    int n = queue.try_pop_weak(first);
    producer.join();
    other.join();
    n += queue.try_pop_strong(second);
    n += queue.try_pop_strong(third);
    assert(n == 2 && first + second + third == 3);
}
#else
int main() {
    using reclaimer = xenium::policy::reclaimer<xenium::reclamation::generic_epoch_based<>>;
    xenium::vyukov_hash_map<int, int, reclaimer> map(4);
    std::thread other([&] { assert(map.emplace(1, 10)); });
    decltype(map)::accessor found;
    if (map.try_get_value(1, found))
        assert(*found == 10);
    other.join();
    assert(map.erase(1));
}
#endif
