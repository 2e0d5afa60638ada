// Destructors of thread-specific values run in std::thread too, after those of thread_local objects.
//
// check: rc11 rf verified
// flags: -std=c++20
#include <cassert>
#include <pthread.h>
#include <thread>

static pthread_key_t key;
static int step;

struct Local {
    ~Local() {
        assert(step++ == 0);
    }
    int used = 0;
};

static thread_local Local local;

static void destroy(void *) {
    assert(step++ == 1);
}

int main() {
    pthread_key_create(&key, destroy);
    std::thread thread([] {
        local.used = 1;
        pthread_setspecific(key, &step);
    });
    thread.join();
    assert(step == 2);
    return 0;
}
