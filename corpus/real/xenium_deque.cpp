// xenium's deque for work stealing: its owner pushes and pops while another thread steals. With GROW, one thread alone
// fills it until it grows, after some elements were stolen.
// package: libxenium-dev
// flags: -std=c++17
// check: | assertion
// check: --model sc | verified, 15 executions
// changed: $libxenium-dev/usr/include/xenium/chase_work_stealing_deque.hpp | top.compare_exchange_strong(t, t + 1, std::memory_order_relaxed)) {\n      bottom.store(t + 1, std::memory_order_relaxed);\n      result = item;\n      return true;\n    } else {\n      bottom.store(t, std::memory_order_relaxed);\n      return false;\n    }\n  }\n\n  assert(b == t - 1);\n  bottom.store(t, std::memory_order_relaxed);\n  return false;\n}\n\ntemplate <class T, class... Policies>\nbool chase_work_stealing_deque<T, Policies...>::try_steal(value_type &result) {\n  auto t = top.load(std::memory_order_relaxed); | top.compare_exchange_strong(t, t + 1, std::memory_order_release, std::memory_order_relaxed)) {\n      bottom.store(t + 1, std::memory_order_relaxed);\n      result = item;\n      return true;\n    } else {\n      bottom.store(t, std::memory_order_relaxed);\n      return false;\n    }\n  }\n\n  assert(b == t - 1);\n  bottom.store(t, std::memory_order_relaxed);\n  return false;\n}\n\ntemplate <class T, class... Policies>\nbool chase_work_stealing_deque<T, Policies...>::try_steal(value_type &result) {\n  auto t = top.load(std::memory_order_acquire); | | verified, 15 executions
// check: -- -DGROW | uninitialised
// changed: $libxenium-dev/usr/include/xenium/detail/growing_circular_array.hpp | i % new_mod_mask | i & new_mod_mask | -- -DGROW | verified, 1 execution
#include <xenium/chase_work_stealing_deque.hpp>
#include <cassert>
#include <thread>

static int items[5] = {0, 1, 2, 3, 4};

#ifdef GROW
int main() {
    xenium::chase_work_stealing_deque<int, xenium::policy::capacity<2>> deque;
    int *item;
    for (int i = 0; i < 2; i++) {
        assert(deque.try_push(&items[i]));
        assert(deque.try_steal(item) && item == &items[i]);
    }
    for (int i = 2; i < 5; i++)
        assert(deque.try_push(&items[i]));
    for (int i = 4; i >= 2; i--)
        assert(deque.try_pop(item) && item == &items[i]);
}
#else
static std::atomic<int> taken[3];

int main() {
    xenium::chase_work_stealing_deque<int, xenium::policy::capacity<4>> deque;
    deque.try_push(&items[1]);
    deque.try_push(&items[2]);
    std::thread thief([&] {
        int *item;
        if (deque.try_steal(item))
            taken[*item]++;
    });
    int *item;
    for (int i = 0; i < 3; i++)
        if (deque.try_pop(item))
            taken[*item]++;
    thief.join();
    assert(taken[1] == 1 && taken[2] == 1);
}
#endif
