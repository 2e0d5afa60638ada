// check: rc11 rf verified
//
// Containers, texts, smart pointers and functions of the C++ library, as its headers have them.
#include <algorithm>
#include <cassert>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Shape {
    virtual ~Shape() {}
    virtual int corners() const { return 0; }
};
struct Named {
    virtual ~Named() {}
    int name = 6;
};
struct Square : Shape, Named {
    int corners() const override { return 4; }
};

static void casts() {
    std::unique_ptr<Shape> shape = std::make_unique<Square>();
    Named *named = dynamic_cast<Named *>(shape.get());
    assert(named && named->name == 6 && shape->corners() == 4);
    assert(dynamic_cast<Square *>(named) == shape.get());
    Shape plain;
    assert(!dynamic_cast<Square *>(&plain));
}

static void lists() {
    std::list<int> list{3, 1, 2};
    list.sort();
    list.remove(2);
    assert(list.size() == 2 && list.front() == 1 && list.back() == 3);
    std::unordered_map<std::string, int> numbers;
    for (int i = 0; i < 20; i++)
        numbers[std::to_string(i)] = i;
    assert(numbers.at("17") == 17 && numbers.size() == 20 && !numbers.count("20"));
}

int main() {
    casts();
    lists();
    std::vector<int> numbers;
    for (int i = 0; i < 5; i++)
        numbers.push_back(i * 2);
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
    assert(numbers.at(3) == 2 && numbers[0] == 8);

    std::string text = "hello";
    text += " world, this is a long string";
    assert(text.size() == 34 && text.find("world") == 6 && text.substr(0, 5) == "hello");

    std::map<int, std::string> names;
    for (int i : {3, 1, 4, 5, 9, 2, 6})
        names[i] = std::to_string(i);
    names.erase(4), names.erase(1), names.erase(9), names.erase(3);
    std::string joined;
    for (auto &entry : names)
        joined += entry.second;
    assert(joined == "256" && names.rbegin()->first == 6);
    std::set<int> set{5};
    set.erase(5);
    assert(set.empty());

    auto owned = std::make_unique<int>(4);
    std::function<int(int)> add = [four = *owned](int n) { return n + four; };
    assert(add(3) == 7);

    auto shared = std::make_shared<std::string>("x");
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([shared] { assert(shared->size() == 1); });
    for (auto &thread : threads)
        thread.join();
    assert(shared.use_count() == 1);
    return 0;
}
