// check: rc11 rf violation invalid-access 13
// check: sc co violation invalid-access 13
//
// The bytes after the end of an array are unwritten, but the error is that they are read at all.
#include <pthread.h>
#include <stdlib.h>

static int *numbers, sum;

static void *add_up(void *unused) {
    int result = 0;
    for (int i = 0; i <= 2; i++)
        result += numbers[i];
    sum = result;
    return unused;
}

int main(void) {
    pthread_t thread;
    numbers = malloc(2 * sizeof *numbers);
    numbers[0] = numbers[1] = 1;
    pthread_create(&thread, NULL, add_up, NULL);
    pthread_join(thread, NULL);
    free(numbers);
    return sum;
}
