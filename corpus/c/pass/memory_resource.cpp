// check: rc11 rf verified
// check: -O2 rc11 rf verified
// check: -fno-sized-deallocation rc11 rf verified
// check: -DUNSYNCHRONIZED rc11 rf violation race
// flags: -std=c++17
// options: --leaks
//
// Memory resources: buffers on the stack and behind them, pools that threads share, the default resource.
#include <cassert>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#ifdef UNSYNCHRONIZED
static std::pmr::unsynchronized_pool_resource pool;
#else
static std::pmr::synchronized_pool_resource pool;
#endif

struct counting : std::pmr::memory_resource {
    int live = 0;
    void *do_allocate(std::size_t bytes, std::size_t align) override {
        live++;
        return std::pmr::new_delete_resource()->allocate(bytes, align);
    }
    void do_deallocate(void *block, std::size_t bytes, std::size_t align) override {
        live--;
        std::pmr::new_delete_resource()->deallocate(block, bytes, align);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override { return this == &other; }
};

static void use_pool(int number) {
    auto block = static_cast<int *>(pool.allocate(sizeof(int), alignof(int)));
    *block = number;
    assert(*block == number);
    pool.deallocate(block, sizeof(int), alignof(int));
}

int main() {
    counting behind;
    {
        char buffer[64];
        std::pmr::monotonic_buffer_resource resource(buffer, sizeof buffer, &behind);
        std::pmr::vector<std::pmr::string> texts(&resource);
        texts.emplace_back("short");
        assert(behind.live == 0);
        texts.emplace_back("a text that is longer than what a string has room for inside of itself");
        assert(behind.live > 0 && texts[1].size() == 70);
        resource.release();
        assert(behind.live == 0);
        new (&texts) std::pmr::vector<std::pmr::string>();
    }
    assert(behind.live == 0);
    auto old = std::pmr::set_default_resource(&behind);
    assert(old == std::pmr::new_delete_resource() && std::pmr::get_default_resource() == &behind);
    {
        std::pmr::vector<long> numbers{1, 2, 3};
        assert(behind.live == 1);
    }
    std::pmr::set_default_resource(nullptr);
    bool thrown = false;
    try {
        (void)std::pmr::null_memory_resource()->allocate(1);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    assert(thrown);
    {
        std::pmr::unsynchronized_pool_resource own(&behind);
        (void)own.allocate(100);
        assert(behind.live > 0);
    }
    assert(behind.live == 0);
    std::thread first(use_pool, 1), second(use_pool, 2);
    first.join();
    second.join();
    pool.release();
    return 0;
}
