// Exceptions of the C++ library with codes, without texts and nested ones; types that the library describes.
// check: rc11 rf executions 1
#include <any>
#include <cassert>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeindex>
#include <typeinfo>

struct too_much : std::bad_alloc {
    int wanted = 7;
};
struct not_so : std::bad_cast {};

static void errors_with_codes() {
    std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    bool caught = false;
    try {
        lock.unlock();
    } catch (const std::system_error &error) {
        caught = error.code() == std::errc::operation_not_permitted && error.what() != nullptr;
    }
    assert(caught);
    caught = false;
    try {
        throw std::system_error(std::make_error_code(std::errc::timed_out), "waiting");
    } catch (const std::runtime_error &error) {
        caught = std::string(error.what()).find("waiting") == 0;
    }
    assert(caught);
}

static void errors_without_texts() {
    int n = 0;
    try {
        throw too_much();
    } catch (const std::bad_alloc &error) {
        n += std::string(error.what()) == "std::bad_alloc" && static_cast<const too_much &>(error).wanted == 7;
    }
    try {
        throw not_so();
    } catch (const std::exception &error) {
        n += dynamic_cast<const not_so *>(&error) != nullptr;
    }
    try {
        std::function<void()>()();
    } catch (const std::bad_function_call &error) {
        n += std::string(error.what()) == "bad_function_call";
    }
    try {
        std::any_cast<int>(std::any(2.5));
    } catch (const std::bad_any_cast &error) {
        n++;
    }
    assert(n == 4);
}

static void nested_errors() {
    int depth = 0;
    try {
        try {
            throw std::out_of_range("inner");
        } catch (...) {
            std::throw_with_nested(std::logic_error("outer"));
        }
    } catch (const std::logic_error &error) {
        depth += std::string(error.what()) == "outer";
        try {
            std::rethrow_if_nested(error);
        } catch (const std::out_of_range &inner) {
            depth += std::string(inner.what()) == "inner";
        }
    }
    assert(depth == 2);
}

static void described_types() {
    std::any value = 42;
    assert(value.type() == typeid(int) && value.type() != typeid(long) && std::any_cast<int>(value) == 42);
    assert(std::string(typeid(int).name()) == "i" && std::string(typeid(std::bad_alloc).name()) == "St9bad_alloc");
    assert(std::type_index(typeid(double)) == std::type_index(typeid(2.5)));
    value = std::string("text");
    assert(std::any_cast<int>(&value) == nullptr && std::any_cast<std::string &>(value) == "text");
}

int main() {
    errors_with_codes();
    errors_without_texts();
    nested_errors();
    described_types();
}
