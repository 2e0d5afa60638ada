// Another thread has called setjmp.
//
// check: rc11 rf violation lock-misuse 10
#include <pthread.h>
#include <setjmp.h>

static jmp_buf place;

static void *thread(void *unused) {
    longjmp(place, 1);
}

int main(void) {
    pthread_t t;
    if (setjmp(place)) return 1;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
}
