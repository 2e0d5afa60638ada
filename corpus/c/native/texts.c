// Numbers in texts, texts from numbers, and functions on texts.
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void mix(unsigned long *sum, unsigned long x) { *sum = (*sum ^ x) * 0x9e3779b97f4a7c15u + (x >> 32); }
static void mix_text(unsigned long *sum, const char *text) {
    while (*text)
        mix(sum, *text++);
}
static void mix_double(unsigned long *sum, double x) {
    union { double d; unsigned long bits; } u = {x};
    mix(sum, x == x ? u.bits : 5);
}

static const char *const texts[] = {"", "12", "  -34x", "+0x1f", "0755", "99999999999999999999", "-99999999999999999999",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "18446744073709551616", "0x", "zz9", "\t\n7 8",
    "-", "1.5e3", ".25", "-.5E-2x", "1e", "1e+", ".", "12345678901234567890.123456789", "1e400", "4.9e-324", "inf",
    "-INFINITY!", "nan", "0.1", "3.4028235e38", "1.17549435e-38", "16777217", "5.", "00012"};
#define N (int)(sizeof texts / sizeof *texts)

static int order(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void scan(unsigned long *sum) {
    int a, b, n, found;
    unsigned u;
    long l;
    short h;
    signed char c;
    double d;
    float f;
    char word[20], set[20], bytes[4] = "";
    found = sscanf(" 12 -7 abc 0x1F", "%d%d %s %x", &a, &b, word, &u);
    mix(sum, found), mix(sum, a), mix(sum, b), mix_text(sum, word), mix(sum, u);
    found = sscanf("key=value;rest", "%[a-z]=%[^;]%n", word, set, &n);
    mix(sum, found), mix_text(sum, word), mix_text(sum, set), mix(sum, n);
    found = sscanf("123456 9.75e1,-2.5 %", "%3d%2hd%*d%f,%lf %%%n", &a, &h, &f, &d, &n);
    mix(sum, found), mix(sum, a), mix(sum, h), mix_double(sum, f), mix_double(sum, d), mix(sum, n);
    found = sscanf("xyz 300 -5000000000 077", "%3c%hhd%ld%i", bytes, &c, &l, &a);
    mix(sum, found), mix_text(sum, bytes), mix(sum, c), mix(sum, l), mix(sum, a);
    mix(sum, sscanf("", "%d", &a)), mix(sum, sscanf("abc", "%d", &a)), mix(sum, sscanf("5 x", "%d %d", &a, &b)), mix(sum, a);
    mix(sum, sscanf("7", "%d %d", &a, &b)), mix(sum, sscanf("10:20:30", "%d:%d:%d", &a, &b, &n)), mix(sum, a + b * 3 + n * 5);
    mix(sum, sscanf("]-a b", "%[]a-]%s", set, word)), mix_text(sum, set);
    mix(sum, sscanf("abcdef", "%4s%s", word, set)), mix_text(sum, word), mix_text(sum, set);
}

int main(void) {
    unsigned long sum = 7;
    for (int i = 0; i < N; i++) {
        char *end;
        for (int base = 0; base <= 36; base += 18)
            mix(&sum, strtol(texts[i], &end, base)), mix(&sum, end - texts[i]), mix(&sum, strtoul(texts[i], 0, base));
        errno = 0;
        strtol(texts[i], 0, 0), mix(&sum, errno);
        mix(&sum, strtoll(texts[i], 0, 10)), mix(&sum, strtoull(texts[i], 0, 16)), mix(&sum, strtoimax(texts[i], 0, 8));
        mix(&sum, atol(texts[i])), mix(&sum, atoll(texts[i]));
        if (i != 5 && i != 6 && i != 7 && i != 9 && i != 10 && i != 21)
            mix(&sum, atoi(texts[i]));
        if (i != 3 && i != 11) {
            mix_double(&sum, strtod(texts[i], &end)), mix(&sum, end - texts[i]);
            mix_double(&sum, strtof(texts[i], &end)), mix(&sum, end - texts[i]), mix_double(&sum, atof(texts[i]));
        }
        mix(&sum, strncasecmp(texts[i], "-Infinity", 4) == 0), mix_text(&sum, strchrnul(texts[i], 'e'));
    }
    scan(&sum);
    char *words[N], line[] = "one, two,,three ; four", *rest = line, *part, *kept;
    memcpy(words, texts, sizeof words);
    qsort(words, N, sizeof *words, order);
    for (int i = 0; i < N; i++)
        mix_text(&sum, words[i]);
    const char *key = "12";
    char **found = bsearch(&key, words, N, sizeof *words, order);
    mix(&sum, found - words);
    for (part = strtok_r(line, ",; ", &kept); part; part = strtok_r(0, ",; ", &kept))
        mix_text(&sum, part);
    char fields[] = "a::b:c";
    rest = fields;
    while ((part = strsep(&rest, ":")))
        mix_text(&sum, part), mix(&sum, 1);
    char text[80];
    mix(&sum, snprintf(text, sizeof text, "%Lf|%.3Le|%5.1f|%g", 1.5L, -2.25L, 3.0, 1e-7)), mix_text(&sum, text);
    mix(&sum, (char *)mempcpy(text, "abcabc", 7) - text), mix(&sum, (char *)memrchr(text, 'b', 6) - text);
    mix(&sum, (char *)memchr(text, 'c', 6) - text), mix_text(&sum, strstr(text, "ca")), mix(&sum, strspn(text, "ab"));
    char *copy = strdup(text), *other = strndup(text, 2);
    mix_text(&sum, copy), mix_text(&sum, other), mix(&sum, strcoll(copy, other) > 0), free(copy), free(other);
#ifdef EXPECTED
    assert(sum == EXPECTED);
#else
    printf("%luul\n", sum);
#endif
    return 0;
}
