// absl::Mutex: two threads add to a plain counter.
// source: abseil
// file: $abseil/absl/synchronization/mutex.cc
// file: $abseil/absl/synchronization/internal/create_thread_identity.cc
// file: $abseil/absl/synchronization/internal/graphcycles.cc
// file: $abseil/absl/synchronization/internal/per_thread_sem.cc
// file: $abseil/absl/synchronization/internal/waiter.cc
// file: $abseil/absl/base/internal/cycleclock.cc
// file: $abseil/absl/base/internal/low_level_alloc.cc
// file: $abseil/absl/base/internal/raw_logging.cc
// file: $abseil/absl/base/internal/spinlock.cc
// file: $abseil/absl/base/internal/spinlock_wait.cc
// file: $abseil/absl/base/internal/strerror.cc
// file: $abseil/absl/base/internal/sysinfo.cc
// file: $abseil/absl/base/internal/thread_identity.cc
// file: $abseil/absl/base/internal/throw_delegate.cc
// file: $abseil/absl/base/internal/unscaledcycleclock.cc
// file: $abseil/absl/base/log_severity.cc
// file: $abseil/absl/debugging/stacktrace.cc
// file: $abseil/absl/debugging/symbolize.cc
// file: $abseil/absl/numeric/int128.cc
// file: $abseil/absl/time/clock.cc
// file: $abseil/absl/time/duration.cc
// file: $abseil/absl/time/time.cc
// flags: -I $abseil -std=c++17 -DNDEBUG
// check: | verified, 6072 executions
#undef NDEBUG
#include "absl/synchronization/mutex.h"
#include <cassert>
#include <thread>

int main() {
    static absl::Mutex mutex;
    static int counter;
    auto add = [] {
        absl::MutexLock lock(&mutex);
        counter++;
    };
    std::thread first(add), second(add);
    first.join();
    second.join();
    assert(counter == 2);
}
