// libstdc++ 12's std::stop_token, from its own headers: a callback is registered and withdrawn while another thread
// requests a stop; what happens before a request is seen where the request is seen; one request is the first.
// package: libstdc++-12-dev
// flags: -std=c++20 -nostdinc++ -isystem $libstdc++-12-dev/usr/include/c++/12 -isystem $libstdc++-12-dev/usr/include/x86_64-linux-gnu/c++/12
// check: --library as-written -- -DCALLBACK | verified, 335 executions
// check: --library as-written -- -DREQUEST | verified, 4 executions
// check: --library as-written -- -DTWICE | verified, 12 executions
#include <cassert>
#include <stop_token>
#include <thread>

int main() {
    std::stop_source source;
    int data = 0;
#if defined(CALLBACK)
    std::thread other([token = source.get_token(), &data] { std::stop_callback callback(token, [&] { data++; }); });
    source.request_stop();
    other.join();
    assert(data <= 1);
#elif defined(REQUEST)
    std::thread other([source, &data]() mutable {
        data = 1;
        source.request_stop();
    });
    if (source.stop_requested())
        assert(data == 1);
    other.join();
#else
    std::thread other([source, &data]() mutable {
        if (source.request_stop())
            data++;
    });
    if (source.request_stop())
        data++;
    other.join();
    assert(data == 1);
#endif
}
