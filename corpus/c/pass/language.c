// check: rc11 rf executions 1
//
// Variable-length arrays, alloca, bit-fields, unions, and functions with any number of arguments.
#include <alloca.h>
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sum_of_array(int n) {
    int array[n], sum = 0;
    for (int i = 0; i < n; i++)
        array[i] = i;
    for (int i = 0; i < n; i++)
        sum += array[i];
    return sum;
}

union number {
    float f;
    unsigned i;
    struct { unsigned low : 3, middle : 13; int high : 16; } parts;
};
struct bits { long a : 33; unsigned b : 31; int : 0; signed char c : 3; };
struct pair { int x, y; };
struct big { double a; long b; char c[20]; };

static double sum(const char *kinds, ...) {
    va_list list, copy;
    double sum = 0;
    va_start(list, kinds);
    va_copy(copy, list);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': sum += va_arg(list, int); break;
        case 'l': sum += va_arg(list, long); break;
        case 'd': sum += va_arg(list, double); break;
        case 'p': sum += *va_arg(list, int *); break;
        case 's': { struct pair pair = va_arg(list, struct pair); sum += pair.x + pair.y; break; }
        case 'b': { struct big big = va_arg(list, struct big); sum += big.a + big.b + big.c[3]; break; }
        }
    }
    va_end(list);
    sum += va_arg(copy, int);
    va_end(copy);
    return sum;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void texts(void) {
    char text[32];
    assert(snprintf(text, 8, "%d-%s", 12345, "long") == 10 && !strcmp(text, "12345-l"));
    sprintf(text, "%03d|%-4x|%5.2f|%c%%", 7, 255, 2.5, 'z');
    assert(!strcmp(text, "007|ff  | 2.50|z%"));
    assert(strtol("-0x1f;", 0, 0) == -31 && strtoul("077", 0, 8) == 63);
    char words[] = "one,two";
    assert(!strcmp(strtok(words, ","), "one") && !strcmp(strtok(0, ","), "two") && !strtok(0, ","));
}

int main(int argc, char **argv) {
    assert(sum_of_array(5) == 10);
    char *room = alloca(argc + 3);
    room[3] = 1;
    int matrix[argc + 1][3];
    matrix[1][2] = 7;
    assert(matrix[1][2] == 7 && room[3] == 1);

    union number number = {.f = 1.0f};
    assert(number.i == 0x3f800000);
    number.parts.middle = 5;
    assert((number.i >> 3 & 0x1fff) == 5 && number.parts.high == 0x3f80);
    struct bits bits = {-1, 7, 2};
    bits.a = -5, bits.c = -1;
    assert(bits.a == -5 && bits.b == 7 && bits.c == -1);

    int nine = 9;
    struct pair pair = {1, 2};
    struct big big = {1.5, 2, {0, 0, 0, 4}};
    assert(sum("iidlpsbi", 1, 2, 2.5, 3L, &nine, pair, big, 100) == 1 + 2 + 2.5 + 3 + 9 + 3 + 7.5 + 100 + 1);
    double (*pointer)(const char *, ...) = sum;
    assert(pointer("ii", 4, 5) == 13);

    int numbers[] = {3, 1, 2, 0}, two = 2;
    qsort(numbers, 4, sizeof *numbers, by_value);
    assert(numbers[0] == 0 && numbers[3] == 3 && bsearch(&two, numbers, 4, 4, by_value) == &numbers[2]);
    texts();
    return 0;
}
