// Arrays of variable length and alloca: their memory comes and goes, is not mistaken for that of others, and may be
// used by another thread.
//
// check: rc11 rf executions 1
// check: -O1 rc11 rf executions 1
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <string.h>

static int sum(int n) {
    int total = 0;
    for (int i = 1; i <= n; i++) {
        int numbers[i], more[2][i];
        for (int j = 0; j < i; j++)
            numbers[j] = more[1][j] = j;
        for (int j = 0; j < i; j++)
            total += numbers[j] + more[1][j];
        if (i == 7)
            continue;
        if (i == 9)
            break;
    }
    return total;
}

static int early(int n) {
    char text[n + 1];
    memset(text, 'a', n);
    text[n] = 0;
    if (n > 3)
        return (int)strlen(text);
    int *kept[3];
    for (int i = 0; i < 3; i++) {
        kept[i] = alloca(sizeof(int) * (n + 1));
        *kept[i] = i;
    }
    return *kept[0] + *kept[1] + *kept[2];
}

static int depth(int n) {
    int numbers[n + 1];
    numbers[n] = n == 0 ? 0 : depth(n - 1) + 1;
    return numbers[n];
}

static void *fill(void *argument) {
    int *numbers = argument;
    for (int i = 0; i < 3; i++)
        numbers[i] += i;
    return 0;
}

int main(void) {
    assert(sum(10) == 2 * (0 + 1 + 3 + 6 + 10 + 15 + 21 + 28 + 36));
    assert(early(5) == 5);
    assert(early(2) == 3);
    assert(depth(6) == 6);
    for (int n = 3; n < 5; n++) {
        int numbers[n];
        memset(numbers, 0, sizeof numbers);
        pthread_t thread;
        pthread_create(&thread, 0, fill, numbers);
        pthread_join(thread, 0);
        assert(numbers[0] + numbers[1] + numbers[2] == 3);
    }
    return 0;
}
