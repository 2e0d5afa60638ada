// libcds' Treiber stack with hazard pointers: two threads push and pop.
// source: libcds
// package: libcds-dev
// file: $libcds/src/init.cpp
// file: $libcds/src/hp.cpp
// file: $libcds/src/thread_data.cpp
// file: $libcds/src/dhp.cpp
// file: $libcds/src/urcu_gp.cpp
// file: $libcds/src/urcu_sh.cpp
// file: $libcds/src/topology_linux.cpp
// check: | verified, 3 executions
#include <cds/gc/hp.h>
#include <cds/container/treiber_stack.h>
#include <cds/init.h>
#include <cassert>
#include <thread>

int main() {
    cds::Initialize();
    {
        cds::gc::HP hazards(1, 2, 2);
        cds::threading::Manager::attachThread();
        cds::container::TreiberStack<cds::gc::HP, int> stack;
        std::thread other([&] {
            cds::threading::Manager::attachThread();
            stack.push(1);
            cds::threading::Manager::detachThread();
        });
        int item = 0;
        bool got = stack.pop(item);
        assert(!got || item == 1);
        other.join();
        assert(got || stack.pop(item));
        cds::threading::Manager::detachThread();
    }
    cds::Terminate();
}
