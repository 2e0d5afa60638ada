// A thread that ends inside its functions destroys their objects, and may pass through `catch (...)`.
//
// check: rc11 rf verified
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <stdexcept>

static std::mutex m;
static int n_destroyed, n_caught;

struct Guard {
    ~Guard() { n_destroyed++; }
};

static void ends(bool cancelled) {
    std::lock_guard<std::mutex> lock(m);
    Guard guard;
    try {
        Guard inner;
        if (cancelled)
            while (true) pthread_testcancel();
        pthread_exit((void *)5);
    } catch (const std::exception &) {
        assert(false);
    } catch (...) {
        n_caught++;
        throw;
    }
}

static void *exits(void *) {
    ends(false);
    return nullptr;
}

static void *waits(void *) {
    ends(true);
    return nullptr;
}

static void cleanup(void *n) { ++*(int *)n; }

static void *pushes(void *n) {
    pthread_cleanup_push(cleanup, n);
    pthread_exit(nullptr);
    pthread_cleanup_pop(0);
    return nullptr;
}

int main() {
    pthread_t t;
    void *value;
    pthread_create(&t, nullptr, exits, nullptr);
    pthread_join(t, &value);
    assert(value == (void *)5 && n_destroyed == 2 && n_caught == 1);
    pthread_create(&t, nullptr, waits, nullptr);
    pthread_cancel(t);
    pthread_join(t, &value);
    assert(value == PTHREAD_CANCELED && n_destroyed == 4 && n_caught == 2);
    std::lock_guard<std::mutex> lock(m);
    int n = 0;
    pthread_create(&t, nullptr, pushes, &n);
    pthread_join(t, nullptr);
    assert(n == 1);
}
