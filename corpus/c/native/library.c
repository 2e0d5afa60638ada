// Hexadecimal floating-point numbers, wide texts, options of a command line, signals and the calendar.
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static void mix(unsigned long *sum, unsigned long x) { *sum = (*sum ^ x) * 0x9e3779b97f4a7c15u + (x >> 32); }
static void mix_text(unsigned long *sum, const char *text) {
    while (*text)
        mix(sum, *text++);
}

static void print_hexadecimal(unsigned long *sum) {
    static const double numbers[] = {0, -0.0, 1, -1.5, 0.1, 3.14159, 1e300, -1e-300, 4.9e-324, 2.2250738585072014e-308,
        1e-310, 255, 0x1.ffffffffffffep3, 0x1.8p0, 0x1.08p0, 0x1.fp0, 1.0 / 0.0, -1.0 / 0.0};
    static const char *const patterns[] = {"%a", "%A", "%.0a", "%.1a", "%.3A", "%.13a", "%.20a", "%20a", "%-20a|", "%020a",
        "%+a", "% a", "%#.0a", "%012.2a"};
    char text[80];
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (unsigned k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            mix(sum, snprintf(text, sizeof text, patterns[k], numbers[i]));
            mix_text(sum, text);
        }
}

static void scan_hexadecimal(unsigned long *sum) {
    static const char *const texts[] = {"0x1p0", "0X1.8P1x", "-0x.8p-2", "0x", "0xg", "0x1.", "0x.p1", "0x1p", "0x1p+", "0x1e3",
        "0x1.fffffffffffff8p0", "0x1.fffffffffffff7p0", "0x123456789abcdef0123p0", "0x1.00000000000008p0",
        "0x1.000000000000080000000000000000001p0", "0x1p-1074", "0x1p2000", "-0x1p-2000", "0x00000000000000000000001.8",
        "0x1.000001p0", "0x1.000003p0", " 0x7p99999999999"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        union { double d; unsigned long bits; } u = {strtod(texts[i], &end)};
        mix(sum, u.bits), mix(sum, end - texts[i]);
        union { float f; unsigned bits; } v = {strtof(texts[i], &end)};
        mix(sum, v.bits), mix(sum, end - texts[i]);
    }
    double d = 0;
    mix(sum, sscanf("0x1.8p4 7", "%lf", &d)), mix(sum, (long)d);
}

static int sign(int x) { return (x > 0) - (x < 0); }

static void wide(unsigned long *sum) {
    wchar_t text[32] = L"a wide", other[32];
    mix(sum, wcslen(text)), mix(sum, wcsnlen(text, 3));
    wcscat(text, L" text");
    mix(sum, sign(wcscmp(text, L"a wide text"))), mix(sum, sign(wcscmp(text, L"a wider"))), mix(sum, sign(wcsncmp(text, L"a wax", 4)));
    wcscpy(other, text), wcsncpy(other, L"b", 3);
    mix(sum, other[0]), mix(sum, other[2]), mix(sum, other[3]);
    mix(sum, wcschr(text, L'd') - text), mix(sum, wcsrchr(text, L't') - text), mix(sum, wcschr(text, L'z') == 0);
    mix(sum, wcsstr(text, L"ide") - text), mix(sum, wcsstr(text, L"idea") == 0);
    wmemset(other, L'x', 4), wmemcpy(other + 1, text, 2), wmemmove(other + 2, other + 1, 3);
    for (int i = 0; i < 6; i++)
        mix(sum, other[i]);
    mix(sum, sign(wmemcmp(other, text, 2))), mix(sum, wmemchr(other, L'a', 6) - other);
    wchar_t *copy = wcsdup(text);
    mix(sum, wcslen(copy));
    free(copy);
}

static void options(unsigned long *sum, const char *letters, const struct option *table, const char *const *words) {
    char *arguments[16];
    int count = 0, letter, index = -1;
    while (words[count])
        arguments[count] = (char *)words[count], count++;
    arguments[count] = 0;
    optind = 0, opterr = 0, optarg = 0;
    while ((letter = table ? getopt_long(count, arguments, letters, table, &index) : getopt(count, arguments, letters)) != -1) {
        mix(sum, letter), mix(sum, index);
        if (letter == '?' || letter == ':')
            mix(sum, optopt);
        else if (optarg)
            mix_text(sum, optarg);
    }
    mix(sum, optind);
    for (int i = 1; i < count; i++)
        mix_text(sum, arguments[i]);
}

static void all_options(unsigned long *sum) {
    static int flag;
    static const struct option table[] = {{"count", required_argument, 0, 'c'}, {"verbose", no_argument, 0, 'v'},
        {"version", no_argument, 0, 'V'}, {"level", optional_argument, 0, 'l'}, {"quiet", no_argument, &flag, 7}, {0, 0, 0, 0}};
    options(sum, "ab:c::", 0, (const char *[]){"p", "-a", "-b", "x", "-by", "-c", "-cz", "rest", 0});
    options(sum, "ab:", 0, (const char *[]){"p", "-aab", "value", "-q", "-aq", "--", "-a", 0});
    options(sum, ":ab:", 0, (const char *[]){"p", "one", "-a", "two", "-b", 0});
    options(sum, "+ab:", 0, (const char *[]){"p", "-a", "one", "-b", "two", 0});
    options(sum, "ab:", 0, (const char *[]){"p", "one", "-a", "two", "-", "-b", "v", "three", 0});
    options(sum, "vc:", table, (const char *[]){"p", "--count=5", "--count", "6", "-c7", "file", "--verbose", "-v", 0});
    options(sum, "v", table, (const char *[]){"p", "--ver", "--verb", "--level", "--level=3", "--quiet", "--unknown", "--quiet=1", 0});
    options(sum, ":v", table, (const char *[]){"p", "one", "--count", "4", "two", "--count", 0});
    mix(sum, flag);
}

static volatile sig_atomic_t received, nested;
static void on_signal(int number) {
    received = received * 10 + number;
    sigset_t mask;
    sigprocmask(SIG_SETMASK, 0, &mask);
    nested = sigismember(&mask, number) + 2 * sigismember(&mask, SIGUSR1);
}
static void on_detail(int number, siginfo_t *information, void *unused) {
    received = received * 10 + (information->si_signo == number);
}

static void signals(unsigned long *sum) {
    mix(sum, signal(SIGUSR2, on_signal) == SIG_DFL), mix(sum, raise(SIGUSR2)), mix(sum, received), mix(sum, nested);
    mix(sum, signal(SIGUSR2, SIG_IGN) == on_signal), mix(sum, raise(SIGUSR2)), mix(sum, received);
    mix(sum, raise(SIGWINCH)), mix(sum, signal(SIGKILL, on_signal) == SIG_ERR), mix(sum, signal(99, on_signal) == SIG_ERR);
    struct sigaction action = {.sa_sigaction = on_detail, .sa_flags = SA_SIGINFO | SA_RESETHAND}, old;
    sigemptyset(&action.sa_mask), sigaddset(&action.sa_mask, SIGUSR1);
    mix(sum, sigaction(SIGTERM, &action, 0)), mix(sum, raise(SIGTERM)), mix(sum, received);
    mix(sum, sigaction(SIGTERM, 0, &old)), mix(sum, old.sa_handler == SIG_DFL), mix(sum, sigismember(&old.sa_mask, SIGUSR1));
    action.sa_handler = on_signal, action.sa_flags = SA_NODEFER;
    mix(sum, sigaction(SIGTERM, &action, 0)), mix(sum, kill(getpid(), SIGTERM)), mix(sum, received), mix(sum, nested);
    mix(sum, kill(getpid(), 0));
}

static void calendar(unsigned long *sum) {
    static const time_t times[] = {0, 1, -1, 951782400, 951868800, 1709164800, 4107542399, -2203891200, 1700000000, 253402300799};
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        struct tm parts;
        gmtime_r(&times[i], &parts);
        mix(sum, parts.tm_sec), mix(sum, parts.tm_min), mix(sum, parts.tm_hour), mix(sum, parts.tm_mday), mix(sum, parts.tm_mon);
        mix(sum, parts.tm_year), mix(sum, parts.tm_wday), mix(sum, parts.tm_yday), mix(sum, parts.tm_isdst);
        mix(sum, gmtime(&times[i])->tm_yday);
    }
}

static void characters(unsigned long *sum) {
    for (int c = -1; c < 256; c++)
        mix(sum, toupper(c)), mix(sum, tolower(c));
    mix_text(sum, setlocale(LC_ALL, "C"));
}

int main(void) {
    unsigned long sum = 1;
    print_hexadecimal(&sum), scan_hexadecimal(&sum), wide(&sum), all_options(&sum), signals(&sum), calendar(&sum), characters(&sum);
#ifdef EXPECTED
    assert(sum == EXPECTED);
#else
    printf("%luu\n", sum);
#endif
}
