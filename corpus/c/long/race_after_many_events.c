// A race in an execution of several thousand events, which is checked once more before it is shown.
//
// check: rc11 rf violation race 13
// check: rc11 co violation race 13
// check: ra rf violation race 13
#include <pthread.h>
#define N 8000

static volatile int a[N];
static int x;

static void *writer(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    for (int i = 0; i < N; i++)
        a[i] = i;
    pthread_t p, q;
    pthread_create(&p, NULL, writer, NULL);
    pthread_create(&q, NULL, writer, NULL);
    pthread_join(p, NULL);
    pthread_join(q, NULL);
}
