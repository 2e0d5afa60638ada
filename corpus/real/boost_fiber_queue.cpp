// boost::fibers' queue for work stealing: its owner pushes one more than fits, while another thread steals. The queue
// only needs the name of a context, so the driver has one of its own.
// package: libboost1.74-dev
// check: | race
// changed: $libboost1.74-dev/usr/include/boost/fiber/detail/context_spmc_queue.hpp | array_.store( a, std::memory_order_relaxed) | array_.store( a, std::memory_order_release) | | verified, 4 executions
// check: -- -DPOP_FIRST | assertion
// changed: $libboost1.74-dev/usr/include/boost/fiber/detail/context_spmc_queue.hpp | if ( top <= bottom) { | if ( static_cast< std::ptrdiff_t >( bottom - top) >= 0) { | -- -DPOP_FIRST | verified, 1 execution
#define BOOST_FIBERS_CONTEXT_H
#include <boost/fiber/type.hpp>
namespace boost {
namespace fibers {
struct context {
    bool is_context(type) const noexcept { return false; }
};
}
}
#include <boost/fiber/detail/context_spmc_queue.hpp>
#include <cassert>
#include <thread>

static boost::fibers::context contexts[2];

#ifdef POP_FIRST
int main() {
    boost::fibers::detail::context_spmc_queue queue(2);
    assert(queue.pop() == nullptr);
    queue.push(&contexts[0]);
    assert(queue.steal() == &contexts[0]);
}
#else
int main() {
    boost::fibers::detail::context_spmc_queue queue(1);
    queue.push(&contexts[0]);
    std::thread thief([&] {
        auto *stolen = queue.steal();
        assert(stolen == nullptr || stolen == &contexts[0]);
    });
    queue.push(&contexts[1]);
    thief.join();
}
#endif
