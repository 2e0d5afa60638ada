// Streams of strings, manipulators, the user's own operators and buffers; two threads print and format at once.
// The assertions hold with libstdc++.
// check: rc11 rf verified
#include <bitset>
#include <cassert>
#include <cctype>
#include <complex>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct Point {
    int x;
};
std::ostream &operator<<(std::ostream &out, const Point &p) { return out << '(' << p.x << ')'; }
std::istream &operator>>(std::istream &in, Point &p) {
    char open, close;
    return in >> open >> p.x >> close;
}

struct UpperCase : std::streambuf {
    std::string text;
    int overflow(int c) override {
        text.push_back(std::toupper(c));
        return c;
    }
};

static void output() {
    std::ostringstream out;
    out << "n=" << 42 << ' ' << 1.5 << Point{3} << std::hex << 255 << std::setw(5) << 7u << std::endl;
    assert(out.str() == "n=42 1.5(3)ff    7\n");
    out.str("");
    out << std::showbase << 255 << std::dec << std::showpos << 5 << std::boolalpha << true << std::setfill('*')
        << std::internal << std::setw(6) << -42 << std::left << std::setw(4) << "ab" << std::fixed
        << std::setprecision(2) << 2.0;
    assert(out.str() == "0xff+5true-***42ab**+2.00");
    UpperCase upper;
    std::ostream to_upper(&upper);
    to_upper << "hi " << 12 << std::bitset<4>(5) << std::complex<double>(1, 2);
    assert(upper.text == "HI 120101(1,2)");
    assert((std::ostringstream() << "a" << 5).str() == "a5");
}

static void input() {
    std::istringstream in("7 -8 0x1f abc\nline two\n(9)");
    int a, b, c;
    std::string word, line;
    Point point;
    in >> a >> b >> std::hex >> c >> word;
    assert(a == 7 && b == -8 && c == 31 && word == "abc");
    assert(std::getline(in, line) && line.empty() && std::getline(in, line) && line == "line two");
    assert(in >> std::dec >> point && point.x == 9 && !(in >> a) && in.eof() && in.fail());
    std::istringstream large("99999999999 x 2.5e3z");
    double d;
    assert(!(large >> a) && a == 2147483647);
    large.clear();
    assert(!(large >> a) && a == 0);
    large.clear();
    assert(large >> word >> d && word == "x" && d == 2500 && large.peek() == 'z');
    std::istringstream words("one two");
    std::vector<std::string> all{std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
    assert(all.size() == 2 && all[1] == "two");
    std::stringstream both;
    both << 1L << ' ' << 2.5;
    assert(both >> a >> d && a == 1 && d == 2.5 && both.eof());
    std::ifstream file("/no/such/file");
    assert(!file && !file.is_open());
}

int main() {
    std::thread other([] {
        std::cout << "other " << std::setw(3) << 1 << std::endl;
        std::ostringstream own;
        own << 2;
        assert(own.str() == "2");
    });
    std::cout << "main " << 1.5 << '\n';
    output();
    input();
    other.join();
}
