// Settings that many read and few change, behind a std::shared_mutex.
//
// BUG=1: a change is made under a shared lock.
// BUG=2: a reference to the stored string is handed out and used after the lock is gone.
//
// check: rc11 rf verified
// check: -DBUG=1 rc11 rf violation race
// check: -DBUG=2 rc11 rf violation race
// flags: -std=c++17
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

#ifndef BUG
#define BUG 0
#endif

class Settings {
  public:
#if BUG == 2
    const std::string &get(const std::string &key) const {
#else
    std::string get(const std::string &key) const {
#endif
        std::shared_lock lock(mutex_);
        return values_.at(key);
    }

    void set(const std::string &key, std::string value) {
#if BUG == 1
        std::shared_lock lock(mutex_);
#else
        std::unique_lock lock(mutex_);
#endif
        values_[key] = std::move(value);
    }

  private:
    mutable std::shared_mutex mutex_;
    std::map<std::string, std::string> values_;
};

int main() {
    Settings settings;
    settings.set("host", "a");
    std::thread writer([&] { settings.set("host", "b"); });
    std::thread reader([&] {
        std::string host = settings.get("host");
        assert(host == "a" || host == "b");
    });
    writer.join();
    reader.join();
    assert(settings.get("host") == "b");
}
