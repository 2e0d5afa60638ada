// xenium's reclamation with stamps: two threads enter and leave a region.
// package: libxenium-dev
// flags: -std=c++17
// check: | race
// changed: $libxenium-dev/usr/include/xenium/reclamation/impl/stamp_it.hpp | set_mark_flag(block->next, std::memory_order_relaxed) | set_mark_flag(block->next, std::memory_order_acquire) | --unroll 2 | assertion
#include <array>
#include <vector>
#include <xenium/reclamation/stamp_it.hpp>
#include <thread>

using stamp_it = xenium::reclamation::stamp_it;

int main() {
    std::thread other([] { stamp_it::region_guard guard; });
    {
        stamp_it::region_guard guard;
    }
    other.join();
}
